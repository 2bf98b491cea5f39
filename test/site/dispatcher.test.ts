// What the dispatcher does around a process that ends at the worst moment.
import { describe, expect, it } from 'vitest'
import type { Delivered } from '../../src/contract/delivery.ts'
import { NETWORKS } from '../../src/contract/payment.ts'
import { migrate } from '../../src/site/database/schema.ts'
import { Store } from '../../src/site/database/store.ts'
import { Dispatcher } from '../../src/site/dispatcher.ts'
import { enqueueInstruction, enqueueNotification, nextDelivery } from '../../src/site/outbox/outbox.ts'
import { nextOverdue } from '../../src/site/outbox/overdue.ts'
import type { Queue } from '../../src/site/outbox/rows.ts'
import { SiteName } from '../../src/site/rows/site-id.ts'
import { addNotificationKey } from '../../src/site/settings/notification-keys.ts'
import { replaceSettings } from '../../src/site/settings/settings.ts'
import { milliseconds } from '../../src/site/time.ts'
import { HOUR, instruction, notification, START, TAKEN, upTo } from '../support/outbox.ts'
import { contextOf, inNewSite } from '../support/site.ts'

it('an overdue instruction is logged until its line is written, however often the process ends before', () =>
  inNewSite(async (storage) => {
    migrate(storage)
    const store = new Store(storage, {
      name: new SiteName('demo', () => true),
      clock: () => START + HOUR,
      log: () => {},
      afterFlush: () => {},
      wakeAt: () => undefined,
    })
    await store.open()
    enqueueInstruction(
      storage.sql,
      { event: 1, qrCode: undefined, now: milliseconds(START) },
      'external',
      instruction,
    )
    const lines: string[] = []
    let ends = 2
    const dispatcher = new Dispatcher({
      store,
      courier: { deliver: () => new Promise(() => {}), instruct: () => new Promise(() => {}) },
      waitUntil: () => {},
      random: () => 0,
      log: (line) => {
        if (ends-- > 0) throw new Error('the process ends')
        lines.push(line)
      },
    })
    for (let i = 0; i < 2; i++) await expect(dispatcher.run()).rejects.toThrow('the process ends')
    expect(nextOverdue(storage.sql)).toBe(START + HOUR)
    for (let i = 0; i < 2; i++) await dispatcher.run()
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      {
        level: 'warning',
        message: 'an instruction is overdue',
        site: 'demo',
        type: 'refund.create',
        attempts: 0,
      },
    ])
    expect(nextOverdue(storage.sql)).toBeUndefined()
  }))

/** The object around the test must not wake by itself. */
const withoutAlarm = (storage: DurableObjectStorage): DurableObjectStorage =>
  new Proxy(storage, {
    get(target, name) {
      if (name === 'setAlarm') return async () => {}
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })

describe('an alarm', () => {
  /** A site with so many notifications and instructions that are due, and a courier that answers when it is told to. */
  async function busySite(storage: DurableObjectStorage, count: number) {
    const { sql } = storage
    migrate(storage)
    const store = new Store(withoutAlarm(storage), {
      name: new SiteName('demo', () => true),
      clock: () => START,
      log: () => {},
      afterFlush: () => {},
      wakeAt: () => undefined,
    })
    await store.open()
    replaceSettings(
      contextOf(sql, 0),
      { callbackUrl: 'https://shop.example/', notificationTypes: [] },
      undefined,
    )
    addNotificationKey(contextOf(sql, 0), { id: 'a', key: 'secret' })
    const now = milliseconds(START)
    for (const number of upTo(count)) {
      enqueueNotification(sql, { event: number, qrCode: number, now }, 'merchant', notification)
      for (const [i, network] of NETWORKS.entries()) {
        enqueueInstruction(
          sql,
          { event: (i + 1) * 1000 + number, qrCode: undefined, now },
          network,
          instruction,
        )
      }
    }
    const sent: string[] = []
    const waiting: (() => void)[] = []
    const work: Promise<unknown>[] = []
    const send = (id: string) =>
      new Promise<Delivered>((resolve) => {
        sent.push(id)
        waiting.push(() => resolve(TAKEN))
      })
    const dispatcher = new Dispatcher({
      store,
      courier: { deliver: ({ id }) => send(id), instruct: ({ id }) => send(id) },
      waitUntil: (one) => work.push(one),
      random: () => 0,
      log: () => {},
    })
    return {
      sent,
      dispatcher,
      /** Answers all deliveries, and those that follow, until nothing is in flight. */
      async answer(): Promise<void> {
        while (work.length > 0) {
          for (const each of waiting.splice(0)) each()
          await Promise.race(work.splice(0, 1))
        }
      },
      dueQueues: (): Queue[] =>
        (['merchant', ...NETWORKS] as const).filter(
          (queue) => (nextDelivery(sql, queue) ?? Infinity) <= START,
        ),
    }
  }

  it('makes at most 30 deliveries, ten of a queue, and the rest is due at once', () =>
    inNewSite(async (storage) => {
      const { sent, dispatcher, answer, dueQueues } = await busySite(storage, 45)
      const bySent: number[] = []
      while (dueQueues().length > 0) {
        const before = sent.length
        await dispatcher.run()
        // Their answers make room, but not in this alarm.
        await answer()
        bySent.push(sent.length - before)
      }
      expect(bySent).toEqual([30, 30, 30, 30, 15])
      expect(new Set(sent).size).toBe(3 * 45)
    }))

  it('has at most 30 deliveries of a queue in flight, also with those of earlier alarms', () =>
    inNewSite(async (storage) => {
      const { sent, dispatcher, dueQueues } = await busySite(storage, 45)
      const bySent: number[] = []
      while (dueQueues().length > 0) {
        await dispatcher.run()
        bySent.push(sent.length)
      }
      expect(bySent).toEqual([30, 60, 90])
    }))
})

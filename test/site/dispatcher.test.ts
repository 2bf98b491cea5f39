// What the dispatcher does around a process that ends at the worst moment.
import { expect, it } from 'vitest'
import { migrate } from '../../src/site/migrations.ts'
import { Dispatcher } from '../../src/site/outbox/dispatcher.ts'
import { enqueueInstruction, nextOverdue } from '../../src/site/outbox/outbox.ts'
import { Store } from '../../src/site/store.ts'
import { milliseconds } from '../../src/site/time.ts'
import { HOUR, instruction, START } from '../support/outbox.ts'
import { inNewSite } from '../support/site.ts'

it('an overdue instruction is logged until its line is written, however often the process ends before', () =>
  inNewSite(async (storage) => {
    migrate(storage)
    const store = new Store(storage, {
      siteId: 'demo',
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

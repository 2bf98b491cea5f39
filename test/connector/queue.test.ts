// The queue of a table: what is due in which lane, and that a wake during a step stays.
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { MOVED, moved, PLACE, Place, Queue, WOKEN } from '../../connector/work/queue.ts'
import { bound, charge, TBANK } from './bound.ts'
import { deliver, HOUR, launched, MINUTE, refund, register, start, surroundings } from './harness.ts'

const Row = Place.extend({ id: z.string(), bank: z.string(), key: z.string() })

/** A table with a queue alone. */
function table({ key = ['id'], isNewFirst = false }: { key?: ('id' | 'key')[]; isNewFirst?: boolean } = {}) {
  const database = new DatabaseSync(':memory:')
  database.exec(`CREATE TABLE things (id TEXT PRIMARY KEY, bank TEXT NOT NULL, key TEXT NOT NULL, state TEXT NOT NULL DEFAULT 'NEW',
    fact TEXT, due_at INTEGER NOT NULL, rests INTEGER NOT NULL DEFAULT 0, wakes INTEGER NOT NULL DEFAULT 0,
    attempts INTEGER NOT NULL DEFAULT 0, stepped_at INTEGER NOT NULL DEFAULT 0) STRICT;
    CREATE INDEX things_open ON things (bank, rests, due_at) WHERE state = 'NEW'`)
  const queue = new Queue(database, {
    ...{
      table: 'things',
      select: `SELECT id, bank, key, ${PLACE} FROM things`,
      lane: 'bank',
      open: `state = 'NEW'`,
    },
    ...{ key, isNewFirst, longest: HOUR, schema: Row },
  })
  const insert = database.prepare('INSERT INTO things (id, bank, key, due_at) VALUES (?, ?, ?, ?)')
  const add = (id: string, bank: string, dueAt: number, of = id) => insert.run(id, bank, of, dueAt)
  const wake = database.prepare(`UPDATE things SET ${WOKEN} WHERE id = :id`)
  const ids = (bank: string, now: number) => queue.due(bank, now, 100).map(({ id }) => id)
  const step = database.prepare(`UPDATE things SET fact = :fact, ${MOVED} WHERE rowid = :place`)
  return { database, queue, add, ids, step, wake: (id: string, now: number) => wake.run({ id, now }) }
}

describe('a queue', () => {
  it.each([
    ['the one that is due longest first, however often it was tried', false, ['a0', 'a2', 'a1']],
    ['what was never tried first', true, ['a2', 'a1', 'a0']],
  ])('has the lanes that have something due, and of each what is due: %s', (_, isNewFirst, after) => {
    const { queue, add, ids } = table({ isNewFirst })
    for (const bank of ['a', 'b', 'c'])
      for (let i = 0; i < 3; i++) add(`${bank}${i}`, bank, bank === 'c' ? 9 : 3 - i)
    expect(queue.lanes(3)).toEqual(['a', 'b'])
    expect(ids('a', 3)).toEqual(['a2', 'a1', 'a0'])
    const last = queue.due('a', 3, 3).at(-1)
    if (last) queue.delay(last, { now: 3, dueAt: 0 })
    expect(ids('a', 3)).toEqual(after)
    expect(ids('a', 1)).toEqual(isNewFirst ? ['a2', 'a0'] : ['a0', 'a2'])
  })

  it('has the first row of each key, in its order', () => {
    const row = fc.record({ key: fc.constantFrom('a', 'b', 'c'), dueAt: fc.nat(4), isTried: fc.boolean() })
    fc.assert(
      fc.property(
        fc.array(row, { maxLength: 12 }),
        fc.boolean(),
        fc.integer({ min: 1, max: 4 }),
        (rows, isNewFirst, limit) => {
          const { database, queue, add } = table({ key: ['key'], isNewFirst })
          for (const [i, { key, dueAt, isTried }] of rows.entries()) {
            add(String(i), 'bank', dueAt, key)
            database.prepare('UPDATE things SET attempts = ? WHERE id = ?').run(Number(isTried), String(i))
          }
          const rankOf = ({ dueAt, isTried }: (typeof rows)[number]) =>
            dueAt + (isNewFirst && isTried ? 100 : 0)
          const inOrder = rows
            .map((each, i) => ({ ...each, id: String(i) }))
            .filter(({ dueAt }) => dueAt <= 3)
            .toSorted((a, b) => rankOf(a) - rankOf(b))
          const first = inOrder.filter(({ key }, i) => inOrder.findIndex((each) => each.key === key) === i)
          const due = queue.due('bank', 3, limit).map(({ id }) => id)
          expect(due).toEqual(first.slice(0, limit).map(({ id }) => id))
        },
      ),
    )
  })

  it.each([
    ['what is due longest', false, ['a', 'b', 'c']],
    ['something that was never tried', true, ['b', 'a', 'c']],
  ])('has the lane first that has %s', (_, isNewFirst, lanes) => {
    const { queue, add } = table({ isNewFirst })
    for (const [i, bank] of ['a', 'b', 'c'].entries()) {
      add(`tried ${bank}`, bank, 0)
      for (const row of queue.due(bank, 0, 1)) queue.delay(row, { now: 0, dueAt: i })
    }
    add('new', 'b', 9)
    expect(queue.lanes(9)).toEqual(lanes)
  })

  it.each([
    ['is delayed', { now: 10, dueAt: 1_000 }],
    ['rests', { now: 10, dueAt: 'REST' as const }],
  ])('a row that %s is due when it is woken, also where it was woken during the step', (_, next) => {
    for (const isDuring of [true, false]) {
      const { queue, add, ids, wake } = table()
      add('a', 'bank', 1)
      const [row] = queue.due('bank', 10, 1)
      if (!row) throw new Error('it is due')
      if (isDuring) wake('a', 11)
      queue.delay(row, next)
      expect(ids('bank', 11)).toEqual(isDuring ? ['a'] : [])
      if (!isDuring) wake('a', 12)
      expect(ids('bank', 12)).toEqual(['a'])
    }
  })

  it('what a step has learned is written, whatever has woken the row', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('read', 'step', 'wake'), { maxLength: 12 }), (acts) => {
        const { database, queue, add, step, wake } = table()
        add('a', 'bank', 0)
        let [read] = queue.due('bank', 0, 1)
        if (!read) throw new Error('it is due')
        let wakes = 0
        let seen = 0
        let dueAt = 0
        for (const [i, act] of acts.entries()) {
          if (act === 'read') {
            seen = wakes
            read = { ...read, wakes: Number(database.prepare('SELECT wakes FROM things').get()?.wakes) }
          } else if (act === 'wake') {
            wake('a', i)
            wakes++
            dueAt = i
          } else {
            step.run({ fact: String(i), place: read.place, ...moved(read, { now: i, dueAt: 1_000 + i }) })
            expect(database.prepare('SELECT fact FROM things').get()?.fact).toBe(String(i))
            if (seen === wakes) dueAt = 1_000 + i
          }
        }
        expect(database.prepare('SELECT due_at FROM things').get()?.due_at).toBe(dueAt)
      }),
    )
  })

  it('after a clock that was ahead, what it put off is due now, and what rests stays', () => {
    const { queue, add, ids, wake } = table()
    for (const id of ['later', 'rest', 'soon']) add(id, 'bank', 0)
    const rows = new Map(queue.due('bank', 0, 9).map((row) => [row.id, row]))
    for (const [id, next] of [
      ['later', { now: 50 * HOUR, dueAt: 50 * HOUR + MINUTE }],
      ['rest', { now: 50 * HOUR, dueAt: 'REST' }],
      ['soon', { now: 0, dueAt: MINUTE }],
    ] as const) {
      const row = rows.get(id)
      if (row) queue.delay(row, next)
    }
    expect([queue.correct(10), ids('bank', 10)]).toEqual([1, ['later']])
    wake('rest', 10)
    expect(ids('bank', 10)).toEqual(['later', 'rest'])
  })
})

it('forty held refunds of one payment delay no other refund of the bank', async () => {
  const { at, core, connector } = await launched()
  const many = await register(at, 'farm')
  const other = await register(at, 'farm')
  for (const { qrcId } of [many, other]) await at.raiffeisen.pay(qrcId)
  await connector.settle()
  const of = { site: 'farm', paymentUid: many.qrcId, qrcId: many.qrcId, bank: 'raif-farm', amount: 100 }
  const times = { givenAt: at.clock.now - HOUR, createdAt: at.clock.now - HOUR }
  for (let i = 0; i < 40; i++) {
    const held = { ...of, ...times, refundUid: `held-${i}`, state: 'HELD' as const, reason: 'restored' }
    core.disk.refunds.insert({ ...held, reference: 'none', networkUid: null, receipt: '', bankUid: null })
  }
  await refund(at, 'farm', other, '30.00')
  await connector.settle(1)
  expect(at.raiffeisen.callsOf('refund')).toHaveLength(1)
})

it('a charge that its webhook wakes while the bank is asked about it is asked about at once', async () => {
  const { at, running, binding, link } = await bound(TBANK)
  const { charges } = running.core.disk
  at.tbank.chargeResult = 'AUTHORIZING'
  const asked = await charge(at, binding, link)
  const id = { site: asked.siteId, paymentUid: asked.paymentUid }
  await running.connector.settle()
  expect(charges.get(id)?.state).toBe('PENDING')
  at.clock.now += 2 * HOUR
  at.tbank.beforeAnswer = async (operation) => {
    if (operation !== 'GetState') return
    at.tbank.beforeAnswer = async () => {}
    charges.wake(id, at.clock.now)
  }
  await running.connector.settle(1)
  await at.tbank.finishCharge(charges.get(id)?.note ?? '', 'CONFIRMED', { times: 0 })
  await running.connector.settle(2)
  expect(asked.result()?.status).toBe('COMPLETED')
})

it('a webhook whose code is registered while it is looked for is reported at once', async () => {
  const { at, core, connector } = await launched()
  const { qrcId, reference } = await register(at, 'cafe')
  await at.tbank.pay(qrcId)
  const [row] = core.disk.webhooks.waiting()
  if (!row) throw new Error('it is on disk')
  core.disk.webhooks.wake({ reference: reference.split(':')[1] }, at.clock.now)
  // What the step has read is from before.
  core.disk.webhooks.delay(row, { problem: 'NO_SITE' }, { now: at.clock.now, dueAt: at.clock.now + HOUR })
  await connector.settle()
  expect(at.service.site('cafe').payments.get(qrcId)?.status).toBe('COMPLETED')
})

it('a webhook that the bank repeats while the bank is asked about it is asked about again', async () => {
  const { at, connector } = await launched()
  const { qrcId } = await register(at, 'farm')
  await at.raiffeisen.pay(qrcId)
  await connector.settle()
  const before = at.raiffeisen.calls.length
  await deliver(at, 'farm', qrcId)
  at.raiffeisen.beforeAnswer = async () => {
    at.raiffeisen.beforeAnswer = async () => {}
    at.clock.now += 1_000
    await deliver(at, 'farm', qrcId)
  }
  await connector.settle()
  expect(at.raiffeisen.calls.length - before).toBe(2)
})

it('an answer to a report that came late changes nothing of one that was accepted meanwhile', async () => {
  const { reports } = (await launched()).core.disk
  reports.put({ site: 'tea', path: 'a', body: {} }, 0)
  const [row] = reports.notAccepted()
  if (!row) throw new Error('it is on disk')
  reports.finish(row, 'ACCEPTED', '200')
  const accepted = reports.get(row.path)
  reports.delay(row, '503', { now: 1, dueAt: 5_000 })
  expect(reports.get(row.path)).toEqual(accepted)
})

it('an earlier version that starts on the disk is refused by its first statement', async () => {
  const at = await surroundings()
  await start(at).then(({ stop }) => stop())
  const database = new DatabaseSync(join(at.directory, 'connector.sqlite'))
  const ofEarlier = `INSERT OR IGNORE INTO meta (name, value) VALUES ('createdAt', '1')`
  expect(() => database.exec(ofEarlier)).toThrow('a later version of the connector has used this disk')
  database.close()
  await start(at)
})

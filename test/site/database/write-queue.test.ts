import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Outcome } from '../../../src/errors.ts'
import { Store } from '../../../src/site/database/store.ts'
import { writeCounts } from '../../../src/site/database/write-counts.ts'
import { type WriteQueue, writeQueue } from '../../../src/site/database/write-queue.ts'
import { SiteName } from '../../../src/site/rows/site-id.ts'
import { createIn, creation, inNewSite, MERCHANT } from '../../support/site.ts'

/** A write queue whose flushes and commits happen when the test says so. */
function manual() {
  const flushes: (() => void)[] = []
  const commits: (() => void)[] = []
  const afterFlush: number[] = []
  const transactions: number[] = []
  const queue = writeQueue({
    transaction(operations) {
      transactions.push(operations.length)
      for (const operation of operations) operation()
    },
    afterFlush: () => afterFlush.push(afterFlush.length),
    failed(error) {
      throw error
    },
    committed: () => new Promise((resolve) => commits.push(resolve)),
    schedule: (flush) => flushes.push(flush),
  })
  const flush = () => flushes.shift()?.()
  const commit = async () => {
    commits.shift()?.()
    await Promise.resolve()
    await Promise.resolve()
  }
  return { run: queue.run, transactions, flushes, afterFlush, flush, commit }
}

/** The same with a commit in flight, so that operations are queued. */
function busy() {
  const queue = manual()
  queue.run(() => ok(undefined))
  return queue
}

const ok = <T>(value: T): Outcome<T> => ({ ok: true, value })
const FULL = {
  ok: false,
  code: 'service.unavailable',
  description: 'the site has too many queued writes',
}

/** An operation that records its name. */
const recorder = () => {
  const ran: string[] = []
  return { ran, operation: (name: string) => () => ok(ran.push(name)) }
}

describe('a write queue', () => {
  it('runs an operation at once where no commit is in flight, and again once that is committed', async () => {
    const { run, flushes, commit } = manual()
    const { ran, operation } = recorder()
    run(operation('first'))
    expect(ran).toEqual(['first'])
    await commit()
    run(operation('second'))
    expect([ran, flushes.length]).toEqual([['first', 'second'], 0])
  })

  it('goes on in flushes after one of several operations, until one has a single one', async () => {
    const { run, flush, commit } = busy()
    const { ran, operation } = recorder()
    for (const name of ['1', '2']) run(operation(name))
    await commit()
    flush()
    await commit()
    run(operation('3'))
    expect(ran).toEqual(['1', '2'])
    flush()
    await commit()
    run(operation('4'))
    expect(ran).toEqual(['1', '2', '3', '4'])
  })

  it('queues what arrives while a commit is in flight, and runs all of it in one flush', async () => {
    const { run, flushes, afterFlush, flush } = busy()
    const { ran, operation } = recorder()
    const outcomes = ['1', '2', '3'].map((name) => run(operation(name)))
    expect([ran, flushes.length]).toEqual([[], 1])
    flush()
    expect([ran, afterFlush]).toEqual([
      ['1', '2', '3'],
      [0, 1],
    ])
    expect(await Promise.all(outcomes)).toEqual([ok(1), ok(2), ok(3)])
  })

  it('puts what arrives during a flush into the next one', async () => {
    const { run, flushes, flush } = busy()
    let inner: Promise<Outcome<string>> | undefined
    const outer = run(() => {
      inner = run(() => ok('inner'))
      return ok('outer')
    })
    flush()
    expect([await outer, flushes.length]).toEqual([ok('outer'), 1])
    flush()
    expect(await inner).toEqual(ok('inner'))
  })

  it('stays in flushes while the commit of the latest flush is in flight, whatever earlier one ends', async () => {
    const { run, flush, commit } = busy()
    const { ran, operation } = recorder()
    run(operation('1'))
    flush()
    // The commit of the first flush: that of the second is still in flight.
    await commit()
    run(operation('2'))
    expect(ran).toEqual(['1'])
    await commit()
    flush()
    expect(ran).toEqual(['1', '2'])
  })

  it('runs nothing before the scheduled flush, though the commit has ended', async () => {
    const { run, flush, commit } = busy()
    const { ran, operation } = recorder()
    run(operation('1'))
    await commit()
    run(operation('2'))
    expect(ran).toEqual([])
    flush()
    expect(ran).toEqual(['1', '2'])
  })

  it('runs the operations of a flush in one transaction, and each in its own if one throws', async () => {
    const { run, transactions, flush } = busy()
    const { ran, operation } = recorder()
    const failing = () => {
      ran.push('failing')
      throw new Error('it fails')
    }
    for (const name of ['1', '2', '3']) run(operation(name))
    flush()
    expect([ran.splice(0), transactions.splice(0)]).toEqual([
      ['1', '2', '3'],
      [1, 3],
    ])
    const settled = Promise.allSettled(
      [operation('4'), operation('5'), failing, operation('6')].map((each) => run(each)),
    )
    flush()
    expect(ran).toEqual(['4', '5', 'failing', '4', '5', 'failing', '6'])
    expect(transactions).toEqual([4, 1, 1, 1, 1])
    expect((await settled).map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
    ])
  })

  it('runs an operation that is alone and throws once', async () => {
    const { run, transactions } = manual()
    await expect(
      run(() => {
        throw new Error('it fails')
      }),
    ).rejects.toThrow('it fails')
    expect(transactions).toEqual([1])
  })

  it('confines each failure to its own caller', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.boolean(), { minLength: 1, maxLength: 50 }), async (failures) => {
        const { run, flush } = busy()
        const outcomes = failures.map((fails, i) =>
          run(() => {
            if (fails) throw new Error(`${i}`)
            return ok(i)
          }),
        )
        flush()
        const settled = await Promise.allSettled(outcomes)
        expect(settled.map(({ status }) => status === 'rejected')).toEqual(failures)
      }),
    )
  })

  it('takes 1,000 writes of callers, refuses and counts more until a flush has made room, and takes every write of the object', async () => {
    const { run, flush } = busy()
    const refusedBefore = writeCounts.refused
    const own = run(() => ok('own'), true)
    const outcomes = Array.from({ length: 1000 }, (_, i) => run(() => ok(i)))
    const another = run(() => ok('another'), true)
    expect(await run(() => ok('one too many'))).toEqual(FULL)
    expect(writeCounts.refused - refusedBefore).toBe(1)
    flush()
    expect(await Promise.all(outcomes)).toEqual(Array.from({ length: 1000 }, (_, i) => ok(i)))
    expect(await Promise.all([own, another])).toEqual([ok('own'), ok('another')])
    const again = run(() => ok('again'))
    flush()
    expect(await again).toEqual(ok('again'))
    expect(writeCounts.refused - refusedBefore).toBe(1)
  })

  it('does not fail writes because of an error of what follows them, at once or in a later flush', async () => {
    const failures: unknown[] = []
    const error = new Error('what follows')
    const flushes: (() => void)[] = []
    const { run } = writeQueue({
      transaction: (operations) => {
        for (const operation of operations) operation()
      },
      afterFlush() {
        throw error
      },
      failed: (each) => failures.push(each),
      committed: async () => {},
      schedule: (flush) => flushes.push(flush),
    })
    const writes = ['at once', 'queued', 'too'].map((name) => run(() => ok(name)))
    flushes.shift()?.()
    expect(await Promise.all(writes)).toEqual([ok('at once'), ok('queued'), ok('too')])
    expect(failures).toEqual([error, error])
    const after = run(() => ok('after'))
    flushes.shift()?.()
    expect(await after).toEqual(ok('after'))
  })
})

describe('in a site’s object', () => {
  it('an error of what follows a write is logged; the write has succeeded, and the alarm is set', () =>
    inNewSite(async (storage) => {
      const lines: string[] = []
      const store = new Store(storage, {
        name: new SiteName('demo', () => true),
        clock: () => 1_800_000_000_000,
        log: (line) => lines.push(line),
        afterFlush() {
          throw new Error('what follows')
        },
        wakeAt: () => undefined,
      })
      await store.open()
      const created = await store.create(MERCHANT, (context) => createIn(context, creation('a', { ttl: 10 })))
      expect(created).toMatchObject({ ok: true, value: { qrCode: { qrCodeUid: 'a' } } })
      expect(await storage.getAlarm()).toBe(1_800_000_600_000)
      expect(lines.map((line) => JSON.parse(line))).toMatchObject([
        { level: 'warning', message: 'what follows a write failed', site: 'demo' },
      ])
    }))

  const inSite = <T>(work: (storage: DurableObjectStorage, queue: WriteQueue) => Promise<T>) =>
    inNewSite((storage) => {
      storage.sql.exec('CREATE TABLE t (n INTEGER PRIMARY KEY)')
      const queue = writeQueue({
        transaction: (operations) =>
          storage.transactionSync(() => {
            for (const operation of operations) operation()
          }),
        afterFlush: () => {},
        failed: () => {},
        committed: () => storage.sync(),
        schedule: (flush) => setTimeout(flush, 0),
      })
      return work(storage, queue)
    })
  const numbers = ({ sql }: DurableObjectStorage) =>
    sql
      .exec<{ n: number }>('SELECT n FROM t ORDER BY n')
      .toArray()
      .map(({ n }) => n)

  it('an operation that throws midway leaves nothing of itself, and the others are complete', () =>
    inSite(async (storage, { run }) => {
      const insert =
        (...values: number[]) =>
        () => {
          for (const value of values) storage.sql.exec('INSERT INTO t VALUES (?)', value)
          return ok(undefined)
        }
      const operation = fc.array(fc.nat({ max: 12 }), { minLength: 1, maxLength: 3 })
      await fc.assert(
        fc.asyncProperty(fc.array(operation, { minLength: 1, maxLength: 20 }), async (operations) => {
          storage.sql.exec('DELETE FROM t')
          const outcomes = await Promise.allSettled(operations.map((values) => run(insert(...values))))
          const inserted = new Set<number>()
          const expected = operations.map((values) => {
            const fits = new Set([...inserted, ...values]).size === inserted.size + values.length
            if (fits) for (const value of values) inserted.add(value)
            return fits ? 'fulfilled' : 'rejected'
          })
          expect(outcomes.map(({ status }) => status)).toEqual(expected)
          expect(numbers(storage)).toEqual([...inserted].toSorted((a, b) => a - b))
        }),
      )
    }))

  it('the order of arrival is the order in the database', async () => {
    await inSite(async (storage, { run }) => {
      await Promise.all(
        Array.from({ length: 300 }, (_, n) =>
          run(() => {
            storage.sql.exec('INSERT INTO t VALUES (?)', n)
            return ok(undefined)
          }),
        ),
      )
      expect(numbers(storage)).toEqual(Array.from({ length: 300 }, (_, n) => n))
    })
  })
})

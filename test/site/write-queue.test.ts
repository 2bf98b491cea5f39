import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type GroupCommit, groupCommit } from '../../src/site/write-queue.ts'

/** A group commit whose turns and commits come when the test says so. */
function byHand() {
  const turns: (() => void)[] = []
  const commits: (() => void)[] = []
  const ends: number[] = []
  const { run } = groupCommit({
    ended: () => ends.push(ends.length),
    committed: () => new Promise((resolve) => commits.push(resolve)),
    next: (turn) => turns.push(turn),
  })
  const next = () => turns.shift()?.()
  const commit = async () => {
    commits.shift()?.()
    await Promise.resolve()
    await Promise.resolve()
  }
  return { run, turns, ends, next, commit }
}

/** The same with a commit under way, so that whoever comes has to wait. */
function busy() {
  const hand = byHand()
  hand.run(() => {})
  return hand
}

describe('a group commit', () => {
  it('runs a call at once where nobody else is about, and again once that is committed', async () => {
    const { run, turns, commit } = byHand()
    const ran: string[] = []
    run(() => ran.push('first'))
    expect(ran).toEqual(['first'])
    await commit()
    run(() => ran.push('second'))
    expect([ran, turns.length]).toEqual([['first', 'second'], 0])
  })

  it('goes on in turns after one that was shared, until one is not', async () => {
    const { run, next, commit } = busy()
    const ran: number[] = []
    for (const n of [1, 2]) run(() => ran.push(n))
    await commit()
    next()
    await commit()
    run(() => ran.push(3))
    expect(ran).toEqual([1, 2])
    next()
    await commit()
    run(() => ran.push(4))
    expect(ran).toEqual([1, 2, 3, 4])
  })

  it('makes who comes during a commit wait, runs all in one turn, and ends it once', async () => {
    const { run, turns, ends, next } = busy()
    const ran: number[] = []
    const answers = [1, 2, 3].map((n) => run(() => ran.push(n)))
    expect([ran, turns.length]).toEqual([[], 1])
    next()
    expect([ran, ends]).toEqual([
      [1, 2, 3],
      [0, 1],
    ])
    expect(await Promise.all(answers)).toEqual([1, 2, 3])
  })

  it('puts what arrives during a turn into the next one', async () => {
    const { run, turns, next } = busy()
    let inner: Promise<string> | undefined
    const outer = run(() => {
      inner = run(() => 'inner')
      return 'outer'
    })
    next()
    expect([await outer, turns.length]).toEqual(['outer', 1])
    next()
    expect(await inner).toBe('inner')
  })

  it('keeps each failure to its own caller, whatever the others do', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.boolean(), { minLength: 1, maxLength: 50 }), async (fates) => {
        const { run, next } = busy()
        const answers = fates.map((fails, i) =>
          run(() => {
            if (fails) throw new Error(`${i}`)
            return i
          }),
        )
        next()
        const settled = await Promise.allSettled(answers)
        expect(settled.map(({ status }) => status === 'rejected')).toEqual(fates)
      }),
    )
  })

  it('takes 1,000 calls and no more, until a turn has made room', () => {
    const { run, next } = busy()
    for (let i = 0; i < 1000; i++) expect(run(() => i)).toBeInstanceOf(Promise)
    expect(run(() => 'one too many')).toBeUndefined()
    next()
    expect(run(() => 'again')).toBeInstanceOf(Promise)
  })
})

it('a large operation counts as much as it does, and runs where nothing else waits', () => {
  const { run, next } = busy()
  expect(run(() => 1, 600)).toBeInstanceOf(Promise)
  expect(run(() => 2, 401)).toBeUndefined()
  expect(run(() => 3, 400)).toBeInstanceOf(Promise)
  expect(run(() => 4)).toBeUndefined()
  next()
  expect(run(() => 5, 5000)).toBeInstanceOf(Promise)
})

describe('in a site’s object', () => {
  const inSite = <T>(work: (storage: DurableObjectStorage, commits: GroupCommit) => Promise<T>) =>
    runInDurableObject(env.SITES.getByName(crypto.randomUUID()), (_, { storage }) => {
      storage.sql.exec('CREATE TABLE t (n INTEGER PRIMARY KEY)')
      const commits = groupCommit({
        ended: () => {},
        committed: () => storage.sync(),
        next: (turn) => setTimeout(turn, 0),
      })
      return work(storage, commits)
    })
  const numbers = ({ sql }: DurableObjectStorage) =>
    sql
      .exec<{ n: number }>('SELECT n FROM t ORDER BY n')
      .toArray()
      .map(({ n }) => n)

  it('an operation that throws midway leaves nothing of itself, and the others whole', async () => {
    await inSite(async (storage, { run }) => {
      const insert = (...values: number[]) =>
        run(() =>
          storage.transactionSync(() => {
            for (const value of values) storage.sql.exec('INSERT INTO t VALUES (?)', value)
          }),
        )
      const settled = await Promise.allSettled([
        insert(1),
        insert(2, 1, 3),
        insert(4),
        insert(5, 4),
        insert(6),
      ])
      expect(settled.map(({ status }) => status)).toEqual([
        'fulfilled',
        'rejected',
        'fulfilled',
        'rejected',
        'fulfilled',
      ])
      expect(numbers(storage)).toEqual([1, 4, 6])
    })
  })

  it('the order of arrival is the order of the books', async () => {
    await inSite(async (storage, { run }) => {
      await Promise.all(
        Array.from({ length: 300 }, (_, n) => run(() => storage.sql.exec('INSERT INTO t VALUES (?)', n))),
      )
      expect(numbers(storage)).toEqual(Array.from({ length: 300 }, (_, n) => n))
    })
  })
})

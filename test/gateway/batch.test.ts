import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sharedCalls } from '../../src/gateway/batch.ts'

/** Shared calls that end, and sleepers that wake, when the test says so; an output is the input doubled. */
function byHand() {
  const calls: { place: string; inputs: readonly number[]; end(fault?: Error): Promise<void> }[] = []
  const kept: Promise<void>[] = []
  let sleepers: (() => void)[] = []
  const pauses: number[] = []
  const clock = { now: 0 }
  const share = sharedCalls({
    send: (place, inputs: readonly number[]) =>
      new Promise<number[]>((resolve, reject) => {
        const end = async (fault?: Error) => {
          if (fault) reject(fault)
          else resolve(inputs.map((input) => input * 2))
          await settled()
        }
        calls.push({ place, inputs, end })
      }),
    now: () => clock.now,
    waitUntil: (work) => kept.push(work),
    sleep: (milliseconds) =>
      new Promise((resolve) => {
        pauses.push(milliseconds)
        sleepers.push(resolve)
      }),
  })
  /** Everybody who waits looks once. */
  const look = async () => {
    const woken = sleepers
    sleepers = []
    for (const wake of woken) wake()
    await settled()
  }
  const lose = () => sleepers.shift()
  return { share, calls, sent: () => calls.map(({ inputs }) => inputs), kept, look, lose, pauses, clock }
}

/** After whatever is due has run. */
const settled = () => new Promise<void>((resolve) => setTimeout(resolve, 0))

/** The same with a call under way, for the input 0. */
async function busy() {
  const hand = byHand()
  const first = hand.share('demo', 0)
  await settled()
  return { ...hand, first }
}

describe('calls to one place', () => {
  it('are made at once for who comes alone', async () => {
    const { share, calls, sent, pauses } = byHand()
    for (const n of [1, 2]) {
      const answer = share('demo', n)
      await settled()
      await calls[n - 1]?.end()
      expect(await answer).toBe(n * 2)
    }
    expect([sent(), pauses]).toEqual([[[1], [2]], []])
  })

  it('are shared by those who come while one is under way, in their order', async () => {
    const { share, calls, sent, look, first } = await busy()
    const answers = [1, 2, 3].map((n) => share('demo', n))
    await look()
    expect(sent()).toEqual([[0]])
    await calls[0]?.end()
    await look()
    expect(sent()).toEqual([[0], [1, 2, 3]])
    await calls[1]?.end()
    await look()
    expect(await Promise.all([first, ...answers])).toEqual([0, 2, 4, 6])
  })

  it('are made when as many have come as were about when the last one ended, without another look', async () => {
    const { share, calls, sent, look, pauses } = await busy()
    const waiting = share('demo', 1)
    share('demo', 2)
    await calls[0]?.end()
    const looks = pauses.length
    share('demo', 3)
    expect(sent()).toEqual([[0], [1, 2, 3]])
    await calls[1]?.end()
    for (const n of [4, 5]) share('demo', n)
    expect(sent()).toHaveLength(2)
    share('demo', 6)
    expect(sent()).toEqual([[0], [1, 2, 3], [4, 5, 6]])
    expect(pauses.length - looks).toBe(2)
    // The first of the call before has its answer at the next look, whatever is under way then.
    await look()
    expect(await Promise.race([waiting, settled()])).toBe(2)
  })

  it('wait one look for those who do not come again, and who comes alone then calls at once', async () => {
    const { share, calls, sent, look } = await busy()
    for (const n of [1, 2]) share('demo', n)
    await calls[0]?.end()
    share('demo', 3)
    await calls[1]?.end()
    share('demo', 4)
    expect(sent()).toHaveLength(2)
    await look()
    expect(sent().slice(2)).toEqual([[4]])
    await calls[2]?.end()
    share('demo', 5)
    await settled()
    expect(sent().slice(2)).toEqual([[4], [5]])
  })

  it('wait while more come from look to look, but for 5 milliseconds at most', async () => {
    const { share, calls, sent, look } = await busy()
    for (let n = 1; n <= 20; n++) share('demo', n)
    await calls[0]?.end()
    share('demo', 21)
    await calls[1]?.end()
    share('demo', 22)
    for (let n = 23; n <= 27; n++) {
      share('demo', n)
      expect(sent()).toHaveLength(2)
      await look()
    }
    expect(sent()[2]).toEqual([22, 23, 24, 25, 26, 27])
  })

  it('that shared are remembered for the 1,000 places that were asked for last', async () => {
    const { share, calls, pauses } = byHand()
    const places = Array.from({ length: 1000 }, (_, n) => `site-${n}`)
    const shareAll = async (n: number) => {
      for (const place of places) share(place, n)
      await settled()
    }
    const endAll = async () => {
      for (const call of calls.splice(0)) call.end()
      await settled()
    }
    for (const n of [1, 2]) await shareAll(n)
    await endAll()
    await shareAll(3)
    await endAll()
    share('another', 1)
    await settled()
    const looks = pauses.length
    share('site-1', 4)
    await settled()
    expect([calls.map(({ place }) => place), pauses.length]).toEqual([['another'], looks + 1])
    share('site-0', 4)
    await settled()
    expect([calls.map(({ place }) => place), pauses.length]).toEqual([['another', 'site-0'], looks + 1])
  })

  it('that nobody shared are not remembered', async () => {
    const { share, calls, first, pauses } = await busy()
    share('demo', 1)
    await calls[0]?.end()
    share('demo', 2)
    await calls[1]?.end()
    await first
    for (let n = 0; n < 1000; n++) share(`site-${n}`, 1)
    await settled()
    for (const call of calls.slice(2)) call.end()
    await settled()
    share('one more', 1)
    const looks = pauses.length
    share('demo', 3)
    expect(pauses.length).toBe(looks)
  })

  it('do not wait for those to another place', async () => {
    const { share, calls } = byHand()
    for (const place of ['a', 'b', 'c']) share(place, 1)
    await settled()
    expect(calls.map(({ place }) => place)).toEqual(['a', 'b', 'c'])
  })

  it('that fail, fail for those who shared them, and for nobody else', async () => {
    const { share, calls, look, first } = await busy()
    const answers = [1, 2].map((n) => share('demo', n))
    await look()
    await calls[0]?.end()
    await look()
    const last = share('demo', 3)
    const lost = answers.map((answer) => expect(answer).rejects.toThrow('lost'))
    await calls[1]?.end(new Error('lost'))
    await look()
    await Promise.all(lost)
    await look()
    await calls[2]?.end()
    expect(await Promise.all([first, last])).toEqual([0, 6])
  })

  it('that answer for fewer than they were made for fail', async () => {
    const send = async () => []
    const share = sharedCalls({ send, now: () => 0, waitUntil: () => {}, sleep: async () => {} })
    await expect(share('demo', 1)).rejects.toThrow('1 inputs had 0 outputs')
  })

  it('keep the requests that make them alive until they have ended', async () => {
    const { share, calls, kept, look } = await busy()
    for (const n of [1, 2]) share('demo', n)
    expect(kept).toHaveLength(2)
    for (const [index, work] of kept.entries()) {
      await look()
      const over = work.then(() => 'over')
      expect(await Promise.race([over, settled()])).toBeUndefined()
      await calls[index]?.end()
      expect(await over).toBe('over')
    }
  })

  it('take 200 at a time: who comes then begins another one', async () => {
    const { share, calls, sent, look } = await busy()
    for (let n = 1; n <= 250; n++) share('demo', n)
    await calls[0]?.end()
    await look()
    await calls[1]?.end()
    await look()
    expect(sent().map(({ length }) => length)).toEqual([1, 200, 50])
  })

  it('are made beside one that takes longer than 5 milliseconds', async () => {
    const { share, calls, sent, look, first } = await busy()
    const answers = [1, 2].map((n) => share('demo', n))
    for (let i = 0; i < 4; i++) await look()
    expect(sent()).toEqual([[0]])
    await look()
    expect(sent()).toEqual([[0], [1, 2]])
    // The slow one is forgotten, and whoever comes waits for the latest.
    const last = share('demo', 3)
    await calls[1]?.end()
    await look()
    expect(sent()).toEqual([[0], [1, 2], [3]])
    await calls[2]?.end()
    await calls[0]?.end()
    expect(await Promise.all([first, ...answers, last])).toEqual([0, 2, 4, 6])
  })

  it('wait for the latest, though a slower one ends', async () => {
    const { share, calls, sent, look } = await busy()
    share('demo', 1)
    for (let i = 0; i < 5; i++) await look()
    share('demo', 2)
    await calls[0]?.end()
    await look()
    expect(sent()).toEqual([[0], [1]])
    await calls[1]?.end()
    await look()
    expect(sent()).toEqual([[0], [1], [2]])
  })

  it('of 200 are made without a look, though more are about', async () => {
    const { share, calls, sent, look } = await busy()
    for (let n = 1; n <= 210; n++) share('demo', n)
    await calls[0]?.end()
    await look()
    await calls[1]?.end()
    for (let n = 211; n <= 399; n++) share('demo', n)
    expect(sent()).toHaveLength(2)
    share('demo', 400)
    expect(sent().map(({ length }) => length)).toEqual([1, 200, 200])
  })

  it('give each its own answer, whenever they end', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.boolean(), { minLength: 1, maxLength: 60 }), async (ends) => {
        const { share, calls, kept, look } = byHand()
        const answers: Promise<number | undefined>[] = []
        let ended = 0
        const end = async () => {
          await settled()
          if (ended < calls.length) await calls[ended++]?.end()
          await look()
        }
        for (const [n, isEnd] of ends.entries()) {
          answers.push(share('demo', n))
          if (isEnd) await end()
        }
        for (const _ of [...ends, ...ends]) await end()
        expect(await Promise.all(answers)).toEqual(ends.map((_, n) => n * 2))
        await Promise.all(kept)
      }),
    )
  })
})

describe('who waits for an answer', () => {
  it('looks every millisecond at first, then after an eighth of the time that has passed, for 10 seconds', async () => {
    const { share, look, pauses } = await busy()
    share('demo', 1)
    const lost = share('demo', 2)
    let answer: unknown = 'none'
    lost.then((output) => {
      answer = output
    })
    while (answer === 'none') await look()
    expect(answer).toBeUndefined()
    // The first of the two looks five times, and calls.
    const own = [...pauses.slice(0, 10).filter((_, i) => i % 2 === 1), ...pauses.slice(10)]
    let waited = 0
    for (const pause of own) {
      expect(pause).toBe(1 + Math.floor(waited / 8))
      waited += pause
    }
    expect(waited).toBeGreaterThanOrEqual(10_000)
    expect(waited).toBeLessThan(12_000)
  })

  it('does so in vain where the platform ended the request that calls; who comes a second later begins anew', async () => {
    const { share, calls, sent, look, lose, clock } = await busy()
    share('demo', 1)
    lose()
    clock.now = 999
    share('demo', 2)
    clock.now = 1000
    const next = share('demo', 3)
    for (let i = 0; i < 5; i++) await look()
    expect(sent()).toEqual([[0], [3]])
    await calls[1]?.end()
    expect(await next).toBe(6)
  })

  it('has it from whoever makes the call full, where the platform ended the first request', async () => {
    const { share, calls, sent, kept, look, lose } = await busy()
    share('demo', 1)
    await calls[0]?.end()
    lose()
    const next = share('demo', 2)
    expect(sent()).toEqual([[0], [1, 2]])
    expect(kept).toHaveLength(3)
    const over = kept[2]?.then(() => 'over')
    expect(await Promise.race([over, settled()])).toBeUndefined()
    await calls[1]?.end()
    expect(await over).toBe('over')
    await look()
    expect(await next).toBe(4)
  })
})

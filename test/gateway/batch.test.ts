import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type BatchOptions,
  batched,
  MAX_ALONE_AGE_MS,
  MAX_BATCH_AGE_MS,
  MAX_BATCH_DELAY_MS,
  MAX_BATCH_SIZE,
  MAX_IN_FLIGHT,
  POLL_MS,
  TIMEOUT_MS,
} from '../../src/gateway/batch.ts'

interface Sleeper {
  milliseconds: number
  at: number
  wake(): void
}

/** Batches whose calls return, and whose time passes, when the test says so; an output is the input doubled. */
function simulation(options: Partial<BatchOptions<number, number>> = {}) {
  let clock = 0
  let sleepers: Sleeper[] = []
  const calls: { key: string; inputs: readonly number[]; end(error?: Error): Promise<void> }[] = []
  const kept: Promise<void>[] = []
  const sleep = (milliseconds: number) =>
    new Promise<void>((wake) => {
      sleepers.push({ milliseconds, at: clock + milliseconds, wake })
    })
  const send = batched<number, number>({
    send: (key, inputs) =>
      new Promise((resolve, reject) => {
        const end = (error?: Error) => {
          if (error) reject(error)
          else resolve(inputs.map((input) => input * 2))
          return settled()
        }
        calls.push({ key, inputs: [...inputs], end })
      }),
    now: () => clock,
    sleep,
    within: (milliseconds, work) => Promise.race([work, sleep(milliseconds).then(() => undefined)]),
    waitUntil: (work) => kept.push(work),
    ...options,
  })
  /** Lets time pass, from one timer to the next. */
  const pass = async (milliseconds: number) => {
    for (const end = clock + milliseconds; clock < end; ) {
      clock = Math.min(end, ...sleepers.map(({ at }) => at))
      const due = sleepers.filter(({ at }) => at <= clock)
      sleepers = sleepers.filter(({ at }) => at > clock)
      for (const { wake } of due) wake()
      await settled()
    }
  }
  const isPoll = ({ milliseconds }: Sleeper) => milliseconds < TIMEOUT_MS
  return {
    send,
    calls,
    kept,
    pass,
    sent: () => calls.map(({ inputs }) => inputs),
    timers: () => sleepers.map(({ milliseconds }) => milliseconds),
    polls: () => sleepers.filter(isPoll).map(({ milliseconds }) => milliseconds),
    /** The platform ends the requests that wait for a call. */
    lose() {
      sleepers = sleepers.filter(isPoll)
    },
    /** The platform ends the requests that poll: their timers never fire. */
    disconnect(count: number) {
      const gone = sleepers.filter(isPoll).slice(0, count)
      sleepers = sleepers.filter((sleeper) => !gone.includes(sleeper))
    },
  }
}

/** After everything that can run has run. */
const settled = () => new Promise<void>((resolve) => setTimeout(resolve, 0))

const sequence = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i)

/** As many inputs in flight as are sent alone: 1 to MAX_IN_FLIGHT. */
async function saturated(options?: Partial<BatchOptions<number, number>>) {
  const simulated = simulation(options)
  const alone = sequence(1, MAX_IN_FLIGHT).map((input) => simulated.send('demo', input))
  await settled()
  return { ...simulated, alone }
}
const ALONE = sequence(1, MAX_IN_FLIGHT).map((input) => [input])

describe('below the limit of inputs in flight', () => {
  it('each input is sent alone and at once, without a timer', async () => {
    const { alone, sent, calls, timers } = await saturated()
    expect([sent(), timers()]).toEqual([ALONE, []])
    for (const call of calls) await call.end()
    expect(await Promise.all(alone)).toEqual(sequence(1, MAX_IN_FLIGHT).map((input) => input * 2))
  })

  it('inputs of one key do not count for another', async () => {
    const { send, calls } = await saturated()
    send('another', 9)
    await settled()
    expect(calls.at(-1)).toMatchObject({ key: 'another', inputs: [9] })
  })

  it('nothing is remembered: after a batch, the next inputs are sent alone', async () => {
    const { send, calls, sent, pass } = await saturated()
    for (const input of [5, 6, 7]) send('demo', input)
    for (const call of calls.slice()) await call.end()
    await pass(POLL_MS)
    await calls.at(-1)?.end()
    for (const input of [8, 9]) send('demo', input)
    await settled()
    expect(sent()).toEqual([...ALONE, [5, 6, 7], [8], [9]])
  })

  it('every input is sent alone where the limit is Infinity', async () => {
    const { send, sent } = simulation({ maxInFlight: Number.POSITIVE_INFINITY })
    for (const input of sequence(1, 50)) send('demo', input)
    await settled()
    expect(sent()).toEqual(sequence(1, 50).map((input) => [input]))
  })
})

describe('at the limit of inputs in flight', () => {
  it('inputs join one batch in their order, which is sent at the poll after a call returns', async () => {
    const { send, calls, sent, pass } = await saturated()
    const answers = [5, 6, 7].map((input) => send('demo', input))
    await pass(3 * POLL_MS)
    expect(sent()).toEqual(ALONE)
    await calls[0]?.end()
    expect(sent()).toEqual(ALONE)
    await pass(POLL_MS)
    expect(sent()).toEqual([...ALONE, [5, 6, 7]])
    await calls.at(-1)?.end()
    await pass(POLL_MS)
    expect(await Promise.all(answers)).toEqual([10, 12, 14])
  })

  it('an input that arrives after a call returned joins the batch and sends it at once', async () => {
    const { send, calls, sent } = await saturated()
    for (const input of [5, 6]) send('demo', input)
    await calls[0]?.end()
    send('demo', 7)
    expect(sent()).toEqual([...ALONE, [5, 6, 7]])
  })

  it('the inputs of a batch count, so that the next batch is sent when this one returns', async () => {
    const { send, calls, sent, pass } = await saturated()
    for (const input of sequence(5, 20)) send('demo', input)
    for (const call of calls.slice()) await call.end()
    await pass(POLL_MS)
    for (const input of [21, 22]) send('demo', input)
    await pass(5 * POLL_MS)
    expect(sent()).toEqual([...ALONE, sequence(5, 20)])
    await calls.at(-1)?.end()
    await pass(POLL_MS)
    expect(sent().at(-1)).toEqual([21, 22])
  })

  it('a full batch is sent at once, and the next input opens another one', async () => {
    const { send, sent } = await saturated()
    for (const input of sequence(1, MAX_BATCH_SIZE - 1)) send('demo', input)
    expect(sent()).toEqual(ALONE)
    for (const input of [1000, 1001]) send('demo', input)
    expect(sent().slice(ALONE.length)).toEqual([[...sequence(1, MAX_BATCH_SIZE - 1), 1000]])
  })

  it('a batch is sent at its maximum age, though no call has returned', async () => {
    const { send, sent, pass } = await saturated()
    send('demo', 5)
    await pass(MAX_BATCH_DELAY_MS - POLL_MS)
    send('demo', 6)
    expect(sent()).toEqual(ALONE)
    await pass(POLL_MS)
    expect(sent().slice(ALONE.length)).toEqual([[5, 6]])
  })
})

describe('disconnected clients', () => {
  it('of a batch stop nobody: the next member sends it, its inputs included', async () => {
    const { send, calls, sent, pass, disconnect } = await saturated()
    const [, , last] = [5, 6, 7].map((input) => send('demo', input))
    disconnect(2)
    await calls[0]?.end()
    await pass(POLL_MS)
    expect(sent().slice(ALONE.length)).toEqual([[5, 6, 7]])
    await calls.at(-1)?.end()
    expect(await last).toBe(14)
  })

  it('of a whole batch leave it to an input that arrives soon, and not to a later one', async () => {
    for (const [delay, inputs] of [
      [MAX_BATCH_AGE_MS - 1, [5, 6]],
      [MAX_BATCH_AGE_MS, [6]],
    ] as const) {
      const { send, calls, sent, pass, disconnect } = await saturated()
      send('demo', 5)
      disconnect(1)
      for (const call of calls.slice()) await call.end()
      await pass(delay)
      send('demo', 6)
      await settled()
      expect(sent().slice(ALONE.length)).toEqual([inputs])
    }
  })

  it('whose inputs were sent alone count as in flight for a second, because nothing tells that they are gone', async () => {
    const { send, sent, kept, pass } = await saturated()
    await pass(MAX_ALONE_AGE_MS - 1)
    send('demo', 5)
    await settled()
    expect([sent(), kept]).toEqual([ALONE, []])
    await pass(POLL_MS)
    send('demo', 6)
    expect(sent().slice(ALONE.length)).toEqual([[5], [6]])
  })

  it('do not end the call of their batch: the platform keeps the request that sends it until it returns', async () => {
    const { send, calls, kept, pass } = await saturated()
    for (const input of [5, 6]) send('demo', input)
    await calls[0]?.end()
    await pass(POLL_MS)
    expect(kept).toHaveLength(1)
    const ended = kept.at(-1)?.then(() => 'ended')
    expect(await Promise.race([ended, settled()])).toBeUndefined()
    await calls.at(-1)?.end()
    expect(await ended).toBe('ended')
  })
})

describe('a call', () => {
  it('that fails, fails for its own batch and for no other input', async () => {
    const { send, calls, alone, pass } = await saturated()
    const failed = [5, 6].map((input) => expect(send('demo', input)).rejects.toThrow('lost'))
    await calls[0]?.end()
    await pass(POLL_MS)
    const last = send('demo', 7)
    await calls.at(-1)?.end(new Error('lost'))
    await pass(POLL_MS)
    await Promise.all(failed)
    for (const call of calls) await call.end()
    expect(await Promise.all([...alone, last])).toEqual([2, 4, 6, 8, 14])
  })

  it('that has fewer outputs than inputs fails', async () => {
    const { send } = simulation({ send: async () => [] })
    await expect(send('demo', 1)).rejects.toThrow('a batch of 1 has 0 outputs')
  })

  it('that does not return in time gives nothing to the batch of several, and is no longer in flight', async () => {
    const { send, alone, calls, sent, pass } = await saturated()
    const inputs = sequence(5, 4 + MAX_IN_FLIGHT)
    const members = inputs.map((input) => send('demo', input))
    // The sender at once, the others at their next poll.
    await pass(TIMEOUT_MS + TIMEOUT_MS / 4)
    expect(await Promise.all(members)).toEqual(inputs.map(() => undefined))
    // Those that were sent alone have no timer.
    for (const call of calls.slice(0, MAX_IN_FLIGHT)) await call.end()
    expect(await Promise.all(alone)).toEqual(sequence(1, MAX_IN_FLIGHT).map((input) => input * 2))
    send('demo', 100)
    await settled()
    expect(sent().slice(ALONE.length)).toEqual([inputs, [100]])
  })

  it('is polled for every millisecond at first, then after an eighth of the time that has passed', async () => {
    const { send, polls, pass } = await saturated()
    for (const input of [5, 6]) send('demo', input)
    await pass(MAX_BATCH_DELAY_MS)
    let waited = 0
    const seen: number[] = []
    for (const end = TIMEOUT_MS - MAX_BATCH_DELAY_MS; waited < end; ) {
      const [next = end] = polls()
      seen.push(next)
      await pass(next)
      waited += next
    }
    expect(seen.length).toBeLessThan(70)
    expect(seen.every((poll, i) => i === 0 || poll >= (seen[i - 1] ?? 0))).toBe(true)
  })

  it('whose request the platform ended gives nothing to the other members in time', async () => {
    const { send, calls, pass, sent, lose } = await saturated()
    const members = [5, 6].map((input) => send('demo', input))
    await calls[0]?.end()
    await pass(POLL_MS)
    expect(sent().at(-1)).toEqual([5, 6])
    lose()
    await pass(TIMEOUT_MS + TIMEOUT_MS / 4)
    expect(await members[1]).toBeUndefined()
  })
})

describe('under any interleaving', () => {
  const step = fc.record({
    does: fc.constantFrom('arrive', 'return', 'pass'),
    number: fc.nat(30),
  })

  it('each input is sent once and has its own output, and no batch is larger than the maximum', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const { send, calls, kept, sent, pass } = simulation()
        const answers: Promise<number | undefined>[] = []
        const returned = new Set<number>()
        const end = async (choice: number) => {
          const inFlight = [...calls.keys()].filter((index) => !returned.has(index))
          const index = inFlight[choice % Math.max(1, inFlight.length)]
          if (index === undefined) return
          returned.add(index)
          await calls[index]?.end()
        }
        for (const { does, number } of steps) {
          if (does === 'return') await end(number)
          else if (does === 'pass') await pass(number % 4)
          else for (let i = 0; i <= number; i++) answers.push(send(`site-${i % 2}`, answers.length))
        }
        await pass(MAX_BATCH_DELAY_MS)
        while (returned.size < calls.length) await end(0)
        await pass(MAX_BATCH_DELAY_MS)
        expect(await Promise.all(answers)).toEqual(answers.map((_, input) => input * 2))
        const inputs = sent().flat()
        expect(inputs.toSorted((a, b) => a - b)).toEqual(answers.map((_, input) => input))
        expect(Math.max(0, ...sent().map(({ length }) => length))).toBeLessThanOrEqual(MAX_BATCH_SIZE)
        await Promise.all(kept)
      }),
    )
  })
})

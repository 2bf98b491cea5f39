// The time of a long poll, by the clock of the Worker; the object's answers are made up.
import { describe, expect, it } from 'vitest'
import type { FeedPage } from '../../src/site/events/events.ts'
import type { LongPoll } from '../../src/site/long-polls.ts'
import { call, errorOf, serviceWith, siteWith } from '../support/service.ts'

const EMPTY: FeedPage = { events: [], next: { epoch: 'ab', number: 3 } }
const FULL: FeedPage = {
  events: [{ number: 4, type: 'qrCode.cancelled', at: 0, actor: 'merchant' }],
  next: { epoch: 'ab', number: 4 },
}

/** One call of the object: the seconds that it takes by the Worker's clock, and how it ends. */
type Step = [seconds: number, end: 'waited' | 'full' | 'failed' | 'overloaded' | 'refused']

/** Reads the feed with Prefer: wait, from an object whose calls go as the steps say; the last one repeats. */
async function poll(seconds: number, steps: readonly Step[]) {
  let clock = Date.now()
  const calls: LongPoll[] = []
  const service = serviceWith({
    now: () => clock,
    sleep: async () => {},
    site: () =>
      siteWith({
        async feed(_caller, _query, poll) {
          const [takes, end] = steps[calls.length] ?? steps.at(-1) ?? [0, 'waited']
          if (!poll || calls.length === 20) throw new Error('the long poll has no end')
          calls.push(poll)
          clock += takes * 1000
          if (end === 'failed') throw new Error('the object was lost')
          if (end === 'overloaded') throw Object.assign(new Error('too many requests'), { overloaded: true })
          return { ok: true, value: { value: end === 'full' ? FULL : EMPTY, waited: end !== 'refused' } }
        },
      }),
  })
  const headers = { Prefer: `wait=${seconds}` }
  const response = await call('/payin/v1/sites/demo/events?after=ab-3', { headers }, service)
  return {
    seconds: calls.map(({ milliseconds }) => milliseconds / 1000),
    ids: new Set(calls.map(({ id }) => id)).size,
    status: response.status,
    applied: response.headers.get('Preference-Applied'),
    response,
  }
}

describe('a long poll', () => {
  it.each<[string, number, Step[], number[]]>([
    ['one call', 7, [[7, 'waited']], [7]],
    ['calls of at most 20 seconds', 45, [[20, 'waited']], [20, 20, 5]],
    ['the longest', 3600, [[20, 'waited']], [20, 20, 20]],
    [
      'after a lost object: what is left of the time',
      9,
      [
        [4, 'failed'],
        [2, 'failed'],
        [3, 'waited'],
      ],
      [9, 5, 3],
    ],
    [
      'of each call too',
      30,
      [
        [7, 'failed'],
        [20, 'waited'],
        [3, 'waited'],
      ],
      [20, 20, 3],
    ],
    [
      'in a later call',
      30,
      [
        [20, 'waited'],
        [4, 'failed'],
        [6, 'waited'],
      ],
      [20, 10, 6],
    ],
    ['by a clock that stands still', 45, [[0, 'waited']], [20, 20, 5]],
    ['by a clock that steps back', 45, [[-3600, 'waited']], [20, 20, 5]],
  ])('lasts as long as was asked: %s', async (_, seconds, steps, expected) => {
    const result = await poll(seconds, steps)
    expect(result.seconds).toEqual(expected)
    expect([result.status, result.applied]).toEqual([200, `wait=${Math.min(seconds, 60)}`])
    // One listener, which a repeated call replaces.
    expect(result.ids).toBe(1)
  })

  it.each<[string, number, Step[], number[], string | null]>([
    [
      'with something to answer',
      45,
      [
        [20, 'waited'],
        [3, 'full'],
      ],
      [20, 20],
      'wait=45',
    ],
    ['at the listener limit, at once', 45, [[0, 'refused']], [20], null],
    [
      'at the listener limit, after it waited',
      45,
      [
        [20, 'waited'],
        [0, 'refused'],
      ],
      [20, 20],
      'wait=45',
    ],
  ])('ends %s', async (_, seconds, steps, expected, applied) => {
    const result = await poll(seconds, steps)
    expect([result.seconds, result.status, result.applied]).toEqual([expected, 200, applied])
  })

  it('whose object stays lost or is overloaded is 503, after three calls or one', async () => {
    for (const [end, calls] of [
      ['failed', 3],
      ['overloaded', 1],
    ] as const) {
      const { seconds, response } = await poll(9, [[1, end]])
      expect([seconds.length, response.status, response.headers.get('Retry-After')]).toEqual([
        calls,
        503,
        '1',
      ])
      expect((await errorOf(response)).errorCode).toBe('service.unavailable')
    }
  })
})

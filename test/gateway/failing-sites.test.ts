import { expect, it } from 'vitest'
import { FailingSites } from '../../src/gateway/failing-sites.ts'

const SECOND = 1000

/** The count at the last second. @param requests site, operation, status, second */
function countAfter(requests: [string, string, number, number][], at: number): number {
  const sites = new FailingSites()
  for (const [siteId, operation, status, second] of requests) {
    sites.note(siteId, operation, status, second * SECOND)
  }
  return sites.count(at * SECOND)
}

it.each<[string, [string, string, number, number][], number, number]>([
  ['one failure', [['a', 'create', 503, 0]], 90, 0],
  [
    'failures for less than a minute',
    [
      ['a', 'create', 503, 0],
      ['a', 'create', 503, 59],
    ],
    59,
    0,
  ],
  [
    'failures for a minute',
    [
      ['a', 'create', 503, 0],
      ['a', 'create', 500, 60],
    ],
    60,
    1,
  ],
  [
    'a success between them',
    [
      ['a', 'create', 503, 0],
      ['a', 'create', 200, 30],
      ['a', 'create', 503, 60],
    ],
    60,
    0,
  ],
  [
    'a refusal between them',
    [
      ['a', 'create', 503, 0],
      ['a', 'create', 409, 30],
      ['a', 'create', 503, 60],
    ],
    60,
    0,
  ],
  [
    'another operation that works',
    [
      ['a', 'create', 503, 0],
      ['a', 'read', 200, 30],
      ['a', 'create', 503, 60],
    ],
    60,
    1,
  ],
  [
    'another site that works',
    [
      ['a', 'create', 503, 0],
      ['b', 'create', 200, 30],
      ['a', 'create', 503, 60],
    ],
    60,
    1,
  ],
  [
    'two operations of one site',
    [
      ['a', 'create', 503, 0],
      ['a', 'read', 503, 0],
      ['a', 'create', 503, 60],
      ['a', 'read', 503, 60],
    ],
    60,
    1,
  ],
  [
    'a failure of five minutes ago',
    [
      ['a', 'create', 503, 0],
      ['a', 'create', 503, 60],
    ],
    360,
    1,
  ],
  [
    'nothing for longer',
    [
      ['a', 'create', 503, 0],
      ['a', 'create', 503, 60],
    ],
    361,
    0,
  ],
])('%s', (_, requests, at, count) => {
  expect(countAfter(requests, at)).toBe(count)
})

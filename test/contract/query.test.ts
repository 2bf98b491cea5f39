// Values of query parameters.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type * as z from 'zod/mini'
import { FeedQuery, feedCursorOf } from '../../src/contract/event.ts'
import { cursorOf, PageQuery } from '../../src/contract/query.ts'
import { SearchQuery, searchCursorOf, WAYS } from '../../src/contract/search.ts'
import { SitesQuery, siteCursorOf } from '../../src/contract/site-list.ts'
import { STATUSES } from '../../src/contract/status.ts'
import { COLLECTION, call, errorOf } from '../support/service.ts'

it('a list names each wrong item by its parameter', async () => {
  const response = await call(`${COLLECTION}?status=CREATED,PAID,,PAYED`)
  const { errorCode, cause } = await errorOf(response)
  const rule = `must be one of ${STATUSES.join(', ')}`
  expect([response.status, errorCode]).toEqual([400, 'validation.error'])
  expect(cause).toEqual({ status: [`is "PAID", ${rule}`, `is "", ${rule}`] })
})

it.each(['CREATED', 'CREATED,PAYED', 'CREATED,CREATED', STATUSES.join(',')])(
  'a list can be %s',
  async (status) => expect((await call(`${COLLECTION}?status=${status}`)).status).toBe(200),
)

const naturals = fc.nat({ max: 999_999_999_999_999 })

/** The cursors of each list: the query that takes one, what it means, and its text. */
const CURSORS: [name: string, texts: fc.Arbitrary<string>, respell: (text: string) => string | undefined][] =
  [
    ['a page', naturals.map(cursorOf), textBy(PageQuery, 'cursor', ({ cursor = 0 }) => cursorOf(cursor))],
    [
      'the search',
      fc
        .record({
          below: fc.array(naturals, { minLength: WAYS, maxLength: WAYS }),
          isPrefixIndexed: fc.boolean(),
        })
        .map(searchCursorOf),
      textBy(SearchQuery, 'cursor', ({ cursor }) => cursor && searchCursorOf(cursor), { q: 'order' }),
    ],
    [
      'the sites',
      fc.stringMatching(/^[A-Za-z0-9._-]{3,64}$/).map(siteCursorOf),
      textBy(SitesQuery, 'cursor', ({ cursor }) => cursor && siteCursorOf(cursor)),
    ],
    [
      'the feed',
      fc.record({ epoch: fc.stringMatching(/^[0-9a-f]{16}$/), number: naturals }).map(feedCursorOf),
      textBy(FeedQuery, 'after', ({ after }) =>
        after === undefined || after === 'end' ? after : feedCursorOf(after),
      ),
    ],
  ]

/** Makes the function that reads a cursor, and writes what it means; undefined of a text that is refused. */
function textBy<T extends z.ZodMiniType>(
  query: T,
  name: string,
  write: (query: z.output<T>) => string | undefined,
  more = {},
): (text: string) => string | undefined {
  return (text) => {
    const { success, data } = query.safeParse({ ...more, [name]: text })
    return success ? write(data) : undefined
  }
}

/** One digit more, less or another, in a text. */
const changed = (text: string): fc.Arbitrary<string> =>
  fc
    .record({
      at: fc.nat({ max: text.length }),
      removed: fc.nat({ max: 1 }),
      added: fc.constantFrom('', '0', '=', '==', ' ', '\n', 'A', 'Q', 'x', '-'),
    })
    .map(({ at, removed, added }) => text.slice(0, at) + added + text.slice(at + removed))

it.each(CURSORS)('a cursor of %s has one spelling', (_, texts, respell) =>
  fc.assert(
    fc.property(
      texts.chain((text) => changed(text).map((other) => ({ text, other }))),
      ({ text, other }) => {
        expect(respell(text)).toBe(text)
        expect([other, undefined]).toContain(respell(other))
      },
    ),
    { numRuns: 2000 },
  ),
)

it.each([
  ['another last digit with the same bytes', 'MR'],
  ['a leading zero', btoa('007')],
  ['padding', 'MQ=='],
  ['white space', 'M Q'],
])('a cursor with %s is refused', async (_, cursor) => {
  const response = await call(`${COLLECTION}?cursor=${encodeURIComponent(cursor)}`)
  expect([response.status, (await errorOf(response)).cause]).toEqual([
    400,
    { cursor: [`is ${JSON.stringify(cursor)}, must be a nextCursor of an earlier answer`] },
  ])
})

// Schemas of query parameters, which all come as text.
import * as z from 'zod/mini'
import { meta } from './meta.ts'
import { strictObject } from './object.ts'
import { parsed } from './parsed.ts'

/** An integer in decimal digits, without a sign, a point or leading zeros. */
export const integerParameter = (schema: z.ZodMiniInt) =>
  z.pipe(
    z.transform((value) =>
      typeof value === 'string' && /^(0|[1-9]\d{0,14})$/.test(value) ? Number(value) : value,
    ),
    schema,
  )

/** Several values, separated by commas; the same value counts once. @param checks of the list */
export const listParameter = <T extends z.ZodMiniType>(
  item: T,
  ...checks: z.core.$ZodCheck<z.output<T>[]>[]
) =>
  z.pipe(
    z.pipe(
      z.transform((value) => (typeof value === 'string' ? value.split(',') : value)),
      z.array(item).check(...checks),
    ),
    z.transform((items) => [...new Set(items)]),
  )

const MOMENT_RULE = 'an ISO 8601 date and time with an offset (in a URL, + is %2B)'

const Moment = z.iso.datetime({ offset: true, error: MOMENT_RULE })
const secondsOf = (text: string): number => Math.floor(Date.parse(text) / 1000)

/** A date and time as Unix seconds. */
export const DateTime = z.pipe(Moment, z.transform(secondsOf))

/** A date and time that is stored: at any offset its year has four digits, so every answer can show it. */
export const StoredDateTime = z.pipe(
  Moment.check(z.refine((text) => !/^(0000|9999)/.test(text), `${MOMENT_RULE}, of a year from 0001 to 9998`)),
  z.transform(secondsOf),
)

/** How many items a page has at most. */
export const limitUpTo = (max: number) =>
  integerParameter(z.int(`a whole number from 1 to ${max}`).check(z.minimum(1), z.maximum(max)))

/** The parameter `limit` with a default. */
export const limitParameter = ({ byDefault, max }: { byDefault: number; max: number }) =>
  z._default(limitUpTo(max), byDefault).apply(meta, { description: 'The most items on the page' })

export const CURSOR_RULE = 'a nextCursor of an earlier answer'

/** A text of ASCII as a cursor: base64 without padding. */
export const encodeCursor = (text: string): string => btoa(text).replaceAll('=', '')

/** The text of a cursor; `''` of anything else. */
export function decodeCursor(cursor: string): string {
  try {
    return atob(cursor)
  } catch {
    return ''
  }
}

/**
 * A position in a list. A text that is not the one that `encode` writes is refused: a position has one cursor.
 * @param decode gives undefined for a text that is none
 */
export const positionParameter = <T>(
  encode: (position: T) => string,
  decode: (cursor: string) => T | undefined,
  rule = CURSOR_RULE,
) =>
  parsed(z.string(rule), rule, (cursor) => {
    const position = decode(cursor)
    return position !== undefined && encode(position) === cursor ? position : undefined
  })

/** The cursor of a number; its form may change. */
export const cursorOf = (number: number): string => encodeCursor(`${number}`)

/** The number after which the next page begins. */
export const Cursor = positionParameter(cursorOf, (cursor) => {
  const [number] = /^\d{1,15}$/.exec(decodeCursor(cursor)) ?? []
  return number ? Number(number) : undefined
}).apply(meta, { description: '`nextCursor` of the page before' })

/** The field of a page that leads to the next one. @param items what the pages have: `payments` */
export const nextCursor = (items: string) =>
  z.optional(z.string()).apply(meta, { description: `Present if there are more ${items}` })

/** The query of a list in pages of at most 100. */
export const PageQuery = strictObject({
  limit: limitParameter({ byDefault: 100, max: 100 }),
  cursor: z.optional(Cursor),
})
export type PageQuery = z.output<typeof PageQuery>

/** The query of the events of a QR code. */
export const QrCodeEventsQuery = strictObject({
  ...PageQuery.shape,
  order: z.optional(z.literal('desc', 'desc')).apply(meta, { description: '`desc`: newest first' }),
})
export type QrCodeEventsQuery = z.output<typeof QrCodeEventsQuery>

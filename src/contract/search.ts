// The search of a site: codes, payments, refunds and sales by one text (contract, section 7).
import * as z from 'zod/mini'
import { type Amount, AmountAnswer, amountAnswer } from './amount.ts'
import { formatDateTime } from './date-time.ts'
import type { Example } from './example.ts'
import { meta } from './meta.ts'
import { strictObject } from './object.ts'
import type { Payment } from './payment.ts'
import type { QrCode } from './qr-code.ts'
import { decodeCursor, encodeCursor, limitParameter, nextCursor, positionParameter } from './query.ts'
import type { Refund } from './refund.ts'
import type { Sale } from './sale.ts'
import { hasAtMost } from './text.ts'

export const KINDS = ['qrCode', 'payment', 'refund', 'sale'] as const
export type Kind = (typeof KINDS)[number]

const MATCHES = ['uid', 'prefix', 'part', 'purpose', 'amount'] as const
/** By what a row was found. */
export type Match = (typeof MATCHES)[number]

const Q_RULE = '2 to 100 characters of Unicode text, not blank and without control characters'

/**
 * Where a search goes on, way by way of finding rows (src/site/search): below these numbers; 0: nowhere. And whether the codes that
 * begin with the text are found by the index, else among the newest rows.
 */
export interface SearchPosition {
  below: readonly number[]
  isPrefixIndexed: boolean
}

/** How many ways to search there are: exact identifiers of each kind, codes that begin with the text, the newest rows of each kind. */
export const WAYS = 2 * KINDS.length + 1

/** The text of a position; its form may change. */
export const searchCursorOf = ({ below, isPrefixIndexed }: SearchPosition): string =>
  encodeCursor([...below, Number(isPrefixIndexed)].join('.'))

const CURSOR = new RegExp(`^(?:\\d{1,15}\\.){${WAYS}}[01]$`)

const Cursor = positionParameter(searchCursorOf, (cursor): SearchPosition | undefined => {
  const text = decodeCursor(cursor)
  if (!CURSOR.test(text)) return undefined
  const below = text.split('.').map(Number)
  return { isPrefixIndexed: below.pop() === 1, below }
}).apply(meta, { description: '`nextCursor` of the page before' })

export const SearchQuery = strictObject({
  q: z
    .string(Q_RULE)
    .check(
      z.refine(
        (q) =>
          q.isWellFormed() && !/\p{Cc}/u.test(q) && q.trim() !== '' && hasAtMost(100, q) && [...q].length > 1,
        Q_RULE,
      ),
    )
    .apply(meta, {
      minLength: 2,
      maxLength: 100,
      description: 'A part of an identifier or of a purpose, or an amount',
      examples: ['order-1001'],
    }),
  limit: limitParameter({ byDefault: 20, max: 50 }),
  cursor: z.optional(Cursor),
})
export type SearchQuery = z.output<typeof SearchQuery>

/** What was found, as it stands. A refund has the code of its payment, if that has one. */
export type Found =
  | { kind: 'qrCode'; qrCode: QrCode }
  | { kind: 'payment'; payment: Payment }
  | { kind: 'refund'; refund: Refund; qrCodeUid?: string | undefined }
  | { kind: 'sale'; sale: Sale; qrCodeUid: string }

/** A page of results; `searchedFrom` is Unix seconds. */
export interface SearchPage {
  results: (Found & { matched: Match })[]
  /** Rows that were created before were searched for exact identifiers and beginnings alone; undefined: all were read. */
  searchedFrom?: number | undefined
  next?: SearchPosition | undefined
}

export const SearchAnswer = z
  .object({
    results: z.array(
      z.object({
        kind: z.enum(KINDS),
        qrCodeUid: z.optional(z.string()),
        paymentUid: z.optional(z.string()),
        refundUid: z.optional(z.string()),
        saleUid: z.optional(z.string()),
        amount: z.optional(AmountAnswer),
        status: z.string().apply(meta, { description: 'The status, as the operation that reads it has it' }),
        createdOn: z.iso.datetime({ offset: true }),
        matched: z.enum(MATCHES).apply(meta, {
          description:
            '`uid`: an identifier is the text; `prefix`: it begins so; `part`: it has the text in it; `purpose`, `amount`: those do',
        }),
      }),
    ),
    searchedFrom: z.nullable(z.iso.datetime({ offset: true })).apply(meta, {
      description:
        'Parts, purposes and amounts were looked for in what was created since. `null`: in everything',
    }),
    nextCursor: nextCursor('results, or older rows to search'),
  })
  .apply(meta, { id: 'SearchPage' })
export type SearchAnswer = z.infer<typeof SearchAnswer>

/** The answer that shows a page. @param offset the deployment's offset from UTC */
export const searchAnswer = ({ results, searchedFrom, next }: SearchPage, offset: string): SearchAnswer => ({
  results: results.map(({ matched, ...found }) => {
    const { amount, createdAt, ...shown } = shownOf(found)
    return {
      kind: found.kind,
      ...shown,
      ...(amount && { amount: amountAnswer(amount) }),
      createdOn: formatDateTime(createdAt, offset),
      matched,
    }
  }),
  searchedFrom: searchedFrom === undefined ? null : formatDateTime(searchedFrom, offset),
  ...(next && { nextCursor: searchCursorOf(next) }),
})

interface Shown {
  qrCodeUid?: string
  paymentUid?: string
  refundUid?: string
  saleUid?: string
  amount?: Amount | undefined
  status: string
  createdAt: number
}

function shownOf(found: Found): Shown {
  switch (found.kind) {
    case 'qrCode': {
      const { qrCodeUid, payment, amount = payment?.amount, status, createdAt } = found.qrCode
      return { qrCodeUid, ...(payment && { paymentUid: payment.paymentUid }), amount, status, createdAt }
    }
    case 'payment': {
      const { qrCodeUid, paymentUid, saleUid, amount, status, createdAt } = found.payment
      return {
        ...(qrCodeUid !== undefined && { qrCodeUid }),
        paymentUid,
        ...(saleUid !== undefined && { saleUid }),
        amount,
        status,
        createdAt,
      }
    }
    case 'refund': {
      const { refund, qrCodeUid } = found
      const { paymentUid, refundUid, amount, status, createdAt } = refund
      return {
        ...(qrCodeUid !== undefined && { qrCodeUid }),
        paymentUid,
        refundUid,
        amount,
        status,
        createdAt,
      }
    }
    case 'sale': {
      const { saleUid, amount, status, createdAt, payment } = found.sale
      return {
        qrCodeUid: found.qrCodeUid,
        ...(payment && { paymentUid: payment.paymentUid }),
        saleUid,
        amount,
        status,
        createdAt,
      }
    }
  }
}

const amount = { value: '337.50', currency: 'RUB' }

export const SEARCH_EXAMPLE: Example = {
  summary: 'A code by its identifier, and its payment',
  value: {
    results: [
      {
        ...{ kind: 'qrCode', qrCodeUid: 'order-1045', paymentUid: 'A6325171030000001', amount },
        ...{ status: 'PAYED', createdOn: '2026-11-20T20:10:02+03:00', matched: 'uid' },
      },
      {
        ...{ kind: 'payment', qrCodeUid: 'order-1045', paymentUid: 'A6325171030000001', amount },
        ...{ status: 'COMPLETED', createdOn: '2026-11-20T20:11:40+03:00', matched: 'uid' },
      },
    ],
    searchedFrom: null,
  },
}

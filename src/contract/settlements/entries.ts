// The entries of settlement files as the API shows them (contract, section 19).
import * as z from 'zod/mini'
import { signedDecimal } from '../amount.ts'
import { formatDateTime } from '../date-time.ts'
import type { Example } from '../example.ts'
import { meta } from '../meta.ts'
import { strictObject } from '../object.ts'
import { decodeCursor, encodeCursor, limitParameter, nextCursor, positionParameter } from '../query.ts'
import { ENTRY_STATES, type EntryCursor, type SettlementEntry } from '../settlement.ts'
import { Month, SignedDecimal } from './month.ts'

const KINDS = ['payment', 'refund', 'fee', 'payout', 'correction'] as const

/** The cursor of a place among entries; its form may change. */
export const entryCursorOf = ({ at, source, number }: EntryCursor): string =>
  encodeCursor(`${at}.${source}.${number}`)

export const EntryPosition = positionParameter(entryCursorOf, (cursor): EntryCursor | undefined => {
  const [, at, source, number] = /^(-?\d{1,12})\.([0-2])\.(\d{1,16})$/.exec(decodeCursor(cursor)) ?? []
  return at === undefined ? undefined : { at: Number(at), source: Number(source), number: Number(number) }
}).apply(meta, { description: '`nextCursor` of the page before' })

export const EntriesQuery = strictObject({
  month: Month,
  state: z.optional(z.enum(ENTRY_STATES, `one of ${ENTRY_STATES.join(', ')}`)).apply(meta, {
    description: 'Only those of this state',
  }),
  kind: z.optional(z.enum(KINDS, `one of ${KINDS.join(', ')}`)).apply(meta, {
    description: 'Only those of this kind',
  }),
  limit: limitParameter({ byDefault: 100, max: 100 }),
  cursor: z.optional(EntryPosition),
})
export type EntriesQuery = z.output<typeof EntriesQuery>

const DIFFERENT = ['amount', 'currency', 'status', 'day'] as const

export const EntryAnswer = z
  .object({
    entryUid: z.string().apply(meta, { description: 'The same in each file that has the entry' }),
    kind: z.enum(KINDS),
    state: z.optional(z.enum(ENTRY_STATES)).apply(meta, {
      description:
        '`MISMATCHED`: `differences` says what differs. `UNKNOWN`: no payment or refund of the site. `EXPECTED`: of the site, and in no file. Absent where there is nothing to compare',
    }),
    gross: z.optional(SignedDecimal).apply(meta, { description: 'Of refunds negative' }),
    fee: z.optional(SignedDecimal).apply(meta, { description: 'Negative: `net` is `gross` and `fee`' }),
    feeVat: z.optional(SignedDecimal).apply(meta, { description: 'The part of `fee` that is VAT' }),
    feeVatSeparate: z.optional(SignedDecimal).apply(meta, {
      description: 'VAT that the bank states beside its fee, without saying whether the fee has it',
    }),
    net: z.optional(SignedDecimal),
    currency: z.string(),
    operatedAt: z.iso.datetime({ offset: true }),
    paidOn: z.optional(z.iso.date()).apply(meta, { description: 'The day of the payout' }),
    bankIds: z.record(z.string(), z.string()).apply(meta, {
      description: 'What the bank calls it: `paymentId`, `refundId`, `operationId`, `qrcId`, `order`',
    }),
    line: z.optional(z.int()).apply(meta, {
      description: 'Where it is in the file `settlementUid`; both are absent of what is `EXPECTED`',
    }),
    settlementUid: z.optional(z.string()),
    paymentUid: z.optional(z.string()),
    refundUid: z.optional(z.string()),
    qrCodeUid: z.optional(z.string()),
    differences: z.optional(
      z.array(z.object({ field: z.enum(DIFFERENT), ours: z.string(), theirs: z.string() })),
    ),
  })
  .apply(meta, { id: 'SettlementEntry' })
export type EntryAnswer = z.infer<typeof EntryAnswer>

export const EntriesAnswer = z
  .object({ entries: z.array(EntryAnswer), nextCursor: nextCursor('entries') })
  .apply(meta, { id: 'SettlementEntryPage' })

/** The answer that shows an entry. @param offset the deployment's offset from UTC */
export function entryAnswer(entry: SettlementEntry, offset: string): EntryAnswer {
  const { entryUid, kind, state, currency, operatedAt, bankIds, line } = entry
  const { paidOn, settlementUid, paymentUid, refundUid, qrCodeUid, differences } = entry
  return {
    entryUid,
    kind,
    ...(state !== undefined && { state }),
    ...amountsOf(entry),
    currency,
    operatedAt: formatDateTime(operatedAt, offset),
    ...(paidOn !== undefined && { paidOn }),
    bankIds: { ...bankIds },
    ...(line !== undefined && { line }),
    ...(settlementUid !== undefined && { settlementUid }),
    ...(paymentUid !== undefined && { paymentUid }),
    ...(refundUid !== undefined && { refundUid }),
    ...(qrCodeUid !== undefined && { qrCodeUid }),
    ...(differences.length > 0 && { differences: differences.map(shownDifference) }),
  }
}

const AMOUNTS = ['gross', 'fee', 'feeVat', 'feeVatSeparate', 'net'] as const

/** What the bank states, and no more. */
const amountsOf = (entry: SettlementEntry): Partial<Record<(typeof AMOUNTS)[number], string>> =>
  Object.fromEntries(
    AMOUNTS.flatMap((name) => {
      const amount = entry[name]
      return amount === undefined ? [] : [[name, signedDecimal(amount)]]
    }),
  )

const shownDifference = ({ field, ours, theirs }: SettlementEntry['differences'][number]) => ({
  field,
  ours: shownValue(ours),
  theirs: shownValue(theirs),
})

/** A number is kopecks. */
const shownValue = (value: string | number): string =>
  typeof value === 'number' ? signedDecimal(value) : value

export const ENTRIES_EXAMPLE: Example = {
  summary: 'A payment whose amount differs',
  value: {
    entries: [
      {
        entryUid: 'b1946ac92492d2347c6235b4d2611184',
        kind: 'payment',
        state: 'MISMATCHED',
        gross: '100.00',
        fee: '-0.70',
        net: '99.30',
        currency: 'RUB',
        operatedAt: '2026-11-20T09:05:30+03:00',
        paidOn: '2026-11-21',
        bankIds: { paymentId: '700000001', operationId: 'A63250605301234567890000011C0101' },
        line: 17,
        settlementUid: 'tbank-2026-11-20',
        paymentUid: 'A6325171030000001',
        qrCodeUid: 'order-1001',
        differences: [{ field: 'amount', ours: '99.00', theirs: '100.00' }],
      },
    ],
  },
}

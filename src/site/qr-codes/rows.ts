// Rows of the tables `qr_codes` and `deleted_qr_codes`, with checked types.

import * as z from 'zod/mini'
import { MEDIA_TYPES } from '../../contract/image.ts'
import { type QrCodeSpec, TYPES } from '../../contract/qr-code.ts'
import { STATUSES } from '../../contract/status.ts'
import { EndedBy, TokenStatus } from '../../contract/token.ts'
import { formatLink } from '../../fps/link.ts'
import { LATEST_PAYMENT } from '../payments/rows.ts'
import { inSeconds, int, oneOf, orNull, type RowOf, rowsWith, text } from '../rows/columns.ts'
import { latestReceipt } from '../rows/latest-receipt.ts'
import { statedText } from '../rows/receipts.ts'
import { type Binding, columnOf, integer, type Sql } from '../rows/sql.ts'
import { type Seconds, seconds } from '../time.ts'
import type { TokenState } from '../tokens/rows.ts'

const SPEC = {
  qr_code_uid: text,
  type: oneOf(TYPES),
  ttl: orNull(int),
  image_media_type: orNull(oneOf(MEDIA_TYPES)),
  image_width: orNull(int),
  image_height: orNull(int),
  minor_units: orNull(int),
  currency: orNull(text),
  payment_purpose: orNull(text),
  redirect_url: orNull(text),
  callback_url: orNull(text),
  tokenization_purpose: orNull(text),
  tokenization_account: orNull(text),
  create_token: int,
  // What the request states of its receipt, without the contact; see statedText.
  receipt: orNull(text),
}
/** A QR code's specification, column by column. */
export type SpecRow = RowOf<typeof SPEC>

export const specRow = (spec: QrCodeSpec): SpecRow => ({
  qr_code_uid: spec.qrCodeUid,
  type: spec.type,
  ttl: spec.ttl ?? null,
  image_media_type: spec.image?.mediaType ?? null,
  image_width: spec.image?.width ?? null,
  image_height: spec.image?.height ?? null,
  minor_units: spec.amount?.minorUnits ?? null,
  currency: spec.amount?.currency ?? null,
  payment_purpose: spec.paymentPurpose ?? null,
  redirect_url: spec.redirectUrl ?? null,
  callback_url: spec.callbackUrl ?? null,
  tokenization_purpose: spec.tokenizationPurpose ?? null,
  tokenization_account: spec.tokenizationAccount ?? null,
  create_token: spec.createToken ? 1 : 0,
  receipt: spec.receipt ? statedText(spec.receipt) : null,
})

const OWN = {
  ...SPEC,
  number: int,
  link_id: text,
  status: oneOf(STATUSES),
  version: int,
  created_at: inSeconds,
  // From this second on the QR code cannot be paid.
  end_at: orNull(inSeconds),
  // The link that a bank made, with the id of the payer's page and the connector's own text; see schema.ts.
  payload: orNull(text),
  page_id: orNull(text),
  reference: orNull(text),
  // The number of the terms that hold for its receipts; NULL where it has none.
  receipt_terms: orNull(int),
  payment: orNull(int),
}

const readRows = rowsWith({
  ...OWN,
  base: text,
  bank: text,
  ...LATEST_PAYMENT,
  refunds: orNull(text),
  tokens: orNull(text),
  sale: orNull(text),
  payment_sale: orNull(text),
})
/** A QR code with the base of its link, and its latest applied payment attempt. */
export type QrCodeRow = ReturnType<typeof readRows>[number]

/** Whether a bank made the link, and not this service; also where the link is cancelled. */
export const isOfBank = ({ payload }: QrCodeRow): boolean => payload !== null

/** Whether the bank has the link, and can still cancel it: an empty payload is a cancelled link. */
export const isAtBank = ({ payload }: QrCodeRow): boolean => payload !== null && payload !== ''

const ofBase = (column: string) => columnOf('link_bases', 'link_base', column)
const ofPayment = (column: string) => columnOf('payments', 'qr_codes.payment', column)

const QR_CODES = `SELECT ${Object.keys(OWN).map((name) => `qr_codes.${name}`)}, ${ofBase('base')} AS base, ${ofBase('bank')} AS bank,
    ${ofPayment('payment_uid')} AS payment_uid, ${ofPayment('status')} AS payment_status,
    ${ofPayment('minor_units')} AS payment_minor_units, ${ofPayment('currency')} AS payment_currency,
    ${ofPayment('changed_at')} AS payment_at, ${ofPayment('method')} AS payment_method,
    iif(receipt_terms IS NULL, NULL, (SELECT ${latestReceipt('payments.receipt')} FROM payments
      WHERE payments.number = qr_codes.payment)) AS payment_receipt,
    iif(payment IS NULL, NULL, (SELECT json_group_array(json_object(
      'refundUid', refund_uid, 'status', refunds.status, 'minorUnits', refunds.minor_units) ORDER BY number)
      FROM refunds WHERE refunds.payment = qr_codes.payment)) AS refunds,
    (SELECT json_group_array(json_object('status', status, 'value', value, 'due_at', due_at, 'ended_by', ended_by,
      'event', event, 'changed_at', changed_at) ORDER BY number)
      FROM tokens WHERE tokens.qr_code = qr_codes.number HAVING count(*) > 0) AS tokens,
    iif(type <> 'COUNTER', NULL, (SELECT json_object('saleUid', sale_uid, 'minorUnits', minor_units, 'currency', currency,
      'paymentPurpose', payment_purpose, 'expiresAt', due_at)
      FROM sales WHERE sales.number = (SELECT max(number) FROM sales WHERE sales.qr_code = qr_codes.number)
        AND ended_at IS NULL AND sales.status = 'ACTIVE')) AS sale,
    iif(type <> 'COUNTER', NULL, (SELECT sale_uid FROM sales, payments
      WHERE payments.number = qr_codes.payment AND sales.number = payments.sale)) AS payment_sale
  FROM qr_codes`

/** The QR codes that the clauses after FROM select. */
export const qrCodeRows = (sql: SqlStorage, clauses: string, ...bindings: Binding[]): QrCodeRow[] =>
  readRows(sql, `${QR_CODES} ${clauses}`, ...bindings)

/** The same for the export, which no row fails. */
export const exportedQrCodeRows = (sql: SqlStorage, clauses: string, ...bindings: Binding[]) =>
  readRows.numbered(sql, `${QR_CODES} ${clauses}`, ...bindings)

/** The QR code whose row has the number. */
export const qrCodeByNumber = (sql: SqlStorage, number: number | null | undefined): QrCodeRow | undefined =>
  qrCodeRows(sql, 'WHERE qr_codes.number = ?', number ?? null)[0]

/**
 * Identifies a QR code: the merchant knows its qrCodeUid, the network the id of its link, the payer the address of its
 * page, of which the base does not count: `{id}?type=…&crc=…`.
 */
export type QrCodeKey = { qrCodeUid: string } | { linkId: string } | { link: string }

/** The row of a QR code; undefined if the site does not have it, or if the parameters of the payer's link are altered. */
export function findQrCode(sql: SqlStorage, key: QrCodeKey): QrCodeRow | undefined {
  if ('qrCodeUid' in key) return qrCodeRows(sql, 'WHERE qr_code_uid = ?', key.qrCodeUid)[0]
  if ('linkId' in key) return qrCodeRows(sql, 'WHERE qr_codes.link_id = ?', key.linkId)[0]
  const [id = ''] = key.link.split('?', 1)
  const row = findQrCode(sql, { linkId: id }) ?? qrCodeRows(sql, 'WHERE page_id = ?', id)[0]
  return row && pageLinkOf(row) === key.link ? row : undefined
}

const readLatest = rowsWith({ number: int, created_at: inSeconds })

/** The number of the QR code with a qrCodeUid, also of a QR code that retention deleted. */
export const numberOfQrCode = (sql: SqlStorage, qrCodeUid: string): number | undefined =>
  integer(sql, 'SELECT number FROM qr_codes WHERE qr_code_uid = ?', qrCodeUid) ??
  deletedNumber(sql, { qrCodeUid })

/** The number of a QR code that retention deleted; undefined if it deleted none with that qrCodeUid, or that link. */
export const deletedNumber = (
  sql: Sql,
  key: { linkId: string } | { qrCodeUid: string },
): number | undefined =>
  'linkId' in key
    ? integer(sql, 'SELECT number FROM deleted_qr_codes WHERE link_id = ?', key.linkId)
    : integer(sql, 'SELECT number FROM deleted_qr_codes WHERE qr_code_uid = ?', key.qrCodeUid)

/** Whether retention has deleted a QR code of the site. */
export const hasDeleted = (sql: Sql): boolean =>
  integer(sql, 'SELECT EXISTS (SELECT 1 FROM deleted_qr_codes)') === 1

/** The number of the latest QR code's row, also of a deleted one, 0 before the first, and its time of creation. */
export function latestQrCode(sql: Sql): { number: number; createdAt: Seconds | undefined } {
  const [row] = readLatest(
    sql,
    `SELECT * FROM (SELECT number, created_at FROM qr_codes ORDER BY number DESC LIMIT 1)
     UNION ALL SELECT * FROM (SELECT number, created_at FROM deleted_qr_codes ORDER BY number DESC LIMIT 1)
     ORDER BY number DESC LIMIT 1`,
  )
  return { number: row?.number ?? 0, createdAt: row?.created_at }
}

/** A range of the index of QR codes that ended, as the beginning of a FROM clause that an AND can follow. */
const endedRows = (isUnpaid: 0 | 1) =>
  `qr_codes INDEXED BY qr_codes_ended WHERE status IN ('EXPIRED', 'CANCELLED') AND (payment IS NULL) = ${isUnpaid}`

/** The ended QR codes that took no attempt to pay. */
export const UNPAID_ROWS = endedRows(1)
/** All ended QR codes, in two ranges: those of the first took a declined attempt, or are paid many times. */
export const ENDED_ROWS = [endedRows(0), UNPAID_ROWS]

/** Continues a range by end behind an end and a number, up to a limit; they are to be bound as ?1, ?2 and ?3. */
export const AFTER_END = 'AND (end_at, number) > (?1, ?2) ORDER BY end_at, number LIMIT ?3'

/** The numbers of the rows of ranges, of each with these clauses. */
export const numbersOf = (ranges: readonly string[], clauses: string): string =>
  ranges.map((rows) => `SELECT number FROM (SELECT number FROM ${rows} ${clauses})`).join(' UNION ALL ')

const readVersions = rowsWith({ number: int, version: int })

/** The versions of the QR codes that the clauses after FROM select. */
export const qrCodeVersions = (sql: SqlStorage, clauses: string, ...bindings: Binding[]) =>
  readVersions(sql, `SELECT number, version FROM qr_codes ${clauses}`, ...bindings)

/** A link of this service: composed from stored values, so that it never changes. */
export const linkOf = (row: QrCodeRow): string =>
  formatLink({
    base: row.base,
    id: row.page_id ?? row.link_id,
    type: row.type,
    bank: row.bank,
    amount: amountOf(row),
  })

/** What follows the base of the payer's page: the id, and the parameters of this service's link. */
export const pageLinkOf = (row: QrCodeRow): string => linkOf(row).slice(row.base.length + 1)

const Time = z.pipe(z.int(), z.transform(seconds))
const Tokens = z.array(
  z.object({
    status: TokenStatus,
    value: z.nullable(z.string()),
    due_at: z.nullable(Time),
    ended_by: z.nullable(EndedBy),
    event: z.nullable(z.int()),
    changed_at: Time,
  }),
)

/** What the states of its tokens are made from, the oldest first. */
export const tokensOf = ({ tokens }: QrCodeRow): TokenState[] =>
  tokens === null ? [] : Tokens.parse(JSON.parse(tokens))

const OpenSale = z.object({
  saleUid: z.string(),
  minorUnits: z.int(),
  currency: z.string(),
  paymentPurpose: z.nullable(z.string()),
  expiresAt: Time,
})

/** The sale that the row of a COUNTER code has open; its time can be over. */
export function openSaleOf({ sale }: QrCodeRow) {
  if (sale === null) return undefined
  const { minorUnits, currency, paymentPurpose, ...rest } = OpenSale.parse(JSON.parse(sale))
  return { ...rest, amount: { minorUnits, currency }, paymentPurpose: paymentPurpose ?? undefined }
}

export const amountOf = ({ minor_units: minorUnits, currency }: Pick<SpecRow, 'minor_units' | 'currency'>) =>
  minorUnits !== null && currency !== null ? { minorUnits, currency } : undefined

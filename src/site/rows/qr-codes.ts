// Rows of QR codes.
import * as z from 'zod/mini'
import type { Image } from '../../contract/image.ts'
import { PAYMENT_STATUSES, type PaymentStatus } from '../../contract/payment.ts'
import { type QrCode, type QrCodeSpec, type QrCodeType, requestsToken } from '../../contract/qr-code.ts'
import { isPayable, type QrCodeStatus } from '../../contract/status.ts'
import { type Token, TokenStatus } from '../../contract/token.ts'
import { formatLink } from '../../fps/link.ts'
import { earliest } from './sql.ts'
import { dueStatusOf, tokenDueAt, tokenOf } from './tokens.ts'

/** A QR code's specification, column by column. */
export type SpecRow = {
  qr_code_uid: string
  type: QrCodeType
  ttl: number
  image_media_type: Image['mediaType'] | null
  image_width: number | null
  image_height: number | null
  minor_units: number | null
  currency: string | null
  payment_purpose: string | null
  redirect_url: string | null
  tokenization_purpose: string | null
  tokenization_account: string | null
  create_token: number
}

export const specRow = (spec: QrCodeSpec): SpecRow => ({
  qr_code_uid: spec.qrCodeUid,
  type: spec.type,
  ttl: spec.ttl,
  image_media_type: spec.image?.mediaType ?? null,
  image_width: spec.image?.width ?? null,
  image_height: spec.image?.height ?? null,
  minor_units: spec.amount?.minorUnits ?? null,
  currency: spec.amount?.currency ?? null,
  payment_purpose: spec.paymentPurpose ?? null,
  redirect_url: spec.redirectUrl ?? null,
  tokenization_purpose: spec.tokenizationPurpose ?? null,
  tokenization_account: spec.tokenizationAccount ?? null,
  create_token: spec.createToken ? 1 : 0,
})

/** A QR code with the base of its link, and its latest applied payment attempt. */
export type QrCodeRow = SpecRow & {
  number: number
  base: string
  bank: string
  link_id: string
  status: QrCodeStatus
  version: number
  created_at: number
  expires_at: number
  payment: number | null
  payment_uid: string | null
  payment_status: PaymentStatus | null
  payment_minor_units: number | null
  payment_currency: string | null
  payment_at: number | null
  refunds: string | null
  tokens: string | null
}

const QR_CODES = `SELECT qr_codes.*, base, bank, payment_uid, payments.status AS payment_status,
    payments.minor_units AS payment_minor_units, payments.currency AS payment_currency, changed_at AS payment_at,
    iif(payment IS NULL, NULL, (SELECT json_group_array(json_object(
      'refundUid', refund_uid, 'status', refunds.status, 'minorUnits', refunds.minor_units) ORDER BY number)
      FROM refunds WHERE refunds.payment = qr_codes.payment)) AS refunds,
    (SELECT json_group_array(json_object('status', status, 'value', value, 'due_at', due_at) ORDER BY number)
      FROM tokens WHERE tokens.qr_code = qr_codes.number HAVING count(*) > 0) AS tokens
  FROM qr_codes JOIN link_bases ON link_bases.number = link_base
    LEFT JOIN payments ON payments.number = payment`

/** The QR codes that the clauses after FROM select. */
export const qrCodeRows = (sql: SqlStorage, clauses: string, ...bindings: SqlStorageValue[]): QrCodeRow[] =>
  sql.exec<QrCodeRow>(`${QR_CODES} ${clauses}`, ...bindings).toArray()

/** The QR code whose row has the number. */
export const qrCodeByNumber = (sql: SqlStorage, number: number | null | undefined): QrCodeRow | undefined =>
  qrCodeRows(sql, 'WHERE qr_codes.number = ?', number ?? null)[0]

/** The versions of the QR codes that the clauses after FROM select. */
export const qrCodeVersions = (sql: SqlStorage, clauses: string, ...bindings: SqlStorageValue[]) =>
  sql
    .exec<Pick<QrCodeRow, 'number' | 'version'>>(
      `SELECT number, version FROM qr_codes ${clauses}`,
      ...bindings,
    )
    .toArray()

/** The functional link of a QR code: composed from stored values, so that it never changes. */
export const payloadOf = (row: QrCodeRow): string =>
  formatLink({ base: row.base, id: row.link_id, type: row.type, bank: row.bank, amount: amountOf(row) })

const Refunds = z.array(
  z.object({ refundUid: z.string(), status: z.enum(PAYMENT_STATUSES), minorUnits: z.int() }),
)

const Tokens = z.array(
  z.object({ status: TokenStatus, value: z.nullable(z.string()), due_at: z.nullable(z.int()) }),
)

/** The QR code of a row, as it stands at a time in Unix seconds. */
export function qrCodeOf(row: QrCodeRow, now: number): QrCode {
  const { image_media_type: mediaType, image_width: width, image_height: height } = row
  const expired = isDue(row, now)
  const tokens = row.tokens === null ? [] : Tokens.parse(JSON.parse(row.tokens))
  const ended = tokens.filter((token) => dueStatusOf(token, now))
  const expiresAt = isPayable(row.status) ? row.expires_at : undefined
  return {
    qrCodeUid: row.qr_code_uid,
    type: row.type,
    ttl: row.ttl,
    image: mediaType !== null && width !== null && height !== null ? { mediaType, width, height } : undefined,
    amount: amountOf(row),
    paymentPurpose: row.payment_purpose ?? undefined,
    redirectUrl: row.redirect_url ?? undefined,
    tokenizationPurpose: row.tokenization_purpose ?? undefined,
    tokenizationAccount: row.tokenization_account ?? undefined,
    createToken: row.create_token === 1,
    payload: payloadOf(row),
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    // The expiry counts from its second on, whether or not the alarm has recorded it.
    status: expired ? 'EXPIRED' : row.status,
    version: row.version + (expired ? 1 : 0) + ended.length,
    payment: latestPaymentOf(row),
    refunds: row.refunds === null ? [] : Refunds.parse(JSON.parse(row.refunds)),
    token: shownToken(
      row,
      tokens.map((token) => tokenOf(token, now)),
    ),
    changesAt: earliest(expiresAt, ...tokens.map(tokenDueAt)),
  }
}

/** The latest token that can be charged, else the latest one: a QR code can bind several accounts. */
const shownToken = (row: QrCodeRow, tokens: readonly Token[]): Token | undefined =>
  tokens.findLast(({ status }) => status === 'CREATED') ??
  tokens.at(-1) ??
  (requestsToken({ type: row.type, createToken: row.create_token === 1 }) ? { status: 'WAITING' } : undefined)

/** Whether the ttl has ended and the expiry is not recorded yet. */
export const isDue = ({ status, expires_at }: QrCodeRow, now: number): boolean =>
  isPayable(status) && now >= expires_at

const amountOf = ({ minor_units: minorUnits, currency }: Pick<SpecRow, 'minor_units' | 'currency'>) =>
  minorUnits !== null && currency !== null ? { minorUnits, currency } : undefined

function latestPaymentOf(row: QrCodeRow): QrCode['payment'] {
  const { payment_uid: paymentUid, payment_status: status, payment_at: at } = row
  const amount = amountOf({ minor_units: row.payment_minor_units, currency: row.payment_currency })
  return paymentUid !== null && status !== null && at !== null && amount
    ? { paymentUid, status, amount, at }
    : undefined
}

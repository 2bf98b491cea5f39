// Rows of the site's database as values, and back: the only file that types what SQLite returns.
import * as z from 'zod'
import type { ApiKey } from '../contract/api-key.ts'
import {
  type Attempt,
  NOTIFICATION_STATUSES,
  NotificationContent,
  type NotificationStatus,
} from '../contract/delivery.ts'
import { ACTORS, EVENT_TYPES, type Event, type EventPayment } from '../contract/event.ts'
import type { Image } from '../contract/image.ts'
import {
  type NotAppliedReason,
  PAYMENT_STATUSES,
  type Payment,
  type PaymentStatus,
} from '../contract/payment.ts'
import type { QrCode, QrCodeSpec, QrCodeType } from '../contract/qr-code.ts'
import { NOTIFICATION_TYPES, type Settings } from '../contract/settings.ts'
import { isPayable, type QrCodeStatus, STATUSES } from '../contract/status.ts'
import { formatLink } from '../fps/link.ts'

/** The first column of the first row as an integer; undefined where there is no row, or NULL. */
export function integer(sql: SqlStorage, query: string, ...bindings: SqlStorageValue[]): number | undefined {
  const [value] =
    sql
      .exec(query, ...bindings)
      .raw()
      .next().value ?? []
  return typeof value === 'number' ? value : undefined
}

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
}

const QR_CODES = `SELECT qr_codes.*, base, bank, payment_uid, payments.status AS payment_status,
    payments.minor_units AS payment_minor_units, payments.currency AS payment_currency, changed_at AS payment_at
  FROM qr_codes JOIN link_bases ON link_bases.number = link_base
    LEFT JOIN payments ON payments.number = payment`

/** The QR codes that the clauses after FROM select. */
export const qrCodeRows = (sql: SqlStorage, clauses: string, ...bindings: SqlStorageValue[]): QrCodeRow[] =>
  sql.exec<QrCodeRow>(`${QR_CODES} ${clauses}`, ...bindings).toArray()

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

/** The QR code of a row, as it stands at a time in Unix seconds. */
export function qrCodeOf(row: QrCodeRow, now: number): QrCode {
  const { image_media_type: mediaType, image_width: width, image_height: height } = row
  const expired = isDue(row, now)
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
    version: expired ? row.version + 1 : row.version,
    payment: latestPaymentOf(row),
  }
}

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

/** A payment attempt with the identifier of its QR code. */
export type PaymentRow = {
  number: number
  payment_uid: string
  qr_code: number | null
  qr_code_uid: string | null
  link_id: string
  status: PaymentStatus
  minor_units: number
  currency: string
  created_at: number
  changed_at: number
  applied: number
  not_applied_reason: NotAppliedReason | null
  reason: string | null
  payer_bank: string | null
  payer_phone: string | null
  /** The customer's identifier in the merchant's system. */
  tokenization_account: string | null
}

const PAYMENTS = `SELECT payments.*, qr_code_uid, tokenization_account FROM payments LEFT JOIN qr_codes ON qr_codes.number = payments.qr_code`

/** The payments that the clauses after FROM select. */
export const paymentRows = (sql: SqlStorage, clauses: string, ...bindings: SqlStorageValue[]): PaymentRow[] =>
  sql.exec<PaymentRow>(`${PAYMENTS} ${clauses}`, ...bindings).toArray()

export const paymentOf = (row: PaymentRow): Payment => ({
  paymentUid: row.payment_uid,
  qrCodeUid: row.qr_code_uid ?? undefined,
  createdAt: row.created_at,
  amount: { minorUnits: row.minor_units, currency: row.currency },
  status: row.status,
  changedAt: row.changed_at,
  reason: row.reason ?? undefined,
  applied: row.applied === 1,
  notAppliedReason: row.not_applied_reason ?? undefined,
})

/** A notification of the outbox; times are Unix milliseconds. */
export interface OutboxRow {
  number: number
  queue: 'merchant' | 'network'
  /** The number of the QR code's row. */
  qrCode: number | undefined
  content: NotificationContent
  status: NotificationStatus
  attempts: readonly Attempt[]
  /** Attempts that count for the next delay. */
  used: number
  createdAt: number
  /** When its next attempt is due by its own delays. */
  dueAt: number | undefined
  /** When it is sent: when it is due, or earlier where an endpoint works again. */
  sendAt: number | undefined
  /** While a delivery is in flight, when that is given up. */
  leasedUntil: number | undefined
}

const OutboxColumns = z.object({
  number: z.int(),
  queue: z.enum(['merchant', 'network']),
  qr_code: z.int().nullable(),
  content: z.string(),
  status: z.enum(NOTIFICATION_STATUSES),
  attempts: z.string(),
  used: z.int(),
  created_at: z.int(),
  due_at: z.int().nullable(),
  send_at: z.int().nullable(),
  leased_until: z.int().nullable(),
})

const Attempts = z.array(
  z.object({ at: z.int(), httpStatus: z.int().optional(), error: z.string().optional(), ms: z.int() }),
)

/** `webhook-id`: the feed's epoch and the number of the event, so that a restored site repeats none. */
export const notificationId = (sql: SqlStorage, number: number): string => `${epochOf(sql)}-${number}`

/** The number of a notification; undefined where the id is not of this site. */
export function notificationNumber(sql: SqlStorage, id: string): number | undefined {
  const number = Number(/-(\d{1,15})$/.exec(id)?.[1])
  return id === notificationId(sql, number) ? number : undefined
}

/** The feed's epoch. */
export const epochOf = (sql: SqlStorage): string => String(sql.exec('SELECT epoch FROM site').one().epoch)

/** The notifications that the clauses after FROM select. */
export const outboxRows = (sql: SqlStorage, clauses: string, ...bindings: SqlStorageValue[]): OutboxRow[] =>
  sql
    .exec(`SELECT * FROM outbox ${clauses}`, ...bindings)
    .toArray()
    .map((row) => {
      const columns = OutboxColumns.parse(row)
      return {
        number: columns.number,
        queue: columns.queue,
        qrCode: columns.qr_code ?? undefined,
        content: NotificationContent.parse(JSON.parse(columns.content)),
        status: columns.status,
        attempts: Attempts.parse(JSON.parse(columns.attempts)),
        used: columns.used,
        createdAt: columns.created_at,
        dueAt: columns.due_at ?? undefined,
        sendAt: columns.send_at ?? undefined,
        leasedUntil: columns.leased_until ?? undefined,
      }
    })

/** An endpoint that failed lately: how often in a row, and when it is probed next, in Unix milliseconds. */
export interface EndpointRow {
  failures: number
  probeAt: number
}

export const endpointRow = (sql: SqlStorage, queue: OutboxRow['queue']): EndpointRow | undefined =>
  sql
    .exec<EndpointRow & Record<string, number>>(
      'SELECT failures, probe_at AS probeAt FROM endpoints WHERE queue = ?',
      queue,
    )
    .toArray()[0]

/** The payment of an event, as the event keeps it: the payment itself can change later. */
const EventPaymentColumn = z.object({
  paymentUid: z.string(),
  status: z.enum(PAYMENT_STATUSES),
  amount: z.object({ minorUnits: z.int(), currency: z.string() }),
  applied: z.boolean(),
})

export const eventPaymentColumn = (payment: EventPayment | undefined): string | null =>
  payment ? JSON.stringify(payment) : null

const EventRow = z.object({
  number: z.int(),
  type: z.enum(EVENT_TYPES),
  at: z.int(),
  actor: z.enum(ACTORS),
  key_id: z.string(),
  qr_code_uid: z.string().nullable(),
  status: z.enum(STATUSES).nullable(),
  payment: z.string().nullable(),
})

const EVENTS = `SELECT events.number, events.type, at, actor, key_id, qr_code_uid, events.status, events.payment
  FROM events JOIN callers ON callers.number = caller LEFT JOIN qr_codes ON qr_codes.number = qr_code`

/** The events that the clauses after FROM select. */
export const eventsWhere = (sql: SqlStorage, clauses: string, ...bindings: SqlStorageValue[]): Event[] =>
  sql
    .exec(`${EVENTS} ${clauses}`, ...bindings)
    .toArray()
    .map((row) => {
      const { key_id: keyId, qr_code_uid: qrCodeUid, status, payment, ...event } = EventRow.parse(row)
      return {
        ...event,
        keyId: keyId || undefined,
        qrCodeUid: qrCodeUid ?? undefined,
        status: status ?? undefined,
        payment: payment === null ? undefined : EventPaymentColumn.parse(JSON.parse(payment)),
      }
    })

/** The settings, with their revision and the one before. */
export interface SettingsRow {
  settings: Settings
  revision: string
  replaced: string
}

const SettingsColumn = z.object({
  name: z.string().optional(),
  supportContact: z.string().optional(),
  callbackUrl: z.string().optional(),
  notificationTypes: z.array(z.enum(NOTIFICATION_TYPES)),
})

/** The settings, undefined before they were first set. */
export function settingsRow(sql: SqlStorage): SettingsRow | undefined {
  const [row] = sql
    .exec<{ settings: string; revision: string; replaced: string }>('SELECT * FROM settings')
    .toArray()
  return row && { ...row, settings: SettingsColumn.parse(JSON.parse(row.settings)) }
}

export type NotificationKeyRow = { id: string; key: string; active: number; created_at: number }

/** The notification keys, the active one first. */
export const notificationKeyRows = (sql: SqlStorage): NotificationKeyRow[] =>
  sql.exec<NotificationKeyRow>('SELECT * FROM notification_keys ORDER BY active DESC, number').toArray()

export type ApiKeyRow = {
  id: string
  label: string
  scope: string
  created_at: number | null
  expires_at: number | null
  last_used_at: number | null
  revoked_at: number | null
}

/** The API keys that the clauses after FROM select. */
export const apiKeyRows = (sql: SqlStorage, clauses: string, ...bindings: SqlStorageValue[]): ApiKeyRow[] =>
  sql.exec<ApiKeyRow>(`SELECT * FROM api_keys ${clauses}`, ...bindings).toArray()

export const apiKeyOf = (row: ApiKeyRow): ApiKey => ({
  id: row.id,
  label: row.label,
  scope: row.scope,
  createdAt: row.created_at ?? undefined,
  expiresAt: row.expires_at ?? undefined,
  lastUsedAt: row.last_used_at ?? undefined,
  revokedAt: row.revoked_at ?? undefined,
})

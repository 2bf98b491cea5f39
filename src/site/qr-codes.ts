// How a site keeps its QR codes: each qrCodeUid is created once, and found by its uid or by its link.
import type { QrCodeStatus } from '../contract/life.ts'
import type { QrCode, QrCodeOrder } from '../contract/qr-code.ts'
import type { Outcome } from '../errors.ts'
import { orderRow, type QrCodeRow, qrCodeOf } from './rows.ts'

/** What a QR code is created from: an order, and the functional link that it gets. */
export interface Creation {
  order: QrCodeOrder
  payload: string
}

/** What came of an order: a new QR code, or the one that an earlier order like it had created. */
export type Created = { created: true; createdAt: number } | { created: false; qrCode: QrCode }

/**
 * Identifies a QR code: the merchant knows its uid, the payment network the id of its link, the payer the link from the
 * id on, `<id>?type=…&crc=…`.
 */
export type QrCodeKey = { qrCodeUid: string } | { linkId: string } | { link: string }

const COLUMNS = 'qr_codes.*, payments.status AS payment_status'
const FROM = 'qr_codes LEFT JOIN payments USING (payment_uid)'
const INSERTED = [
  ...Object.keys(orderRow({ qrCodeUid: '', type: 'DYNAMIC', ttl: 1, createToken: false })),
  ...['payload', 'status', 'created_at'],
]
const INSERT = `INSERT INTO qr_codes (${INSERTED}) VALUES (${INSERTED.map(() => '?')})
  ON CONFLICT (qr_code_uid) DO NOTHING`

/**
 * Creates the QR code, or replays the one that the same order created before (contract, section 3).
 * @param payload the functional link of a new QR code; a replay keeps the first one
 * @param now Unix seconds
 * @param moment of the creation; see momentOfCreation
 * @returns payin.resource.already.exists where the uid was used with another meaning
 */
export function createQrCode(
  sql: SqlStorage,
  order: QrCodeOrder,
  payload: string,
  now: number,
  moment = now,
): Outcome<Created> {
  const row = { ...orderRow(order), payload, status: 'CREATED', created_at: moment }
  const inserted = sql.exec(INSERT, ...Object.values(row))
  if (inserted.rowsWritten > 0) return { ok: true, value: { created: true, createdAt: moment } }

  const kept = findQrCode(sql, order)
  if (!kept || !hasMeaning(kept, order)) {
    return {
      ok: false,
      code: 'payin.resource.already.exists',
      description: `qrCodeUid ${JSON.stringify(order.qrCodeUid)} was used for another request, must differ from all earlier ones`,
    }
  }
  // The very call, sent again because its answer was lost: it did create.
  if (kept.payload === payload) return { ok: true, value: { created: true, createdAt: kept.created_at } }
  return { ok: true, value: { created: false, qrCode: qrCodeOf(kept, now) } }
}

/** Whether the kept QR code came from an order that means the same, after defaults. */
function hasMeaning(kept: QrCodeRow, order: QrCodeOrder): boolean {
  const asked: Record<string, SqlStorageValue> = orderRow(order)
  const found: Record<string, SqlStorageValue> = kept
  return Object.keys(asked).every((column) => asked[column] === found[column])
}

/** The row of a QR code; undefined where the site has no such code, or its link has other parameters. */
export function findQrCode(sql: SqlStorage, key: QrCodeKey): QrCodeRow | undefined {
  if ('link' in key) {
    const [linkId = ''] = key.link.split('?')
    const row = findQrCode(sql, { linkId })
    return row?.payload.endsWith(`/${key.link}`) ? row : undefined
  }
  const [column, value] = 'linkId' in key ? ['link_id', key.linkId] : ['qr_code_uid', key.qrCodeUid]
  return sql.exec<QrCodeRow>(`SELECT ${COLUMNS} FROM ${FROM} WHERE ${column} = ?`, value).toArray()[0]
}

/** Which QR codes are listed; moments are Unix seconds and belong to the range. */
export interface PageQuery {
  status?: QrCodeStatus | undefined
  createdFrom?: number | undefined
  createdTo?: number | undefined
  limit: number
  /** The number of the QR code behind which the page begins. */
  after?: number | undefined
}

export interface QrCodePage {
  qrCodes: QrCode[]
  /** Behind which number there may be more. */
  next?: number | undefined
}

/** Rows that one page looks at, so that a rare state does not hold up the site: such a page has less than its limit. */
const LOOKED_AT = 5000

/** A page of QR codes, newest first. */
export function listQrCodes(sql: SqlStorage, query: PageQuery, now: number): QrCodePage {
  const { status, createdFrom = 0, createdTo, limit, after = Number.MAX_SAFE_INTEGER } = query
  const newest = createdTo === undefined ? Number.MAX_SAFE_INTEGER : lastCreatedBy(sql, createdTo)
  const rows = sql.exec<QrCodeRow>(
    `SELECT ${COLUMNS} FROM ${FROM} WHERE number <= ? ORDER BY number DESC LIMIT ?`,
    Math.min(newest, after - 1),
    LOOKED_AT + 1,
  )
  const qrCodes: QrCode[] = []
  let next: number | undefined
  let lookedAt = 0
  for (const row of rows) {
    if (row.created_at < createdFrom) break
    if (qrCodes.length === limit || lookedAt === LOOKED_AT) return { qrCodes, next }
    const qrCode = qrCodeOf(row, now)
    if (status === undefined || qrCode.status === status) qrCodes.push(qrCode)
    next = row.number
    lookedAt++
  }
  return { qrCodes }
}

/** Seconds that a clock is believed to go back by itself. */
const CLOCK_STEP = 60

/**
 * The moment of what is created now, in Unix seconds: not before the latest creation, though the clock go back a step,
 * so that numbers follow the moments. After a larger step it is the clock that is right: an expiry hangs on it.
 */
export function momentOfCreation(sql: SqlStorage, now: number): number {
  const [latest] = sql
    .exec<{ created_at: number }>('SELECT created_at FROM qr_codes ORDER BY number DESC LIMIT 1')
    .toArray()
  return latest && latest.created_at - now <= CLOCK_STEP ? Math.max(now, latest.created_at) : now
}

/**
 * The number of the last QR code that was created by a moment, 0 where there is none: found by halves. Numbers begin
 * at 1 and have no gaps, for nothing is deleted.
 */
function lastCreatedBy(sql: SqlStorage, moment: number): number {
  let low = 0
  let high = sql.exec<{ last: number }>('SELECT ifnull(max(number), 0) AS last FROM qr_codes').one().last
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    const { created_at } = sql
      .exec<{ created_at: number }>('SELECT created_at FROM qr_codes WHERE number = ?', middle)
      .one()
    if (created_at <= moment) low = middle
    else high = middle - 1
  }
  return low
}

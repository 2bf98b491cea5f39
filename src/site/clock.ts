// How QR codes, tokens and sales stand at a time, and how their ends are recorded. Only this file compares a time with an end.
import { PAYER } from '../contract/caller.ts'
import { isPayable, PAYABLE_STATUSES, type QrCodeStatus } from '../contract/status.ts'
import type { TokenStatus } from '../contract/token.ts'
import { atTime, type Context } from './context.ts'
import { nextSend } from './outbox/next-send.ts'
import { hasPending, nextDeletion } from './outbox/outbox.ts'
import { changeStatus } from './qr-codes/changes.ts'
import { nextSweep } from './qr-codes/retention.ts'
import {
  findQrCode,
  openSaleOf,
  type QrCodeKey,
  type QrCodeRow,
  qrCodeByNumber,
  tokensOf,
} from './qr-codes/rows.ts'
import { nextErasure } from './receipts/contacts.ts'
import { hasReceiptsIn } from './receipts/terms.ts'
import { nextWaitEnd } from './receipts/waiting.ts'
import { nextDataDeletion } from './rows/site.ts'
import { integer, type Sql } from './rows/sql.ts'
import { dropReservation, endSale } from './sales/changes.ts'
import { openSale, type SaleRow, saleRows } from './sales/rows.ts'
import { hasSettlementsIn } from './settlements/has-settlements.ts'
import { nextSettlementWork } from './settlements/next-work.ts'
import { earliest, type Milliseconds, type Seconds, seconds, toMilliseconds } from './time.ts'
import { changeToken, enderOf } from './tokens/changes.ts'
import { endBinding } from './tokens/end-binding.ts'
import { findToken, type TokenKey, type TokenRow, type TokenState } from './tokens/rows.ts'

/** How a row stands at a time. A read derives an end that is due; the alarm records it, or the next write of the row. */
interface Standing<Status> {
  status: Status
  /** Recording an end does not change it. */
  version: number
  /** When the clock changes it next. */
  changesAt: Seconds | undefined
}

/** What a QR code shows besides its row: its tokens, and the sale that is open at the time. */
interface Shown {
  tokens: TokenState[]
  sale: ReturnType<typeof openSaleOf>
}

/** A QR code at a time. Its version counts the ends of what it shows. */
export function qrCodeAt(row: QrCodeRow, now: Seconds): Standing<QrCodeStatus> & Shown {
  const hasEnded = isEndOf(row, now)
  const open = openSaleOf(row)
  const sale = open && now >= open.expiresAt ? undefined : open
  const tokens = tokensOf(row)
  const ended = tokens.filter((token) => tokenEnd(token, now))
  return {
    status: hasEnded ? 'EXPIRED' : row.status,
    version: row.version + (hasEnded ? 1 : 0) + (open && !sale ? 1 : 0) + ended.length,
    changesAt: earliest(
      isPayable(row.status) && !hasEnded ? (row.end_at ?? undefined) : undefined,
      sale?.expiresAt,
      ...tokens.map((token) => tokenAt(token, now).changesAt),
    ),
    tokens,
    sale,
  }
}

/** A token at a time: its version is its QR code's. */
export function tokenAt(row: TokenState, now: Seconds): Omit<Standing<TokenStatus>, 'version'> {
  const end = tokenEnd(row, now)
  return {
    status: end ?? row.status,
    changesAt: TOKEN_ENDS[row.status] && !end ? (row.due_at ?? undefined) : undefined,
  }
}

/** A sale at a time; a reservation that is over stays WAITING, and is worth nothing. */
export function saleAt(row: SaleRow, now: Seconds): Standing<SaleRow['status']> {
  const isOver = isSaleOver(row, now)
  return {
    status: isOver && row.status === 'ACTIVE' ? 'EXPIRED' : row.status,
    version: row.version + (isOver ? 1 : 0),
    changesAt: row.ended_at === null && !isOver ? row.due_at : undefined,
  }
}

/** Whether the end of a QR code has come, and is not recorded. */
const isEndOf = (row: QrCodeRow, now: Seconds): row is QrCodeRow & { end_at: Seconds } =>
  isPayable(row.status) && row.end_at !== null && now >= row.end_at

/** The status that a token gets when its time ends. */
const TOKEN_ENDS: Partial<Record<TokenStatus, 'REJECTED' | 'EXPIRED'>> = {
  WAITING: 'REJECTED',
  CREATED: 'EXPIRED',
}

/** The first end that has not come at a time. */
export const nextEndAfter = (now: Seconds): number => now + 1

/** The status that the clock gives a token; undefined until its end. A payer had ended one before the site was restored. */
function tokenEnd(
  { status, due_at, ended_by }: TokenState,
  now: Seconds,
): 'REJECTED' | 'EXPIRED' | 'DELETED' | undefined {
  if (due_at === null || now < due_at) return undefined
  return status === 'CREATED' && ended_by === 'payer' ? 'DELETED' : TOKEN_ENDS[status]
}

const isSaleOver = ({ ended_at, due_at }: SaleRow, now: Seconds) => ended_at === null && now >= due_at

/** The sale of a QR code that was ACTIVE at a time: from its creation up to, not including, its end. */
export const saleActiveAt = (sql: SqlStorage, qrCode: number, at: number): SaleRow | undefined =>
  saleRows(
    sql,
    `WHERE sales.number = (SELECT number FROM sales WHERE qr_code = ? AND created_at <= ? AND status <> 'WAITING'
       ORDER BY number DESC LIMIT 1) AND ifnull(ended_at, due_at) > ?`,
    ...[qrCode, at, at],
  )[0]

/** The row of a QR code for a write: its end is recorded first, so that every change starts from what stands. */
export function qrCodeForWrite(
  context: Context,
  key: QrCodeKey | { number: number | null | undefined },
): QrCodeRow | undefined {
  const { sql } = context
  const row = 'number' in key ? qrCodeByNumber(sql, key.number) : findQrCode(sql, key)
  return row && recordQrCodeEnd(context, row)
}

/** The row of a token for a write; its end is recorded first. */
export function tokenForWrite(context: Context, key: TokenKey): TokenRow | undefined {
  const row = findToken(context.sql, key)
  return row && recordTokenEnd(context, row)
}

/** The row of the sale that a QR code has open, for a write; one that waits for the bank too. An end is recorded first. */
export function openSaleForWrite(context: Context, { number }: QrCodeRow): SaleRow | undefined {
  const row = openSale(context.sql, number)
  const after = row && recordSaleEnd(context, row)
  return after?.ended_at === null ? after : undefined
}

/** The row of a sale for a write; its end is recorded first, but not of a reservation: a payment says that it was armed. */
export const saleForWrite = (context: Context, row: SaleRow | undefined): SaleRow | undefined =>
  row?.status === 'ACTIVE' ? recordSaleEnd(context, row) : row

/**
 * Records the end of a QR code that has come. @returns its row after that
 * @param at the time of the event, by default the end: an operation can end a row that its time had not ended before
 */
export function recordQrCodeEnd(context: Context, row: QrCodeRow, at?: Seconds): QrCodeRow {
  if (!isEndOf(row, context.now)) return row
  const { status } = changeStatus(atTime(context, at ?? row.end_at), row, { action: 'expire' })
  return { ...row, status, version: row.version + 1 }
}

/** Records the end of a token that has come; the network ends the binding of an expired token. @returns its row after that */
export function recordTokenEnd(context: Context, row: TokenRow): TokenRow {
  const { sql, now } = context
  const status = tokenEnd(row, now)
  if (!status) return row
  const byClock = atTime(context, row.due_at ?? now)
  const at = status === 'DELETED' ? { ...byClock, by: PAYER } : byClock
  const event = changeToken(at, row, status, qrCodeForWrite(at, { number: row.qr_code }))
  const ended = { ...row, status, changed_at: at.now, at: at.now, ended_by: enderOf(at, status) }
  if (status === 'REJECTED') return ended
  endBinding(sql, row, { event, now: toMilliseconds(now) })
  return { ...ended, event }
}

/** Records the end of a sale that has come. @returns its row after that; undefined of a reservation, which is deleted */
export function recordSaleEnd(context: Context, row: SaleRow): SaleRow | undefined {
  if (!isSaleOver(row, context.now)) return row
  if (row.status !== 'WAITING') return endSale(atTime(context, row.due_at), row, 'EXPIRED')
  dropReservation(context, row)
  return undefined
}

const PAYABLE = `status IN (${PAYABLE_STATUSES.map((status) => `'${status}'`).join(', ')})`

/**
 * The QR codes whose end is not recorded, or that have none, as the beginning of a FROM clause that an AND can follow. The
 * index is named, because SQLite would rather sort all that can be paid than read the few that are due.
 */
export const PAYABLE_ROWS = `qr_codes INDEXED BY qr_codes_payable WHERE ${PAYABLE}`

/** The payable QR codes that end after a time, which is to be bound. */
export const ENDING_ROWS = `${PAYABLE_ROWS} AND end_at > ?`

/** The payable QR codes without an end, by their numbers. */
export const ENDLESS_ROWS = `${PAYABLE_ROWS} AND end_at IS NULL`

/** The condition of an end after a time, which is to be bound, or of none. */
const UNENDED = 'ifnull(end_at > ?, TRUE)'

/** The QR codes that can be paid at a time, which is to be bound. */
export const UNENDED_ROWS = `${PAYABLE_ROWS} AND ${UNENDED}`

/** The condition of a payable status at a time, both of which are to be bound: a list unites it with DUE_NUMBERS. */
export const STILL_PAYABLE = `qr_codes.status = ? AND ${UNENDED}`

/** The numbers of the QR codes whose end has come by a time, oldest first; the time and a limit are to be bound. */
export const DUE_NUMBERS = `SELECT number FROM ${PAYABLE_ROWS} AND end_at <= ? ORDER BY end_at LIMIT ?`

/** The tokens, and the sales, that time ends. */
export const endingTokens = (status: string) => `tokens INDEXED BY tokens_by_time WHERE status = '${status}'`
const OPEN_SALES = 'sales INDEXED BY sales_by_due_at WHERE ended_at IS NULL'

/** The tokens and sales whose end has come by a time, which is to be bound; and the status that a token gets, in SQL. */
export const DUE_TOKENS = `tokens INDEXED BY tokens_by_time WHERE status IN ('WAITING', 'CREATED') AND at <= ?`
export const ENDED_TOKEN_STATUS = `iif(status = 'WAITING', '${TOKEN_ENDS.WAITING}', iif(ended_by = 'payer', 'DELETED', '${TOKEN_ENDS.CREATED}'))`
export const DUE_SALES = `${OPEN_SALES} AND due_at <= ?`

const NEXT_END = `SELECT min(at) FROM (
  SELECT * FROM (SELECT end_at AS at FROM ${PAYABLE_ROWS} AND end_at > 0 ORDER BY end_at LIMIT 1)
  UNION ALL SELECT * FROM (SELECT due_at FROM ${OPEN_SALES} ORDER BY due_at LIMIT 1)
  UNION ALL SELECT * FROM (SELECT 1 FROM site WHERE unapplied_payments IS NOT NULL)
  UNION ALL SELECT min(at) FROM (SELECT * FROM (SELECT at FROM ${endingTokens('WAITING')} ORDER BY at LIMIT 1)
    UNION ALL SELECT * FROM (SELECT at FROM ${endingTokens('CREATED')} ORDER BY at LIMIT 1)))`

/** When the next end comes that is not recorded; long ago, which is at once, where payments wait to be applied. */
export function nextEnd(sql: Sql): Milliseconds | undefined {
  const end = integer(sql, NEXT_END)
  return end === undefined ? undefined : toMilliseconds(seconds(end))
}

/** When the object must wake next, computed from the tables, so that a lost alarm loses nothing; undefined if nothing will be due. */
export const nextWake = (
  sql: Sql,
  has = { receipts: hasReceiptsIn(sql), settlements: hasSettlementsIn(sql) },
): Milliseconds | undefined =>
  earliest(
    nextEnd(sql),
    hasPending(sql) ? nextSend(sql, has.receipts) : undefined,
    nextDeletion(sql),
    nextSweep(sql),
    nextDataDeletion(sql),
    ...(has.receipts ? [nextWaitEnd(sql), nextErasure(sql)] : []),
    has.settlements ? nextSettlementWork(sql) : undefined,
  )

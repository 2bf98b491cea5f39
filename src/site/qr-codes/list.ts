// Pages of a site's QR codes, newest first (contract, section 7).

import type { QrCode, QrCodeType } from '../../contract/qr-code.ts'
import { isPayable, type QrCodeStatus, STATUSES } from '../../contract/status.ts'
import { isCashier, isVisible, tillOf } from '../cashier.ts'
import { DUE_NUMBERS, ENDING_ROWS, ENDLESS_ROWS, STILL_PAYABLE } from '../clock.ts'
import type { Context } from '../context.ts'
import { pageOf } from '../rows/page.ts'
import { type Binding, integer, requiredInteger, type Sql } from '../rows/sql.ts'
import type { Seconds } from '../time.ts'
import { qrCodeOf } from './qr-code.ts'
import { latestQrCode, type QrCodeRow, qrCodeRows } from './rows.ts'

/** Which QR codes are listed; times are Unix seconds, inclusive. */
export interface QrCodeListQuery {
  status?: readonly QrCodeStatus[] | undefined
  type?: readonly QrCodeType[] | undefined
  createdFrom?: number | undefined
  createdTo?: number | undefined
  limit: number
  /** The number of the last QR code of the page before. */
  cursor?: number | undefined
}

/** The QR codes that are named, in this order; without repeats. */
export interface NamedQuery {
  qrCodeUid: readonly string[]
}

/** The first QR codes whose qrCodeUid begins with a text, by qrCodeUid. */
export interface PrefixQuery {
  prefix: string
  limit: number
}

export interface QrCodePage {
  qrCodes: QrCode[]
  /** The number of the page's last QR code, where there are more. */
  next?: number | undefined
}

/** The QR codes that a query is for. */
export function listQrCodes(context: Context, query: QrCodeListQuery | NamedQuery | PrefixQuery): QrCodePage {
  if (isCashier(context.by)) return listTills(context, query)
  return listAll(context, query)
}

/** The tills of a cashier. Those that the cashier is bound to are named, whatever page is asked for: they are few. */
function listTills(context: Context, query: QrCodeListQuery | NamedQuery | PrefixQuery): QrCodePage {
  const { tills } = context.by
  const isPage = !('qrCodeUid' in query) && !('prefix' in query)
  if (isPage && query.type?.includes('COUNTER') === false) return { qrCodes: [] }
  const asked =
    isPage && tills ? { qrCodeUid: tills } : isPage ? { ...query, type: ['COUNTER'] as const } : query
  const { qrCodes, next } = listAll(context, asked)
  const status = isPage ? query.status : undefined
  const own = qrCodes.filter(
    (code) =>
      isVisible(context, { type: code.type, qr_code_uid: code.qrCodeUid }) &&
      (status?.includes(code.status) ?? true),
  )
  return { qrCodes: own.map((code) => tillOf(context, code)), next }
}

function listAll(context: Context, query: QrCodeListQuery | NamedQuery | PrefixQuery): QrCodePage {
  if ('qrCodeUid' in query) return namedQrCodes(context, query)
  return 'prefix' in query ? qrCodesByPrefix(context, query) : pageOfQrCodes(context, query)
}

/** The last character of Unicode sorts behind what can follow the prefix. */
function qrCodesByPrefix({ sql, now }: Context, { prefix, limit }: PrefixQuery): QrCodePage {
  const rows = qrCodeRows(
    sql,
    'WHERE qr_code_uid >= ? AND qr_code_uid < ? ORDER BY qr_code_uid LIMIT ?',
    ...[prefix, `${prefix}\u{10ffff}`, limit],
  )
  return { qrCodes: rows.map((row) => qrCodeOf(row, now)) }
}

function namedQrCodes({ sql, now }: Context, { qrCodeUid }: NamedQuery): QrCodePage {
  const rows = qrCodeRows(
    sql,
    'WHERE qr_code_uid IN (SELECT value FROM json_each(?))',
    JSON.stringify(qrCodeUid),
  )
  const found = new Map(rows.map((row) => [row.qr_code_uid, qrCodeOf(row, now)]))
  return { qrCodes: qrCodeUid.flatMap((uid) => found.get(uid) ?? []) }
}

/**
 * A page of QR codes. Each status but CREATED is a range of an index, of each type but DYNAMIC too, and each range gives no more
 * than a page: so a rare status costs no more than a frequent one, and so does a type. For the others see createdRows.
 */
function pageOfQrCodes({ sql, now, memory }: Context, query: QrCodeListQuery): QrCodePage {
  const { status, type, createdFrom = 0, createdTo, limit, cursor = Number.MAX_SAFE_INTEGER } = query
  const last = createdTo === undefined ? Number.MAX_SAFE_INTEGER : lastCreatedBy(sql, createdTo)
  const first = createdFrom === 0 ? 0 : lastCreatedBy(sql, createdFrom - 1) + 1
  const page: Range = { first, last: Math.min(last, cursor - 1), rows: limit + 1 }
  const selectOf =
    (type?: QrCodeType): Select =>
    (condition, bindings, { isByNumber, from = first } = {}) =>
      qrCodeRows(
        sql,
        `WHERE ${condition}${conditionOf(type, isByNumber)} AND qr_codes.number BETWEEN ? AND ?
         ORDER BY qr_codes.number DESC LIMIT ?`,
        ...bindings,
        ...[from, page.last, page.rows],
      )

  const read = (type ?? [undefined]).flatMap((type) => {
    const select = selectOf(type)
    // By number, the rows of a rare type would be far apart.
    const statuses = status ?? (type && STATUSES)
    if (!statuses) return select('TRUE', [])
    // The index of the other types has all their statuses.
    const rowsOf = (each: QrCodeStatus) =>
      each === 'CREATED' && (type === undefined || type === 'DYNAMIC')
        ? createdRows(sql, now, select, { ...page, latest: memory.latestQrCode.number, isOfAll: !type })
        : rowsIn(each, now, select)
    return statuses.flatMap(rowsOf)
  })
  read.sort((a, b) => b.number - a.number)
  const { shown, next } = pageOf(read, limit, (row) => qrCodeOf(row, now))
  return { qrCodes: shown, next }
}

/** The numbers of the rows that a page can have, and how many it takes. */
interface Range {
  first: number
  last: number
  rows: number
}

interface How {
  /** Whether the condition gives the numbers of few rows, which no index of theirs makes fewer. */
  isByNumber?: boolean
  /** The first number, where that is not the page's. */
  from?: number
}

type Select = (condition: string, bindings: Binding[], how?: How) => QrCodeRow[]

/**
 * The index of types has no DYNAMIC rows, because most rows are DYNAMIC. SQLite uses it where a condition says so, and where no +
 * is before the column.
 */
function conditionOf(type: QrCodeType | undefined, isByNumber = false): string {
  if (type === undefined) return ''
  if (type === 'DYNAMIC' || isByNumber) return ` AND +qr_codes.type = '${type}'`
  return ` AND qr_codes.type = '${type}' AND qr_codes.type <> 'DYNAMIC'`
}

/** As many codes are found by their ends at once, and as many of the newest are read for those that can be paid. */
const FEW = 2_000
/** So many pages of the newest codes are read first. */
const NEAR = 4

/**
 * The rows that are CREATED as it stands now. They are in no index by status: that is one row less for each create (decision 153).
 * Usually they are dense among the newest codes. If they are not, and few can still end, these are found by their ends, together
 * with those that have none, of which a site can have any number. Where many can, more of the newest codes are read before the
 * ends of all. Of the codes at these ends, no more rows are read than the page has.
 */
function createdRows(
  sql: SqlStorage,
  now: Seconds,
  select: Select,
  { first, last, rows, latest, isOfAll }: Range & { latest: number; isOfAll: boolean },
): QrCodeRow[] {
  for (const window of [NEAR * rows, FEW]) {
    const from = Math.max(first, Math.min(last, latest) - window + 1)
    const newest = select(`+${STILL_PAYABLE}`, ['CREATED', now], { isByNumber: true, from })
    if (newest.length === rows || from === first) return newest
    if (window < FEW && hasFewEnding(sql, now)) break
  }
  const isCreated = "+status = 'CREATED'"
  const endless = `SELECT * FROM (SELECT number FROM ${ENDLESS_ROWS} AND ${isCreated} AND number BETWEEN ? AND ?
    ORDER BY number DESC LIMIT ?)`
  return select(
    `qr_codes.number IN (SELECT number FROM ${ENDING_ROWS} ${isOfAll ? `UNION ALL ${endless}` : ''}) AND ${isCreated}`,
    [now, ...(isOfAll ? [first, last, rows] : [])],
    { isByNumber: true },
  )
}

/** Whether no more codes can still end than are found by their ends at once. */
const hasFewEnding = (sql: Sql, now: Seconds): boolean =>
  requiredInteger(sql, `SELECT count(*) FROM (SELECT 1 FROM ${ENDING_ROWS} LIMIT ?)`, now, FEW + 1) <= FEW

/** SQLite uses the index that has no CREATED codes only where the query says so. */
const IS_INDEXED = "qr_codes.status <> 'CREATED'"

/** The rows in a status as it stands now: an expiry counts from its second on, recorded or not. */
function rowsIn(status: QrCodeStatus, now: Seconds, select: Select): QrCodeRow[] {
  if (status === 'CREATED') return select(STILL_PAYABLE, [status, now])
  if (isPayable(status)) return select(`${STILL_PAYABLE} AND ${IS_INDEXED}`, [status, now])
  const recorded = select(`qr_codes.status = ? AND ${IS_INDEXED}`, [status])
  return status === 'EXPIRED'
    ? [...recorded, ...select(`qr_codes.number IN (${DUE_NUMBERS})`, [now, -1], { isByNumber: true })]
    : recorded
}

/**
 * The number of the last QR code that was created at or before a time, 0 if all are later: a binary search, because
 * numbers follow times. QR codes that retention deleted count too: the figures of a day are differences of these numbers.
 * @param known a number that is known not to be later
 */
export function lastCreatedBy(sql: SqlStorage, time: number, known = 0): number {
  const latest = latestQrCode(sql)
  // No QR code is created later: there is nothing to search.
  if (latest.createdAt !== undefined && latest.createdAt <= time) return latest.number
  let low = known
  let high = latest.number
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    const createdAt = integer(
      sql,
      `SELECT ifnull((SELECT created_at FROM deleted_qr_codes WHERE number = ?1),
         (SELECT created_at FROM qr_codes WHERE number >= ?1 ORDER BY number LIMIT 1))`,
      middle,
    )
    if (createdAt !== undefined && createdAt <= time) low = middle
    else high = middle - 1
  }
  return low
}

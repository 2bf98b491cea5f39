// Deletes QR codes that ended without a payment long ago, with their events, in small writes (contract, section 16).
import type { Context } from '../context.ts'
import { inSeconds, int, rowsWith } from '../rows/columns.ts'
import { eventsOfUnpaid, INDEXED_PAYMENTS } from '../rows/named.ts'
import { createdAtOf } from '../rows/site.ts'
import { integer, type Sql } from '../rows/sql.ts'
import { type Milliseconds, milliseconds, plus, seconds, toMilliseconds, toSeconds } from '../time.ts'
import { UNPAID_ROWS } from './rows.ts'

/** QR codes that one sweep reads. Each can change four pages of unique keys, and a cluster limits the pages of a commit (decision 125). */
const SWEEP = 50
/** Between the sweeps of a pass: creates have nine tenths of the time and more. */
const PAUSE = milliseconds(100)
/** Between passes: each one checks again the codes that are kept for their notifications. */
const PASS = milliseconds(86_400_000)
const SECONDS_A_DAY = 86_400

/** The unpaid QR codes that have an end: nothing deletes a STATIC or COUNTER code. */
const DELETABLE_ROWS = `${UNPAID_ROWS} AND end_at > 0`

const readSite = rowsWith({ days: int, sweep_at: int, after_end: int, after_number: int })

type SiteRow = ReturnType<typeof readSite>[number]

const siteOf = (sql: Sql): SiteRow | undefined =>
  readSite(
    sql,
    `SELECT retention_days AS days, sweep_at, sweep_after_end AS after_end, sweep_after_number AS after_number
     FROM site WHERE retention_days IS NOT NULL`,
  )[0]

/** For how many days QR codes are kept after their end; null: for ever. */
export const retentionOf = (sql: Sql): number | null =>
  integer(sql, 'SELECT retention_days FROM site') ?? null

/** Sets the same. The same number writes nothing: a start does this for every site. */
export const setRetention = (sql: Sql, days: number | null): void =>
  void sql.exec('UPDATE site SET retention_days = ?1 WHERE retention_days IS NOT ?1', days)

/** When the next sweep is due; undefined if nothing is to be deleted, ever. */
export function nextSweep(sql: Sql): Milliseconds | undefined {
  const site = siteOf(sql)
  return site && dueAt(sql, site)
}

function dueAt(sql: Sql, site: SiteRow): Milliseconds | undefined {
  const first = integer(sql, `SELECT end_at FROM ${DELETABLE_ROWS} ORDER BY end_at LIMIT 1`)
  if (first === undefined) return undefined
  const due = toMilliseconds(seconds(first + site.days * SECONDS_A_DAY))
  return milliseconds(Math.max(due, site.sweep_at))
}

const readEnded = rowsWith({ number: int, end_at: inSeconds })

/**
 * Looks at some of the QR codes that are old enough, and deletes those that nothing needs. A code has ended by its
 * expiresOn: one that was cancelled ended before.
 */
export function sweep({ sql, memory }: Pick<Context, 'sql' | 'memory'>, now: Milliseconds): void {
  const site = siteOf(sql)
  const due = site && dueAt(sql, site)
  if (!site || due === undefined || due > now) return
  const rows = readEnded(
    sql,
    `SELECT number, end_at FROM ${DELETABLE_ROWS} AND end_at <= ? AND (end_at, number) > (?, ?)
     ORDER BY end_at, number LIMIT ?`,
    ...[toSeconds(now) - site.days * SECONDS_A_DAY, site.after_end, site.after_number, SWEEP],
  )
  deleteUnneeded(
    sql,
    rows.map(({ number }) => number),
  )
  memory.deleted()
  const last = rows.length === SWEEP ? rows.at(-1) : undefined
  sql.exec(
    'UPDATE site SET sweep_at = ?, sweep_after_end = ?, sweep_after_number = ?',
    ...[plus(now, last ? PAUSE : PASS), last?.end_at ?? 0, last?.number ?? 0],
  )
}

/**
 * Of the numbers of QR codes that show no payment, a JSON array, those without payments, tokens, and kept notifications or
 * instructions.
 */
const UNNEEDED = `SELECT ended.value AS number FROM json_each(?) AS ended
  WHERE NOT EXISTS (SELECT 1 FROM payments WHERE ${INDEXED_PAYMENTS} ended.value)
    AND NOT EXISTS (SELECT 1 FROM tokens WHERE tokens.qr_code = ended.value)
    AND NOT EXISTS (SELECT 1 FROM outbox WHERE event IN (${eventsOfUnpaid('(ended.value)')}))`

/** The events of QR codes that show no payment, whose numbers are a JSON array. */
const EVENTS = `SELECT DISTINCT number FROM (${eventsOfUnpaid('(SELECT value FROM json_each(?1))')}) WHERE number IS NOT NULL`

const readNumbers = rowsWith({ number: int })

/**
 * Deletes those of the numbers that nothing needs, with their events. What stays is a row of deleted_qr_codes: it keeps
 * qrCodeUid and link id from being used again. Each statement is of all: one for each code took twice the time.
 */
function deleteUnneeded(sql: Sql, numbers: readonly number[]): void {
  const unneeded = JSON.stringify(
    readNumbers(sql, UNNEEDED, JSON.stringify(numbers)).map(({ number }) => number),
  )
  const events = readNumbers(sql, EVENTS, unneeded).map(({ number }) => number)
  sql.exec(
    'UPDATE site SET created_at = ?, last_event = max(last_event, ?), deleted_events = deleted_events + ?',
    ...[createdAtOf(sql), Math.max(0, ...events), events.length],
  )
  sql.exec('DELETE FROM events WHERE number IN (SELECT value FROM json_each(?))', JSON.stringify(events))
  const codes = 'FROM qr_codes WHERE number IN (SELECT value FROM json_each(?))'
  sql.exec(
    `INSERT INTO deleted_qr_codes (number, qr_code_uid, link_id, reference, created_at)
     SELECT number, qr_code_uid, link_id, reference, created_at ${codes} ORDER BY number`,
    unneeded,
  )
  sql.exec(`DELETE ${codes}`, unneeded)
}

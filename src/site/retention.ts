// Deletes QR codes that ended without a payment long ago, with their events, in small writes (contract, section 16). What
// stays is a row with a negative number: it keeps qrCodeUid and link id from being used again, and the index of
// every list leaves it out.
import type { Context } from './context.ts'
import { inSeconds, int, rowsWith } from './rows/columns.ts'
import { DELETED } from './rows/qr-codes.ts'
import { createdAtOf } from './rows/site.ts'
import { integer, type Sql } from './rows/sql.ts'
import type { Store } from './store.ts'
import { type Milliseconds, milliseconds, plus, seconds, toMilliseconds, toSeconds } from './time.ts'

/** QR codes that one sweep reads. */
const SWEEP = 100
/** Between the sweeps of a pass: creates have nine tenths of the time and more. */
const PAUSE = milliseconds(200)
/** Between passes: each one checks again the codes that are kept for their notifications. */
const PASS = milliseconds(86_400_000)
const SECONDS_A_DAY = 86_400

/** The QR codes that have ended without a payment that they took, as the beginning of a FROM clause that an AND can follow. */
const ENDED_ROWS = `qr_codes INDEXED BY qr_codes_by_end
  WHERE status IN ('EXPIRED', 'CANCELLED') AND payment IS NULL AND type IN ('DYNAMIC', 'TOKEN') AND number > 0`

const readSite = rowsWith({ days: int, sweep_at: int, after_expiry: int, after_number: int })

const siteOf = (sql: Sql) =>
  readSite(
    sql,
    `SELECT retention_days AS days, sweep_at, sweep_after_expiry AS after_expiry, sweep_after_number AS after_number
     FROM site WHERE retention_days IS NOT NULL`,
  )[0]

/** For how many days QR codes are kept after their end; null: for ever. */
const retentionOf = (sql: Sql): number | null => integer(sql, 'SELECT retention_days FROM site') ?? null

/** Sets the same. The same number writes nothing: a start does this for every site. */
export const setRetention = (sql: Sql, days: number | null): void =>
  void sql.exec('UPDATE site SET retention_days = ?1 WHERE retention_days IS NOT ?1', days)

/** When the next sweep is due; undefined if nothing is to be deleted, ever. */
export function nextSweep(sql: Sql): Milliseconds | undefined {
  const site = siteOf(sql)
  if (!site) return undefined
  const first = integer(sql, `SELECT expires_at FROM ${ENDED_ROWS} ORDER BY expires_at LIMIT 1`)
  if (first === undefined) return undefined
  const due = toMilliseconds(seconds(first + site.days * SECONDS_A_DAY))
  return milliseconds(Math.max(due, site.sweep_at))
}

const readEnded = rowsWith({ number: int, expires_at: inSeconds })

/**
 * Looks at some of the QR codes that are old enough, and deletes those that nothing needs. A code has ended by its
 * expiresOn: one that was cancelled ended before.
 */
export function sweep({ sql }: Pick<Context, 'sql'>, now: Milliseconds): void {
  const due = nextSweep(sql)
  const site = siteOf(sql)
  if (!site || due === undefined || due > now) return
  const rows = readEnded(
    sql,
    `SELECT number, expires_at FROM ${ENDED_ROWS} AND expires_at <= ? AND (expires_at, number) > (?, ?)
     ORDER BY expires_at, number LIMIT ?`,
    ...[toSeconds(now) - site.days * SECONDS_A_DAY, site.after_expiry, site.after_number, SWEEP],
  )
  deleteUnneeded(sql, JSON.stringify(rows.map(({ number }) => number)))
  const last = rows.length === SWEEP ? rows.at(-1) : undefined
  sql.exec(
    'UPDATE site SET sweep_at = ?, sweep_after_expiry = ?, sweep_after_number = ?',
    ...[plus(now, last ? PAUSE : PASS), last?.expires_at ?? 0, last?.number ?? 0],
  )
}

/** Those of the numbers ?1, a JSON array, to which no payment, no token, and no notification or instruction that is kept belongs. */
const UNNEEDED = `SELECT value FROM json_each(?1)
  WHERE NOT EXISTS (SELECT 1 FROM payments WHERE qr_code = value) AND NOT EXISTS (SELECT 1 FROM tokens WHERE qr_code = value)
    AND NOT EXISTS (SELECT 1 FROM outbox INDEXED BY outbox_of_ends WHERE qr_code = value
      AND content ->> 'type' IN ('QR_CODE', 'qrCode.cancel'))`

/** Deletes them with their events. Each statement is of all: a statement for each code took twice the time. */
function deleteUnneeded(sql: Sql, numbers: string): void {
  const events = `FROM events WHERE qr_code IN (${UNNEEDED})`
  const last = integer(sql, `SELECT max(number) ${events}`, numbers) ?? 0
  const count = integer(sql, `SELECT count(*) ${events}`, numbers) ?? 0
  sql.exec(
    'UPDATE site SET created_at = ?, last_event = max(last_event, ?), deleted_events = deleted_events + ?',
    ...[createdAtOf(sql), last, count],
  )
  sql.exec(`DELETE ${events}`, numbers)
  sql.exec(
    `UPDATE qr_codes SET number = number - ${DELETED}, image_media_type = NULL, image_width = NULL,
       image_height = NULL, minor_units = NULL, currency = NULL, payment_purpose = NULL, redirect_url = NULL,
       tokenization_purpose = NULL, tokenization_account = NULL
     WHERE number IN (${UNNEEDED})`,
    numbers,
  )
}

const readDeleted = rowsWith({ number: int })

/** The number of the row of a QR code that was deleted, by its link; undefined if there was none. */
export const findDeleted = (sql: Sql, key: { linkId: string } | { qrCodeUid: string }): number | undefined =>
  readDeleted(
    sql,
    `SELECT number FROM qr_codes WHERE ${'linkId' in key ? 'link_id' : 'qr_code_uid'} = ? AND number < 0`,
    'linkId' in key ? key.linkId : key.qrCodeUid,
  )[0]?.number

/** The deployment's setting, which the entry sets: null, for ever; undefined, not known. */
export const deployment: { retentionDays?: number | null } = {}

/** Stores the deployment's setting once in the life of the object: the alarm, and `bin`, read it from the table. */
export class Retention {
  readonly #store: Store
  readonly #waitUntil: (work: Promise<void>) => void
  #isStored = false

  /** @param waitUntil keeps the object in memory until the setting is stored */
  constructor(store: Store, waitUntil: (work: Promise<void>) => void) {
    this.#store = store
    this.#waitUntil = waitUntil
  }

  /** Runs after a write, when nothing has to wait for it. */
  run(): void {
    if (this.#isStored) return
    this.#isStored = true
    const { retentionDays } = deployment
    if (retentionDays === undefined || retentionDays === retentionOf(this.#store.sql)) return
    this.#waitUntil(this.#set(retentionDays))
  }

  async #set(days: number | null): Promise<void> {
    try {
      await this.#store.writeOwn(({ sql }) => setRetention(sql, days))
    } catch (error) {
      this.#store.warn('the retention was not stored', { fault: String(error) })
    }
  }
}

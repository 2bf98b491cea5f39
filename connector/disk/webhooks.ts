// Verified webhooks on disk, until they are reported.
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import * as z from 'zod'
import { countOf, timeOf } from './database.ts'

const WebhookRow = z.object({
  bank: z.string(),
  id: z.string(),
  content: z.string(),
  subject: z.string(),
  note: z.string(),
  receivedAt: z.int(),
  attempts: z.int(),
  rests: z.int().transform(Boolean),
})
export type WebhookRow = z.output<typeof WebhookRow>
type NewWebhook = Pick<WebhookRow, 'bank' | 'id' | 'content'>

/** `next_at` of a webhook that rests: the column is NOT NULL. `check` of an older version lists such a row too. */
const NEVER = Number.MAX_SAFE_INTEGER

/** The subject is the QR code, where the webhook names it. */
const SELECT = `SELECT bank, id, content, coalesce(content ->> 'qrcId', id) AS subject, note, received_at AS receivedAt, attempts,
  next_at = ${NEVER} AS rests FROM webhooks`

export class Webhooks {
  readonly #insert: StatementSync
  readonly #again: StatementSync
  readonly #finish: StatementSync
  readonly #delay: StatementSync
  readonly #dueBanks: StatementSync
  readonly #due: StatementSync
  readonly #waiting: StatementSync
  readonly #waitingCount: StatementSync
  readonly #oldestSince: StatementSync
  readonly #doneCount: StatementSync
  readonly #wake: StatementSync
  readonly #wakeBinding: StatementSync
  readonly #wakeResting: StatementSync

  constructor(database: DatabaseSync) {
    this.#insert = database.prepare(
      `INSERT INTO webhooks (bank, id, content, state, received_at, next_at) VALUES (?, ?, ?, 'NEW', ?, ?)
       ON CONFLICT DO NOTHING`,
    )
    this.#again = database.prepare(
      `UPDATE webhooks SET state = 'NEW', note = '', content = ?1, received_at = ?2, next_at = ?2, attempts = 0
       WHERE bank = ?3 AND id = ?4 AND (state = 'GIVEN_UP' OR state = 'NEW' AND next_at = ${NEVER} OR state = 'DONE' AND (
         ?1 ->> '$.payment' IS NULL OR content ->> '$.payment.amount' IS NOT ?1 ->> '$.payment.amount'))`,
    )
    // Its report has the payer from now on; a repeat by the bank brings the payer again.
    this.#finish = database.prepare(
      `UPDATE webhooks SET state = ?, note = ?, content = json_remove(content, '$.payment.payer') WHERE bank = ? AND id = ?`,
    )
    this.#delay = database.prepare(
      `UPDATE webhooks SET note = ?, attempts = attempts + 1, next_at = ? WHERE bank = ? AND id = ?`,
    )
    this.#dueBanks = database.prepare(
      `SELECT DISTINCT bank FROM webhooks WHERE state = 'NEW' AND next_at <= ?`,
    )
    // `+`: by the index of times. By the bank SQLite would read all of its webhooks, those that are done too.
    // min(): of each subject SQLite takes the row that was tried least.
    this.#due = database.prepare(
      `${SELECT} WHERE state = 'NEW' AND next_at <= ? AND +bank = ? GROUP BY subject
       ORDER BY min(attempts) > 0, next_at, rowid LIMIT ?`,
    )
    this.#waiting = database.prepare(`${SELECT} WHERE state = 'NEW' ORDER BY received_at`)
    this.#waitingCount = database.prepare(`SELECT count(*) AS count FROM webhooks WHERE state = 'NEW'`)
    this.#oldestSince = database.prepare(
      `SELECT min(received_at) AS time FROM webhooks WHERE state = 'NEW' AND received_at >= ?`,
    )
    this.#doneCount = database.prepare(
      `SELECT count(*) AS count FROM webhooks WHERE bank = ? AND content ->> 'qrcId' = ? AND state = 'DONE'
         AND content ->> '$.payment.amount' = ?`,
    )
    this.#wake = database.prepare(
      `UPDATE webhooks SET next_at = ?
       WHERE state = 'NEW' AND attempts > 0 AND (content ->> 'qrcId' = ? OR content ->> 'reference' = ? OR content ->> 'order' = ?)`,
    )
    this.#wakeBinding = database.prepare(
      `UPDATE webhooks SET next_at = ? WHERE state = 'NEW' AND attempts > 0 AND content ->> '$.binding.request' = ?`,
    )
    this.#wakeResting = database.prepare(
      `UPDATE webhooks SET next_at = ? WHERE state = 'NEW' AND next_at = ${NEVER}`,
    )
  }

  /** @returns whether it is new */
  insert({ bank, id, content }: NewWebhook, now: number): boolean {
    return this.#insert.run(bank, id, content, now, now).changes === 1
  }

  /**
   * The bank has repeated a webhook: one that was given up or rests is processed as a new one. So is one that is done, where
   * it tells of no payment, because the bank may have something new under the same text, or of another amount.
   */
  again({ bank, id, content }: NewWebhook, now: number): void {
    this.#again.run(content, now, bank, id)
  }

  finish({ bank, id }: WebhookRow, state: 'DONE' | 'FOREIGN' | 'GIVEN_UP', note: string): void {
    this.#finish.run(state, note, bank, id)
  }

  delay({ bank, id }: WebhookRow, note: string, nextAt: number): void {
    this.#delay.run(note, nextAt, bank, id)
  }

  /** The names of the banks that have something due; of one that is not configured too. */
  dueBanks(now: number): string[] {
    return this.#dueBanks.all(now).map((row) => z.object({ bank: z.string() }).parse(row).bank)
  }

  /** One of each subject, because these run one after another; those that were never tried first. */
  due(bank: string, now: number, limit: number): WebhookRow[] {
    return this.#due.all(now, bank, limit).map((row) => WebhookRow.parse(row))
  }

  /** It waits, and is not due any more, until it is woken. */
  rest(row: WebhookRow, note: string): void {
    this.delay(row, note, NEVER)
  }

  wakeResting(now: number): void {
    this.#wakeResting.run(now)
  }

  waiting(): WebhookRow[] {
    return this.#waiting.all().map((row) => WebhookRow.parse(row))
  }

  countWaiting(): number {
    return countOf(this.#waitingCount)
  }

  /** When the oldest that waits, and came since then, was received; null if there is none. */
  oldestSince(time: number): number | null {
    return timeOf(this.#oldestSince, time)
  }

  /** How many webhooks of a code about this amount have led to a report, or were of a payment that was reported before. */
  countDone(bank: string, qrcId: string, amount: number): number {
    return countOf(this.#doneCount, bank, qrcId, amount)
  }

  /**
   * The code is on disk now, or the charge has ended: webhooks that name it are due.
   * @param reference without the bank's name
   */
  wake(
    named: { qrcId?: string | undefined; reference?: string | undefined; order?: string | undefined },
    now: number,
  ): void {
    const { qrcId = null, reference = null, order = null } = named
    this.#wake.run(now, qrcId, reference, order)
  }

  /** The request to bind an account is on disk now: webhooks that name it are due. */
  wakeBinding(request: string, now: number): void {
    this.#wakeBinding.run(now, request)
  }
}

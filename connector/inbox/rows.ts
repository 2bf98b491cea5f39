// Verified webhooks on disk, until they are reported.
import type { DatabaseSync } from 'node:sqlite'
import * as z from 'zod'
import { type Change, changeId } from '../banks/change-id.ts'
import { countOf, timeOf } from '../disk/database.ts'
import { MOVED, moved, type Next, PLACE, Place, Queue, WOKEN } from '../work/queue.ts'

/** Why a webhook waits. */
const PROBLEMS = [
  'NO_SITE',
  'NO_SALE',
  'NO_PAYMENT',
  'NO_BINDING',
  'NO_CHARGE',
  'CHARGE_OPEN',
  'CHARGE_DECLINED',
  'NOT_KNOWN',
  'NO_RECEIPT',
  'SEVERAL_RECEIPTS',
] as const
export type Problem = (typeof PROBLEMS)[number]

export const WEBHOOK_STATES = ['NEW', 'DONE', 'FOREIGN', 'GIVEN_UP'] as const

const WebhookRow = Place.extend({
  bank: z.string(),
  id: z.string(),
  content: z.string(),
  subject: z.string(),
  problem: z.enum(PROBLEMS).nullable(),
  note: z.string(),
  receivedAt: z.int(),
})
export type WebhookRow = z.output<typeof WebhookRow>
type NewWebhook = Pick<WebhookRow, 'bank' | 'id' | 'content'>

/** The subject is the QR code, where the webhook names it. */
const SELECT = `SELECT bank, id, content, coalesce(content ->> 'qrcId', id) AS subject, problem, note, received_at AS receivedAt, ${PLACE}
  FROM webhooks`
const OPEN = `state = 'NEW'`

const statementsOf = (database: DatabaseSync) => ({
  insert: database.prepare(
    `INSERT INTO webhooks (bank, id, content, state, received_at, due_at, stepped_at)
       VALUES (?1, ?2, ?3, 'NEW', ?4, ?4, ?4) ON CONFLICT DO NOTHING`,
  ),
  again: database.prepare(
    `UPDATE webhooks SET state = 'NEW', problem = NULL, note = '', content = ?1, received_at = ?2, attempts = 0,
         due_at = ?2, stepped_at = ?2, rests = 0, wakes = wakes + 1
       WHERE bank = ?3 AND id = ?4 AND (state IN ('GIVEN_UP', 'NEW') OR state = 'DONE' AND ?1 ->> '$.payment' IS NULL)`,
  ),
  // From now on the report of the payment has the payer; a repeat by the bank brings the payer again.
  finish: database.prepare(
    `UPDATE webhooks SET state = ?, note = ?, content = json_remove(content, '$.payment.payer')
       WHERE bank = ? AND id = ? AND received_at = ?`,
  ),
  delay: database.prepare(
    `UPDATE webhooks SET problem = :problem, note = :note, ${MOVED} WHERE rowid = :place AND ${OPEN}`,
  ),
  waiting: database.prepare(`${SELECT} WHERE state = 'NEW' ORDER BY received_at`),
  waitingCount: database.prepare(`SELECT count(*) AS count FROM webhooks WHERE state = 'NEW'`),
  oldestSince: database.prepare(
    `SELECT min(received_at) AS time FROM webhooks WHERE state = 'NEW' AND received_at >= ?`,
  ),
  later: database.prepare(
    `SELECT 1 FROM webhooks WHERE bank = ? AND id > ? AND id < ? AND content ->> '$.change.isFinal' LIMIT 1`,
  ),
  wake: database.prepare(
    `UPDATE webhooks SET ${WOKEN} WHERE ${OPEN}
       AND (content ->> 'qrcId' = :qrcId OR content ->> 'reference' = :reference OR content ->> 'order' = :order)`,
  ),
  wakeBinding: database.prepare(
    `UPDATE webhooks SET ${WOKEN} WHERE ${OPEN} AND content ->> '$.binding.request' = :request`,
  ),
  wakeResting: database.prepare(`UPDATE webhooks SET ${WOKEN} WHERE ${OPEN} AND rests = 1`),
})

export class Webhooks {
  readonly queue: Queue<WebhookRow>
  readonly #sql: ReturnType<typeof statementsOf>

  constructor(database: DatabaseSync) {
    this.#sql = statementsOf(database)
    this.queue = new Queue(database, {
      table: 'webhooks',
      select: SELECT,
      lane: 'bank',
      key: ['subject'],
      open: OPEN,
      isNewFirst: true,
      schema: WebhookRow,
    })
  }

  /** @returns whether it is new */
  insert({ bank, id, content }: NewWebhook, now: number): boolean {
    return this.#sql.insert.run(bank, id, content, now).changes === 1
  }

  /**
   * The bank has repeated a webhook: one that waits or was given up is processed as a new one. So is one that is done, where
   * it tells of no payment, because the bank may have something new under the same text.
   */
  again({ bank, id, content }: NewWebhook, now: number): void {
    this.#sql.again.run(content, now, bank, id)
  }

  /** A webhook that the bank has repeated meanwhile is processed again. */
  finish(
    { bank, id, receivedAt }: WebhookRow,
    state: Exclude<(typeof WEBHOOK_STATES)[number], 'NEW'>,
    note: string,
  ): void {
    this.#sql.finish.run(state, note, bank, id, receivedAt)
  }

  /** @param why its note has the words of an error */
  delay(row: WebhookRow, why: { problem?: Problem; note?: string }, next: Next): void {
    const { problem = null, note = '' } = why
    this.#sql.delay.run({ place: row.place, problem, note, ...moved(row, next) })
  }

  /** Whether a webhook tells of a later change of the same that is final. */
  hasLater({ bank }: Pick<WebhookRow, 'bank'>, change: Pick<Change, 'of' | 'at'>): boolean {
    // The character that follows the colon ends the ids of one change, and of all changes of one thing.
    return this.#sql.later.get(bank, `${changeId(change)};`, `${change.of};`) !== undefined
  }

  wakeResting(now: number): void {
    this.#sql.wakeResting.run({ now })
  }

  waiting(): WebhookRow[] {
    return this.#sql.waiting.all().map((row) => WebhookRow.parse(row))
  }

  countWaiting(): number {
    return countOf(this.#sql.waitingCount)
  }

  /** When the oldest that waits, and came since then, was received; null if there is none. */
  oldestSince(time: number): number | null {
    return timeOf(this.#sql.oldestSince, time)
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
    this.#sql.wake.run({ now, qrcId, reference, order })
  }

  /** The request to bind an account is on disk now: webhooks that name it are due. */
  wakeBinding(request: string, now: number): void {
    this.#sql.wakeBinding.run({ now, request })
  }
}

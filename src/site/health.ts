// What the operator asks of a site: how much it has, and what is stuck in it (contract, section 16).
import * as z from 'zod/mini'
import { PAYMENT_STATUSES } from '../contract/payment.ts'
import type { Counts, OverdueInstruction, Pending, SiteHealth } from '../contract/site.ts'
import { STATUSES } from '../contract/status.ts'
import { TOKEN_STATUSES } from '../contract/token.ts'
import type { Context } from './context.ts'
import { OVERDUE } from './outbox/outbox.ts'
import { instructionRows, notificationId } from './rows/outbox.ts'
import { settingsRow } from './rows/settings.ts'
import { createdAtOf, epochOf, isRestored } from './rows/site.ts'
import { integer, requiredInteger, type Sql } from './rows/sql.ts'
import { toMilliseconds } from './time.ts'

/** Overdue instructions that are listed. */
const MAX_OVERDUE = 100

/** The site as it stands. It counts rows by their indexes, so it takes longer on a larger site; see docs/scale.md. */
export function healthOf({ sql, siteId, now }: Context): SiteHealth {
  const createdAt = createdAtOf(sql)
  return {
    siteId,
    name: settingsRow(sql).settings.name,
    createdAt,
    changedAt: integer(sql, 'SELECT at FROM events ORDER BY number DESC LIMIT 1') ?? createdAt,
    epoch: epochOf(sql),
    isRestored: isRestored(sql),
    bytes: sql.databaseSize,
    qrCodes: counts(sql, STATUSES, 'qr_codes WHERE number > 0'),
    payments: counts(sql, PAYMENT_STATUSES, 'payments'),
    refunds: counts(sql, PAYMENT_STATUSES, 'refunds'),
    tokens: counts(sql, TOKEN_STATUSES, 'tokens'),
    notifications: {
      ...pending(sql, "queue = 'merchant'"),
      failed: requiredInteger(
        sql,
        "SELECT count(*) FROM outbox WHERE status = 'FAILED' AND queue = 'merchant'",
      ),
    },
    instructions: {
      ...pending(sql, "queue <> 'merchant'"),
      overdue: instructionRows(
        sql,
        "AND status = 'PENDING' AND created_at <= ? ORDER BY created_at LIMIT ?",
        ...[toMilliseconds(now) - OVERDUE, MAX_OVERDUE],
      ).map(
        ({ number, content, createdAt: since, takenAt }): OverdueInstruction => ({
          id: notificationId(sql, number),
          instruction: content,
          since,
          isTaken: takenAt !== undefined,
        }),
      ),
    },
  }
}

/** How many rows of a table have each status. @param from the table, and a condition */
function counts<Status extends string>(sql: Sql, statuses: readonly Status[], from: string): Counts<Status> {
  const rows = sql.exec(`SELECT status, count(*) AS count FROM ${from} GROUP BY status`).toArray()
  const found: Counts<Status> = {}
  for (const status of statuses) {
    const row = rows.find((each) => each.status === status)
    if (typeof row?.count === 'number') found[status] = row.count
  }
  return found
}

const PendingRow = z.object({ pending: z.int(), oldest: z.nullable(z.int()) })

/** What waits in a queue. @param condition which rows are of the queue */
export function pending(sql: Sql, condition: string): Pending {
  const query = `SELECT count(*) AS pending, min(created_at) AS oldest FROM outbox
    WHERE status = 'PENDING' AND ${condition}`
  const row = PendingRow.parse(sql.exec(query).toArray()[0])
  return { pending: row.pending, oldest: row.oldest ?? undefined }
}

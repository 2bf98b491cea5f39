// What the operator asks of a site: how much it has, and what is stuck in it (contract, section 16).
import * as z from 'zod/mini'
import { PAYMENT_STATUSES } from '../../contract/payment.ts'
import type { Counts, OverdueInstruction, Pending, SiteHealth } from '../../contract/site.ts'
import { STATUSES } from '../../contract/status.ts'
import { TOKEN_STATUSES } from '../../contract/token.ts'
import { DUE_NUMBERS, DUE_TOKENS, ENDED_TOKEN_STATUS } from '../clock.ts'
import type { Context } from '../context.ts'
import { OVERDUE } from '../outbox/outbox.ts'
import { instructionRows, MONEY_INSTRUCTIONS, NOTIFICATIONS, notificationId } from '../outbox/rows.ts'
import { receiptHealth } from '../receipts/figures.ts'
import { closingOf, createdAtOf, epochOf, isRestored } from '../rows/site.ts'
import { type Binding, integer, requiredInteger, type Sql } from '../rows/sql.ts'
import { settingsRow } from '../settings/rows.ts'
import { toMilliseconds } from '../time.ts'

/** Overdue instructions that are listed. */
const MAX_OVERDUE = 100

/** The site as it stands. It counts rows by their indexes, so it takes longer on a larger site; see docs/scale.md. */
export function healthOf({ sql, siteId, now, memory }: Context): SiteHealth {
  const createdAt = createdAtOf(sql)
  return {
    siteId,
    name: settingsRow(sql).settings.name,
    createdAt,
    changedAt: integer(sql, 'SELECT at FROM events ORDER BY number DESC LIMIT 1') ?? createdAt,
    epoch: epochOf(sql),
    isRestored: isRestored(sql),
    closing: closingOf(sql),
    limits: memory.limits,
    cashRegister: memory.cashRegister,
    bytes: sql.databaseSize,
    qrCodes: counts(sql, STATUSES, 'qr_codes', {
      from: `qr_codes WHERE number IN (${DUE_NUMBERS})`,
      as: "'EXPIRED'",
      bindings: [now, -1],
    }),
    payments: counts(sql, PAYMENT_STATUSES, 'payments'),
    refunds: counts(sql, PAYMENT_STATUSES, 'refunds'),
    tokens: counts(sql, TOKEN_STATUSES, 'tokens', {
      from: DUE_TOKENS,
      as: ENDED_TOKEN_STATUS,
      bindings: [now],
    }),
    receipts: receiptHealth(sql, now),
    notifications: {
      ...pending(sql, NOTIFICATIONS),
      failed: requiredInteger(
        sql,
        `SELECT count(*) FROM outbox WHERE status = 'FAILED' AND ${NOTIFICATIONS}`,
      ),
    },
    instructions: {
      ...pending(sql, MONEY_INSTRUCTIONS),
      overdue: instructionRows(
        sql,
        `AND ${MONEY_INSTRUCTIONS} AND status = 'PENDING' AND created_at <= ? ORDER BY created_at LIMIT ?`,
        ...[toMilliseconds(now) - OVERDUE, MAX_OVERDUE],
      ).map(
        ({ content, createdAt: since, takenAt, ...row }): OverdueInstruction => ({
          id: notificationId(sql, row),
          instruction: content,
          since,
          isTaken: takenAt !== undefined,
        }),
      ),
    },
  }
}

/** Rows of a table whose end has come, and is not recorded: they count as what they end as. */
interface Ended {
  /** The rows, as what follows FROM. */
  from: string
  /** What each ends as: an expression of SQL. */
  as: string
  bindings: readonly Binding[]
}

/** How many rows of a table have each status, as they stand. @param from the table, and a condition */
function counts<Status extends string>(
  sql: Sql,
  statuses: readonly Status[],
  from: string,
  ended?: Ended,
): Counts<Status> {
  const recorded = `SELECT status, count(*) AS count FROM ${from} GROUP BY status`
  const moved = ended
    ? `UNION ALL SELECT status, -1 FROM ${ended.from} UNION ALL SELECT ${ended.as}, 1 FROM ${ended.from}`
    : ''
  const bindings = ended ? [...ended.bindings, ...ended.bindings] : []
  const query = `SELECT status, sum(count) AS count FROM (${recorded} ${moved}) GROUP BY status`
  const rows = sql.exec(query, ...bindings).toArray()
  const found: Counts<Status> = {}
  for (const status of statuses) {
    const row = rows.find((each) => each.status === status)
    if (typeof row?.count === 'number' && row.count > 0) found[status] = row.count
  }
  return found
}

const PendingRow = z.object({ pending: z.int(), oldest: z.nullable(z.int()) })

/** What waits in a queue. @param condition which rows are of the queue */
function pending(sql: Sql, condition: string): Pending {
  const query = `SELECT count(*) AS pending, min(created_at) AS oldest FROM outbox
    WHERE status = 'PENDING' AND ${condition}`
  const row = PendingRow.parse(sql.exec(query).toArray()[0])
  return { pending: row.pending, oldest: row.oldest ?? undefined }
}

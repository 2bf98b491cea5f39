// Ends the restore of a site: refunds and charges are allowed again, and its instructions are sent.
import { sendAll } from '../outbox/endpoints.ts'
import { instructionQueues } from '../outbox/rows.ts'
import { isRestored } from '../rows/site.ts'
import type { Sql } from '../rows/sql.ts'
import type { Milliseconds } from '../time.ts'

/** Resumes a site; on one that was not restored it changes nothing. @returns whether it was */
export function endRestore(sql: Sql, now: Milliseconds): boolean {
  if (!isRestored(sql)) return false
  sql.exec('UPDATE site SET restored = 0')
  // Failures before the backup say nothing of the connector of today.
  for (const queue of instructionQueues(true)) sendAll(sql, queue, now)
  return true
}

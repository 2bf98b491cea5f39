// What a restore of a site needs: what payers ended after the backup, and the end of the restore: refunds and charges are allowed again.
import { NETWORKS } from '../../contract/payment.ts'
import { sendAll } from '../outbox/endpoints.ts'
import { isRestored } from '../rows/site.ts'
import type { Sql } from '../rows/sql.ts'
import type { Milliseconds, Seconds } from '../time.ts'
import type { Binding } from '../tokens/payer.ts'

/** Resumes a site; on one that was not restored it changes nothing. @returns whether it was */
export function endRestore(sql: Sql, now: Milliseconds): boolean {
  if (!isRestored(sql)) return false
  sql.exec('UPDATE site SET restored = 0')
  // Failures before the backup say nothing of the connector of today.
  for (const network of NETWORKS) sendAll(sql, network, now)
  return true
}

/**
 * Ends, in a site that is restored, the bindings that payers ended after the backup: their tokens end by the clock, at once. One that
 * the backup does not have is DELETED already when it is reported.
 */
export function endAgain(sql: Sql, bindings: readonly Binding[], now: Seconds): void {
  for (const { bindingUid, network } of bindings) {
    sql.exec(
      `INSERT INTO tokens (binding_uid, link_id, account, status, network, changed_at, ended_by)
       VALUES (?, '', '', 'DELETED', ?, ?, 'payer') ON CONFLICT (binding_uid) DO NOTHING`,
      ...[bindingUid, network, now],
    )
    sql.exec(
      `UPDATE tokens SET ended_by = 'payer', due_at = min(ifnull(due_at, ?1), ?1) WHERE binding_uid = ?2 AND status = 'CREATED'`,
      ...[now, bindingUid],
    )
  }
}

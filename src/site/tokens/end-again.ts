// What payers ended after the backup from which a site is restored (docs/decisions/0135-a-payers-stop-survives-a-restore.md).
import type { EndedBinding } from '../../contract/audit.ts'
import type { Sql } from '../rows/sql.ts'
import type { Seconds } from '../time.ts'

/**
 * Ends, in a site that is restored, the bindings that payers ended after the backup: their tokens end by the clock, at once. One that
 * the backup does not have is DELETED already when it is reported.
 */
export function endAgain(sql: Sql, bindings: readonly EndedBinding[], now: Seconds): void {
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

// Charges of a token that has ended wait for the instruction that ends it (contract, section 9).
import { integer } from '../rows/sql.ts'
import type { OutboxRow } from './rows.ts'

/**
 * Whether a charge waits until the network has taken the end of its token. The charge of a restored site was perhaps never sent:
 * a connector that knows of the end declines it then.
 */
export const waitsForEnd = (sql: SqlStorage, { content }: OutboxRow): boolean =>
  content.type === 'payment.charge' &&
  integer(
    sql,
    `SELECT 1 FROM tokens LEFT JOIN outbox ON outbox.event = tokens.event AND kind = 'instruction'
     WHERE binding_uid = ? AND (tokens.status = 'CREATED' AND ended_by = 'payer'
       OR outbox.event IS NOT NULL AND taken_at IS NULL)`,
    content.bindingUid,
  ) !== undefined

/** The charges that waited for the end of their token are sent. */
export function releaseCharges(
  sql: SqlStorage,
  { queue, content }: Pick<OutboxRow, 'queue' | 'content'>,
): void {
  if (content.type !== 'token.delete') return
  sql.exec(
    "UPDATE outbox SET blocked = 0 WHERE blocked = 1 AND queue = ? AND content ->> 'bindingUid' = ?",
    ...[queue, content.bindingUid],
  )
}

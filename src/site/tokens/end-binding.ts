// The instruction that ends a binding at the network, because its token can be charged no more (contract, section 9).
import { enqueueInstruction } from '../outbox/outbox.ts'
import type { Milliseconds } from '../time.ts'
import type { TokenRow } from './rows.ts'

/**
 * Queues the instruction; it ends with the network's report that the binding is DELETED.
 * @param event the number of the event that ended the token
 */
export function endBinding(
  sql: SqlStorage,
  token: TokenRow,
  { event, now }: { event: number; now: Milliseconds },
): void {
  const { number, network, qr_code, link_id: linkId, binding_uid: bindingUid } = token
  if (bindingUid === null) throw new RangeError('the end of a binding that was never reported')
  const row = { event, qrCode: qr_code ?? undefined, now }
  enqueueInstruction(sql, row, network, {
    type: 'token.delete',
    linkId,
    reference: token.reference ?? undefined,
    bindingUid,
    bindingReference: token.binding_reference ?? undefined,
  })
  sql.exec('UPDATE tokens SET event = ? WHERE number = ?', event, number)
}

// The instruction that cancels a link at its bank (contract, section 14).
import type { Context } from '../context.ts'
import { isAtBank, type QrCodeRow } from '../qr-codes/rows.ts'
import { toMilliseconds } from '../time.ts'
import { enqueueInstruction } from './outbox.ts'

/**
 * Queues the instruction, because nobody is to pay by the link any more. A link of this service has no bank to tell, and of
 * one that was cancelled it knows.
 * @param event the number of the event that ended it
 */
export function cancelLink({ sql, now }: Context, row: QrCodeRow, event: number): void {
  if (!isAtBank(row)) return
  const queued = { event, qrCode: row.number, now: toMilliseconds(now) }
  enqueueInstruction(sql, queued, 'external', {
    type: 'qrCode.cancel',
    linkId: row.link_id,
    reference: row.reference ?? undefined,
    neededUntil: row.end_at ?? undefined,
  })
}

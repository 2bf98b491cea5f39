// Cancels the link of a QR code before it is charged, and asks the bank whether it was paid (contract, section 14).
import { Unavailable } from '../../banks/bank-errors.ts'
import { bankOf, type Core, knownCodeOf } from '../../core.ts'
import type { Cancellations } from '../../links/cancellations/cancellations.ts'
import { recordState } from '../payment/payments.ts'
import type { ChargeRow } from './rows.ts'

/**
 * Cancels the link and asks for its state. A code whose link no bank made has nothing to cancel.
 * @returns whether the link is paid, or a payment of it is in progress
 * @throws Unavailable where the bank does not confirm the cancellation of an unpaid link, does not state the link, or states it as
 * paid and its payment not yet
 */
export async function isLinkPaid(
  core: Core,
  cancellations: Cancellations,
  charge: ChargeRow,
): Promise<boolean> {
  const { site, qrcId, codeReference, amount, createdAt } = charge
  const found = bankOf(core, codeReference)
  if (!found || codeReference === null) return false
  const row = core.disk.codes.ofSite(site, qrcId)
  const known = knownCodeOf(
    core,
    row ?? { site, type: 'DYNAMIC', qrcId, reference: codeReference, amount, createdAt },
  )
  if (!known) throw notKnown(`the connector has no bank ${found.name}, which made the link of the code`)
  let isClosed = true
  if (known.bank.bank.cancel) {
    // On disk before the call: the charge can be declined while the bank is asked. The cancellation is repeated until it is confirmed.
    core.disk.charges.change(charge, { state: charge.state, linkCancelled: 1 })
    const { status } = await cancellations.cancel({ siteId: site, qrcId, reference: codeReference })
    isClosed = status === 204
  }
  const state = await known.bank.bank.state(known.code)
  // What a bank states can be older than what its webhook has told.
  const payments = recordState(core, known, state)
  if (state.isPending || payments.length > 0) return true
  if (!isClosed) throw notKnown('the bank has not confirmed the cancellation of the link')
  if (await known.bank.bank.isPaid?.(known.code)) {
    throw notKnown('the bank states the link as paid, and its payment not yet')
  }
  return false
}

const notKnown = (message: string) => new Unavailable(message, { isInDoubt: false })

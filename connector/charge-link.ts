// Cancels the link of a QR code before it is charged, and asks the bank whether it was paid (contract, section 14).
import { Unavailable } from './bank-errors.ts'
import type { Cancellations } from './cancellations.ts'
import { bankOf, type Core, knownCodeOf } from './core.ts'
import type { ChargeRow } from './disk/charges.ts'
import { recordState } from './payments.ts'

interface EndedLink {
  /** Paid, or a payment of it is in progress. */
  isPaid: boolean
  isCancelled: boolean
}

/**
 * Cancels the link and asks for its state. A code whose link no bank made has nothing to cancel.
 * @throws Unavailable where the cancellation is not confirmed, or the bank does not state the link
 */
export async function endedLinkOf(
  core: Core,
  cancellations: Cancellations,
  charge: ChargeRow,
): Promise<EndedLink> {
  const { site, qrcId, codeReference, amount, createdAt } = charge
  const found = bankOf(core, codeReference)
  if (!found || codeReference === null) return { isPaid: false, isCancelled: false }
  const row = core.disk.codes.ofSite(site, qrcId)
  const known = knownCodeOf(
    core,
    row ?? { site, type: 'DYNAMIC', qrcId, reference: codeReference, amount, createdAt },
  )
  if (!known) throw notKnown(`the connector has no bank ${found.name}, which made the link of the code`)
  const isCancelled = known.bank.bank.cancel !== undefined
  if (isCancelled) {
    const { status } = await cancellations.cancel({ siteId: site, qrcId, reference: codeReference })
    if (status !== 204) throw notKnown('the bank has not confirmed the cancellation of the link')
  }
  const state = await known.bank.bank.state(known.code)
  recordState(core, known, state)
  const isPaid = state.isPending || state.payments.some(({ status }) => status === 'COMPLETED')
  return { isPaid, isCancelled }
}

const notKnown = (message: string) => new Unavailable(message, { isInDoubt: false })

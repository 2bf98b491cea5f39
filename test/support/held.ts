// What waits for the operator's word in the connector's database, and how the operator decides it.
import { expect, vi } from 'vitest'
import * as z from 'zod'
import type { ConnectorCommands } from './bank-connector.ts'
import { type BankDeployment, WAITING } from './bank-deployment.ts'

const HELD = `SELECT site, payment_uid AS paymentUid, NULL AS refundUid, amount FROM charges WHERE state = 'HELD'
  UNION ALL SELECT site, payment_uid, refund_uid, amount FROM refunds WHERE state = 'HELD'`
/** What the service has not been told yet of a payment's refunds: where it was busy, the report is sent again later. */
const UNTOLD = `SELECT path FROM reports WHERE state = 'PENDING' AND site = :site
  AND path LIKE '%/payments/' || :paymentUid || '/refunds/%' AND body ->> 'status' = 'COMPLETED'`
const Held = z.object({
  site: z.string(),
  paymentUid: z.string(),
  refundUid: z.string().nullable(),
  amount: z.int(),
})
export type Held = z.output<typeof Held>

/**
 * Decides what is held, one refund or charge of each payment: the next one waits until the service is told of it.
 * @param decisionOf the options of `settle`
 * @returns how many are decided
 */
export async function settleHeld(
  deployment: BankDeployment,
  commands: ConnectorCommands,
  decisionOf: (held: Held) => Promise<string[]>,
): Promise<number> {
  const decided = new Set<string>()
  for (const held of deployment.connector.read(HELD).map((row) => Held.parse(row))) {
    const payment = `${held.site}/${held.paymentUid}`
    if (decided.has(payment)) continue
    decided.add(payment)
    const { site, paymentUid } = held
    await vi.waitFor(
      () => expect(deployment.connector.read(UNTOLD, { site, paymentUid })).toEqual([]),
      WAITING,
    )
    const decision = await decisionOf(held)
    const { status, output } = await commands.run('settle', ...decision, '--by', 'anna', '--yes')
    expect([status === 2, output]).toEqual([false, output])
  }
  return decided.size
}

/** What the bank's own database says of a refund. One of a payment is in flight, so what was given back and not told is this one's. */
export async function byLedger(deployment: BankDeployment, held: Held): Promise<string[]> {
  const { site, paymentUid, refundUid, amount } = held
  if (refundUid === null) throw new Error(`The charge ${paymentUid} of ${site} is in no ledger of payments`)
  const { refunded: told } = await deployment.merchant(site).payment(paymentUid)
  const ledger = deployment.bankOf(site).ledger()
  const refunded = ledger.find((each) => each.paymentUid === paymentUid)?.refunded ?? 0
  const word = refunded - told >= amount ? 'completed' : 'declined'
  return ['--site', site, '--payment', paymentUid, '--refund', refundUid, '--as', word]
}

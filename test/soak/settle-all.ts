// What the operator decides in the end: everything that is held, by what the banks' own databases say.
import { expect } from 'vitest'
import type { BankDeployment } from '../support/bank-deployment.ts'
import { HELD, Held } from '../support/binding-batch.ts'
import type { BindingHistory } from '../support/binding-history.ts'

/** @returns how many refunds and charges were held */
export async function settleAll(
  deployment: BankDeployment,
  bound: readonly BindingHistory[],
): Promise<number> {
  const held = deployment.connector.read(HELD).map((row) => Held.parse(row))
  const commands = deployment.connector.commands()
  const decided = new Set<string>()
  for (const { site, ...what } of held) {
    // What was just decided of a payment is not told yet: its next refund waits for that.
    if (decided.has(what.paymentUid)) continue
    decided.add(what.paymentUid)
    const history = bound.find(({ siteId }) => siteId === site)
    const decision = history ? await history.decision(what) : await byLedger(deployment, site, what)
    const { status, output } = await commands.run('settle', ...decision, '--by', 'anna', '--yes')
    expect([status === 2, output]).toEqual([false, output])
  }
  commands.end()
  return decided.size
}

/** One refund of a payment is in flight, so what was given back and not told is this one's. */
async function byLedger(
  deployment: BankDeployment,
  siteId: string,
  { paymentUid, refundUid, amount }: Omit<Held, 'site'>,
): Promise<string[]> {
  const { refunded: told } = await deployment.merchant(siteId).payment(paymentUid)
  const ledger = deployment.bankOf(siteId).ledger()
  const refunded = ledger.find((each) => each.paymentUid === paymentUid)?.refunded ?? 0
  const word = refunded - told >= amount ? 'completed' : 'declined'
  return ['--site', siteId, '--payment', paymentUid, '--refund', refundUid ?? '', '--as', word]
}

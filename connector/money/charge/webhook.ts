// Finds the charge that a webhook is about, and records what the webhook says of it.
import type { BankPayment } from '../../banks/bank.ts'
import type { ChargeState } from '../../banks/bank-bindings.ts'
import type { Core, OpenBank } from '../../core.ts'
import type { Problem } from '../../inbox/rows.ts'
import { peersOf } from '../../links/codes/lookup.ts'
import { hasEnded } from '../money-rows.ts'
import { reportRefundsMadeAtBank } from '../refund/at-bank.ts'
import { completeCharge } from './charges.ts'
import type { ChargeRow } from './rows.ts'
import { endedState } from './runner.ts'

interface Wanted {
  bank: OpenBank
  /** The bank's id of the payment. */
  reference?: string | undefined
  order?: string | undefined
}

/** @returns the charge by our order, which a bank repeats; by the bank's id of it only where the bank names no order */
export function findCharge(core: Core, { bank, reference, order }: Wanted): ChargeRow | undefined {
  const { charges } = core.disk
  const names = peersOf(core, bank).map(({ name }) => name)
  const rows = order === undefined ? charges.ofNote(reference ?? '') : charges.ofOrder(order)
  return rows.find((row) => names.includes(row.bank))
}

/**
 * A signed completed payment is a fact; of anything else the bank is asked. The bank's statement overrides the end that the connector
 * has recorded: a refused charge can have been made all the same, and the operator can err.
 * @returns why the webhook has to stay: the charge has no end, or not yet the one that the bank states
 * @throws where the bank does not state a charge that has ended
 */
export async function recordChargeWebhook(
  core: Core,
  charge: ChargeRow,
  payment: Pick<BankPayment, 'status' | 'number' | 'amount'> | undefined,
): Promise<Problem | undefined> {
  if (payment?.status === 'COMPLETED') {
    completeCharge(core, charge, { reference: payment.number, amount: payment.amount })
    return
  }
  if (!hasEnded(charge)) {
    core.disk.charges.wake(charge, core.platform.now())
    return 'CHARGE_OPEN'
  }
  const open = core.banks.get(charge.bank)
  if (!open?.bank.bindings) throw new Error(`the connector has no bank ${charge.bank}`)
  const stated = await endedState(open, open.bank.bindings, charge)
  if (stated.status === 'COMPLETED') completeCharge(core, charge, stated)
  recordChargeRefunds(core, core.disk.charges.get(charge) ?? charge, stated)
  // Of an end in doubt the operator has decided: the webhook says nothing more.
  const isOver = charge.state === 'COMPLETED' || ['COMPLETED', 'DECLINED', 'IN_DOUBT'].includes(stated.status)
  return isOver ? undefined : 'CHARGE_DECLINED'
}

/** Reports what the bank has refunded of a completed charge, and nobody has instructed. */
export function recordChargeRefunds(core: Core, charge: ChargeRow, stated: ChargeState): void {
  if (stated.status !== 'COMPLETED' || !stated.refunded) return
  // The instruction is older than the row of a charge that another disk has sent.
  reportRefundsMadeAtBank(core, { ...charge, createdAt: charge.givenAt }, stated.refunded)
}

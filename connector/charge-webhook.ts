// Finds the charge that a webhook is about, and records what the webhook says of it.
import type { BankPayment } from './bank.ts'
import { completeCharge } from './charges.ts'
import { peersOf } from './code-lookup.ts'
import type { Core, OpenBank } from './core.ts'
import type { ChargeRow } from './disk/charges.ts'

interface Wanted {
  bank: OpenBank
  /** The bank's id of the payment. */
  reference?: string | undefined
  order?: string | undefined
}

/** @returns the charge, by the bank's id of it or by our order */
export function findCharge(core: Core, { bank, reference, order }: Wanted): ChargeRow | undefined {
  const names = peersOf(core, bank).map(({ name }) => name)
  const rows = [
    ...(reference === undefined ? [] : core.disk.charges.ofNote(reference)),
    ...(order === undefined ? [] : core.disk.charges.ofOrder(order)),
  ]
  return rows.find((row) => names.includes(row.bank))
}

/** A signed completed payment is a fact; of anything else the bank is asked. */
export function recordChargeWebhook(
  core: Core,
  charge: ChargeRow,
  payment: Pick<BankPayment, 'status' | 'number' | 'amount'> | undefined,
): void {
  if (payment?.status === 'COMPLETED') {
    completeCharge(core, charge, { reference: payment.number, amount: payment.amount })
  } else core.disk.charges.wake(charge, core.platform.now())
}

// Finds the sale that the webhook of a payment is about, and reports its payment.
import type { BankPayment } from '../../banks/bank.ts'
import type { Core, KnownCode } from '../../core.ts'
import { compareAmount } from '../../money/payment/amount-differences.ts'
import { recordPayment } from '../../money/payment/payments.ts'
import type { PaymentRow } from '../../money/payment/rows.ts'
import { armedReferenceOf } from './sale-key.ts'
import { codeOfSale } from './sales.ts'

/** The webhook of a payment can come until its report is this old. */
const TOLD_MS = 7 * 24 * 3_600_000

/**
 * Reports the payment of the sale whose key the webhook names.
 * @param key see NewSale
 * @returns whether the sale is of this connector
 */
export function recordArmedPayment(core: Core, known: KnownCode, payment: BankPayment, key: string): boolean {
  const { site, code } = known
  const sale = core.disk.sales.ofReference(site, code.qrcId, armedReferenceOf(known, key))
  if (!sale) return false
  recordPayment(core, known, payment, sale)
  core.disk.sales.step(sale, 'PAID', { now: core.platform.now(), dueAt: 'REST' })
  return true
}

/**
 * Asks the bank about the unpaid sales of a code, of which one was paid: the webhook says the amount, and not the sale. Calls about
 * one code must not overlap.
 * @returns whether a payment is reported, now or before, that is the webhook's. If the bank states a sale as paid only later, the
 * asker finds it
 */
export async function saleOfPayment(
  core: Core,
  { site, code, bank }: KnownCode,
  { amount, number }: { amount: number; number: string },
): Promise<boolean> {
  const { disk, platform } = core
  const { qrcId } = code
  const told = disk.payments.ofWebhook(site, qrcId, number)
  const sales = told ? [] : disk.sales.latest(site, qrcId)
  for (const sale of sales.filter(({ state }) => state !== 'PAID')) {
    const known = codeOfSale(core, sale)
    const payment = known && (await known.bank.bank.state(known.code)).payments[0]
    if (!payment) continue
    const isNew = recordPayment(core, known, payment, sale)
    disk.sales.step(sale, 'PAID', { now: platform.now(), dueAt: 'REST' })
    // A payment of another amount has lost its own webhook, or will have it.
    if (isNew && payment.amount === amount) break
  }
  const payment = told ?? untoldPayment(core, { site, qrcId, amount })
  if (!payment) return false
  disk.transaction(() => {
    compareAmount(core, { ...payment, bank: bank.name }, { amount })
    disk.payments.tell(payment, number)
  })
  return true
}

/**
 * The reported payment that a webhook of the amount tells of, and no other has told of. A sale's own schedule can have been first.
 * Where there is none, the bank has not stated the payment yet, or it is of an arming whose answer was lost, or the bank had left
 * another amount out. An older payment has lost its webhook.
 */
function untoldPayment(
  { disk, platform }: Core,
  { site, qrcId, amount }: { site: string; qrcId: string; amount: number },
): PaymentRow | undefined {
  const untold = disk.payments.untold(site, qrcId, platform.now() - TOLD_MS)
  const same = untold.find((payment) => payment.amount === amount)
  if (same || disk.sales.isAwaited(site, qrcId, amount)) return same
  const [assumed, second] = untold.filter(({ isAmountAssumed }) => isAmountAssumed)
  return second ? undefined : assumed
}

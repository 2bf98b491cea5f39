// Payments: what a bank states becomes one payment with one uid, and a report.
import { createHash } from 'node:crypto'
import { roublesOf } from '../../amounts.ts'
import { type BankPayment, type CodeState, type PaymentId, paymentKeyOf } from '../../banks/bank.ts'
import { IDENTIFIER } from '../../banks/identifiers.ts'
import type { Core, KnownCode, OpenBank } from '../../core.ts'
import { referenceOf } from '../../reference.ts'
import { reportRefundsMadeAtBank } from '../refund/at-bank.ts'
import { compareAmount } from './amount-differences.ts'
import type { PaymentRow } from './rows.ts'

interface Sale {
  saleUid: string
}

/** Below the site's address: where a payment is reported. */
export const paymentPathOf = ({ qrcId, paymentUid }: { qrcId: string; paymentUid: string }): string =>
  `qrCodes/${qrcId}/payments/${paymentUid}`

/**
 * Records a payment and its report, in one transaction. A repeat changes nothing.
 * @returns whether it was new
 */
export function recordPayment(core: Core, known: KnownCode, payment: BankPayment, sale?: Sale): boolean {
  const { disk, platform, log } = core
  const { site, bank, code } = known
  const { identity } = bank.bank
  return disk.transaction(() => {
    const { number, status, amount, isAmountAssumed = false } = payment
    const isSame = isSamePaymentOf(bank)
    const before =
      disk.payments.ofKey(identity, paymentKeyOf(payment)) ??
      disk.payments.ofCode(site, code.qrcId).find((ours) => isSame(ours, payment))
    const key = before?.key ?? paymentKeyOf(payment)
    if (before?.status === 'COMPLETED' && status === 'COMPLETED')
      compareAmount(core, { ...before, bank: bank.name }, payment)
    if (before && (before.status === 'COMPLETED' || status === 'DECLINED')) return false
    const isPaid = disk.payments.isPaid(site, code.qrcId)
    // A failed attempt of a link that is paid is no news.
    if (status === 'DECLINED' && isPaid) return false
    const isFirst = code.type === 'DYNAMIC' && !isPaid
    const paymentUid = isFirst ? code.qrcId : uidOf(number)
    const { qrcId } = code
    const createdAt = platform.now()
    disk.payments.put({
      ...{ identity, key, number, site, qrcId, paymentUid, status, amount, isAmountAssumed, createdAt },
      saleUid: sale?.saleUid ?? null,
    })
    if (status === 'COMPLETED') disk.lateAsks.clear({ site, qrcId, saleUid: sale?.saleUid ?? '' })
    const { order, paidAt: dateTime, reason, payer, method, reference } = payment
    disk.reports.put(
      {
        site,
        path: paymentPathOf({ qrcId, paymentUid }),
        body: {
          status,
          amount: { value: roublesOf(amount), currency: 'RUB' },
          networkUid: number.slice(0, 64),
          order,
          dateTime,
          reason: reason?.slice(0, 255),
          payer,
          method,
          saleUid: sale?.saleUid,
          ...(reference !== undefined && { reference: referenceOf(bank, reference) }),
        },
      },
      createdAt,
    )
    // A webhook that waits or rests may be of it.
    disk.webhooks.wake({ qrcId }, createdAt)
    log('info', 'a payment was recorded', { site, bank: bank.name, qrcId, paymentUid, status, isFirst })
    return true
  })
}

/** Whether a payment on disk is the one that the bank states, whatever it left out then or now. */
export const isSamePaymentOf =
  ({ bank }: OpenBank) =>
  (ours: PaymentId, stated: BankPayment): boolean => {
    const id = { key: paymentKeyOf(stated), number: stated.number }
    return ours.key === id.key || bank.isSamePayment?.(ours, id) === true
  }

/** Records everything that the bank states of a code. @returns the completed payments of the code on disk */
export function recordState(core: Core, known: KnownCode, state: CodeState, sale?: Sale): PaymentRow[] {
  for (const payment of state.payments) recordPayment(core, known, payment, sale)
  const { site, bank, code } = known
  const payments = core.disk.payments.ofCode(site, code.qrcId).filter(({ status }) => status === 'COMPLETED')
  const [paid] = payments
  if (state.refunded && paid) {
    const { reference, createdAt } = code
    reportRefundsMadeAtBank(core, { ...paid, bank: bank.name, reference, createdAt }, state.refunded)
  }
  return payments
}

/** The bank's number, where it can be a paymentUid: 1 to 64 of `A-Z a-z 0-9 . _ -`. */
function uidOf(number: string): string {
  if (IDENTIFIER.test(number)) return number
  return createHash('sha256').update(number).digest('hex').slice(0, 32)
}

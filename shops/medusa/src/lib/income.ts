// The money that came for an order, and its way back.
import { fromKopecks, readOrder, toKopecks } from '@fps-qr/client'
import type { MedusaContainer } from '@medusajs/framework/types'
import { Modules, OrderStatus } from '@medusajs/framework/utils'
import { refundPaymentWorkflow } from '@medusajs/medusa/core-flows'
import { type CompletedPayment, clientOf, completedPayments, reading } from './clients.js'
import { codeIn, storedCodes } from './codes.js'
import { leftOf, type MedusaPayment, type Order, readOrderOf } from './medusa-order.js'
import { faultsOf, type RefundFaults, refundSurplus } from './refunds.js'
import { refused } from './refused.js'
import { shopOf } from './settings.js'
import { settle } from './settle.js'

/** Money that came for an order. */
export interface Income extends RefundFaults {
  paymentId: string
  qrCodeUid: string
  dateTime: string
  amount: string
  /** What can be returned of it. */
  left: string
  /** paid: it pays the order. late: it pays an order that is cancelled. surplus: it pays nothing. */
  kind: 'paid' | 'late' | 'surplus'
  /** Medusa's own payment, with which it is refunded; a surplus has none. */
  medusaPaymentId?: string
}

/**
 * All completed payments of the codes that an order ever had.
 * @throws MedusaError where the service does not say: no list would look like no money
 */
export async function incomeOf(container: MedusaContainer, orderId: string): Promise<Income[]> {
  return reading(async () => {
    // The payment that pays the order would be a surplus until it is recorded.
    for (const { payment_sessions } of (await readOrderOf(container, orderId)).payment_collections)
      for (const { id, provider_id } of payment_sessions)
        if (shopOf(container, provider_id)) await settle(container, id)
    return readIncome(container, await readOrderOf(container, orderId))
  })
}

async function readIncome(container: MedusaContainer, order: Order): Promise<Income[]> {
  const all: Income[] = []
  for (const { metadata, payment_sessions, payments } of order.payment_collections) {
    for (const qrCodeUid of storedCodes(metadata)) {
      const session = payment_sessions.find(({ id }) => id === qrCodeUid)
      const fps = await clientOf(container, session?.provider_id, qrCodeUid)
      if (!fps) continue
      const recorded = payments.find(({ data }) => codeIn(data)?.qrCodeUid === qrCodeUid)
      const code = codeIn(recorded?.data)
      const paying = code && (await readOrder(fps, code))
      for await (const completed of completedPayments(fps, qrCodeUid)) {
        const isPaying = recorded && paying?.payment?.paymentId === completed.payment.paymentId
        all.push({
          ...incomeFrom(completed, qrCodeUid),
          ...(isPaying && {
            ...paidWith(completed, recorded),
            kind: order.status === OrderStatus.CANCELED ? 'late' : 'paid',
            ...(await faultsOf(container, fps, { ...recorded, orderId: order.id }, paying)),
          }),
        })
      }
    }
  }
  return all
}

function incomeFrom({ payment, left }: CompletedPayment, qrCodeUid: string): Income {
  const { paymentId, createdDateTime: dateTime, amount } = payment
  return {
    ...{ paymentId, qrCodeUid, dateTime, amount: amount.value, left: fromKopecks(left) },
    ...{ kind: 'surplus', unrecorded: [], mistaken: [] },
  }
}

/** A refund can be known to Medusa alone, or to the service alone: what is left is what both say. */
const paidWith = ({ left }: CompletedPayment, recorded: MedusaPayment) => ({
  medusaPaymentId: recorded.id,
  left: fromKopecks(Math.min(left, leftOf(recorded))),
})

/**
 * Returns what is left of a payment that pays nothing, or an order that is cancelled. Where Medusa and the service have different
 * refunds of it, that is put right instead, and nothing is returned.
 * @throws MedusaError if it is none of the order's
 */
export async function refundIncome(
  container: MedusaContainer,
  orderId: string,
  paymentId: string,
): Promise<void> {
  const income = (await incomeOf(container, orderId)).find((each) => each.paymentId === paymentId)
  if (income && income.unrecorded.length + income.mistaken.length > 0)
    return correct(container, orderId, income)
  if (!income || income.kind === 'paid')
    throw refused(`Payment ${paymentId} is not a surplus payment of order ${orderId}`)
  if (toKopecks(income.left) === 0) throw refused(`Nothing is left of payment ${paymentId}`)
  if (income.medusaPaymentId !== undefined)
    return refundLate(container, orderId, income.medusaPaymentId, income.left)
  const fps = await clientOf(container, undefined, income.qrCodeUid)
  if (!fps) throw refused(`No configured site has the QR code ${income.qrCodeUid}`)
  await refundSurplus(fps, { paymentId, value: income.left })
}

async function correct(
  container: MedusaContainer,
  orderId: string,
  { kind, medusaPaymentId: payment_id = '', unrecorded, mistaken }: Income,
): Promise<void> {
  const rows = mistaken.map(({ rowId }) => rowId)
  // What Medusa itself does with the row of a refund that failed.
  if (rows.length > 0) await container.resolve(Modules.PAYMENT).deleteRefunds(rows)
  for (const { amount, status, rowId } of unrecorded) {
    if (rowId !== undefined && status !== 'COMPLETED')
      throw refused(`The bank has not carried out the refund of ${amount} yet`)
    if (rowId !== undefined) await addTransaction(container, orderId, { rowId, amount: Number(amount) })
    else if (kind === 'late') await refundLate(container, orderId, payment_id, amount)
    else await refundPaymentWorkflow(container).run({ input: { payment_id, amount: Number(amount) } })
  }
}

/** As Medusa's workflow, which returns the money of a cancelled order and says then that it cannot be done. */
async function refundLate(container: MedusaContainer, orderId: string, payment_id: string, left: string) {
  const amount = Number(left)
  const payment = await container.resolve(Modules.PAYMENT).refundPayment({ payment_id, amount })
  await addTransaction(container, orderId, { rowId: payment.refunds?.at(-1)?.id ?? payment_id, amount })
}

const addTransaction = (
  container: MedusaContainer,
  order_id: string,
  { rowId, amount }: { rowId: string; amount: number },
) =>
  container.resolve(Modules.ORDER).addOrderTransactions({
    ...{ order_id, amount: -amount, currency_code: 'rub', reference: 'refund', reference_id: rowId },
  })

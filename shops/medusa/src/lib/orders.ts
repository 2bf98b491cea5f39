// The payments of an order: what to do before it is cancelled, and which money came for it that pays nothing.
import {
  cancelOrder,
  type FpsQr,
  fromKopecks,
  type Payment,
  type QrCode,
  readOrder,
  toKopecks,
} from '@fps-qr/client'
import type { BigNumberInput, MedusaContainer } from '@medusajs/framework/types'
import {
  ContainerRegistrationKeys,
  MathBN,
  MedusaError,
  Modules,
  OrderStatus,
} from '@medusajs/framework/utils'
import { z } from '@medusajs/framework/zod'
import { refundPaymentWorkflow } from '@medusajs/medusa/core-flows'
import { amountOf, codeIn, sessionIdOf, storedCodes } from './codes.js'
import { claimOf, refundSurplus, type UnrecordedRefund, unrecordedRefunds } from './refunds.js'
import { type Shop, shopOf, shopsOf } from './settings.js'
import { settle } from './settle.js'

const Money = z.custom<BigNumberInput>((value) => value !== undefined && value !== null)
const Sum = z.object({ amount: Money })
const Sums = z.array(Sum).default([])
const Order = z.object({
  id: z.string(),
  status: z.string(),
  fulfillments: z.array(z.object({ canceled_at: z.unknown() })).default([]),
  payment_collections: z
    .array(
      z.object({
        metadata: z.unknown(),
        payment_sessions: z
          .array(z.object({ id: z.string(), provider_id: z.string(), data: z.unknown() }))
          .default([]),
        payments: z
          .array(
            z.object({
              ...{ id: z.string(), provider_id: z.string(), currency_code: z.string(), data: z.unknown() },
              captures: Sums,
              refunds: z.array(Sum.extend({ metadata: z.unknown() })).default([]),
            }),
          )
          .default([]),
      }),
    )
    .default([]),
})
type Order = z.infer<typeof Order>
type MedusaPayment = Order['payment_collections'][number]['payments'][number]

async function readOrderOf(container: MedusaContainer, orderId: string): Promise<Order> {
  const query = container.resolve(ContainerRegistrationKeys.QUERY)
  const refunds = ['refunds.amount', 'refunds.metadata']
  const payments = ['id', 'provider_id', 'currency_code', 'data', 'captures.amount', ...refunds]
  const sessions = ['id', 'provider_id', 'data']
  const { data } = await query.graph({
    entity: 'order',
    fields: [
      ...['id', 'status', 'fulfillments.canceled_at', 'payment_collections.metadata'],
      ...sessions.map((field) => `payment_collections.payment_sessions.${field}`),
      ...payments.map((field) => `payment_collections.payments.${field}`),
    ],
    filters: { id: orderId },
  })
  const order = z.array(Order).parse(data)[0]
  if (order) return order
  throw new MedusaError(MedusaError.Types.NOT_FOUND, `Order id not found: ${orderId}`)
}

/** What is left of a captured payment, in kopecks. */
function leftOf({ captures, refunds, currency_code }: MedusaPayment): number {
  const sum = (rows: z.infer<typeof Sums>) =>
    rows.reduce((total, { amount }) => MathBN.add(total, amount), MathBN.convert(0))
  return toKopecks(amountOf(MathBN.sub(sum(captures), sum(refunds)), currency_code).value)
}

const refused = (message: string) => new MedusaError(MedusaError.Types.NOT_ALLOWED, message)

/**
 * Call it before an order is cancelled: cancels its codes, and refunds what was paid. Medusa cancels an order although the refund
 * failed, and says then that the money was returned.
 * @throws MedusaError where the order must stay: a payment was faster than the cancellation, or a refund failed
 */
export async function closePayments(container: MedusaContainer, orderId: string): Promise<void> {
  const order = await readOrderOf(container, orderId)
  // Medusa refuses these itself.
  if (order.status === OrderStatus.CANCELED || order.status === OrderStatus.COMPLETED) return
  if (order.fulfillments.some(({ canceled_at }) => !canceled_at)) return
  for (const { payment_sessions, payments } of order.payment_collections) {
    if (payments.length === 0)
      for (const session of payment_sessions) {
        if ((await cancelCode(container, session)) === 'paid')
          throw refused(
            'The customer has paid the order just now. Cancel it once more to return the money, or deliver it',
          )
      }
    for (const payment of payments.filter(({ provider_id }) => shopOf(container, provider_id))) {
      const left = leftOf(payment)
      if (left === 0) continue
      const amount = Number(fromKopecks(left))
      await refundPaymentWorkflow(container).run({ input: { payment_id: payment.id, amount } })
    }
  }
}

/** Cancels the codes of an order that something cancelled without closePayments, such as a timer. What was paid meanwhile is recorded. */
export async function cancelCodes(container: MedusaContainer, orderId: string): Promise<void> {
  const { payment_collections } = await readOrderOf(container, orderId)
  for (const { payment_sessions } of payment_collections)
    for (const session of payment_sessions) await cancelCode(container, session)
}

async function cancelCode(
  container: MedusaContainer,
  { provider_id, data }: { provider_id: string; data: unknown },
): Promise<'paid' | 'ended'> {
  const shop = shopOf(container, provider_id)
  const code = codeIn(data)
  const closed = shop && code && (await cancelOrder(shop.fps, code))
  if (closed?.state === 'open') throw refused('The QR code is being paid: try again in a minute')
  if (closed?.state !== 'paid' || !code) return 'ended'
  await settle(container, code.qrCodeUid)
  return 'paid'
}

/** Money that came for an order. */
export interface Income {
  paymentId: string
  qrCodeUid: string
  dateTime: string
  amount: string
  /** What is left of it. */
  left: string
  /** paid: it pays the order. late: it pays an order that is cancelled. surplus: it pays nothing. */
  kind: 'paid' | 'late' | 'surplus'
  /** Medusa's own payment, with which it is refunded; a surplus has none. */
  medusaPaymentId?: string
  /** Refunds that Medusa does not have yet: the same refund again records them. */
  unrecorded: UnrecordedRefund[]
}

/** All completed payments of the codes that an order ever had. */
export async function incomeOf(container: MedusaContainer, orderId: string): Promise<Income[]> {
  const order = await readOrderOf(container, orderId)
  const all: Income[] = []
  for (const { metadata, payment_sessions, payments } of order.payment_collections) {
    for (const qrCodeUid of storedCodes(metadata)) {
      const session = payment_sessions.find(({ id }) => id === sessionIdOf(qrCodeUid))
      const fps = await clientOf(container, session?.provider_id, qrCodeUid)
      if (!fps) continue
      const recorded = payments.find(({ data }) => codeIn(data)?.qrCodeUid === qrCodeUid)
      const code = codeIn(recorded?.data)
      const paying = code && (await readOrder(fps, code))
      for await (const payment of fps.payments(qrCodeUid)) {
        if (payment.status.value !== 'COMPLETED') continue
        const isPaying = recorded && paying?.payment?.paymentId === payment.paymentId
        all.push({
          ...incomeFrom(payment, qrCodeUid, isPaying ? order.status : undefined),
          ...(isPaying && { medusaPaymentId: recorded.id }),
          unrecorded: isPaying ? await unrecordedOf(fps, recorded, payment.paymentId, paying.qrCode) : [],
        })
      }
    }
  }
  return all
}

const unrecordedOf = (fps: FpsQr, { id, refunds }: MedusaPayment, paymentId: string, qrCode: QrCode) =>
  unrecordedRefunds(
    fps,
    { id, paymentId, claims: new Set(refunds.map((each) => claimOf(each.metadata))) },
    qrCode,
  )

/** @param orderStatus of the order that it pays */
function incomeFrom(
  { paymentId, createdDateTime: dateTime, amount, refundedAmount }: Payment,
  qrCodeUid: string,
  orderStatus: string | undefined,
): Omit<Income, 'unrecorded'> {
  const left = fromKopecks(toKopecks(amount.value) - toKopecks(refundedAmount.value))
  const paid = orderStatus === OrderStatus.CANCELED ? 'late' : 'paid'
  const kind = orderStatus === undefined ? 'surplus' : paid
  return { paymentId, qrCodeUid, dateTime, amount: amount.value, left, kind }
}

/** The client of a code: of its session, or where that was deleted, of the site that has the code. */
async function clientOf(container: MedusaContainer, providerId: string | undefined, qrCodeUid: string) {
  const known: Shop[] = providerId === undefined ? shopsOf(container) : []
  const own = providerId === undefined ? undefined : shopOf(container, providerId)
  for (const { fps } of own ? [own] : known) {
    const found = await fps.getQrCode(qrCodeUid).catch(() => undefined)
    if (found) return fps
  }
  return undefined
}

/** Returns what is left of a payment that pays nothing, or an order that is cancelled. @throws MedusaError if it is none of the order's */
export async function refundIncome(
  container: MedusaContainer,
  orderId: string,
  paymentId: string,
): Promise<void> {
  const income = (await incomeOf(container, orderId)).find((each) => each.paymentId === paymentId)
  if (!income || income.kind === 'paid')
    throw refused(`Payment ${paymentId} is not a surplus payment of order ${orderId}`)
  if (toKopecks(income.left) === 0) throw refused(`Nothing is left of payment ${paymentId}`)
  if (income.medusaPaymentId !== undefined)
    return refundLate(container, orderId, income.medusaPaymentId, income.left)
  const fps = await clientOf(container, undefined, income.qrCodeUid)
  if (fps) await refundSurplus(fps, { paymentId, value: income.left })
}

/** As Medusa's workflow, which returns the money of a cancelled order and says then that it cannot be done. */
async function refundLate(container: MedusaContainer, order_id: string, payment_id: string, left: string) {
  const amount = Number(left)
  const payment = await container.resolve(Modules.PAYMENT).refundPayment({ payment_id, amount })
  await container.resolve(Modules.ORDER).addOrderTransactions({
    ...{ order_id, amount: -amount, currency_code: payment.currency_code, reference: 'refund' },
    reference_id: payment.refunds?.at(-1)?.id ?? payment_id,
  })
}

/**
 * Refuses a refund by which Medusa would return the money and then say that it did not: that of a cancelled order.
 * @returns the order, if a provider of this package has the payment
 */
export async function orderOfRefund(
  container: MedusaContainer,
  medusaPaymentId: string,
): Promise<string | undefined> {
  const query = container.resolve(ContainerRegistrationKeys.QUERY)
  const fields = ['provider_id', 'payment_collection.order.id', 'payment_collection.order.status']
  const { data } = await query.graph({ entity: 'payment', fields, filters: { id: medusaPaymentId } })
  const order = z.object({ id: z.string(), status: z.string() }).nullish()
  const Paid = z.object({ provider_id: z.string(), payment_collection: z.object({ order }) })
  const [payment] = z.array(Paid).parse(data)
  if (!payment || !shopOf(container, payment.provider_id)) return undefined
  const paid = payment.payment_collection.order
  if (paid?.status === OrderStatus.CANCELED)
    throw refused('The order is cancelled: return its money under “Payments by QR code (SBP)” on its page')
  return paid?.id
}

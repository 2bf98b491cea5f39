// The QR code of an order of a shop: makes it, reads whether it is paid, cancels it.
import { type AmountInput, kopecksOf } from './amount.ts'
import type { CallOptions, CreateQrCode, FpsQr } from './client.ts'
import { ConflictError, InvalidRequestError, NotFoundError } from './errors.ts'
import type { Notification } from './notifications.ts'
import type { Payment, QrCode, QrCodeStatus } from './schema.ts'

/** What a shop stores of an order before it creates the code. */
export interface StoredOrder {
  qrCodeUid: string
  /** What the order costs. */
  amount: AmountInput
}

export interface OrderPayment {
  /** open: it can be paid, or a payment is on its way. paid: one payment paid it. ended: it cannot be paid any more. */
  state: 'open' | 'paid' | 'ended'
  /** The payment that paid it: COMPLETED, applied, of exactly the amount of the order. */
  payment?: Payment
  /** Whether all money of that payment went back: it pays no order that is not recorded as paid yet. */
  returned: boolean
  /**
   * The other completed payments, of which money is left and no decision was taken: second ones, and those of another
   * amount. Refund each, or mark it as delivered.
   */
  surplus: Payment[]
  qrCode: QrCode
}

const OPEN: readonly QrCodeStatus[] = ['CREATED', 'DECLINED', 'INIT_PAYMENT_BY_TOKEN']

/**
 * Creates the code of an order. A site without a cash register takes no receipt: then the code is made without it.
 * @param request with a `qrCodeUid` that the shop has stored: the same again returns the same code
 */
export async function createOrderCode(
  fps: FpsQr,
  request: CreateQrCode,
  options: CallOptions = {},
): Promise<QrCode> {
  try {
    return await fps.createQrCode(request, options)
  } catch (error) {
    if (!isOfReceipt(error)) throw error
    // The site had no cash register when the code was made, or has none now.
    if (error instanceof ConflictError) return fps.getQrCode(request.qrCodeUid, options)
    const { receipt: _, ...withoutReceipt } = request
    return fps.createQrCode(withoutReceipt, options)
  }
}

/** Whether the receipt as a whole is all that is wrong. */
const isOfReceipt = (error: unknown): boolean =>
  (error instanceof InvalidRequestError || error instanceof ConflictError) &&
  Object.keys(error.cause ?? {}).join() === 'receipt'

/** Reads the code of an order, and its payments. @throws NotFoundError if the code was not created */
export async function readOrder(
  fps: FpsQr,
  { qrCodeUid, amount }: StoredOrder,
  options: CallOptions = {},
): Promise<OrderPayment> {
  const kopecks = kopecksOf(amount.value, 'amount.value')
  // The code first: a payment that comes between the two reads is in the second one.
  const qrCode = await fps.getQrCode(qrCodeUid, options)
  const completed: Payment[] = []
  for await (const payment of fps.payments(qrCodeUid, options))
    if (payment.status.value === 'COMPLETED') completed.push(payment)
  const paying = completed.find(
    (payment) =>
      payment.applied &&
      kopecksOf(payment.amount.value, 'payment.amount') === kopecks &&
      payment.amount.currency === (amount.currency ?? 'RUB'),
  )
  const surplus = completed.filter(
    (payment) => payment !== paying && !payment.decision && isMoneyLeft(payment),
  )
  if (paying) return { state: 'paid', payment: paying, returned: !isMoneyLeft(paying), surplus, qrCode }
  const state = OPEN.includes(qrCode.qrCode.status) ? 'open' : 'ended'
  return { state, returned: false, surplus, qrCode }
}

const isMoneyLeft = ({ amount, refundedAmount }: Payment): boolean =>
  kopecksOf(refundedAmount.value, 'refundedAmount') < kopecksOf(amount.value, 'payment.amount')

/**
 * Cancels the code of an order: call it before the shop cancels the order.
 * @returns how it is afterwards: `paid` where a payment was faster, `open` while a token is charged: do not cancel the
 * order then. Undefined if the code was not created.
 */
export async function cancelOrder(
  fps: FpsQr,
  order: StoredOrder,
  options: CallOptions = {},
): Promise<OrderPayment | undefined> {
  try {
    await fps.cancel(order.qrCodeUid, options)
  } catch (error) {
    if (error instanceof NotFoundError) return undefined
    if (!(error instanceof ConflictError)) throw error
  }
  return readOrder(fps, order, options)
}

/**
 * The `qrCodeUid` of the order that a shop reads again because of a notification; undefined if it is of none: a test,
 * one of a test site, a token, a receipt. Its fields alone prove nothing about the order.
 * @param notification a verified one
 * @param options `testSite`: the shop works with a test site, so its notifications count
 */
export async function orderOf(
  fps: FpsQr,
  notification: Notification,
  { testSite = false, ...options }: CallOptions & { testSite?: boolean } = {},
): Promise<string | undefined> {
  if (notification.test && !testSite) return undefined
  const { type } = notification
  if (type === 'QR_CODE') return notification.qrCode.qrCodeUid
  if (type !== 'PAYMENT' && type !== 'REFUND') return undefined
  if (type === 'PAYMENT' && notification.payment.customFields.test) return undefined
  if (type === 'PAYMENT' && notification.payment.qrCodeUid !== undefined)
    return notification.payment.qrCodeUid
  // A payment that the code did not take names no code here, and a refund never does: the payment itself does.
  const { paymentId } = type === 'PAYMENT' ? notification.payment : notification.refund
  return (await fps.getPayment(paymentId, options)).qrCodeUid
}

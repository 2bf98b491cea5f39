// What Medusa asks of a payment provider, with QR codes: each session has a code, and the code says whether it is paid.
import {
  ConnectionError,
  cancelOrder,
  createOrderCode,
  type FpsQr,
  fromKopecks,
  type QrCode,
  readOrder,
  type StoredOrder,
  toKopecks,
  UnavailableError,
} from '@fps-qr/client'
import { container } from '@medusajs/framework'
import type {
  AuthorizePaymentInput,
  AuthorizePaymentOutput,
  CancelPaymentInput,
  CancelPaymentOutput,
  CapturePaymentInput,
  CapturePaymentOutput,
  DeletePaymentInput,
  DeletePaymentOutput,
  GetPaymentStatusInput,
  GetPaymentStatusOutput,
  InitiatePaymentInput,
  InitiatePaymentOutput,
  Logger,
  ProviderWebhookPayload,
  RefundPaymentInput,
  RefundPaymentOutput,
  RetrievePaymentInput,
  RetrievePaymentOutput,
  UpdatePaymentInput,
  UpdatePaymentOutput,
  WebhookActionResult,
} from '@medusajs/framework/types'
import {
  AbstractPaymentProvider,
  MedusaError,
  PaymentActions,
  PaymentSessionStatus,
} from '@medusajs/framework/utils'
import { amountOf, codeIn, codeOf, storeCode } from '../../lib/codes.js'
import { notifiedCode } from '../../lib/notified.js'
import { isOfCancelledOrder } from '../../lib/owner.js'
import { receiptOf } from '../../lib/receipt.js'
import { refundForRow } from '../../lib/refunds.js'
import { refused } from '../../lib/refused.js'
import { fpsOf, IDENTIFIER, type Settings, settingsOf } from '../../lib/settings.js'
import { readSession } from '../../lib/settle.js'

const STATUS = {
  open: PaymentSessionStatus.PENDING_AUTHORIZATION,
  paid: PaymentSessionStatus.CAPTURED,
  ended: PaymentSessionStatus.CANCELED,
}

export class FpsQrPaymentProvider extends AbstractPaymentProvider<Settings> {
  static override identifier = IDENTIFIER
  readonly #settings: Settings
  readonly #fps: FpsQr
  readonly #logger: Logger

  constructor(cradle: Record<string, unknown> & { logger: Logger }, options: Settings) {
    super(cradle, options)
    this.#logger = cradle.logger
    this.#settings = settingsOf(options)
    this.#fps = fpsOf(this.#settings)
  }

  static override validateOptions(options: Record<string, unknown>): void {
    settingsOf(options)
  }

  async initiatePayment({
    amount,
    currency_code,
    data,
  }: InitiatePaymentInput): Promise<InitiatePaymentOutput> {
    // Medusa's own, written over what the storefront sends: a session cannot take the code of another one.
    const sessionId = data?.session_id
    if (typeof sessionId !== 'string')
      throw new MedusaError(
        MedusaError.Types.INVALID_DATA,
        'fps-qr: data.session_id must be the id of a session',
      )
    if (await isOfCancelledOrder(container, sessionId))
      throw refused('The order is cancelled: it cannot be paid any more')
    return this.#createCode({ qrCodeUid: sessionId, amount: amountOf(amount, currency_code) })
  }

  /** Medusa's own workflows make a new session for another amount, and delete the one before, whose code can be paid no more then. */
  async updatePayment({ amount, currency_code, data }: UpdatePaymentInput): Promise<UpdatePaymentOutput> {
    if (amountOf(amount, currency_code).value !== codeOf(data).amount.value)
      throw refused('A QR code keeps its amount: make another payment session for another one')
    return data ? { data } : {}
  }

  async #createCode(code: StoredOrder): Promise<InitiatePaymentOutput> {
    const { qrCodeUid, amount } = code
    const { returnUrl, ttl, receipts, vatFromTaxes } = this.#settings
    await storeCode(container, qrCodeUid)
    const receipt = receipts && (await receiptOf(container, qrCodeUid, amount, vatFromTaxes))
    const redirect = returnUrl === undefined ? undefined : new URL(returnUrl)
    redirect?.searchParams.set('payment_session', qrCodeUid)
    const made = await createOrderCode(this.#fps, {
      ...{ qrCodeUid, amount, qrCode: { type: 'DYNAMIC', ttl, image: { mediaType: 'image/svg+xml' } } },
      ...(redirect && { redirectUrl: redirect.href }),
      ...(receipt && { receipt }),
    })
    return {
      id: qrCodeUid,
      status: PaymentSessionStatus.PENDING,
      data: { qrCodeUid, amount, ...ofPage(made) },
    }
  }

  /** An order is placed although its code is not paid yet: it waits, and a notification or a read of the code pays it. */
  async authorizePayment({ data = {} }: AuthorizePaymentInput): Promise<AuthorizePaymentOutput> {
    try {
      const { state, payment, returned } = await readOrder(this.#fps, codeOf(data))
      return {
        status: STATUS[returned ? 'ended' : state],
        data: { ...data, ...(payment && { paymentId: payment.paymentId }) },
      }
    } catch (error) {
      // Nobody knows that it is not paid: the order waits.
      if (!(error instanceof ConnectionError) && !(error instanceof UnavailableError)) throw error
      this.#logger.warn(`fps-qr: ${error.message}; the order waits for its payment`)
      return { status: PaymentSessionStatus.PENDING_AUTHORIZATION, data }
    }
  }

  async getPaymentStatus({ data = {} }: GetPaymentStatusInput): Promise<GetPaymentStatusOutput> {
    return { status: STATUS[(await readOrder(this.#fps, codeOf(data))).state], data }
  }

  /** The money of a paid code is there already. */
  async capturePayment({ data = {} }: CapturePaymentInput): Promise<CapturePaymentOutput> {
    const { state, payment } = await readOrder(this.#fps, codeOf(data))
    if (state === 'paid' && payment) return { data: { ...data, paymentId: payment.paymentId } }
    throw refused('The QR code is not paid: only the customer can pay it')
  }

  async cancelPayment({ data = {} }: CancelPaymentInput): Promise<CancelPaymentOutput> {
    await this.#cancelUnpaid(codeOf(data))
    return { data }
  }

  async deletePayment({ data = {} }: DeletePaymentInput): Promise<DeletePaymentOutput> {
    const code = codeIn(data)
    if (code) await this.#cancelUnpaid(code)
    return { data }
  }

  async #cancelUnpaid(code: StoredOrder): Promise<void> {
    const { state, returned } = (await cancelOrder(this.#fps, code)) ?? {}
    if (state === 'paid' && !returned) throw refused('The QR code is paid: refund the payment instead')
    if (state === 'open') throw refused('The QR code is being paid: try again in a minute')
  }

  async refundPayment({ amount, data = {}, context }: RefundPaymentInput): Promise<RefundPaymentOutput> {
    const { payment } = await readOrder(this.#fps, codeOf(data))
    if (!payment) throw refused('The QR code is not paid: there is nothing to refund')
    const rowId = context?.idempotency_key
    if (rowId === undefined) throw refused('fps-qr: Medusa names no refund')
    const { value } = amountOf(amount, payment.amount.currency)
    await refundForRow(container, this.#fps, rowId, {
      paymentId: payment.paymentId,
      value: fromKopecks(toKopecks(value)),
    })
    return { data }
  }

  async retrievePayment({ data = {} }: RetrievePaymentInput): Promise<RetrievePaymentOutput> {
    return { data: { ...(await this.#fps.getQrCode(codeOf(data).qrCodeUid)) } }
  }

  /**
   * For Medusa's own route, /hooks/payment/fps-qr_…: it answers before it does anything, so what it was told is lost if the
   * shop ends meanwhile. /fps-qr/notifications of this package answers afterwards.
   */
  async getWebhookActionAndData({
    rawData,
    headers,
  }: ProviderWebhookPayload['payload']): Promise<WebhookActionResult> {
    const notSupported = { action: PaymentActions.NOT_SUPPORTED }
    const qrCodeUid = await notifiedCode(this.#fps, this.#settings, rawData, headers)
    const session = qrCodeUid === undefined ? undefined : await readSession(container, qrCodeUid)
    const code = codeIn(session?.data)
    if (!session || !code || (await readOrder(this.#fps, code)).state !== 'paid') return notSupported
    const data = { session_id: session.id, amount: Number(code.amount.value) }
    return { action: PaymentActions.SUCCESSFUL, data }
  }
}

/** What a page of the storefront shows. */
const ofPage = ({ pageUrl, expiresOn, qrCode: { image } }: QrCode) => ({
  ...{ pageUrl, expiresOn },
  ...(image && { picture: `data:${image.mediaType};base64,${image.content}` }),
})

// The merchant's operations, one method each.
import { type AmountInput, checkedAmount } from './amount.ts'
import { type EventsOptions, eventPages } from './events.ts'
import { type FpsQrOptions, Http, segment } from './http.ts'
import { pages } from './pages.ts'
import type {
  ChargeRequest,
  EventFeed,
  Payment,
  PaymentDecisionRequest,
  PaymentPage,
  QrCode,
  QrCodePage,
  QrCodeRequest,
  QrCodeStatus,
  QrCodeType,
  Refund,
  RefundRequest,
  Sale,
  SalePage,
  SaleRequest,
} from './schema.ts'
import { Settlements } from './settlements.ts'
import { type WaitOptions, waitForQrCode, waitForRefund, waitForSale } from './wait.ts'

/** As the service's document has it, but amounts are exact. */
export type CreateQrCode = Omit<QrCodeRequest, 'amount'> & { amount?: AmountInput }

/** As the service's document has it, but amounts are exact. A comment has at most 255 characters. */
export type RefundInput = Omit<RefundRequest, 'amount'> & { amount: AmountInput }

/** As the service's document has it, but amounts are exact. */
export type SaleInput = Omit<SaleRequest, 'amount'> & { amount: AmountInput }

export interface CallOptions {
  /** Ends the operation. It may have been carried out. */
  signal?: AbortSignal
}

export interface QrCodesOptions extends CallOptions {
  /** Only QR codes in these statuses. */
  status?: readonly QrCodeStatus[]
  /** Only QR codes of these types. */
  type?: readonly QrCodeType[]
  /** Only QR codes that were created then or later. */
  createdFrom?: Date
  /** Only QR codes that were created then or earlier. */
  createdTo?: Date
}

/**
 * The client of one merchant site. Every operation is sent again after 429, 5xx and lost connections, with the same
 * identifiers, so that it is carried out once. All of them throw ApiError, ConnectionError and the signal's reason,
 * and RangeError for an argument that breaks its rule.
 */
export class FpsQr {
  readonly #http: Http
  /** The files of the bank: what it paid out. */
  readonly settlements: Settlements

  constructor(options: FpsQrOptions) {
    this.#http = new Http(options)
    this.settlements = new Settlements(this.#http)
  }

  /** Creates the QR code of this `qrCodeUid`; if it exists already with the same fields, returns it as it is now. */
  async createQrCode(request: CreateQrCode, { signal }: CallOptions = {}): Promise<QrCode> {
    const body = { ...request, ...(request.amount && { amount: checkedAmount(request.amount) }) }
    return (await this.#http.request<QrCode>({ method: 'POST', path: QR_CODES, body, signal })).body
  }

  /** The QR code as it is now, without its picture. */
  async getQrCode(qrCodeUid: string, { signal }: CallOptions = {}): Promise<QrCode> {
    return (await this.#http.request<QrCode>({ path: qrCodePath(qrCodeUid), signal })).body
  }

  /**
   * Waits until the status is final: PAYED, ACCEPTED, EXPIRED or CANCELLED. Breaks of any length do not end it.
   * @param options `returnDeclined`: a DECLINED code ends the wait too, as after a charge. Otherwise it does not: the
   * customer can try again.
   */
  async waitForPayment(
    qrCodeUid: string,
    options: WaitOptions & { returnDeclined?: boolean } = {},
  ): Promise<QrCode> {
    return waitForQrCode(this.#http, qrCodePath(qrCodeUid), options)
  }

  /** Cancels a QR code that is not paid. @throws ConflictError if its status does not allow it */
  async cancel(qrCodeUid: string, { signal }: CallOptions = {}): Promise<QrCode> {
    const path = qrCodePath(qrCodeUid)
    return (await this.#http.request<QrCode>({ method: 'DELETE', path, signal })).body
  }

  /** Pays a QR code that has an amount by a stored token, without the customer; the same again charges once. */
  async chargeToken(qrCodeUid: string, charge: ChargeRequest, { signal }: CallOptions = {}): Promise<QrCode> {
    const path = `${qrCodePath(qrCodeUid)}/payments`
    return (await this.#http.request<QrCode>({ method: 'POST', path, body: charge, signal })).body
  }

  /** Every payment attempt of a QR code, oldest first. It is paid where one is COMPLETED and applied. */
  async *payments(qrCodeUid: string, { signal }: CallOptions = {}): AsyncGenerator<Payment> {
    const path = `${qrCodePath(qrCodeUid)}/payments`
    for await (const page of pages<PaymentPage>(this.#http, path, {}, signal)) yield* page.payments
  }

  async getPayment(paymentId: string, { signal }: CallOptions = {}): Promise<Payment> {
    return (await this.#http.request<Payment>({ path: paymentPath(paymentId), signal })).body
  }

  /**
   * Marks a completed payment that no QR code took as delivered, or with `OPEN` undoes that. It can be refunded all the same.
   * @throws ConflictError if it is not completed, or is applied
   */
  async decidePayment(
    paymentId: string,
    decision: PaymentDecisionRequest,
    { signal }: CallOptions = {},
  ): Promise<Payment> {
    const path = `${paymentPath(paymentId)}/decision`
    return (await this.#http.request<Payment>({ method: 'PUT', path, body: decision, signal })).body
  }

  /**
   * Refunds a payment, in part or in full; the same `refundId` again refunds once.
   * @param refundId yours: 1 to 64 of `A-Z a-z 0-9 . _ -`, unique within the payment
   */
  async refund(
    paymentId: string,
    refundId: string,
    refund: RefundInput,
    { signal }: CallOptions = {},
  ): Promise<Refund> {
    const body = { ...refund, amount: checkedAmount(refund.amount) }
    const path = refundPath(paymentId, refundId)
    return (await this.#http.request<Refund>({ method: 'PUT', path, body, signal })).body
  }

  async getRefund(paymentId: string, refundId: string, { signal }: CallOptions = {}): Promise<Refund> {
    return (await this.#http.request<Refund>({ path: refundPath(paymentId, refundId), signal })).body
  }

  /** Waits until the refund is COMPLETED or DECLINED. Breaks of any length do not end it. */
  async waitForRefund(paymentId: string, refundId: string, options: WaitOptions = {}): Promise<Refund> {
    return waitForRefund(this.#http, refundPath(paymentId, refundId), options)
  }

  /**
   * Arms a COUNTER code for a sale; the same `saleUid` again returns the sale as it is now.
   * @param saleUid yours: 1 to 64 of `A-Z a-z 0-9 . _ -`, unique within the QR code
   * @throws ConflictError while another sale is ACTIVE: its `cause.saleUid` names it
   */
  async armSale(
    qrCodeUid: string,
    saleUid: string,
    sale: SaleInput,
    { signal }: CallOptions = {},
  ): Promise<Sale> {
    const body = { ...sale, amount: checkedAmount(sale.amount) }
    const path = salePath(qrCodeUid, saleUid)
    return (await this.#http.request<Sale>({ method: 'PUT', path, body, signal })).body
  }

  async getSale(qrCodeUid: string, saleUid: string, { signal }: CallOptions = {}): Promise<Sale> {
    return (await this.#http.request<Sale>({ path: salePath(qrCodeUid, saleUid), signal })).body
  }

  /** Waits until the sale is PAYED, EXPIRED or CANCELLED. Breaks of any length do not end it. */
  async waitForSale(qrCodeUid: string, saleUid: string, options: WaitOptions = {}): Promise<Sale> {
    return waitForSale(this.#http, salePath(qrCodeUid, saleUid), options)
  }

  /** Cancels a sale that is ACTIVE. @throws ConflictError if it is not */
  async cancelSale(qrCodeUid: string, saleUid: string, { signal }: CallOptions = {}): Promise<Sale> {
    const path = salePath(qrCodeUid, saleUid)
    return (await this.#http.request<Sale>({ method: 'DELETE', path, signal })).body
  }

  /** Every sale of a COUNTER code, newest first. */
  async *sales(qrCodeUid: string, { signal }: CallOptions = {}): AsyncGenerator<Sale> {
    const path = `${qrCodePath(qrCodeUid)}/sales`
    for await (const page of pages<SalePage>(this.#http, path, {}, signal)) yield* page.sales
  }

  /** QR codes, newest first, without pictures. Those that are created meanwhile neither repeat nor hide others. */
  async *qrCodes({
    status,
    type,
    createdFrom,
    createdTo,
    signal,
  }: QrCodesOptions = {}): AsyncGenerator<QrCode> {
    const query = {
      limit: '100',
      ...(status && { status: status.join(',') }),
      ...(type && { type: type.join(',') }),
      ...(createdFrom && { createdFrom: createdFrom.toISOString() }),
      ...(createdTo && { createdTo: createdTo.toISOString() }),
    }
    for await (const page of pages<QrCodePage>(this.#http, QR_CODES, query, signal)) yield* page.qrCodes
  }

  /**
   * Everything that happens on the site, oldest first, in pages of one event or more. Store `nextCursor` with what you
   * did about a page, and you miss nothing. Breaks of any length do not end it.
   * @throws CursorGoneError if the site was restored from a backup. It does not start again by itself: the feed that
   * you knew and the present one differ, so start without `after` and compare what you stored.
   */
  events(options: EventsOptions = {}): AsyncGenerator<EventFeed> {
    return eventPages(this.#http, options)
  }
}

const QR_CODES = '/sbp/qrCodes'
const qrCodePath = (qrCodeUid: string) => `${QR_CODES}/${segment('qrCodeUid', qrCodeUid)}`
const paymentPath = (paymentId: string) => `/payments/${segment('paymentId', paymentId)}`
const salePath = (qrCodeUid: string, saleUid: string) =>
  `${qrCodePath(qrCodeUid)}/sales/${segment('saleUid', saleUid)}`
const refundPath = (paymentId: string, refundId: string) =>
  `${paymentPath(paymentId)}/refunds/${segment('refundId', refundId)}`

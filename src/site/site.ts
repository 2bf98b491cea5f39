// The Durable Object: the database of one merchant site, and its only writer. Its methods are the RPC interface.
import { DurableObject } from 'cloudflare:workers'
import type { Caller } from '../contract/caller.ts'
import type { Payment, PaymentReport } from '../contract/payment.ts'
import type { QrCode } from '../contract/qr-code.ts'
import type { PageQuery } from '../contract/query.ts'
import type { Outcome } from '../errors.ts'
import { type EventPage, eventsOf, type FeedPage, type FeedQuery } from './events.ts'
import { type LongPoll, type Polled, pollFeed, pollQrCode, type QrCodePoll } from './long-poll.ts'
import { ok, PAYMENT_NOT_FOUND, QR_CODE_NOT_FOUND } from './outcomes.ts'
import { findPayment, type PaymentPage, paymentsOf, type ReportOrigin } from './payments.ts'
import { type ListQuery, listQrCodes, type QrCodePage } from './qr-code-list.ts'
import {
  type Created,
  type Creation,
  cancelQrCode,
  createQrCodes,
  findQrCode,
  type QrCodeKey,
} from './qr-codes.ts'
import { type Reported, type ReportKey, reportPayment } from './reports.ts'
import { paymentOf, type QrCodeRow, qrCodeOf } from './rows.ts'
import { Store } from './store.ts'

export class Site extends DurableObject {
  // Only this file reads the clock.
  readonly #store = new Store(this.ctx.storage, () => Date.now())
  readonly #sql = this.#store.sql

  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    super(ctx, env)
    ctx.blockConcurrencyWhile(() => this.#store.open())
  }

  /** Creates QR codes, or replays them. @returns the outcome of each, in their order */
  create(creations: readonly Creation[]): Promise<Outcome<Outcome<Created>[]>> {
    return this.#store.write((now) => ok(createQrCodes(this.#store, creations, now)), creations.length)
  }

  /** A QR code as it stands. */
  async read(_caller: Caller, key: QrCodeKey): Promise<Outcome<QrCode>> {
    return this.#with(key, (row) => qrCodeOf(row, this.#store.now))
  }

  /** A QR code when it changes. */
  longPoll(caller: Caller, key: QrCodeKey, poll: QrCodePoll): Promise<Outcome<Polled<QrCode>>> {
    return pollQrCode(this.#store, caller, key, poll)
  }

  /** Ends a long poll whose client has disconnected. */
  async stopListening(id: string): Promise<void> {
    this.#store.stopListening(id)
  }

  /** A page of QR codes, newest first. */
  async list(_caller: Caller, query: ListQuery): Promise<Outcome<QrCodePage>> {
    return ok(this.#store.isMigrated ? listQrCodes(this.#sql, query, this.#store.now) : { qrCodes: [] })
  }

  /** A page of a QR code's events, oldest first. */
  async events(_caller: Caller, key: QrCodeKey, page: PageQuery): Promise<Outcome<EventPage>> {
    const recorded = await this.#store.recordDue()
    if (!recorded.ok) return recorded
    return this.#with(key, (row) => eventsOf(this.#sql, row.number, page))
  }

  /** A page of the site's events, oldest first; an empty page waits for the next event. */
  feed(caller: Caller, query: FeedQuery, poll?: LongPoll): Promise<Outcome<Polled<FeedPage>>> {
    return pollFeed(this.#store, caller, query, poll)
  }

  /** A page of a QR code's payment attempts, oldest first. */
  async payments(_caller: Caller, key: QrCodeKey, page: PageQuery): Promise<Outcome<PaymentPage>> {
    return this.#with(key, (row) => paymentsOf(this.#sql, row.number, page))
  }

  /** A payment attempt. */
  async payment(_caller: Caller, paymentUid: string): Promise<Outcome<Payment>> {
    const row = this.#store.isMigrated ? findPayment(this.#sql, paymentUid) : undefined
    return row ? ok(paymentOf(row)) : PAYMENT_NOT_FOUND
  }

  /** Cancels a QR code that can be paid; a second call changes nothing. */
  cancel(caller: Caller, key: QrCodeKey): Promise<Outcome<QrCode>> {
    return this.#store.write((now) => {
      const row = this.#find(key)
      return row ? cancelQrCode(this.#sql, row, caller, now) : QR_CODE_NOT_FOUND
    })
  }

  /** Records the report of a payment attempt. */
  report(
    caller: Caller,
    key: ReportKey,
    report: PaymentReport,
    origin: ReportOrigin,
  ): Promise<Outcome<Reported>> {
    return this.#store.write((now) => {
      // The payment of an authentic link is a fact, even if the site does not have its QR code.
      const authentic = 'isAuthentic' in key && key.isAuthentic ? key.linkId : undefined
      if (authentic !== undefined) this.#store.migrate()
      const row = this.#find(key)
      const linkId = row?.link_id ?? authentic
      if (linkId === undefined) return QR_CODE_NOT_FOUND
      return reportPayment(this.#sql, { row, linkId }, report, { ...origin, caller }, now)
    })
  }

  /** Records what is due. */
  override alarm(): Promise<void> {
    return this.#store.wake()
  }

  #find(key: QrCodeKey): QrCodeRow | undefined {
    return this.#store.isMigrated ? findQrCode(this.#sql, key) : undefined
  }

  #with<T>(key: QrCodeKey, read: (row: QrCodeRow) => T): Outcome<T> {
    const row = this.#find(key)
    return row ? ok(read(row)) : QR_CODE_NOT_FOUND
  }
}

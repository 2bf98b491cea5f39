// The Durable Object: the database of one merchant site, and its only writer. Its methods are the RPC interface.
import { DurableObject } from 'cloudflare:workers'
import type { ApiKey } from '../contract/api-key.ts'
import type { Caller } from '../contract/caller.ts'
import type { DeliveryResult } from '../contract/delivery.ts'
import type { Payment } from '../contract/payment.ts'
import type { QrCode } from '../contract/qr-code.ts'
import type { PageQuery } from '../contract/query.ts'
import type { PaymentKey, Refund, RefundReport, RefundSpec } from '../contract/refund.ts'
import type { NotificationKey, Settings } from '../contract/settings.ts'
import type { Outcome } from '../errors.ts'
import { ApiKeys, type NewApiKey } from './api-keys.ts'
import { type BindingOrigin, type Bound, type NewBinding, reportBinding } from './bindings.ts'
import { type Charged, chargeToken } from './charges.ts'
import type { Connection } from './connection.ts'
import { Dispatcher } from './dispatcher.ts'
import { type EventPage, eventsOf, type FeedPage, type FeedQuery } from './events.ts'
import { type LongPoll, type Polled, pollFeed, pollQrCode, type QrCodePoll } from './long-poll.ts'
import {
  detailsOf,
  findNotification,
  type NotificationDetails,
  type NotificationPage,
  type NotificationsQuery,
  notificationsOf,
} from './notification-log.ts'
import {
  NOTIFICATION_NOT_FOUND,
  ok,
  PAYMENT_NOT_FOUND,
  QR_CODE_NOT_FOUND,
  REFUND_NOT_FOUND,
  TOKEN_NOT_FOUND,
} from './outcomes.ts'
import {
  findPayment,
  type PaymentPage,
  paymentsOf,
  type ReportOrigin,
  type ReportTarget,
} from './payments.ts'
import { type ListQuery, listQrCodes, type QrCodePage } from './qr-code-list.ts'
import {
  type Created,
  type Creation,
  cancelQrCode,
  createQrCodes,
  findQrCode,
  type QrCodeKey,
} from './qr-codes.ts'
import { type Refunded, refundsOf, refundTarget, reportRefund, requestRefund } from './refunds.ts'
import { type NewReport, type Reported, type ReportKey, reportPayment } from './reports.ts'
import { type PaymentRow, paymentOf } from './rows/payments.ts'
import { type QrCodeRow, qrCodeOf } from './rows/qr-codes.ts'
import { findRefund, refundOf } from './rows/refunds.ts'
import {
  activateNotificationKey,
  addNotificationKey,
  type IfMatch,
  INITIAL,
  listNotificationKeys,
  type NewNotificationKey,
  replaceSettings,
  type SettingsVersion,
  settingsOf,
  settingsVersion,
} from './settings.ts'
import { Store } from './store.ts'
import { deleteToken, type TokenKey, type TokenPage, tokensOf } from './tokens.ts'

/** What the payer's page shows. */
export interface QrCodeWithShop {
  qrCode: QrCode
  shop: Pick<Settings, 'name' | 'supportContact'>
}

export class Site extends DurableObject {
  readonly #siteId = siteIdOf(this.ctx.id)
  // Only this file reads the clock.
  readonly #store = new Store(this.ctx.storage, () => Date.now())
  readonly #sql = this.#store.sql
  readonly #keys = new ApiKeys(this.#store)
  readonly #dispatcher = new Dispatcher({
    store: this.#store,
    siteId: this.#siteId,
    courier: this.ctx.exports.Courier,
    waitUntil: (work) => this.ctx.waitUntil(work),
    random: () => Math.random(),
    log: (line) => console.log(line),
  })

  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    super(ctx, env)
    ctx.blockConcurrencyWhile(async () => {
      await this.#store.open()
      this.#keys.open()
    })
  }

  /** Creates QR codes, or replays them. @returns the outcome of each, in their order */
  create(creations: readonly Creation[]): Promise<Outcome<Outcome<Created>[]>> {
    const refusalOf = (caller: Caller) => this.#keys.admit(caller)
    return this.#store.write(
      (now) => ok(createQrCodes(this.#store, creations, now, refusalOf)),
      creations.length,
    )
  }

  /** A QR code as it stands. */
  async read(caller: Caller, key: QrCodeKey): Promise<Outcome<QrCode>> {
    return this.#as(caller, () => this.#with(key, (row) => qrCodeOf(row, this.#store.now)))
  }

  /** A QR code as it stands, and the shop, for the payer's page. */
  async readForPayer(key: QrCodeKey): Promise<Outcome<QrCodeWithShop>> {
    return this.#with(key, (row) => {
      const { name, supportContact } = settingsOf(this.#sql)
      return { qrCode: qrCodeOf(row, this.#store.now), shop: { name, supportContact } }
    })
  }

  /** A QR code when it changes. */
  longPoll(caller: Caller, key: QrCodeKey, poll: QrCodePoll): Promise<Outcome<Polled<QrCode>>> {
    return this.#poll(caller, () => pollQrCode(this.#store, caller, key, poll))
  }

  /** Ends a long poll whose client has disconnected. */
  async stopListening(id: string): Promise<void> {
    this.#store.stopListening(id)
  }

  /** A page of QR codes, newest first. */
  async list(caller: Caller, query: ListQuery): Promise<Outcome<QrCodePage>> {
    return this.#as(caller, () =>
      ok(this.#store.isMigrated ? listQrCodes(this.#sql, query, this.#store.now) : { qrCodes: [] }),
    )
  }

  /** A page of a QR code's events, oldest first. */
  async events(caller: Caller, key: QrCodeKey, page: PageQuery): Promise<Outcome<EventPage>> {
    return this.#as(caller, async () => {
      const recorded = await this.#store.recordDue()
      if (!recorded.ok) return recorded
      return this.#with(key, (row) => eventsOf(this.#sql, row.number, page))
    })
  }

  /** A page of the site's events, oldest first; an empty page waits for the next event. */
  feed(caller: Caller, query: FeedQuery, poll?: LongPoll): Promise<Outcome<Polled<FeedPage>>> {
    return this.#poll(caller, () => pollFeed(this.#store, caller, query, poll))
  }

  /** A page of a QR code's payment attempts, oldest first. */
  async payments(caller: Caller, key: QrCodeKey, page: PageQuery): Promise<Outcome<PaymentPage>> {
    return this.#as(caller, () => this.#with(key, (row) => paymentsOf(this.#sql, row.number, page)))
  }

  /** A payment attempt. */
  async payment(caller: Caller, paymentUid: string): Promise<Outcome<Payment>> {
    return this.#as(caller, () => this.#withPayment(paymentUid, (row) => ok(paymentOf(row))))
  }

  /** Cancels a QR code that can be paid; a second call changes nothing. */
  cancel(caller: Caller, key: QrCodeKey): Promise<Outcome<QrCode>> {
    return this.#write(caller, (now) => {
      const row = this.#find(key)
      return row ? cancelQrCode(this.#sql, row, caller, now) : QR_CODE_NOT_FOUND
    })
  }

  /** Records the report of a payment attempt. */
  report(
    caller: Caller,
    key: ReportKey,
    report: NewReport,
    origin: ReportOrigin,
  ): Promise<Outcome<Reported>> {
    return this.#writeReport(caller, key, (target, now) =>
      reportPayment(this.#sql, target, report, { ...origin, caller }, now),
    )
  }

  /** Records the network's report of a binding. */
  reportBinding(
    caller: Caller,
    key: ReportKey,
    binding: NewBinding,
    { network }: Pick<BindingOrigin, 'network'>,
  ): Promise<Outcome<Bound>> {
    return this.#writeReport(caller, key, (target, now) =>
      reportBinding(this.#sql, target, binding, { network, caller }, now),
    )
  }

  /** Charges a token for a QR code. */
  charge(caller: Caller, key: QrCodeKey, token: TokenKey, connection: Connection): Promise<Outcome<Charged>> {
    return this.#write(caller, (now) => {
      const row = this.#find(key)
      return row
        ? chargeToken(this.#sql, this.#siteId, row, token, connection, caller, now)
        : QR_CODE_NOT_FOUND
    })
  }

  /** A page of the tokens of a customer's account, newest first. */
  async tokens(caller: Caller, account: string, page: PageQuery): Promise<Outcome<TokenPage>> {
    return this.#as(caller, () =>
      ok(this.#store.isMigrated ? tokensOf(this.#sql, account, page, this.#store.now) : { tokens: [] }),
    )
  }

  /** Deletes a token; a second call changes nothing. */
  deleteToken(caller: Caller, token: TokenKey, connection: Connection): Promise<Outcome<void>> {
    return this.#write(caller, (now) =>
      this.#store.isMigrated ? deleteToken(this.#sql, token, connection, caller, now) : TOKEN_NOT_FOUND,
    )
  }

  /** Accepts a refund of a payment, or of the payment that a QR code took, which is then returned too. */
  refund(
    caller: Caller,
    key: PaymentKey,
    refund: RefundSpec,
    connection: Connection,
  ): Promise<Outcome<Refunded & { qrCode?: QrCode }>> {
    return this.#write(caller, (now) => {
      const target = this.#store.isMigrated ? refundTarget(this.#sql, key) : PAYMENT_NOT_FOUND
      if (!target.ok) return target
      const refunded = requestRefund(this.#sql, target.value, refund, connection, caller, now)
      const row = 'qrCodeUid' in key ? this.#find(key) : undefined
      return refunded.ok && row ? ok({ ...refunded.value, qrCode: qrCodeOf(row, now) }) : refunded
    })
  }

  /** All refunds of a payment, oldest first. */
  async refunds(caller: Caller, paymentUid: string): Promise<Outcome<Refund[]>> {
    return this.#as(caller, () =>
      this.#withPayment(paymentUid, (payment) => ok(refundsOf(this.#sql, payment))),
    )
  }

  /** A refund of a payment. */
  async refundOf(caller: Caller, paymentUid: string, refundUid: string): Promise<Outcome<Refund>> {
    return this.#as(caller, () =>
      this.#withPayment(paymentUid, (payment) => {
        const row = findRefund(this.#sql, payment, refundUid)
        return row ? ok(refundOf(row)) : REFUND_NOT_FOUND
      }),
    )
  }

  /** Records the network's report of a refund. */
  reportRefund(
    caller: Caller,
    paymentUid: string,
    refundUid: string,
    report: RefundReport,
  ): Promise<Outcome<Refunded>> {
    return this.#write(caller, (now) =>
      this.#withPayment(paymentUid, (payment) =>
        reportRefund(this.#sql, payment, refundUid, report, caller, now),
      ),
    )
  }

  /** The settings, and their revision. */
  async settings(caller: Caller): Promise<Outcome<SettingsVersion>> {
    return this.#as(caller, () => ok(this.#store.isMigrated ? settingsVersion(this.#sql) : INITIAL))
  }

  /** Replaces the settings, if their revision is one of `ifMatch`. */
  replaceSettings(caller: Caller, settings: Settings, ifMatch: IfMatch): Promise<Outcome<SettingsVersion>> {
    return this.#change(caller, (now) => replaceSettings(this.#sql, settings, ifMatch, caller, now))
  }

  /** The notification keys, without their texts. */
  async notificationKeys(caller: Caller): Promise<Outcome<NotificationKey[]>> {
    return this.#as(caller, () => ok(this.#store.isMigrated ? listNotificationKeys(this.#sql) : []))
  }

  /** Adds a notification key. */
  addNotificationKey(caller: Caller, key: NewNotificationKey): Promise<Outcome<NotificationKey>> {
    return this.#change(caller, (now) => addNotificationKey(this.#sql, key, caller, now))
  }

  /** Activates a notification key, which ends the other one. */
  activateNotificationKey(caller: Caller, id: string): Promise<Outcome<NotificationKey>> {
    return this.#change(caller, (now) => activateNotificationKey(this.#sql, id, caller, now))
  }

  /** The API keys: those that were made here, used here or revoked. */
  apiKeys(caller: Caller): Promise<Outcome<ApiKey[]>> {
    return this.#change(caller, () => ok(this.#keys.list()))
  }

  /** Adds an API key. */
  addApiKey(caller: Caller, key: NewApiKey): Promise<Outcome<void>> {
    return this.#change(caller, (now) => this.#keys.add(key, caller, now))
  }

  /** Revokes an API key. */
  revokeApiKey(caller: Caller, id: string): Promise<Outcome<void>> {
    return this.#change(caller, (now) => this.#keys.revoke(id, caller, now))
  }

  /** A page of the merchant's notifications, newest first. */
  async notifications(caller: Caller, query: NotificationsQuery): Promise<Outcome<NotificationPage>> {
    return this.#as(caller, () =>
      ok(this.#store.isMigrated ? notificationsOf(this.#sql, query) : { notifications: [] }),
    )
  }

  /** A notification, and what it tells. */
  async notification(caller: Caller, id: string): Promise<Outcome<NotificationDetails>> {
    return this.#as(caller, () => {
      const row = this.#store.isMigrated ? findNotification(this.#sql, id) : undefined
      return row ? ok(detailsOf(this.#sql, row)) : NOTIFICATION_NOT_FOUND
    })
  }

  /** Delivers a notification once more, now. */
  async redeliver(caller: Caller, id: string): Promise<Outcome<DeliveryResult>> {
    return this.#as(caller, () => this.#dispatcher.redeliver(id))
  }

  /** Delivers a test notification, now. */
  async deliverTest(caller: Caller): Promise<Outcome<DeliveryResult>> {
    return this.#as(caller, () => this.#dispatcher.deliverTest())
  }

  /** Writes, and resolves when the write is on disk. */
  probe(): Promise<void> {
    return this.#store.probe()
  }

  /** Records what is due. */
  override alarm(): Promise<void> {
    return this.#store.wake(() => this.#dispatcher.run())
  }

  /** Runs an operation unless the caller's key is revoked. */
  async #as<T>(caller: Caller, operation: () => Outcome<T> | Promise<Outcome<T>>): Promise<Outcome<T>> {
    return this.#keys.admit(caller) ?? operation()
  }

  /** Runs a write, unless the caller's key is revoked by the time that it is applied. */
  #write<T>(caller: Caller, operation: (now: number) => Outcome<T>): Promise<Outcome<T>> {
    return this.#store.write((now) => this.#keys.admit(caller) ?? operation(now))
  }

  /** Runs the write of a report: what is about an authentic link is a fact, even if the site does not have its QR code. */
  #writeReport<T>(
    caller: Caller,
    key: ReportKey,
    operation: (target: ReportTarget, now: number) => Outcome<T>,
  ): Promise<Outcome<T>> {
    return this.#write(caller, (now) => {
      const authentic = 'isAuthentic' in key && key.isAuthentic ? key.linkId : undefined
      if (authentic !== undefined) this.#store.migrate()
      const row = this.#find(key)
      const linkId = row?.link_id ?? authentic
      return linkId === undefined ? QR_CODE_NOT_FOUND : operation({ row, linkId }, now)
    })
  }

  /** The same on a site that may have no tables yet. */
  #change<T>(caller: Caller, operation: (now: number) => Outcome<T>): Promise<Outcome<T>> {
    return this.#write(caller, (now) => {
      this.#store.migrate()
      return operation(now)
    })
  }

  /** Runs a long poll. A key that is revoked meanwhile learns nothing of what happens after. */
  async #poll<T>(caller: Caller, poll: () => Promise<Outcome<T>>): Promise<Outcome<T>> {
    const outcome = await this.#as(caller, poll)
    return this.#keys.admit(caller) ?? outcome
  }

  #find(key: QrCodeKey): QrCodeRow | undefined {
    return this.#store.isMigrated ? findQrCode(this.#sql, key) : undefined
  }

  #withPayment<T>(paymentUid: string, use: (row: PaymentRow) => Outcome<T>): Outcome<T> {
    const row = this.#store.isMigrated ? findPayment(this.#sql, paymentUid) : undefined
    return row ? use(row) : PAYMENT_NOT_FOUND
  }

  #with<T>(key: QrCodeKey, read: (row: QrCodeRow) => T): Outcome<T> {
    const row = this.#find(key)
    return row ? ok(read(row)) : QR_CODE_NOT_FOUND
  }
}

/** @throws Error for an object that was reached by its id alone: it would work as a site without a name */
function siteIdOf({ name }: DurableObjectId): string {
  if (!name) throw new Error('the object has no name, must be reached by the name of its site')
  return name
}

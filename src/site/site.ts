// The Durable Object: the database of one merchant site, and its only writer. Its methods are the RPC interface.
import { DurableObject } from 'cloudflare:workers'
import type { ApiKey } from '../contract/api-key.ts'
import { type Caller, NOBODY, PAYER } from '../contract/caller.ts'
import type { DayFigures, DayQuery } from '../contract/day-report.ts'
import type { DeliveryResult } from '../contract/delivery.ts'
import type { ExportCursor, ExportPage } from '../contract/export.ts'
import type { Network, Payment } from '../contract/payment.ts'
import type { PaymentsQuery } from '../contract/payment-list.ts'
import type { QrCode, QrCodeSpec } from '../contract/qr-code.ts'
import type { PageQuery, QrCodeEventsQuery } from '../contract/query.ts'
import type { NetworkQrCodesQuery } from '../contract/reconciliation.ts'
import type { PaymentKey, Refund, RefundReport, RefundSpec } from '../contract/refund.ts'
import type { Sale, SaleSpec } from '../contract/sale.ts'
import type { NewSession, Session } from '../contract/session.ts'
import type { Logo, NewSettings, NotificationKey } from '../contract/settings.ts'
import type { SiteHealth } from '../contract/site.ts'
import { REGISTRY } from '../contract/site-id.ts'
import type { Outcome } from '../errors.ts'
import { Announcer } from './announcement.ts'
import type { NewApiKey } from './api-keys.ts'
import { type Created, type Creation, createAll, findCreated } from './creations.ts'
import { type EventPage, eventsOf, type FeedPage, type FeedQuery } from './events.ts'
import { exportPage } from './export.ts'
import { FigureTeller } from './figures.ts'
import { healthOf } from './health.ts'
import {
  type LongPoll,
  type Polled,
  pollFeed,
  pollQrCode,
  pollSale,
  type QrCodePoll,
} from './listeners/long-poll.ts'
import {
  activateNotificationKey,
  addNotificationKey,
  listNotificationKeys,
  type NewNotificationKey,
} from './notification-keys.ts'
import type { Connection } from './outbox/connection.ts'
import { Dispatcher } from './outbox/dispatcher.ts'
import {
  type NotificationDetails,
  type NotificationPage,
  type NotificationsQuery,
  notificationsOf,
  readNotification,
} from './outbox/notification-log.ts'
import { ok } from './outcomes.ts'
import { type QrCodeWithShop, readForPayer, type Shop, shopOf } from './payer.ts'
import { type Charged, chargeToken } from './payments/charges.ts'
import { dayFigures } from './payments/day-report.ts'
import { listPayments } from './payments/payment-list.ts'
import { type PaymentPage, paymentsOf, readPayment } from './payments/payments.ts'
import { type ReportPage, type ReportQuery, reportPage } from './payments/payments-report.ts'
import { type Refunded, readRefund, refund, refundsOf, reportRefund } from './payments/refunds.ts'
import type { ReportKey } from './payments/report-target.ts'
import { type NewReport, type Reported, type ReportOrigin, reportPayment } from './payments/reports.ts'
import { makeUpBinding, makeUpPayment } from './payments/sandbox.ts'
import {
  type ListQuery,
  listQrCodes,
  type NamedQuery,
  type PrefixQuery,
  type QrCodePage,
} from './qr-code-list.ts'
import { type ArmedSale, cancelQrCode, ofQrCode, type QrCodeKey, readQrCode } from './qr-codes.ts'
import {
  type NetworkQrCodesPage,
  networkQrCodes,
  type WaitingRefundsPage,
  waitingRefunds,
} from './reconciliation.ts'
import { endRestore } from './resume.ts'
import { Retention } from './retention.ts'
import { setCreatedAt } from './rows/site.ts'
import type { SaleAtBank } from './sale-ends.ts'
import {
  type Armed,
  type ArmedByBank,
  armSale,
  cancelSale,
  confirmSale,
  dropSale,
  type ReservedSale,
  readSale,
  type SalePage,
  salesOf,
  saleToCancel,
} from './sales.ts'
import { endSession, openSession, readSession } from './sessions.ts'
import { type IfMatch, readLogo, replaceSettings, type SettingsVersion, settingsVersion } from './settings.ts'
import { siteIdOf } from './site-id.ts'
import { Store } from './store.ts'
import { toMilliseconds } from './time.ts'
import { type BindingOrigin, type Bound, type NewBinding, reportBinding } from './tokens/bindings.ts'
import { deleteToken, type TokenKey, type TokenPage, tokensOf } from './tokens/tokens.ts'

/** A refusal is a value, because a thrown error loses its class on the way. */
type Reply<T> = Promise<Outcome<T>>

/** One line for each operation; the function behind it says more. */
export class Site extends DurableObject {
  // Only this file reads the clock.
  readonly #store: Store = new Store(this.ctx.storage, {
    siteId: siteIdOf(this.ctx.id),
    clock: () => Date.now(),
    log: (line) => console.log(line),
    afterFlush: () => {
      this.#announcer.run()
      this.#retention.run()
    },
    wakeAt: () => this.#announcer.retryAt,
  })
  readonly #dispatcher = new Dispatcher({
    store: this.#store,
    courier: this.ctx.exports.Courier,
    waitUntil: (work) => this.ctx.waitUntil(work),
    random: () => Math.random(),
    log: (line) => console.log(line),
  })

  readonly #announcer = new Announcer({
    store: this.#store,
    announce: (announcement) => this.#registry.announce(announcement),
    waitUntil: (work) => this.ctx.waitUntil(work),
  })

  readonly #figures = new FigureTeller({
    store: this.#store,
    tell: (figures) => this.#registry.tell(this.#store.siteId, figures),
  })

  readonly #retention = new Retention(this.#store, (work) => this.ctx.waitUntil(work))

  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    super(ctx, env)
    ctx.blockConcurrencyWhile(async () => {
      if (await this.#store.open()) this.#announcer.open()
    })
  }

  get #registry() {
    return this.ctx.exports.Registry.getByName(REGISTRY)
  }

  /** Creates QR codes, or replays them. @returns the outcome of each, in their order */
  create(creations: readonly Creation[]): Reply<Outcome<Created>[]> {
    return this.#store.createAll(createAll(creations))
  }

  /** What an earlier request with the same qrCodeUid created; undefined if none did. */
  async findCreated(caller: Caller, spec: QrCodeSpec): Reply<QrCode | undefined> {
    return this.#store.read(caller, (context) => findCreated(context, spec))
  }

  async read(caller: Caller, key: QrCodeKey): Reply<QrCode> {
    return this.#store.read(caller, (context) => readQrCode(context, key))
  }

  /** A QR code as it stands, and the shop, for the payer's page. */
  async readForPayer(key: QrCodeKey): Reply<QrCodeWithShop> {
    return this.#store.read(PAYER, (context) => readForPayer(context, key))
  }

  /** The shop, for the page of a link that leads to no QR code. */
  async shopForPayer(): Reply<Shop> {
    return this.#store.read(PAYER, ({ sql }) => ok(shopOf(sql)))
  }

  /** A QR code when it changes. */
  longPoll(caller: Caller, key: QrCodeKey, poll: QrCodePoll): Reply<Polled<QrCode>> {
    return pollQrCode(this.#store, caller, key, poll)
  }

  /** Ends a long poll whose client has disconnected. */
  async stopListening(id: string): Promise<void> {
    this.#store.changes.stopListening(id)
  }

  /** A page of QR codes, newest first; or those that are named, or begin with a text. */
  async list(caller: Caller, query: ListQuery | NamedQuery | PrefixQuery): Reply<QrCodePage> {
    return this.#store.read(caller, (context) => ok(listQrCodes(context, query)))
  }

  /** A page of a QR code's events. */
  events(caller: Caller, key: QrCodeKey, page: QrCodeEventsQuery): Reply<EventPage> {
    return this.#store.readRecorded(caller, ({ sql }) =>
      ofQrCode(sql, key, ({ number }) => eventsOf(sql, number, page)),
    )
  }

  /** A page of the site's events, oldest first; an empty page waits for the next event. */
  feed(caller: Caller, query: FeedQuery, poll?: LongPoll): Reply<Polled<FeedPage>> {
    return pollFeed(this.#store, caller, query, poll)
  }

  /** A page of a QR code's payment attempts, oldest first. */
  async payments(caller: Caller, key: QrCodeKey, page: PageQuery): Reply<PaymentPage> {
    return this.#store.read(caller, ({ sql }) =>
      ofQrCode(sql, key, ({ number }) => paymentsOf(sql, number, page)),
    )
  }

  /** A page of the site's payment attempts, newest first. */
  async listPayments(caller: Caller, query: PaymentsQuery): Reply<PaymentPage> {
    return this.#store.read(caller, ({ sql }) => ok(listPayments(sql, query)))
  }

  async payment(caller: Caller, paymentUid: string): Reply<Payment> {
    return this.#store.read(caller, ({ sql }) => readPayment(sql, paymentUid))
  }

  /** Cancels a QR code that can be paid, or says what the bank must be told first. */
  cancel(caller: Caller, key: QrCodeKey, disarmed?: string): Reply<QrCode | { armed: ArmedSale }> {
    return this.#store.write(caller, (context) => cancelQrCode(context, key, disarmed))
  }

  /** Arms a COUNTER code for a sale, or reserves it where a bank has to arm it. */
  armSale(caller: Caller, key: QrCodeKey, sale: SaleSpec): Reply<Armed | { reserved: ReservedSale }> {
    return this.#store.write(caller, (context) => armSale(context, key, sale))
  }

  /** The bank armed the code for a sale. */
  confirmSale(caller: Caller, key: QrCodeKey, sale: SaleSpec, bank: ArmedByBank): Reply<Armed> {
    return this.#store.write(caller, (context) => confirmSale(context, key, sale, bank))
  }

  /** The bank refused to arm the code for a sale. */
  dropSale(caller: Caller, key: QrCodeKey, saleUid: string): Reply<void> {
    return this.#store.write(caller, (context) => dropSale(context, key, saleUid))
  }

  /** What the bank must be told before a sale is cancelled; undefined if nothing. */
  async saleToCancel(caller: Caller, key: QrCodeKey, saleUid: string): Reply<SaleAtBank | undefined> {
    return this.#store.read(caller, (context) => saleToCancel(context, key, saleUid))
  }

  cancelSale(caller: Caller, key: QrCodeKey, saleUid: string): Reply<Sale> {
    return this.#store.write(caller, (context) => cancelSale(context, key, saleUid))
  }

  async sale(caller: Caller, key: QrCodeKey, saleUid: string): Reply<Sale> {
    return this.#store.read(caller, (context) => readSale(context, key, saleUid))
  }

  /** A page of the sales of a COUNTER code, newest first. */
  async sales(caller: Caller, key: QrCodeKey, page: PageQuery): Reply<SalePage> {
    return this.#store.read(caller, (context) => salesOf(context, key, page))
  }

  /** A sale when it changes. */
  longPollSale(caller: Caller, key: QrCodeKey, saleUid: string, poll: QrCodePoll): Reply<Polled<Sale>> {
    return pollSale(this.#store, caller, { key, saleUid }, poll)
  }

  report(caller: Caller, key: ReportKey, report: NewReport, origin: ReportOrigin): Reply<Reported> {
    return this.#store.write(caller, (context) => reportPayment({ ...context, ...origin }, key, report))
  }

  reportBinding(caller: Caller, key: ReportKey, binding: NewBinding, origin: BindingOrigin): Reply<Bound> {
    return this.#store.write(caller, (context) => reportBinding({ ...context, ...origin }, key, binding))
  }

  makeUpPayment(caller: Caller, key: QrCodeKey, report: NewReport, origin: ReportOrigin): Reply<Reported> {
    return this.#store.write(caller, (context) => makeUpPayment({ ...context, ...origin }, key, report))
  }

  makeUpBinding(caller: Caller, key: QrCodeKey, binding: NewBinding, origin: BindingOrigin): Reply<Bound> {
    return this.#store.write(caller, (context) => makeUpBinding({ ...context, ...origin }, key, binding))
  }

  charge(caller: Caller, key: QrCodeKey, token: TokenKey, connection: Connection): Reply<Charged> {
    return this.#store.write(caller, (context) => chargeToken(context, key, token, connection))
  }

  /** A page of the tokens of a customer's account, newest first. */
  async tokens(caller: Caller, account: string, page: PageQuery): Reply<TokenPage> {
    return this.#store.read(caller, (context) => ok(tokensOf(context, account, page)))
  }

  /** Deletes a token; a second call changes nothing. */
  deleteToken(caller: Caller, token: TokenKey, connection: Connection): Reply<void> {
    return this.#store.write(caller, (context) => deleteToken(context, token, connection))
  }

  /** Accepts a refund of a payment, or of the payment that a QR code took, which is then returned too. */
  refund(caller: Caller, key: PaymentKey, spec: RefundSpec, to: Connection): Reply<Refunded> {
    return this.#store.write(caller, (context) => refund(context, key, spec, to))
  }

  async refunds(caller: Caller, paymentUid: string): Reply<Refund[]> {
    return this.#store.read(caller, ({ sql }) => refundsOf(sql, paymentUid))
  }

  /** A refund of a payment, or of the payment that a QR code took. */
  async refundOf(caller: Caller, key: PaymentKey, refundUid: string): Reply<Refund> {
    return this.#store.read(caller, ({ sql }) => readRefund(sql, key, refundUid))
  }

  reportRefund(caller: Caller, paymentUid: string, uid: string, report: RefundReport): Reply<Refunded> {
    return this.#store.write(caller, (context) => reportRefund(context, paymentUid, uid, report))
  }

  async networkQrCodes(caller: Caller, query: NetworkQrCodesQuery): Reply<NetworkQrCodesPage> {
    return this.#store.read(caller, (context) => ok(networkQrCodes(context, query)))
  }

  async waitingRefunds(caller: Caller, network: Network, page: PageQuery): Reply<WaitingRefundsPage> {
    return this.#store.read(caller, (context) => ok(waitingRefunds(context, network, page)))
  }

  async settings(caller: Caller): Reply<SettingsVersion> {
    return this.#store.read(caller, ({ sql }) => ok(settingsVersion(sql)))
  }

  replaceSettings(caller: Caller, settings: NewSettings, ifMatch: IfMatch): Reply<SettingsVersion> {
    return this.#store.write(caller, (context) => {
      this.#announcer.settingsChange()
      return replaceSettings(context, settings, ifMatch)
    })
  }

  /** The logo, by its hash. */
  async logo(hash: string): Reply<Logo> {
    return this.#store.read(PAYER, ({ sql }) => readLogo(sql, hash))
  }

  async notificationKeys(caller: Caller): Reply<NotificationKey[]> {
    return this.#store.read(caller, ({ sql }) => ok(listNotificationKeys(sql)))
  }

  addNotificationKey(caller: Caller, key: NewNotificationKey): Reply<NotificationKey> {
    return this.#store.write(caller, (context) => addNotificationKey(context, key))
  }

  /** Activates a notification key, which ends the other one. */
  activateNotificationKey(caller: Caller, id: string): Reply<NotificationKey> {
    return this.#store.write(caller, (context) => activateNotificationKey(context, id))
  }

  /** The API keys: those that were made here, used here or revoked. */
  async apiKeys(caller: Caller): Reply<ApiKey[]> {
    return this.#store.read(caller, (context) => ok(this.#store.keys.list(context)))
  }

  addApiKey(caller: Caller, key: NewApiKey): Reply<void> {
    return this.#store.write(caller, (context) => this.#store.keys.add(context, key))
  }

  revokeApiKey(caller: Caller, id: string): Reply<void> {
    return this.#store.write(caller, (context) => this.#store.keys.revoke(context, id))
  }

  /** Begins a session of the console for the holder of a key. */
  openSession(caller: Caller, session: NewSession): Reply<void> {
    return this.#store.write(caller, ({ sql, now }) => {
      // To sign in can be the first write of a site.
      setCreatedAt(sql, now)
      return openSession(sql, session, now)
    })
  }

  /** A session of the console; undefined if it is unknown, or has ended. */
  async session(id: string): Reply<Session | undefined> {
    return this.#store.read(NOBODY, ({ sql, now }) => ok(readSession(sql, id, now)))
  }

  endSession(id: string): Reply<void> {
    return this.#store.write(NOBODY, ({ sql }) => ok(endSession(sql, id)))
  }

  async notifications(caller: Caller, query: NotificationsQuery): Reply<NotificationPage> {
    return this.#store.read(caller, ({ sql }) => ok(notificationsOf(sql, query)))
  }

  /** A notification, and its content. */
  async notification(caller: Caller, id: string): Reply<NotificationDetails> {
    return this.#store.read(caller, ({ sql }) => readNotification(sql, id))
  }

  redeliver(caller: Caller, id: string): Reply<DeliveryResult> {
    return this.#dispatcher.redeliver(caller, id)
  }

  deliverTest(caller: Caller): Reply<DeliveryResult> {
    return this.#dispatcher.deliverTest(caller)
  }

  /** A page of the report of payments, oldest first. */
  async paymentsReport(caller: Caller, query: ReportQuery): Reply<ReportPage> {
    return this.#store.read(caller, (context) => ok(reportPage(context, query)))
  }

  /** The figures of a day, hour by hour. */
  async dayReport(caller: Caller, query: DayQuery): Reply<DayFigures> {
    return this.#store.read(caller, ({ sql }) => ok(dayFigures(sql, query)))
  }

  /** What the operator asks of the site. */
  health(caller: Caller): Reply<SiteHealth> {
    return this.#store.readRecorded(caller, (context) => ok(healthOf(context)))
  }

  /** Sends an instruction now, for the operator. */
  sendInstruction(caller: Caller, id: string): Reply<DeliveryResult> {
    return this.#dispatcher.sendInstruction(caller, id)
  }

  /** Ends a restore; on a site that was not restored it changes nothing. */
  resume(caller: Caller): Reply<void> {
    return this.#store.write(caller, ({ sql, now }) => {
      endRestore(sql, toMilliseconds(now))
      return ok(undefined)
    })
  }

  /** A page of the export of the whole site. */
  async exportPage(caller: Caller, cursor: ExportCursor | undefined): Reply<ExportPage> {
    return this.#store.read(caller, (context) => exportPage(context, cursor))
  }

  /** Deletes the site; a second call changes nothing. */
  async remove(caller: Caller, force: boolean): Reply<void> {
    const marked = await this.#store.delete(caller, force)
    if (marked.ok) await this.#announcer.settled()
    return marked
  }

  /** Writes, and resolves when the write is on disk. */
  probe(): Promise<void> {
    return this.#store.probe()
  }

  /** Records what is due. */
  override alarm(): Promise<void> {
    return this.#store.wake(async () => {
      await this.#dispatcher.run()
      await this.#figures.run()
    })
  }
}

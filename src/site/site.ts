// The Durable Object: the database of one merchant site, and its only writer. Its methods are the RPC interface.

import { DurableObject } from 'cloudflare:workers'
import type { ApiKey } from '../contract/api-key.ts'
import type { Callback } from '../contract/callback.ts'
import { type Caller, NOBODY, PAYER, PAYER_OF_ACCOUNT } from '../contract/caller.ts'
import type { DayFigures, DayQuery } from '../contract/day-report.ts'
import type { DeliveryResult } from '../contract/delivery.ts'
import type { ExportCursor, ExportPage } from '../contract/export.ts'
import type { Limits } from '../contract/limits.ts'
import type { NetworkBindingsQuery, WaitingChargesQuery } from '../contract/network-tokens.ts'
import type { NotificationKey } from '../contract/notification-key.ts'
import type { NotificationGroups } from '../contract/notifications/groups.ts'
import type { Network, Payment } from '../contract/payment.ts'
import type { DecisionBody } from '../contract/payment-decision.ts'
import type { PaymentsQuery } from '../contract/payment-list.ts'
import type {
  Invitation,
  Invited,
  NewPasskey,
  NewPerson,
  PasskeyOfPerson,
  Person,
  PersonChange,
  PersonSession,
  SignIn,
  UsedChallenge,
} from '../contract/person.ts'
import type { QrCode, QrCodeSpec } from '../contract/qr-code.ts'
import type { PageQuery, QrCodeEventsQuery } from '../contract/query.ts'
import type { CashRegister } from '../contract/receipts/cash-register.ts'
import type { ReceiptDocument } from '../contract/receipts/document.ts'
import type { ReceiptReport } from '../contract/receipts/report.ts'
import type { PartialReceipt } from '../contract/receipts/requests.ts'
import type { NetworkQrCodesQuery } from '../contract/reconciliation.ts'
import type { PaymentKey, Refund, RefundReport, RefundSpec } from '../contract/refund.ts'
import type { Sale, SaleSpec } from '../contract/sale.ts'
import type { SearchPage, SearchQuery } from '../contract/search.ts'
import type { NewSession, SessionView } from '../contract/session.ts'
import type { Logo, NewSettings } from '../contract/settings.ts'
import type { SettingsPatch } from '../contract/settings-request.ts'
import type {
  DeletionStep,
  EntriesQuery,
  EntryPage,
  ImportStep,
  Settlement,
  SettlementEntry,
  SettlementMonth,
  SettlementPage,
  SettlementPeriod,
  SettlementReportPage,
  SettlementReportQuery,
  SettlementSpec,
} from '../contract/settlement.ts'
import type { SiteHealth } from '../contract/site.ts'
import { REGISTRY } from '../contract/site-id.ts'
import type { Closing } from '../contract/site-list.ts'
import type { Outcome } from '../errors.ts'
import type { Entry, Summary } from '../settlement/formats/entry.ts'
import type { NewApiKey } from './access/api-keys.ts'
import { endSession, openSession } from './access/sessions.ts'
import type { Context } from './context.ts'
import { Store } from './database/store.ts'
import { Dispatcher } from './dispatcher.ts'
import { type EventPage, eventsOf, type FeedPage, type FeedQuery } from './events/events.ts'
import { seldom } from './load-seldom.ts'
import { type LongPoll, type Polled, pollFeed, pollQrCode, type QrCodePoll } from './long-polls.ts'
import { RegistryUpdates } from './operator/registry.ts'
import type { Connection } from './outbox/connection.ts'
import type { NotificationDetails, NotificationPage, NotificationsQuery } from './outbox/notification-log.ts'
import { ok } from './outcomes.ts'
import type { BankNumbersPage, BankNumbersQuery } from './payments/bank-numbers.ts'
import { type Charged, chargeToken } from './payments/charges.ts'
import type { Decided } from './payments/decisions.ts'
import { applyEarlyPayments } from './payments/early-payments.ts'
import { type QrCodeWithShop, readForPayer, readShop, type Shop } from './payments/payer.ts'
import { type PaymentPage, paymentsOf, readPayment } from './payments/payments.ts'
import type { ReportPage, ReportQuery } from './payments/payments-report.ts'
import type { NetworkQrCodesPage, WaitingRefundsPage } from './payments/reconciliation.ts'
import { type NewReport, type Reported, type ReportOrigin, reportPayment } from './payments/reports.ts'
import { simulateBinding, simulatePayment } from './payments/sandbox.ts'
import { deleteToken, endTokenByPayer } from './payments/token-ends.ts'
import type { WaitingChargesPage } from './payments/waiting-charges.ts'
import type { Added } from './people/people.ts'
import { endPersonSession } from './people/sessions.ts'
import {
  type BeforeRegister,
  beforeRegister,
  type Created,
  type Creation,
  createQrCode,
  creationTime,
} from './qr-codes/creations.ts'
import {
  listQrCodes,
  type NamedQuery,
  type PrefixQuery,
  type QrCodeListQuery,
  type QrCodePage,
} from './qr-codes/list.ts'
import { type ArmedSale, cancelQrCode, ofQrCode, readQrCode } from './qr-codes/qr-codes.ts'
import type { ReportKey } from './qr-codes/report-target.ts'
import type { QrCodeKey } from './qr-codes/rows.ts'
import type { ClosingSpec } from './receipts/closings.ts'
import { type GivenContact, giveContact } from './receipts/given-contact.ts'
import type {
  NetworkReceiptsPage,
  NetworkReceiptsQuery,
  PaymentReceipts,
  ReceiptPage,
  ReceiptsQuery,
} from './receipts/list.ts'
import type { DocumentResult } from './receipts/requests.ts'
import type { RefundConditions } from './refunds/refunds.ts'
import { type RefundResult, reportRefund } from './refunds/reports.ts'
import { RetentionSetting } from './retention-setting.ts'
import { SiteName } from './rows/site-id.ts'
import type { SaleAtBank } from './sales/changes.ts'
import type { ReservedSale } from './sales/new-sale.ts'
import { type PaidSale, paidSales } from './sales/paid.ts'
import type { Armed, ArmedByBank, SalePage } from './sales/sales.ts'
import type { Seldom } from './seldom.ts'
import type { RevisedCallback } from './settings/callbacks.ts'
import { readLogo } from './settings/logo.ts'
import type { NewNotificationKey } from './settings/notification-keys.ts'
import type { IfMatch, SettingsVersion } from './settings/settings.ts'
import type { FiguresSettings } from './settlements/figures-key.ts'
import { settlements } from './settlements/load.ts'
import type { SettlementFunctions } from './settlements/settling.ts'
import { SettlementUpdates } from './settlements/updates.ts'
import { earliest, toMilliseconds } from './time.ts'
import { type BindingOrigin, type Bound, type NewBinding, reportBinding } from './tokens/bindings.ts'
import type { NetworkBindingsPage } from './tokens/network-bindings.ts'
import type { TokenOfAccount, TokenPage } from './tokens/tokens.ts'

/** A refusal is a value, because a thrown error loses its class on the way. */
type AsyncOutcome<T> = Promise<Outcome<T>>

/** What a deployment sets of its sites. */
interface SiteSettings {
  /** For how many days QR codes are kept after their end: null, for ever; undefined, not known. */
  retentionDays?: number | null
  /** The cash register of a site of the sandbox. */
  ownRegister?: (siteId: string) => CashRegister | undefined
  settlement?: FiguresSettings
}

/** One line for each operation; the function behind it says more. */
export class Site extends DurableObject {
  // Only this file reads the clock.
  readonly #store: Store = new Store(this.ctx.storage, {
    name: new SiteName(this.ctx.id.name, (name) => this.env.SITES.idFromName(name).equals(this.ctx.id)),
    ownRegister: () => this.#ownRegister(this.#store.name.value),
    clock: () => Date.now(),
    log: (line) => console.log(line),
    afterFlush: (mayChange) => {
      this.#updates.flushed(mayChange)
      this.#settlementUpdates.flushed(mayChange)
      this.#retention.run()
    },
    wakeAt: () => earliest(this.#updates.wakeAt, this.#settlementUpdates.wakeAt),
  })
  readonly #dispatcher = new Dispatcher({
    store: this.#store,
    courier: this.ctx.exports.Courier,
    waitUntil: (work) => this.ctx.waitUntil(work),
    random: () => Math.random(),
    log: (line) => console.log(line),
  })

  readonly #updates = new RegistryUpdates({
    site: this.#store,
    record: (entry) => this.ctx.exports.Registry.getByName(REGISTRY).record(this.#store.name.value, entry),
    waitUntil: (work) => this.ctx.waitUntil(work),
  })

  readonly #settlementUpdates: SettlementUpdates
  /** The long polls that await their module. */
  readonly #loading = new Set<string>()
  readonly #retention: RetentionSetting
  readonly #ownRegister: (siteId: string) => CashRegister | undefined

  constructor(
    ctx: DurableObjectState,
    env: Cloudflare.Env,
    { retentionDays, ownRegister, settlement }: SiteSettings,
  ) {
    super(ctx, env)
    this.#settlementUpdates = new SettlementUpdates({
      site: this.#store,
      settings: settlement,
      record: (months) =>
        this.ctx.exports.Registry.getByName(REGISTRY).recordSettlements(this.#store.name.value, months),
      waitUntil: (work) => ctx.waitUntil(work),
    })
    this.#ownRegister = ownRegister ?? (() => undefined)
    this.#retention = new RetentionSetting(this.#store, retentionDays, (work) => ctx.waitUntil(work))
    ctx.blockConcurrencyWhile(async () => {
      if (!(await this.#store.open())) return
      this.#updates.start()
      this.#settlementUpdates.start()
    })
  }

  /** Tells the object the name of its site, for a call that was refused as UNNAMED. */
  async introduce(siteId: string): Promise<void> {
    this.#store.name.introduce(siteId)
  }

  /** Creates a QR code, or replays it. */
  create({ caller, ...creation }: Creation): AsyncOutcome<Created> {
    return this.#store.create(caller, (context) =>
      createQrCode(context, creation, creationTime(context), applyEarlyPayments),
    )
  }

  /** What the site knows before a bank registers a QR code. */
  async beforeRegister(caller: Caller, spec: QrCodeSpec): AsyncOutcome<BeforeRegister> {
    return this.#store.read(caller, (context) => beforeRegister(context, spec))
  }

  async read(caller: Caller, key: QrCodeKey): AsyncOutcome<QrCode> {
    return this.#store.read(caller, (context) => readQrCode(context, key))
  }

  /** A QR code as it stands, and the shop, for the payer's page. */
  async readForPayer(key: QrCodeKey, caller = PAYER): AsyncOutcome<QrCodeWithShop> {
    return this.#store.read(caller, (context) => readForPayer(context, key))
  }

  /** The sales of a code that were paid since then, for the payers who followed them. */
  async paidSales(key: QrCodeKey, since: number): AsyncOutcome<PaidSale[]> {
    return this.#store.read(PAYER, (context) => paidSales(context, key, since))
  }

  /** The shop, for the page of a link that leads to no QR code. */
  async shopForPayer(): AsyncOutcome<Shop> {
    return this.#store.read(PAYER, ({ sql }) => ok(readShop(sql)))
  }

  /** A QR code when it changes. */
  longPoll(caller: Caller, key: QrCodeKey, poll: QrCodePoll): AsyncOutcome<Polled<QrCode>> {
    return pollQrCode(this.#store, caller, key, poll)
  }

  /** Ends a long poll whose client has disconnected. */
  async stopListening(id: string): Promise<void> {
    this.#loading.delete(id)
    this.#store.changes.stopListening(id)
  }

  /** Ends all long polls, before a stop of the process. */
  async stopAllListening(): Promise<void> {
    this.#store.changes.stopAll()
  }

  /** A page of QR codes, newest first; or those that are named, or begin with a text. */
  async list(caller: Caller, query: QrCodeListQuery | NamedQuery | PrefixQuery): AsyncOutcome<QrCodePage> {
    return this.#store.read(caller, (context) => ok(listQrCodes(context, query)))
  }

  /** A page of what has a text. */
  async search(caller: Caller, query: SearchQuery): AsyncOutcome<SearchPage> {
    return this.#readSeldom(caller, ({ search }, context) => ok(search(context, query)))
  }

  /** A page of a QR code's events. */
  events(caller: Caller, key: QrCodeKey, page: QrCodeEventsQuery): AsyncOutcome<EventPage> {
    return this.#store.readRecorded(
      caller,
      ({ sql }) => ofQrCode(sql, key, ({ number }) => this.#store.keys.named(eventsOf(sql, number, page))),
      key,
    )
  }

  /** A page of the site's events, oldest first; an empty page waits for the next event. */
  feed(caller: Caller, query: FeedQuery, poll?: LongPoll): AsyncOutcome<Polled<FeedPage>> {
    return pollFeed(this.#store, caller, query, poll)
  }

  /** A page of a QR code's payment attempts, oldest first. */
  async payments(caller: Caller, key: QrCodeKey, page: PageQuery): AsyncOutcome<PaymentPage> {
    return this.#store.read(caller, ({ sql }) =>
      ofQrCode(sql, key, ({ number }) => paymentsOf(sql, number, page)),
    )
  }

  /** A page of the site's payment attempts, newest first. */
  async listPayments(caller: Caller, query: PaymentsQuery): AsyncOutcome<PaymentPage> {
    return this.#readSeldom(caller, ({ listPayments }, { sql }) => ok(listPayments(sql, query)))
  }

  async payment(caller: Caller, paymentUid: string): AsyncOutcome<Payment> {
    return this.#store.read(caller, ({ sql }) => readPayment(sql, paymentUid))
  }

  /** Notes what the merchant has decided about a payment that is not applied. */
  decidePayment(caller: Caller, paymentUid: string, decision: DecisionBody): AsyncOutcome<Decided> {
    return this.#writeSeldom(caller, ({ decidePayment }, context) =>
      decidePayment(context, paymentUid, decision),
    )
  }

  /** Cancels a QR code that can be paid, or says what the bank must be told first. */
  cancel(caller: Caller, key: QrCodeKey, disarmed?: string): AsyncOutcome<QrCode | { armed: ArmedSale }> {
    return this.#store.write(caller, (context) => cancelQrCode(context, key, disarmed))
  }

  /** Arms a COUNTER code for a sale, or reserves it where a bank has to arm it. */
  armSale(caller: Caller, key: QrCodeKey, sale: SaleSpec): AsyncOutcome<Armed | { reserved: ReservedSale }> {
    return this.#writeSeldom(caller, ({ armSale }, context) => armSale(context, key, sale))
  }

  /** The bank armed the code for a sale. */
  confirmSale(caller: Caller, key: QrCodeKey, sale: SaleSpec, bank: ArmedByBank): AsyncOutcome<Armed> {
    return this.#writeSeldom(caller, ({ confirmSale }, context) => confirmSale(context, key, sale, bank))
  }

  /** The bank refused to arm the code for a sale. */
  dropSale(caller: Caller, key: QrCodeKey, saleUid: string): AsyncOutcome<void> {
    return this.#writeSeldom(caller, ({ dropSale }, context) => dropSale(context, key, saleUid))
  }

  /** What the bank must be told before a sale is cancelled; undefined if nothing. */
  async saleToCancel(caller: Caller, key: QrCodeKey, saleUid: string): AsyncOutcome<SaleAtBank | undefined> {
    return this.#readSeldom(caller, ({ saleToCancel }, context) => saleToCancel(context, key, saleUid))
  }

  cancelSale(caller: Caller, key: QrCodeKey, saleUid: string): AsyncOutcome<Sale> {
    return this.#writeSeldom(caller, ({ cancelSale }, context) => cancelSale(context, key, saleUid))
  }

  async sale(caller: Caller, key: QrCodeKey, saleUid: string): AsyncOutcome<Sale> {
    return this.#readSeldom(caller, ({ readSale }, context) => readSale(context, key, saleUid))
  }

  /** A page of the sales of a COUNTER code, newest first. */
  async sales(caller: Caller, key: QrCodeKey, page: PageQuery): AsyncOutcome<SalePage> {
    return this.#readSeldom(caller, ({ salesOf }, context) => salesOf(context, key, page))
  }

  /** A sale when it changes. */
  async longPollSale(
    caller: Caller,
    key: QrCodeKey,
    saleUid: string,
    poll: QrCodePoll,
  ): AsyncOutcome<Polled<Sale>> {
    this.#loading.add(poll.id)
    const { pollSale } = await seldom()
    // One that was stopped meanwhile does not wait.
    const milliseconds = this.#loading.delete(poll.id) ? poll.milliseconds : 0
    return pollSale(this.#store, caller, { key, saleUid }, { ...poll, milliseconds })
  }

  report(caller: Caller, key: ReportKey, report: NewReport, origin: ReportOrigin): AsyncOutcome<Reported> {
    return this.#store.write(caller, (context) => reportPayment({ ...context, ...origin }, key, report))
  }

  reportBinding(
    caller: Caller,
    key: ReportKey,
    binding: NewBinding,
    origin: BindingOrigin,
  ): AsyncOutcome<Bound> {
    return this.#store.write(caller, (context) => reportBinding({ ...context, ...origin }, key, binding))
  }

  simulatePayment(
    caller: Caller,
    key: QrCodeKey,
    report: NewReport,
    origin: ReportOrigin,
  ): AsyncOutcome<Reported> {
    return this.#store.write(caller, (context) => simulatePayment({ ...context, ...origin }, key, report))
  }

  simulateBinding(
    caller: Caller,
    key: QrCodeKey,
    binding: NewBinding,
    origin: BindingOrigin,
  ): AsyncOutcome<Bound> {
    return this.#store.write(caller, (context) => simulateBinding({ ...context, ...origin }, key, binding))
  }

  charge(
    caller: Caller,
    key: QrCodeKey,
    token: TokenOfAccount,
    connection: Connection,
  ): AsyncOutcome<Charged> {
    return this.#store.write(caller, (context) => chargeToken(context, key, token, connection))
  }

  /** A page of the tokens of a customer's account, or of all, newest first. */
  async tokens(caller: Caller, account: string | undefined, page: PageQuery): AsyncOutcome<TokenPage> {
    return this.#readSeldom(caller, ({ listTokens }, context) => ok(listTokens(context, account, page)))
  }

  /** Deletes a token; a second call changes nothing. */
  deleteToken(caller: Caller, token: TokenOfAccount, connection: Connection): AsyncOutcome<void> {
    return this.#store.write(caller, (context) => deleteToken(context, token, connection))
  }

  /** The payer ends the saved account that the page of a link shows; a second call changes nothing. */
  endTokenByPayer(key: QrCodeKey, bindingUid: string): AsyncOutcome<void> {
    return this.#store.write(PAYER_OF_ACCOUNT, (context) => endTokenByPayer(context, key, bindingUid))
  }

  /** Accepts a refund of a payment, or of the payment that a QR code took, which is then returned too. */
  refund(
    caller: Caller,
    key: PaymentKey,
    spec: RefundSpec,
    on: RefundConditions,
  ): AsyncOutcome<RefundResult> {
    return this.#writeSeldom(caller, ({ acceptRefund }, context) => acceptRefund(context, key, spec, on))
  }

  async refunds(caller: Caller, paymentUid: string): AsyncOutcome<Refund[]> {
    return this.#readSeldom(caller, ({ refundsOf }, { sql }) => refundsOf(sql, paymentUid))
  }

  /** A refund of a payment, or of the payment that a QR code took. */
  async refundOf(caller: Caller, key: PaymentKey, refundUid: string): AsyncOutcome<Refund> {
    return this.#readSeldom(caller, ({ readRefund }, { sql }) => readRefund(sql, key, refundUid))
  }

  reportRefund(
    caller: Caller,
    paymentUid: string,
    uid: string,
    report: RefundReport,
  ): AsyncOutcome<RefundResult> {
    return this.#store.write(caller, (context) => reportRefund(context, paymentUid, uid, report))
  }

  /** Makes the document of a payment that has none. */
  requestReceipt(
    caller: Caller,
    paymentUid: string,
    spec: PartialReceipt | undefined,
  ): AsyncOutcome<DocumentResult> {
    return this.#writeSeldom(caller, ({ requestReceipt }, context) =>
      requestReceipt(context, paymentUid, spec),
    )
  }

  /** Makes a closing receipt. */
  closeReceipt(
    caller: Caller,
    paymentUid: string,
    closingUid: string,
    spec: ClosingSpec,
  ): AsyncOutcome<DocumentResult> {
    return this.#writeSeldom(caller, ({ closeReceipt }, context) =>
      closeReceipt(context, paymentUid, closingUid, spec),
    )
  }

  async receiptsOfPayment(caller: Caller, paymentUid: string): AsyncOutcome<PaymentReceipts> {
    return this.#readSeldom(caller, ({ receiptsOfPayment }, context) =>
      receiptsOfPayment(context, paymentUid),
    )
  }

  /** A page of documents. */
  async listReceipts(caller: Caller, query: ReceiptsQuery): AsyncOutcome<ReceiptPage> {
    return this.#readSeldom(caller, ({ listReceipts }, context) => ok(listReceipts(context, query)))
  }

  async readReceipt(caller: Caller, receiptUid: string): AsyncOutcome<ReceiptDocument> {
    return this.#readSeldom(caller, ({ readReceipt }, context) => readReceipt(context, receiptUid))
  }

  /** Makes another attempt of a document that has failed. */
  retryReceipt(
    caller: Caller,
    receiptUid: string,
    spec: { receipt?: PartialReceipt | undefined },
  ): AsyncOutcome<ReceiptDocument> {
    return this.#writeSeldom(caller, ({ retryReceipt }, context) => retryReceipt(context, receiptUid, spec))
  }

  reportReceipt(caller: Caller, receiptUid: string, report: ReceiptReport): AsyncOutcome<DocumentResult> {
    return this.#writeSeldom(caller, ({ reportReceipt }, context) =>
      reportReceipt(context, receiptUid, report),
    )
  }

  /** A page of what the connector is to register, oldest first. */
  async networkReceipts(caller: Caller, query: NetworkReceiptsQuery): AsyncOutcome<NetworkReceiptsPage> {
    return this.#readSeldom(caller, ({ networkReceipts }, context) => networkReceipts(context, query))
  }

  /** Takes the contact that a payer typed on the page. */
  giveContact(key: QrCodeKey, given: GivenContact): AsyncOutcome<void> {
    return this.#store.write(PAYER, (context) => giveContact(context, key, given))
  }

  async networkQrCodes(caller: Caller, query: NetworkQrCodesQuery): AsyncOutcome<NetworkQrCodesPage> {
    return this.#readSeldom(caller, ({ networkQrCodes }, context) => ok(networkQrCodes(context, query)))
  }

  async waitingRefunds(caller: Caller, network: Network, page: PageQuery): AsyncOutcome<WaitingRefundsPage> {
    return this.#readSeldom(caller, ({ waitingRefunds }, context) =>
      ok(waitingRefunds(context, network, page)),
    )
  }

  async networkBindings(
    caller: Caller,
    network: Network,
    query: NetworkBindingsQuery,
  ): AsyncOutcome<NetworkBindingsPage> {
    return this.#readSeldom(caller, ({ networkBindings }, context) =>
      ok(networkBindings(context, network, query)),
    )
  }

  async waitingCharges(
    caller: Caller,
    network: Network,
    query: WaitingChargesQuery,
  ): AsyncOutcome<WaitingChargesPage> {
    return this.#readSeldom(caller, ({ waitingCharges }, context) =>
      ok(waitingCharges(context, network, query)),
    )
  }

  async settings(caller: Caller): AsyncOutcome<SettingsVersion> {
    return this.#readSeldom(caller, ({ settingsVersion }, { sql }) => ok(settingsVersion(sql)))
  }

  replaceSettings(caller: Caller, settings: NewSettings, ifMatch: IfMatch): AsyncOutcome<SettingsVersion> {
    return this.#writeConfirmed(caller, ({ replaceSettings }, context) => {
      this.#updates.settingsChange()
      return replaceSettings(context, settings, ifMatch)
    })
  }

  /** Changes some settings. */
  patchSettings(
    caller: Caller,
    patch: SettingsPatch,
    logo: Logo | undefined,
    ifMatch: IfMatch,
  ): AsyncOutcome<SettingsVersion> {
    return this.#writeConfirmed(caller, ({ patchSettings }, context) => {
      this.#updates.settingsChange()
      return patchSettings(context, patch, logo, ifMatch)
    })
  }

  /** Replaces the logo by an uploaded one, or removes it. */
  replaceLogo(caller: Caller, logo: Logo | undefined, ifMatch: IfMatch): AsyncOutcome<SettingsVersion> {
    return this.#writeConfirmed(caller, ({ replaceLogo }, context) => replaceLogo(context, logo, ifMatch))
  }

  /** The logo, by its hash; without its bytes to a caller who has them. */
  async logo(hash: string, isHeld = false): AsyncOutcome<Logo | undefined> {
    return this.#store.read(PAYER, ({ sql }) => readLogo(sql, hash, isHeld))
  }

  /** The addresses that notifications go to, with the revision of the settings. */
  async callbacks(caller: Caller): AsyncOutcome<ReturnType<Seldom['listCallbacks']>> {
    return this.#readSeldom(caller, ({ listCallbacks }, { sql }) => ok(listCallbacks(sql)))
  }

  async callback(caller: Caller, id: string): AsyncOutcome<RevisedCallback> {
    return this.#readSeldom(caller, ({ readCallback }, { sql }) => readCallback(sql, id))
  }

  /** Sets an address. */
  putCallback(caller: Caller, callback: Callback, ifMatch: IfMatch): AsyncOutcome<RevisedCallback> {
    return this.#writeConfirmed(caller, ({ putCallback }, context) => putCallback(context, callback, ifMatch))
  }

  /** Removes an address; what waits for it has failed. */
  deleteCallback(caller: Caller, id: string, ifMatch: IfMatch): AsyncOutcome<void> {
    return this.#writeConfirmed(caller, ({ deleteCallback }, context) => deleteCallback(context, id, ifMatch))
  }

  /** The notification keys of an address. */
  async notificationKeys(caller: Caller, callback?: string): AsyncOutcome<NotificationKey[]> {
    return this.#readSeldom(caller, ({ listNotificationKeys }, { sql }) =>
      listNotificationKeys(sql, callback),
    )
  }

  addNotificationKey(
    caller: Caller,
    key: NewNotificationKey,
    callback?: string,
  ): AsyncOutcome<NotificationKey> {
    return this.#writeConfirmed(caller, ({ addNotificationKey }, context) =>
      addNotificationKey(context, key, callback),
    )
  }

  /** Activates a notification key, which ends the other one of the address. */
  activateNotificationKey(caller: Caller, id: string, callback?: string): AsyncOutcome<NotificationKey> {
    return this.#writeConfirmed(caller, ({ activateNotificationKey }, context) =>
      activateNotificationKey(context, id, callback),
    )
  }

  /** The API keys that were made here, used here or revoked. */
  async apiKeys(caller: Caller): AsyncOutcome<ApiKey[]> {
    return this.#store.read(caller, (context) => ok(this.#store.keys.list(context)))
  }

  addApiKey(caller: Caller, key: NewApiKey): AsyncOutcome<void> {
    return this.#writeConfirmed(caller, (_, context) => this.#store.keys.add(context, key))
  }

  revokeApiKey(caller: Caller, id: string): AsyncOutcome<void> {
    return this.#writeConfirmed(caller, (_, context) => this.#store.keys.revoke(context, id))
  }

  /** Begins a session of the console for the holder of a key. */
  openSession(caller: Caller, session: NewSession): AsyncOutcome<void> {
    return this.#writeSeldom(
      caller,
      ({ refuseTokenSignIn }, { sql, now }) =>
        refuseTokenSignIn(sql, session) ?? openSession(sql, session, now),
    )
  }

  /** A session of the console, and what its pages begin with; undefined if it is unknown, or has ended. */
  async session(id: string): AsyncOutcome<SessionView | undefined> {
    const view = await this.#readSeldom(NOBODY, ({ sessionView }, context) => sessionView(context, id))
    const session = view.ok ? view.value?.session : undefined
    if (session && 'personId' in session) this.#store.sessionUses.add(session, this.#store.now)
    return view
  }

  /** Ends a session of a token, of a link or of a person. */
  endSession(id: string): AsyncOutcome<void> {
    return this.#store.write(NOBODY, ({ sql }) => {
      endPersonSession(sql, id)
      return ok(endSession(sql, id))
    })
  }

  /** The people, also those who were removed. */
  async people(caller: Caller): AsyncOutcome<Person[]> {
    return this.#readSeldom(caller, ({ listPeople }, context) => ok(listPeople(context)))
  }

  /** Adds a person, who is invited. */
  addPerson(caller: Caller, person: NewPerson): AsyncOutcome<Added> {
    return this.#writeConfirmed(caller, ({ addRecorded }, context) => addRecorded(context, person))
  }

  /** Adds an owner for the operator, also to a site that nobody has written to. */
  addOwner(caller: Caller, owner: NewPerson): AsyncOutcome<Added> {
    return this.#writeSeldom({ ...caller, makesSite: true }, ({ addRecorded }, context) =>
      addRecorded(context, owner),
    )
  }

  /** Invites an owner again for the operator. */
  inviteOwner(caller: Caller, id: string, invitation: Invitation): AsyncOutcome<void> {
    return this.#writeSeldom(caller, ({ inviteOwnerRecorded }, context) =>
      inviteOwnerRecorded(context, id, invitation),
    )
  }

  changePerson(caller: Caller, id: string, change: PersonChange): AsyncOutcome<Person> {
    return this.#writeConfirmed(caller, ({ changeRecorded }, context) => changeRecorded(context, id, change))
  }

  /** Removes a person; a second call changes nothing. */
  removePerson(caller: Caller, id: string): AsyncOutcome<void> {
    return this.#writeConfirmed(caller, ({ removeRecorded }, context) => removeRecorded(context, id))
  }

  /** Invites a person again, which ends the earlier invitation. */
  invite(caller: Caller, id: string, invitation: Invitation): AsyncOutcome<void> {
    return this.#writeConfirmed(caller, ({ inviteRecorded }, context) =>
      inviteRecorded(context, id, invitation),
    )
  }

  /** Whom an invitation is for; undefined if it cannot be used. */
  async invited(invitationId: string): AsyncOutcome<Invited | undefined> {
    return this.#readSeldom(NOBODY, ({ invitedBy }, context) => ok(invitedBy(context, invitationId)))
  }

  /** Uses an invitation up: stores the passkey and begins the session. The registry has the handle before; see recordHandle. */
  join(invitationId: string, passkey: NewPasskey, session: string): AsyncOutcome<PersonSession> {
    return this.#writeSeldom(NOBODY, ({ joinRecorded }, context) =>
      joinRecorded(context, invitationId, passkey, session),
    )
  }

  /** The person with a user handle, and the passkey that checks an assertion; undefined where there is none. */
  async passkey(handle: string, passkeyId: string): AsyncOutcome<PasskeyOfPerson | undefined> {
    return this.#readSeldom(NOBODY, ({ passkeyOfHandle }, context) =>
      ok(passkeyOfHandle(context, handle, passkeyId)),
    )
  }

  /** Begins a session by an assertion that was verified. */
  signIn(asked: SignIn): AsyncOutcome<PersonSession> {
    return this.#writeSeldom(NOBODY, ({ signInRecorded }, context) => signInRecorded(context, asked))
  }

  /** Adds a passkey of the person who calls. */
  addPasskey(caller: Caller, passkey: NewPasskey, challenge: UsedChallenge): AsyncOutcome<void> {
    return this.#writeConfirmed(caller, ({ addPasskeyRecorded }, context) =>
      addPasskeyRecorded(context, caller, passkey, challenge),
    )
  }

  removePasskey(caller: Caller, personId: string, passkeyId: string): AsyncOutcome<void> {
    return this.#writeConfirmed(caller, ({ removePasskeyRecorded }, context) =>
      removePasskeyRecorded(context, caller, personId, passkeyId),
    )
  }

  /** The sessions of a person that go on, the newest first. */
  async personSessions(caller: Caller, personId: string): AsyncOutcome<PersonSession[]> {
    return this.#readSeldom(caller, ({ personSessions }, context) =>
      personSessions(context, caller, personId),
    )
  }

  /** Ends the sessions of a person, or one of them. */
  endPersonSessions(caller: Caller, personId: string, session?: string): AsyncOutcome<void> {
    return this.#writeSeldom(caller, ({ endPersonSessions }, context) =>
      endPersonSessions(context, caller, personId, session),
    )
  }

  /** Begins an import of a settlement file; a token names it, until a minute passes without a call. */
  beginImport(
    caller: Caller,
    spec: SettlementSpec,
  ): AsyncOutcome<{ token: string; payoutAccounts: string[] }> {
    return this.#writeSettlements(caller, ({ beginImport }, context) =>
      beginImport(context, spec, crypto.randomUUID()),
    )
  }

  /** Appends a batch of entries, of at most 1 MiB as JSON. */
  appendEntries(caller: Caller, token: string, entries: Entry[]): AsyncOutcome<void> {
    return this.#writeSettlements(caller, ({ appendEntries }, context) =>
      appendEntries(context, token, entries),
    )
  }

  completeImport(
    caller: Caller,
    token: string,
    file: { sha256: string; summary: Summary },
  ): AsyncOutcome<ImportStep> {
    return this.#writeSettlements(caller, ({ completeImport }, context) =>
      completeImport(context, token, file),
    )
  }

  /** Does the next step of an import. */
  continueImport(caller: Caller, token: string): AsyncOutcome<ImportStep> {
    return this.#writeSettlements(caller, ({ continueImport }, context) => continueImport(context, token))
  }

  abandonImport(caller: Caller, token: string): AsyncOutcome<void> {
    return this.#writeSettlements(caller, ({ abandonImport }, context) => abandonImport(context, token))
  }

  /** Does the next step of a deletion; the first one without its token. @param newToken names it from now on */
  deleteSettlement(
    caller: Caller,
    settlementUid: string,
    token?: string,
    newToken: string = crypto.randomUUID(),
  ): AsyncOutcome<DeletionStep> {
    return this.#writeSettlements(caller, ({ deleteSettlement }, context) =>
      deleteSettlement(context, settlementUid, { token, newToken }),
    )
  }

  async settlement(caller: Caller, settlementUid: string): AsyncOutcome<Settlement> {
    return this.#readSettlements(caller, ({ readSettlement }, context) =>
      readSettlement(context, settlementUid),
    )
  }

  /** A page of the files that were imported, newest first. */
  async settlements(caller: Caller, page: PageQuery): AsyncOutcome<SettlementPage> {
    return this.#readSettlements(caller, ({ listSettlements }, context) => ok(listSettlements(context, page)))
  }

  /** A page of entries of files, and of what no file has in time, oldest first. */
  async settlementEntries(caller: Caller, query: EntriesQuery): AsyncOutcome<EntryPage> {
    return this.#readSettlements(caller, ({ listEntries }, context) => ok(listEntries(context, query)))
  }

  /** The entries of a payment and of its refunds. */
  async entriesOfPayment(caller: Caller, paymentUid: string): AsyncOutcome<SettlementEntry[]> {
    return this.#readSettlements(caller, ({ entriesOfPayment }, context) =>
      ok(entriesOfPayment(context, paymentUid)),
    )
  }

  /** The sums of a month. */
  async settlementMonth(caller: Caller, period: SettlementPeriod): AsyncOutcome<SettlementMonth> {
    return this.#readSettlements(caller, ({ settlementMonth }, context) =>
      ok(settlementMonth(context, period)),
    )
  }

  /** A page of the operations that make these sums. */
  async settlementReport(caller: Caller, query: SettlementReportQuery): AsyncOutcome<SettlementReportPage> {
    return this.#readSettlements(caller, ({ settlementReport }, context) => settlementReport(context, query))
  }

  async notifications(caller: Caller, query: NotificationsQuery): AsyncOutcome<NotificationPage> {
    return this.#readSeldom(caller, ({ notificationsOf }, { sql }) => ok(notificationsOf(sql, query)))
  }

  /** Why notifications are not delivered. */
  async notificationGroups(caller: Caller): AsyncOutcome<NotificationGroups> {
    return this.#readSeldom(caller, ({ notificationGroups }, { sql }) => ok(notificationGroups(sql)))
  }

  /** A notification, and its content. */
  async notification(caller: Caller, id: string): AsyncOutcome<NotificationDetails> {
    return this.#readSeldom(caller, ({ readNotification }, { sql }) => readNotification(sql, id))
  }

  redeliver(caller: Caller, id: string): AsyncOutcome<DeliveryResult> {
    return this.#dispatcher.redeliver(caller, id)
  }

  deliverTest(caller: Caller, callback?: string): AsyncOutcome<DeliveryResult> {
    return this.#dispatcher.deliverTest(caller, callback)
  }

  /** A page of the report of payments, oldest first. */
  async paymentsReport(caller: Caller, query: ReportQuery): AsyncOutcome<ReportPage> {
    return this.#readSeldom(caller, ({ reportPage }, context) => ok(reportPage(context, query)))
  }

  /** A page of the numbers that payments have at their banks. */
  async bankNumbers(caller: Caller, query: BankNumbersQuery): AsyncOutcome<BankNumbersPage> {
    return this.#readSeldom(caller, ({ bankNumbersPage }, context) => ok(bankNumbersPage(context, query)))
  }

  /** The figures of a day, a week or a month, and of the one before. */
  async dayReport(caller: Caller, query: DayQuery): AsyncOutcome<DayFigures> {
    return this.#readSeldom(caller, ({ dayFigures }, { sql }) => ok(dayFigures(sql, query)))
  }

  /** What the operator asks of the site. */
  async health(caller: Caller): AsyncOutcome<SiteHealth> {
    return this.#readSeldom(caller, ({ healthOf }, context) => ok(healthOf(context)))
  }

  /** Sends an instruction now, for the operator. */
  sendInstruction(caller: Caller, id: string): AsyncOutcome<DeliveryResult> {
    return this.#dispatcher.sendInstruction(caller, id)
  }

  /** Ends a restore; on a site that was not restored it changes nothing. */
  resume(caller: Caller): AsyncOutcome<void> {
    return this.#writeSeldom(caller, ({ endRestore }, { sql, now }) => {
      endRestore(sql, toMilliseconds(now))
      return ok(undefined)
    })
  }

  /** Replaces the operator's limits. */
  async setLimits(caller: Caller, limits: Limits): AsyncOutcome<void> {
    return this.#writeSeldom(caller, ({ setLimits }, context) => ok(setLimits(context, limits)))
  }

  /** Sets the cash register of the site, or removes it. */
  async setCashRegister(caller: Caller, register: CashRegister | undefined): AsyncOutcome<void> {
    return this.#writeSeldom(caller, ({ setCashRegister }, context) => ok(setCashRegister(context, register)))
  }

  /** A page of the export of the whole site. */
  async exportPage(caller: Caller, cursor: ExportCursor | undefined): AsyncOutcome<ExportPage> {
    return this.#readSeldom(caller, ({ exportPage }, context) => exportPage(context, cursor))
  }

  /**
   * Deletes the site; a second call changes nothing. @param keepSeconds for how long that can be undone
   * @returns until when, unless it is for good
   */
  async remove(caller: Caller, force: boolean, keepSeconds = 0): AsyncOutcome<Closing | undefined> {
    const deleted = await this.#store.delete(caller, force, keepSeconds)
    if (deleted.ok) await this.#updates.deletionChanged()
    return deleted
  }

  /** Undoes a deletion; on a site that is not deleted it changes nothing. */
  async reopen(caller: Caller): AsyncOutcome<void> {
    const { admission } = this.#store
    const reopened = await this.#store.write(caller, (context) => admission.reopen(context))
    if (reopened.ok) await this.#updates.deletionChanged()
    return reopened
  }

  /** Does nothing that the start of the object has not done. @returns the epoch of its tables, undefined without tables */
  async wake(): Promise<string | undefined> {
    return this.#store.tables.epoch
  }

  /** Writes, and resolves when the write is on disk. */
  probe(): Promise<void> {
    return this.#store.probe()
  }

  /** Records what is due. */
  override alarm(): Promise<void> {
    return this.#store.wake(async () => {
      await this.#endDeletion()
      await this.#dispatcher.run()
      this.#updates.check()
      this.#settlementUpdates.check()
    })
  }

  /** Reads by a function of the module that few calls need. */
  async #readSeldom<T>(
    caller: Caller,
    operation: (functions: Seldom, context: Context) => Outcome<T>,
  ): AsyncOutcome<T> {
    const functions = await seldom()
    return this.#store.read(caller, (context) => operation(functions, context))
  }

  /** Writes by a function of the module. No transaction waits for the module. */
  async #writeSeldom<T>(
    caller: Caller,
    operation: (functions: Seldom, context: Context) => Outcome<T>,
  ): AsyncOutcome<T> {
    const functions = await seldom()
    return this.#store.write(caller, (context) => operation(functions, context))
  }

  /** The same of a write that changes people, keys or settings: a person confirms it by passkey. */
  #writeConfirmed<T>(
    caller: Caller,
    operation: (functions: Seldom, context: Context) => Outcome<T>,
  ): AsyncOutcome<T> {
    return this.#writeSeldom(
      caller,
      (functions, context) => functions.useConfirmation(context) ?? operation(functions, context),
    )
  }

  async #readSettlements<T>(
    caller: Caller,
    operation: (functions: SettlementFunctions, context: Context) => Outcome<T>,
  ): AsyncOutcome<T> {
    const functions = await settlements()
    return this.#store.read(caller, (context) => operation(functions, context))
  }

  async #writeSettlements<T>(
    caller: Caller,
    operation: (functions: SettlementFunctions, context: Context) => Outcome<T>,
  ): AsyncOutcome<T> {
    const functions = await settlements()
    return this.#store.write(caller, (context) => operation(functions, context))
  }

  /** Deletes a closed site for good when its time has come. */
  async #endDeletion(): Promise<void> {
    const { admission, changes } = this.#store
    if (!admission.isDeletionDue(this.#store.now)) return
    await this.#store.writeOwn((context) => admission.endDeletion(context))
    changes.stopAll()
  }
}

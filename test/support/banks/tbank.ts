// A fake of T-Bank: payment sessions, links, bound accounts, refunds by Cancel, notifications with a Token.
import { createHash } from 'node:crypto'
import * as z from 'zod'
import { type BankCall, type BankReply, type Delivery, FakeBank, linkId, payloadOf } from './fake-bank.ts'
import { FakeTBankRegister } from './tbank-register.ts'

const Session = z.object({
  paymentId: z.string(),
  orderId: z.string(),
  amount: z.number(),
  status: z.string(),
  notificationUrl: z.string(),
  expiresAt: z.number(),
  qrcId: z.exactOptional(z.string()),
  refunded: z.number(),
  lastRefund: z.number(),
  cancelCode: z.exactOptional(z.string()),
  /** Of the last Cancel. */
  refundReceipt: z.exactOptional(z.unknown()),
  isRecurrent: z.boolean(),
  /** The request to bind an account with the payment. */
  requestKey: z.exactOptional(z.string()),
  /** How often money moved from a bound account. */
  charges: z.number(),
})
type Session = z.output<typeof Session>

/** A request to bind an account. */
interface Binding {
  requestKey: string
  qrcId: string
  status: 'NEW' | 'PROCESSING' | 'ACTIVE' | 'INACTIVE'
  accountToken?: string
  expiresAt: number
}

type Fields = Record<string, unknown>

export class FakeTBank extends FakeBank {
  terminalKey = 'TinkoffBankTest'
  readonly password = 'usaf8fw8fsw21g'
  readonly sessions = new Map<string, Session>()
  /** By link: each payment of a test looks for one, and a long run has thousands. */
  readonly #byLink = new Map<string, Session>()
  /** Whether a refund takes its time: then `finishRefund` ends it. */
  isRefundSlow = false
  /** What Cancel answers instead of refunding. */
  refusal: { ErrorCode: string; Message: string } | undefined
  /** How often each operation is still refused: Success false, without a reason that its document has. */
  readonly #refusals = new Map<string, number>()
  /** Where notifications go, whatever the sessions say. */
  notificationsTo: string | undefined
  /** By RequestKey. */
  readonly bindings = new Map<string, Binding>()
  /** What becomes of charges: a status, or a code of an error that moves nothing. */
  chargeResult = 'CONFIRMED'
  /** The terminal's own address, where consents go; undefined while the shop has set none. */
  terminalUrl: string | undefined
  /** Whether CheckOrder refuses an order that it does not have, of which the document says nothing. */
  refusesUnknownOrders = false
  /** The form of a RequestKey. */
  requestKeyOf: (number: number) => string = String
  readonly register = new FakeTBankRegister(() => this.now())
  /** Notifications of documents that were not sent yet. */
  readonly receiptNotices: Fields[] = []
  /** Those of all documents, also of those that were not made. */
  readonly madeNotices: Fields[] = []
  #last = 2_304_881

  session(qrcId: string): Session {
    const session = this.#byLink.get(qrcId)
    if (!session) throw new Error(`no session of ${qrcId}`)
    return session
  }

  /** Its sessions as a text, which another fake restores. */
  dump(): string {
    return `${JSON.stringify(Array.from(this.sessions.values()), undefined, 2)}\n`
  }

  restore(dump: string): void {
    const sessions = z.array(Session).parse(JSON.parse(dump))
    for (const session of sessions) {
      this.sessions.set(session.paymentId, session)
      if (session.qrcId !== undefined) this.#byLink.set(session.qrcId, session)
    }
    this.#last += sessions.length
  }

  /** The next calls of the operation are refused without a reason that the document has. */
  refuseNext(operation: string, times: number): void {
    this.#refusals.set(operation, times)
  }

  /** A payer pays, or the bank declines it. @returns PaymentId */
  async pay(
    qrcId: string,
    { status = 'CONFIRMED', ...delivery }: { status?: string } & Delivery = {},
  ): Promise<string> {
    const session = this.session(qrcId)
    session.status = status
    if (status === 'CONFIRMED') this.#fiscalize(this.register.confirmed(session.paymentId, session.amount))
    if (this.register.notifies === 'before') await this.deliverReceipts(delivery)
    await this.deliver(session.paymentId, delivery)
    if (this.register.notifies === 'after') await this.deliverReceipts(delivery)
    return session.paymentId
  }

  /** The notifications of the documents that were made since, each with its own Token: one that nobody takes is sent again. */
  async deliverReceipts(delivery: Delivery = {}, changes: Fields = {}): Promise<void> {
    for (const notice of [...this.receiptNotices]) {
      await this.deliverReceipt(notice, delivery, changes)
      const index = this.receiptNotices.indexOf(notice)
      if (index >= 0) this.receiptNotices.splice(index, 1)
    }
  }

  /** @param changes made after it was signed */
  async deliverReceipt(notice: Fields, delivery: Delivery = {}, changes: Fields = {}): Promise<void> {
    const { notificationUrl, qrcId: code = '' } = this.#session(String(notice.PaymentId))
    const body = JSON.stringify({ ...notice, ...changes })
    const url = this.notificationsTo ?? notificationUrl
    await this.post({ code, url, body, headers: { 'content-type': 'application/json' } }, delivery)
  }

  #fiscalize(notices: Fields[]): void {
    for (const notice of notices) {
      const { orderId } = this.#session(String(notice.PaymentId))
      const fields = { TerminalKey: this.terminalKey, OrderId: orderId, ...notice }
      const signed = { ...fields, Token: this.tokenOf(fields) }
      this.receiptNotices.push(signed)
      this.madeNotices.push(signed)
    }
  }

  /** The notification of the present status. */
  async deliver(paymentId: string, delivery: Delivery = {}, changes: Fields = {}): Promise<void> {
    const { notificationUrl, qrcId: code = '' } = this.#session(paymentId)
    const body = JSON.stringify({ ...this.notificationOf(paymentId), ...changes })
    const url = this.notificationsTo ?? notificationUrl
    await this.post({ code, url, body, headers: { 'content-type': 'application/json' } }, delivery)
  }

  binding(qrcId: string): Binding {
    const binding = Array.from(this.bindings.values()).find((each) => each.qrcId === qrcId)
    if (!binding) throw new Error(`no request to bind an account of ${qrcId}`)
    return binding
  }

  /** The customer's bank answers to the request to bind an account, or ends what it has bound. */
  async consent(qrcId: string, isGiven: boolean, delivery: Delivery = {}): Promise<string> {
    const binding = this.binding(qrcId)
    binding.status = isGiven ? 'ACTIVE' : 'INACTIVE'
    if (isGiven) binding.accountToken ??= `TOKEN${binding.requestKey}`
    await this.deliverBinding(binding.requestKey, delivery)
    return binding.requestKey
  }

  /** The notification of the present state of a binding. */
  async deliverBinding(requestKey: string, delivery: Delivery = {}, changes: Fields = {}): Promise<void> {
    if (this.terminalUrl === undefined) return
    const body = JSON.stringify({ ...this.bindingNotificationOf(requestKey), ...changes })
    const code = this.bindings.get(requestKey)?.qrcId ?? ''
    await this.post(
      { code, url: this.terminalUrl, body, headers: { 'content-type': 'application/json' } },
      delivery,
    )
  }

  bindingNotificationOf(RequestKey: string): Fields {
    const { status = 'ACTIVE', accountToken } = this.bindings.get(RequestKey) ?? {}
    const fields = {
      ...{ TerminalKey: this.terminalKey, RequestKey, NotificationType: 'LINKACCOUNT', Status: status },
      ...{ Success: status === 'ACTIVE', ErrorCode: '0', Message: 'OK' },
      ...(status === 'ACTIVE' ? { AccountToken: accountToken ?? 'T', BankMemberId: '100000000004' } : {}),
    }
    return { ...fields, Token: this.tokenOf(fields) }
  }

  /** How often money moved from bound accounts, by order. */
  chargesByOrder(): Map<string, number> {
    const counts = new Map<string, number>()
    for (const { orderId, charges } of this.sessions.values()) {
      if (charges > 0) counts.set(orderId, (counts.get(orderId) ?? 0) + charges)
    }
    return counts
  }

  /** A charge that was in progress ends. */
  async finishCharge(
    paymentId: string,
    status: 'CONFIRMED' | 'REJECTED',
    delivery: Delivery = {},
  ): Promise<void> {
    this.#settle(this.#session(paymentId), status)
    await this.deliver(paymentId, delivery)
  }

  notificationOf(paymentId: string): Fields {
    const { orderId, status, amount } = this.#session(paymentId)
    const fields = {
      ...{ TerminalKey: this.terminalKey, OrderId: orderId, Success: status !== 'REJECTED', Status: status },
      ...{ PaymentId: Number(paymentId), ErrorCode: '0', Amount: amount, Pan: '+7 (***) ***-**-67' },
    }
    return { ...fields, Token: this.tokenOf(fields), Data: { Source: 'qrsbp' } }
  }

  /** The slow refund ends. */
  finishRefund(paymentId: string, isRefunded: boolean): void {
    const session = this.#session(paymentId)
    if (isRefunded) {
      session.refunded += session.lastRefund
      this.#fiscalize(this.register.refunded(paymentId, session.lastRefund, session.refundReceipt))
      session.status = session.refunded === session.amount ? 'REFUNDED' : 'PARTIAL_REFUNDED'
    } else {
      session.cancelCode = 'I05043'
      session.status = session.refunded > 0 ? 'PARTIAL_REFUNDED' : 'CONFIRMED'
    }
  }

  /** A refund in the bank's console. */
  async refundInConsole(paymentId: string, kopecks: number, delivery: Delivery = {}): Promise<void> {
    const session = this.#session(paymentId)
    session.lastRefund = kopecks
    this.finishRefund(paymentId, true)
    await this.deliver(paymentId, delivery)
  }

  get refundedSum(): number {
    return Array.from(this.sessions.values()).reduce((sum, { refunded }) => sum + refunded, 0)
  }

  tokenOf(fields: Fields): string {
    const { Token: _, ...rest } = fields
    const pairs = Object.entries({ ...rest, Password: this.password }).filter(
      ([, value]) => typeof value !== 'object',
    )
    pairs.sort(([a], [b]) => (a < b ? -1 : 1))
    return createHash('sha256')
      .update(pairs.map(([, value]) => String(value)).join(''))
      .digest('hex')
  }

  protected operationOf({ path }: Omit<BankCall, 'operation'>): string {
    return path.split('/').at(-1) ?? ''
  }

  protected execute({ operation, body }: BankCall): BankReply {
    const fields = body as Fields
    const fault = (ErrorCode: string, Message: string) => reply({ Success: false, ErrorCode, Message })
    if (fields.Token !== this.tokenOf(fields)) return fault('204', 'Неверный токен')
    if (fields.TerminalKey !== this.terminalKey) return fault('205', 'Терминал не найден')
    const refusals = this.#refusals.get(operation) ?? 0
    if (refusals > 0) {
      this.#refusals.set(operation, refusals - 1)
      return fault('9999', 'Попробуйте повторить попытку позже')
    }
    if (operation === 'Init') return this.#init(fields)
    if (operation === 'CheckOrder') return this.#checkOrder(String(fields.OrderId))
    if (operation === 'AddAccountQr') return this.#addAccount(fields)
    if (operation === 'GetAddAccountQrState') return this.#bindingState(fields)
    const session = this.sessions.get(String(fields.PaymentId))
    if (!session) return fault('7', 'Платеж не найден')
    this.#expire(session)
    if (operation === 'GetQr') return this.#getQr(session)
    if (operation === 'GetState') return reply(this.#stateOf(session))
    if (operation === 'GetQrState') {
      const code = session.cancelCode
        ? { QrCancelCode: session.cancelCode, QrCancelMessage: 'Нет счета' }
        : {}
      return reply({
        Success: true,
        ErrorCode: '0',
        Status: session.status,
        OrderId: session.orderId,
        Amount: session.refunded,
        ...code,
      })
    }
    if (operation === 'ChargeQr') return this.#charge(session, fields.AccountToken)
    if (operation === 'Cancel') return this.#cancel(session, fields)
    if (operation === 'SendClosingReceipt') return this.#close(session, fields.Receipt)
    return { status: 404 }
  }

  /** The document has no list of codes of Init and GetQr, nor of Cancel. */
  protected failureOf({ operation }: BankCall): BankReply {
    if (operation === 'Init' || operation === 'GetQr')
      return reply({ Success: false, ErrorCode: '1001', Message: 'Внутренняя ошибка системы' })
    return reply({ Success: false, ErrorCode: '9999', Message: 'Попробуйте еще раз' })
  }

  protected override isRead({ operation }: BankCall): boolean {
    return ['GetState', 'GetQrState', 'GetAddAccountQrState', 'CheckOrder'].includes(operation)
  }

  #init(fields: Fields): BankReply {
    // Its document does not say that an OrderId is unique: each call makes a session.
    const orderId = String(fields.OrderId)
    const expiresAt = Date.parse(String(fields.RedirectDueDate))
    if (expiresAt < this.now() + 60_000)
      return reply({
        Success: false,
        ErrorCode: '1',
        Message: 'Неверные параметры',
        Details: 'RedirectDueDate',
      })
    const refusal = this.register.refusalOf(fields.Receipt, Number(fields.Amount))
    if (refusal) return reply({ Success: false, ...refusal })
    const paymentId = String(++this.#last)
    this.register.opened(paymentId, fields.Receipt)
    const session: Session = {
      ...{
        paymentId,
        orderId,
        amount: Number(fields.Amount),
        status: 'NEW',
        expiresAt,
        refunded: 0,
        lastRefund: 0,
        isRecurrent: fields.Recurrent === 'Y' && JSON.stringify(fields.DATA) === '{"QR":"true"}',
        charges: 0,
      },
      notificationUrl: String(fields.NotificationURL),
    }
    this.sessions.set(paymentId, session)
    return reply(this.#stateOf(session))
  }

  #getQr(session: Session): BankReply {
    session.qrcId ??= linkId('AD1000')
    this.#byLink.set(session.qrcId, session)
    session.status = 'FORM_SHOWED'
    if (session.isRecurrent) {
      session.requestKey ??= this.#bind(session.qrcId, session.expiresAt).requestKey
    }
    const Data = payloadOf(session.qrcId, '02', session.amount)
    return reply({
      ...this.#stateOf(session),
      PaymentId: Number(session.paymentId),
      Data,
      RequestKey: session.requestKey === undefined ? 211_258 : keyOf(session.requestKey),
    })
  }

  #bind(qrcId: string, expiresAt: number): Binding {
    const requestKey = this.requestKeyOf(++this.#last)
    const binding: Binding = { requestKey, qrcId, status: 'PROCESSING', expiresAt }
    this.bindings.set(requestKey, binding)
    return binding
  }

  #addAccount(fields: Fields): BankReply {
    const expiresAt = Date.parse(String(fields.RedirectDueDate))
    if (expiresAt < this.now() + 60_000)
      return reply({
        Success: false,
        ErrorCode: '1',
        Message: 'Неверные параметры',
        Details: 'RedirectDueDate',
      })
    const { requestKey, qrcId } = this.#bind(linkId('AS1000'), expiresAt)
    const of = { TerminalKey: this.terminalKey, RequestKey: keyOf(requestKey), ErrorCode: '0', Success: true }
    // Its example has a sum.
    return reply({ ...of, Data: payloadOf(qrcId, '01', 10_000), Message: 'OK' })
  }

  #bindingState(fields: Fields): BankReply {
    const binding = this.bindings.get(String(fields.RequestKey))
    if (!binding) return reply({ Success: false, ErrorCode: '3001', Message: 'Привязка не найдена' })
    const { requestKey, status, accountToken } = binding
    const bank = { BankMemberId: '100000000004', BankMemberName: 'T-Банк' }
    return reply({
      ...{ TerminalKey: this.terminalKey, RequestKey: keyOf(requestKey), Status: status },
      ...{ Success: true, ErrorCode: '0', Message: 'OK' },
      ...(status === 'ACTIVE' ? { ...bank, AccountToken: accountToken } : {}),
    })
  }

  #checkOrder(orderId: string): BankReply {
    const sessions = Array.from(this.sessions.values()).filter((each) => each.orderId === orderId)
    if (sessions.length === 0 && this.refusesUnknownOrders) {
      return reply({
        Success: false,
        ErrorCode: '255',
        Message: 'Неверные параметры',
        Details: 'Заказ не найден',
      })
    }
    for (const session of sessions) this.#expire(session)
    return reply({
      ...{ TerminalKey: this.terminalKey, OrderId: orderId, Success: true, ErrorCode: '0', Message: 'OK' },
      Payments: sessions.map(({ paymentId, amount, status }) => ({
        ...{ PaymentId: paymentId, Amount: amount, Status: status, Success: 'true', ErrorCode: 0 },
      })),
    })
  }

  #charge(session: Session, token: unknown): BankReply {
    const fault = (ErrorCode: string, Message: string) =>
      reply({ ...this.#stateOf(session), Success: false, ErrorCode, Message })
    const binding = Array.from(this.bindings.values()).find((each) => each.accountToken === token)
    if (session.status !== 'NEW' || !session.isRecurrent)
      return fault('3037', 'Повторный вызов метода недоступен')
    if (binding?.status !== 'ACTIVE') return fault('3015', 'Неверный статус AccountToken')
    if (/^\d+$/.test(this.chargeResult)) return fault(this.chargeResult, 'Отказ')
    this.#settle(session, this.chargeResult)
    // One place of the document spells it with a space.
    const Status = this.chargeResult === 'FORM_SHOWED' ? 'FORM SHOWED' : this.chargeResult
    return reply({ ...this.#stateOf(session), Status, Message: 'OK', Currency: 643 })
  }

  #settle(session: Session, status: string): void {
    session.status = status
    if (status !== 'CONFIRMED') return
    session.charges++
    this.#fiscalize(this.register.confirmed(session.paymentId, session.amount))
  }

  #close({ paymentId, status }: Session, receipt: unknown): BankReply {
    const sold = this.register.sold(paymentId)
    const isPrepaid = sold?.Items.some(({ PaymentMethod }) => PaymentMethod !== 'full_payment')
    if (status !== 'CONFIRMED' || !isPrepaid)
      return reply({ Success: false, ErrorCode: '1', Message: 'Неверные параметры' })
    this.#fiscalize(this.register.closed(paymentId, receipt))
    return reply({ Success: true, ErrorCode: '0', Message: 'OK' })
  }

  #cancel(session: Session, fields: Fields): BankReply {
    const { status } = session
    const amount = Number(fields.Amount ?? session.amount)
    if (this.refusal) return reply({ ...this.#stateOf(session), Success: false, ...this.refusal })
    if (status !== 'CONFIRMED' && status !== 'PARTIAL_REFUNDED') {
      session.status = status === 'NEW' || status === 'FORM_SHOWED' ? 'CANCELED' : status
      return reply({ ...this.#stateOf(session), Success: session.status === 'CANCELED' })
    }
    if (session.refunded + amount > session.amount) {
      return reply({
        ...this.#stateOf(session),
        Success: false,
        ErrorCode: '4',
        Message: 'Сумма больше остатка',
      })
    }
    const OriginalAmount = session.amount - session.refunded
    const isWhole = session.refunded === 0 && amount === session.amount
    const refusal = isWhole ? undefined : this.register.refusalOf(fields.Receipt, amount)
    if (refusal) return reply({ ...this.#stateOf(session), Success: false, ...refusal })
    session.lastRefund = amount
    session.refundReceipt = fields.Receipt
    if (this.isRefundSlow) session.status = 'ASYNC_REFUNDING'
    else this.finishRefund(session.paymentId, true)
    const PaymentId = Number(session.paymentId)
    return reply({ ...this.#stateOf(session), PaymentId, OriginalAmount, NewAmount: OriginalAmount - amount })
  }

  #stateOf({ paymentId, orderId, amount, status }: Session): Fields {
    return {
      ...{ TerminalKey: this.terminalKey, OrderId: orderId, Amount: amount, Success: true, ErrorCode: '0' },
      ...{ PaymentId: paymentId, Status: status },
    }
  }

  #expire(session: Session): void {
    const isLinkShown = session.status === 'FORM_SHOWED' && session.qrcId !== undefined
    const isOpen = session.status === 'NEW' || isLinkShown
    if (isOpen && this.now() >= session.expiresAt) session.status = 'DEADLINE_EXPIRED'
  }

  #session(paymentId: string): Session {
    const session = this.sessions.get(paymentId)
    if (!session) throw new Error(`no session ${paymentId}`)
    return session
  }
}

/** A number where it is one. */
const keyOf = (requestKey: string): string | number =>
  /^\d+$/.test(requestKey) ? Number(requestKey) : requestKey

const reply = (body: Fields): BankReply => ({ status: 200, body })

// A fake of T-Bank: payment sessions, links, refunds by Cancel, notifications with a Token.
import { createHash } from 'node:crypto'
import { type BankCall, type BankReply, type Delivery, FakeBank, linkId, payloadOf } from './fake-bank.ts'

interface Session {
  paymentId: string
  orderId: string
  amount: number
  status: string
  notificationUrl: string
  expiresAt: number
  qrcId?: string
  refunded: number
  lastRefund: number
  cancelCode?: string
}

type Fields = Record<string, unknown>

export class FakeTBank extends FakeBank {
  terminalKey = 'TinkoffBankTest'
  readonly password = 'usaf8fw8fsw21g'
  readonly sessions = new Map<string, Session>()
  /** Whether a refund takes its time: then `finishRefund` ends it. */
  isRefundSlow = false
  /** What Cancel answers instead of refunding. */
  refusal: { ErrorCode: string; Message: string } | undefined
  /** How often each operation is still refused: Success false, without a reason that its document has. */
  readonly #refusals = new Map<string, number>()
  /** Where notifications go, whatever the sessions say. */
  notificationsTo: string | undefined
  #last = 2_304_881

  session(qrcId: string): Session {
    const session = Array.from(this.sessions.values()).find((each) => each.qrcId === qrcId)
    if (!session) throw new Error(`no session of ${qrcId}`)
    return session
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
    await this.deliver(session.paymentId, delivery)
    return session.paymentId
  }

  /** The notification of the present status. */
  async deliver(paymentId: string, delivery: Delivery = {}, changes: Fields = {}): Promise<void> {
    const { notificationUrl, qrcId: code = '' } = this.#session(paymentId)
    const body = JSON.stringify({ ...this.notificationOf(paymentId), ...changes })
    const url = this.notificationsTo ?? notificationUrl
    await this.post({ code, url, body, headers: { 'content-type': 'application/json' } }, delivery)
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
    if (operation === 'CheckOrder')
      return reply({ Success: true, ErrorCode: '0', OrderId: fields.OrderId, Payments: [] })
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
        Amount: session.refunded,
        ...code,
      })
    }
    if (operation === 'Cancel') return this.#cancel(session, Number(fields.Amount ?? session.amount))
    return { status: 404 }
  }

  /** What Cancel answers has no list of codes. */
  protected failureOf(): BankReply {
    return reply({ Success: false, ErrorCode: '9999', Message: 'Попробуйте еще раз' })
  }

  protected override isRead({ operation }: BankCall): boolean {
    return operation === 'GetState' || operation === 'GetQrState'
  }

  #init(fields: Fields): BankReply {
    const orderId = String(fields.OrderId)
    if (Array.from(this.sessions.values()).some((each) => each.orderId === orderId)) {
      return reply({ Success: false, ErrorCode: '8', Message: 'OrderId не уникален' })
    }
    const expiresAt = Date.parse(String(fields.RedirectDueDate))
    if (expiresAt < this.now() + 60_000)
      return reply({ Success: false, ErrorCode: '1', Message: 'RedirectDueDate' })
    const paymentId = String(++this.#last)
    const session: Session = {
      ...{
        paymentId,
        orderId,
        amount: Number(fields.Amount),
        status: 'NEW',
        expiresAt,
        refunded: 0,
        lastRefund: 0,
      },
      notificationUrl: String(fields.NotificationURL),
    }
    this.sessions.set(paymentId, session)
    return reply(this.#stateOf(session))
  }

  #getQr(session: Session): BankReply {
    session.qrcId ??= linkId('AD1000')
    session.status = 'FORM_SHOWED'
    const Data = payloadOf(session.qrcId, '02', session.amount)
    return reply({
      ...this.#stateOf(session),
      PaymentId: Number(session.paymentId),
      Data,
      RequestKey: 211_258,
    })
  }

  #cancel(session: Session, amount: number): BankReply {
    const { status } = session
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
    session.lastRefund = amount
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
    const isOpen = session.status === 'NEW' || session.status === 'FORM_SHOWED'
    if (isOpen && this.now() >= session.expiresAt) session.status = 'DEADLINE_EXPIRED'
  }

  #session(paymentId: string): Session {
    const session = this.sessions.get(paymentId)
    if (!session) throw new Error(`no session ${paymentId}`)
    return session
  }
}

const reply = (body: Fields): BankReply => ({ status: 200, body })

// The payments of orders: makes their codes, and records what the service says of them.
import { cancelOrder, createOrderCode, fromKopecks, type OrderPayment, readOrder } from '@fps-qr/client'
import { Inject, Injectable } from '@nestjs/common'
import {
  type CancelPaymentErrorResult,
  type CancelPaymentResult,
  ChannelService,
  type CreatePaymentErrorResult,
  type CreatePaymentResult,
  type ID,
  isGraphQlErrorResult,
  Logger,
  type Order,
  OrderService,
  Payment,
  type PaymentMethod,
  PaymentMethodService,
  type RequestContext,
  RequestContextService,
  type SettlePaymentErrorResult,
  type SettlePaymentResult,
  TransactionalConnection,
  totalCoveredByPayments,
} from '@vendure/core'
import { FpsQrCode } from './entities'
import { receiptOf } from './receipts'
import { inTurn, lockOrder } from './serialized'
import { FpsQrSettings } from './settings'
import { FpsQrSurplus } from './surplus'

/** What a storefront shows of the payment of an order. */
export interface ShownPayment {
  state: OrderPayment['state']
  amount: number
  /** Only while it can be paid: nobody is told how to pay what cannot be paid. */
  open?: { pageUrl: string; link: string; picture: string; expiresOn: string | undefined }
}

@Injectable()
export class FpsQrPayments {
  constructor(
    @Inject(TransactionalConnection) private readonly connection: TransactionalConnection,
    @Inject(OrderService) private readonly orders: OrderService,
    @Inject(PaymentMethodService) private readonly methods: PaymentMethodService,
    @Inject(ChannelService) private readonly channels: ChannelService,
    @Inject(RequestContextService) private readonly contexts: RequestContextService,
    @Inject(FpsQrSettings) private readonly settings: FpsQrSettings,
    @Inject(FpsQrSurplus) private readonly surplus: FpsQrSurplus,
  ) {}

  /** The code of an order that is to be paid; a repeat gets the same code as long as it can be paid. */
  open(
    ctx: RequestContext,
    order: Order,
    method: PaymentMethod,
  ): Promise<CreatePaymentResult | CreatePaymentErrorResult> {
    return inTurn(order.id, async () => {
      const amount = order.totalWithTax - totalCoveredByPayments(order, ['Authorized', 'Settled'])
      const refused = (errorMessage: string) => ({ amount, state: 'Error', errorMessage }) as const
      if (order.currencyCode !== 'RUB') return refused(`the currency is ${order.currencyCode}, must be RUB`)
      const codes = await this.#codesOf(ctx, order.id)
      for (const earlier of codes.slice(0, -1).concat(codes.filter((each) => each.amount !== amount)))
        if ((await this.#cancelled(ctx, earlier)) !== 'ended')
          return refused('the order is being paid already')
      const latest = codes.at(-1)
      if (latest && latest.amount === amount && latest.method === method.code) {
        const read = await this.#read(ctx, latest)
        if (read?.state === 'paid') return refused('the order is paid already')
        if (read?.state !== 'ended') return this.#create(ctx, order, method, latest)
      }
      const qrCodeUid = `${order.code}-${codes.length + 1}`
      const { channelId } = ctx
      const code = new FpsQrCode({ qrCodeUid, orderId: order.id, channelId, method: method.code, amount })
      await this.connection.getRepository(ctx, FpsQrCode).save(code)
      // The row is there whatever becomes of the request, and no lock of the database waits for the service.
      await this.connection.commitOpenTransaction(ctx)
      return this.#create(ctx, order, method, code)
    })
  }

  async #create(
    ctx: RequestContext,
    order: Order,
    method: PaymentMethod,
    code: FpsQrCode,
  ): Promise<CreatePaymentResult> {
    const { returnUrl, minutes, receipts, vatFromTaxes } = await this.settings.of(ctx, method)
    const { qrCodeUid, amount } = code
    const { qrCode } = await createOrderCode(await this.settings.client(ctx, method), {
      qrCodeUid,
      qrCode: { type: 'DYNAMIC', ttl: minutes, image: { mediaType: 'image/svg+xml' } },
      amount: { value: fromKopecks(amount), currency: 'RUB' },
      paymentPurpose: `Заказ ${order.code}`,
      ...(returnUrl && { redirectUrl: returnUrl.replace('{code}', encodeURIComponent(order.code)) }),
      ...(receipts && { receipt: receiptOf(order, amount, vatFromTaxes) }),
    })
    if (qrCode.image)
      await this.connection
        .getRepository(ctx, FpsQrCode)
        .update({ qrCodeUid }, { picture: qrCode.image.content })
    return { amount, state: 'Created', transactionId: qrCodeUid, metadata: { public: { qrCodeUid } } }
  }

  /** Whether a payment is settled: what the service says now. The admin's button does no more. */
  async settled(
    ctx: RequestContext,
    payment: Payment,
  ): Promise<SettlePaymentResult | SettlePaymentErrorResult> {
    const code = await this.#codeOf(ctx, payment.transactionId)
    const read = code && (await this.#read(ctx, code))
    if (read?.payment)
      return { success: true, metadata: { paymentId: read.payment.paymentId, public: { paid: true } } }
    if (read?.state === 'open')
      return { success: false, state: 'Created', errorMessage: 'nobody has paid yet' }
    return { success: false, state: 'Cancelled', errorMessage: 'the QR code has ended, nobody has paid it' }
  }

  /** Cancels the code of a payment, first. @returns an error if it is paid: then the payment stays */
  async cancelled(
    ctx: RequestContext,
    order: Order,
    payment: Payment,
  ): Promise<CancelPaymentResult | CancelPaymentErrorResult> {
    const code = await this.#codeOf(ctx, payment.transactionId)
    const payments = await this.orders.getOrderPayments(ctx, order.id)
    const isOfOther = payments.some(
      ({ transactionId, state }) => transactionId === payment.transactionId && state === 'Settled',
    )
    if (!code || isOfOther) return { success: true }
    const state = await this.#cancelled(ctx, code)
    if (state === 'ended') return { success: true }
    const errorMessage = state === 'paid' ? 'the customer has paid' : 'the customer is paying'
    return { success: false, state: 'Created', errorMessage }
  }

  /** Cancels the codes of an order that is about to be cancelled or changed. @returns why that must not be */
  async close(ctx: RequestContext, order: Order): Promise<string | undefined> {
    const codes = await this.#codesOf(ctx, order.id)
    if (codes.length === 0) return undefined
    for (const { id, state, transactionId } of await this.orders.getOrderPayments(ctx, order.id)) {
      if (state !== 'Created' || !codes.some(({ qrCodeUid }) => qrCodeUid === transactionId)) continue
      const result = await this.orders.cancelPayment(ctx, id)
      if (isGraphQlErrorResult(result))
        return 'paymentErrorMessage' in result ? result.paymentErrorMessage : result.message
    }
    return undefined
  }

  /** Reads the code, and records what is new. @returns undefined if it is of no order here */
  async refresh(qrCodeUid: string): Promise<ShownPayment | undefined> {
    const known = await this.connection.rawConnection.getRepository(FpsQrCode).findOneBy({ qrCodeUid })
    if (!known) return undefined
    const read = await inTurn(known.orderId, async () =>
      this.connection.withTransaction(await this.contextOf(known), async (ctx) => {
        await lockOrder(this.connection, ctx, known.orderId)
        const result = await this.#read(ctx, known)
        if (result) await this.#record(ctx, known, result)
        return result
      }),
    )
    if (!read) return undefined
    const { state, qrCode } = read
    const { amount, picture } = known
    if (state !== 'open') return { state, amount }
    const { pageUrl, expiresOn } = qrCode
    return {
      state,
      amount,
      open: { pageUrl, link: qrCode.qrCode.payload, picture: picture ?? '', expiresOn },
    }
  }

  /** Reads the latest code of an order. */
  async refreshOrder(ctx: RequestContext, order: Order): Promise<ShownPayment | undefined> {
    const codes = await this.#codesOf(ctx, order.id)
    const latest = codes.at(-1)
    if (!latest) return undefined
    const payments = await this.orders.getOrderPayments(ctx, order.id)
    const isPaid = payments.some(
      ({ transactionId, state }) => transactionId === latest.qrCodeUid && state === 'Settled',
    )
    return isPaid ? { state: 'paid', amount: latest.amount } : this.refresh(latest.qrCodeUid)
  }

  /** Reads the codes whose payments wait: a notification can be lost. */
  async refreshWaiting(): Promise<void> {
    const waiting = await this.connection.rawConnection
      .getRepository(FpsQrCode)
      .createQueryBuilder('code')
      .innerJoin(Payment, 'payment', 'payment.transactionId = code.qrCodeUid')
      .where('payment.state = :state', { state: 'Created' })
      .getMany()
    for (const { qrCodeUid } of waiting)
      await this.refresh(qrCodeUid).catch((error: unknown) =>
        Logger.warn(error instanceof Error ? error.message : String(error), 'fps-qr'),
      )
  }

  async #record(ctx: RequestContext, code: FpsQrCode, read: OrderPayment): Promise<void> {
    const ofCode = async () =>
      (await this.orders.getOrderPayments(ctx, code.orderId)).filter(
        ({ transactionId }) => transactionId === code.qrCodeUid,
      )
    const created = (await ofCode()).find(({ state }) => state === 'Created')
    const isSettled = (await ofCode()).some(({ state }) => state === 'Settled')
    if (created && !isSettled && read.state !== 'open') await this.orders.settlePayment(ctx, created.id)
    if (read.payment) await this.surplus.record(ctx, code, read.payment)
    for (const payment of read.surplus) await this.surplus.record(ctx, code, payment)
    if (read.state === 'open') return
    // Two tabs can have the same code: the other payment of it ends with the first.
    for (const { id, state } of await ofCode())
      if (state === 'Created') await this.orders.cancelPayment(ctx, id)
  }

  /** A context for what no request of a person causes. */
  async contextOf({ channelId }: Pick<FpsQrCode, 'channelId'>): Promise<RequestContext> {
    const inDefault = await this.contexts.create({ apiType: 'admin' })
    const channel = await this.channels.findOne(inDefault, channelId)
    return channel ? this.contexts.create({ apiType: 'admin', channelOrToken: channel }) : inDefault
  }

  async #read(ctx: RequestContext, code: FpsQrCode): Promise<OrderPayment | undefined> {
    const order = { qrCodeUid: code.qrCodeUid, amount: { value: fromKopecks(code.amount) } }
    return readOrder(await this.clientOf(ctx, code), order).catch((error: unknown) => {
      if (error instanceof Error && error.name === 'NotFoundError') return undefined
      throw error
    })
  }

  async #cancelled(ctx: RequestContext, code: FpsQrCode): Promise<OrderPayment['state']> {
    const order = { qrCodeUid: code.qrCodeUid, amount: { value: fromKopecks(code.amount) } }
    return (await cancelOrder(await this.clientOf(ctx, code), order))?.state ?? 'ended'
  }

  async clientOf(ctx: RequestContext, { method }: Pick<FpsQrCode, 'method'>) {
    const { paymentMethod } = await this.methods.getMethodAndOperations(ctx, method)
    return this.settings.client(ctx, paymentMethod)
  }

  /** Oldest first. */
  #codesOf(ctx: RequestContext, orderId: ID): Promise<FpsQrCode[]> {
    return this.connection.getRepository(ctx, FpsQrCode).find({ where: { orderId }, order: { id: 'ASC' } })
  }

  #codeOf(ctx: RequestContext, qrCodeUid: string): Promise<FpsQrCode | null> {
    return this.connection.getRepository(ctx, FpsQrCode).findOneBy({ qrCodeUid })
  }
}

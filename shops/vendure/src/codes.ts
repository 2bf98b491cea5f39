// The codes of orders: makes them at the service, reads and cancels them.
import {
  cancelOrder,
  createOrderCode,
  type FpsQr,
  fromKopecks,
  NotFoundError,
  type OrderPayment,
  readOrder,
  type StoredOrder,
} from '@fps-qr/client'
import { Inject, Injectable } from '@nestjs/common'
import {
  ChannelService,
  type CreatePaymentErrorResult,
  type CreatePaymentResult,
  type ID,
  idsAreEqual,
  type Order,
  type Payment,
  PaymentMethod,
  type RequestContext,
  RequestContextService,
  TransactionalConnection,
  totalCoveredByPayments,
  UserInputError,
} from '@vendure/core'
import { FpsQrCode } from './entities'
import { receiptOf } from './receipts'
import { inTurn } from './serialized'
import { FpsQrSettings, HANDLER_CODE } from './settings'

@Injectable()
export class FpsQrCodes {
  constructor(
    @Inject(TransactionalConnection) private readonly connection: TransactionalConnection,
    @Inject(ChannelService) private readonly channels: ChannelService,
    @Inject(RequestContextService) private readonly contexts: RequestContextService,
    @Inject(FpsQrSettings) private readonly settings: FpsQrSettings,
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
      const { baseUrl, siteId } = await this.settings.of(ctx, method)
      const all = await this.ofOrder(ctx, order.id)
      // One of another site that has ended is read no more; one that waits has to be cancelled there.
      const codes = all.filter(
        (code) =>
          isOf(code, { baseUrl, siteId }) || !isOver(code, order.payments) || code.method !== method.code,
      )
      // What an earlier code took and is recorded waits for its refund: it does not keep the customer from paying.
      const isNews = (read: OrderPayment | undefined) =>
        read?.state === 'open' ||
        (read?.payment &&
          !read.returned &&
          !order.payments.some((each) => each.metadata.paymentId === read.payment?.paymentId))
      const latest = codes.at(-1)
      const isSame = latest?.amount === amount && latest.method === method.code
      for (const earlier of isSame ? codes.slice(0, -1) : codes)
        if (isNews(await this.cancel(ctx, earlier))) return refused('the order is being paid already')
      if (latest && isSame) {
        const read = await this.read(ctx, latest)
        if (read?.state === 'open' && latest.picture) return paymentOf(latest)
        if (read?.payment && isNews(read)) return refused('the order is paid already')
        if (read?.state !== 'ended' && !read?.payment) return this.#create(ctx, order, method, latest)
      }
      const qrCodeUid = `${order.code}-${all.length + 1}`
      const { channelId } = ctx
      const site = { baseUrl, siteId, method: method.code }
      const code = new FpsQrCode({ qrCodeUid, orderId: order.id, channelId, amount, ...site })
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
    return paymentOf(code)
  }

  async read(ctx: RequestContext, code: FpsQrCode): Promise<OrderPayment | undefined> {
    return readOrder(await this.clientOf(ctx, code), orderOf(code)).catch((error: unknown) => {
      if (error instanceof NotFoundError) return undefined
      throw error
    })
  }

  async cancel(ctx: RequestContext, code: FpsQrCode): Promise<OrderPayment | undefined> {
    return cancelOrder(await this.clientOf(ctx, code), orderOf(code))
  }

  /** The client for a code. @throws UserInputError if the payment method names another site by now */
  async clientOf(ctx: RequestContext, code: FpsQrCode): Promise<FpsQr> {
    const method = await this.#methodOf(ctx, code)
    const settings = await this.settings.of(ctx, method)
    if (isOf(code, settings)) return this.settings.client(ctx, method)
    const { qrCodeUid, baseUrl, siteId } = code
    throw new UserInputError(
      `the QR code ${qrCodeUid} waits: it is of site ${siteId} at ${baseUrl}, the payment method ${method.code} names site ${settings.siteId} at ${settings.baseUrl}`,
    )
  }

  /** Vendure finds none that is disabled; what was begun by it goes on. */
  async #methodOf(ctx: RequestContext, { method: code }: FpsQrCode): Promise<PaymentMethod> {
    const found = await this.connection
      .getRepository(ctx, PaymentMethod)
      .find({ where: { code }, relations: { channels: true } })
    const methods = found.filter(({ handler }) => handler.code === HANDLER_CODE)
    const inChannel = methods.find(({ channels }) =>
      channels.some(({ id }) => idsAreEqual(id, ctx.channelId)),
    )
    const method = inChannel ?? methods[0]
    if (!method) throw new UserInputError(`there is no payment method ${code} of SBP any more`)
    return method
  }

  /** The code by which a payment came; undefined if it came by none. */
  async ofPayment({ metadata, method, transactionId, order }: Payment): Promise<FpsQrCode | undefined> {
    if (typeof metadata.paymentId !== 'string') return undefined
    const codes = await this.connection.rawConnection
      .getRepository(FpsQrCode)
      .find({ where: { orderId: order.id, method }, order: { id: 'DESC' } })
    return codes.find(({ qrCodeUid }) => qrCodeUid === (metadata.qrCodeUid ?? transactionId)) ?? codes[0]
  }

  /** Oldest first. */
  ofOrder(ctx: RequestContext, orderId: ID): Promise<FpsQrCode[]> {
    return this.connection.getRepository(ctx, FpsQrCode).find({ where: { orderId }, order: { id: 'ASC' } })
  }

  find(ctx: RequestContext, qrCodeUid: string): Promise<FpsQrCode | null> {
    return this.connection.getRepository(ctx, FpsQrCode).findOneBy({ qrCodeUid })
  }

  /** A context for what no request of a person causes. */
  async contextOf({ channelId }: Pick<FpsQrCode, 'channelId'>): Promise<RequestContext> {
    const inDefault = await this.contexts.create({ apiType: 'admin' })
    const channel = await this.channels.findOne(inDefault, channelId)
    return channel ? this.contexts.create({ apiType: 'admin', channelOrToken: channel }) : inDefault
  }
}

const orderOf = ({ qrCodeUid, amount }: FpsQrCode): StoredOrder => ({
  qrCodeUid,
  amount: { value: fromKopecks(amount) },
})

const isOf = (code: FpsQrCode, site: { baseUrl: string; siteId: string }): boolean =>
  code.siteId === '' || (code.siteId === site.siteId && code.baseUrl === site.baseUrl)

/** Whether the service has said that a code can be paid no more. */
export function isOver({ qrCodeUid }: FpsQrCode, payments: readonly Payment[]): boolean {
  const states = payments.filter((each) => each.transactionId === qrCodeUid).map(({ state }) => state)
  return !states.includes('Created') && states.some((each) => each === 'Settled' || each === 'Cancelled')
}

/** The payment that waits for the customer. It has no link: a link outlives the time in which it can be paid. */
const paymentOf = ({ qrCodeUid, amount }: FpsQrCode): CreatePaymentResult => ({
  amount,
  state: 'Created',
  transactionId: qrCodeUid,
  metadata: { public: { qrCodeUid } },
})

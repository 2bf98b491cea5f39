// What the plugin adds to the GraphQL APIs.
import { Inject } from '@nestjs/common'
import { Args, Mutation, Query, Resolver } from '@nestjs/graphql'
import {
  Allow,
  ConfigService,
  Ctx,
  type ID,
  idsAreEqual,
  OrderService,
  PaymentMethodService,
  Permission,
  type Refund,
  type RequestContext,
  Transaction,
  UserInputError,
} from '@vendure/core'
import { gql } from 'graphql-tag'
import { FpsQrPayments } from './payments'
import { FpsQrRefunds } from './refunds'
import { FpsQrSettings, HANDLER_CODE } from './settings'

export const shopSchema = gql`
  enum FpsQrState { open paid ended }
  """The payment of an order by QR code, as the service says now"""
  type FpsQrPayment {
    state: FpsQrState!
    amount: Money!
    """The page of the QR code; this and the fields below only while it can be paid"""
    pageUrl: String
    """Opens the app of a bank on a phone"""
    link: String
    """The QR code as SVG in base64"""
    picture: String
    expiresOn: DateTime
  }
  extend type Query {
    """Null where the order has no such payment, or is not the customer's"""
    fpsQrPayment(orderCode: String!): FpsQrPayment
  }
`

export const adminSchema = gql`
  type FpsQrCheck {
    """Null if all is well: the setting that is wrong"""
    setting: String
    reason: String
    """The path of the address for notifications of the site"""
    notificationPath: String!
  }
  extend type Mutation {
    """Makes a QR code of 1 RUB and cancels it, and has the service send its test notification"""
    fpsQrCheckSettings(paymentMethodId: ID!): FpsQrCheck!
    """Refunds what is left of a payment, also one that did not pay its order"""
    fpsQrRefundPayment(paymentId: ID!, reason: String): Refund!
  }
`

@Resolver()
export class FpsQrShopResolver {
  constructor(
    @Inject(OrderService) private readonly orders: OrderService,
    @Inject(ConfigService) private readonly config: ConfigService,
    @Inject(FpsQrPayments) private readonly payments: FpsQrPayments,
  ) {}

  @Query()
  @Allow(Permission.Owner)
  async fpsQrPayment(@Ctx() ctx: RequestContext, @Args() { orderCode }: { orderCode: string }) {
    const order = await this.orders.findOneByCode(ctx, orderCode, ['customer', 'customer.user', 'payments'])
    if (!order) return null
    // The customer whose cart it is, or whoever may see the order afterwards.
    const isOwn = idsAreEqual(ctx.session?.activeOrderId, order.id)
    if (!isOwn && !(await this.config.orderOptions.orderByCodeAccessStrategy.canAccessOrder(ctx, order)))
      return null
    const shown = await this.payments.refreshOrder(ctx, order)
    return shown && { state: shown.state, amount: shown.amount, ...shown.open }
  }
}

@Resolver()
export class FpsQrAdminResolver {
  constructor(
    @Inject(PaymentMethodService) private readonly methods: PaymentMethodService,
    @Inject(FpsQrSettings) private readonly settings: FpsQrSettings,
    @Inject(FpsQrRefunds) private readonly refunds: FpsQrRefunds,
  ) {}

  @Mutation()
  @Allow(Permission.UpdatePaymentMethod, Permission.UpdateSettings)
  async fpsQrCheckSettings(@Ctx() ctx: RequestContext, @Args() { paymentMethodId }: { paymentMethodId: ID }) {
    const method = await this.methods.findOne(ctx, paymentMethodId)
    if (method?.handler.code !== HANDLER_CODE) throw new UserInputError('no such payment method')
    const fault = await this.settings.check(ctx, method)
    return { ...fault, notificationPath: `/fps-qr/${encodeURIComponent(method.code)}` }
  }

  @Transaction()
  @Mutation()
  @Allow(Permission.UpdateOrder)
  fpsQrRefundPayment(
    @Ctx() ctx: RequestContext,
    @Args() { paymentId, reason }: { paymentId: ID; reason?: string | null },
  ): Promise<Refund> {
    return this.refunds.refundPayment(ctx, paymentId, reason ?? '')
  }
}

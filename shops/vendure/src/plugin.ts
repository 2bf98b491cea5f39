// The plugin: put `FpsQrPlugin` into `plugins` of the configuration.
import { Inject, type OnApplicationBootstrap } from '@nestjs/common'
import {
  EventBus,
  Logger,
  PaymentMethodEvent,
  PluginCommonModule,
  ProcessContext,
  RefundEvent,
  RefundStateTransitionEvent,
  ScheduledTask,
  VendurePlugin,
} from '@vendure/core'
import { raw } from 'express'
import { adminSchema, FpsQrAdminResolver, FpsQrShopResolver, shopSchema } from './api'
import { FpsQrCodes } from './codes'
import { FpsQrCode, FpsQrSecrets } from './entities'
import { fpsQrHandler } from './handler'
import { FpsQrNotifications, ROUTE } from './notifications'
import { FpsQrPayments } from './payments'
import { fpsQrOrderProcess, fpsQrPaymentProcess, fpsQrRefundProcess } from './processes'
import { FpsQrRefunds } from './refunds'
import { FpsQrScripts } from './scripts'
import { FpsQrSettings } from './settings'
import { FpsQrSurplus } from './surplus'
import { textOf } from './text-of'

/** Reads what may have been missed while the shop or the service was down. */
const catchUp = new ScheduledTask({
  id: 'fps-qr-catch-up',
  description: 'SBP: reads the payments that wait, sends the refunds that have no result',
  schedule: (cron) => cron.everyMinute(),
  async execute({ injector }) {
    await injector.get(FpsQrPayments).refreshWaiting()
    await injector.get(FpsQrRefunds).sendAll()
  },
})

@VendurePlugin({
  imports: [PluginCommonModule],
  compatibility: '^3.7.0',
  entities: [FpsQrCode, FpsQrSecrets],
  controllers: [FpsQrNotifications, FpsQrScripts],
  providers: [FpsQrSettings, FpsQrCodes, FpsQrPayments, FpsQrRefunds, FpsQrSurplus],
  shopApiExtensions: { schema: shopSchema, resolvers: [FpsQrShopResolver] },
  adminApiExtensions: { schema: adminSchema, resolvers: [FpsQrAdminResolver] },
  configuration(config) {
    config.paymentOptions.paymentMethodHandlers.push(fpsQrHandler)
    config.paymentOptions.process = [...(config.paymentOptions.process ?? []), fpsQrPaymentProcess]
    config.paymentOptions.refundProcess = [...(config.paymentOptions.refundProcess ?? []), fpsQrRefundProcess]
    config.orderOptions.process = [...(config.orderOptions.process ?? []), fpsQrOrderProcess]
    config.schedulerOptions.tasks = [...(config.schedulerOptions.tasks ?? []), catchUp]
    // The signature is over the bytes, so nothing may parse them first.
    const handler = raw({ type: () => true, limit: '64kb' })
    config.apiOptions.middleware.push({ route: `/${ROUTE}`, handler, beforeListen: true })
    return config
  },
})
export class FpsQrPlugin implements OnApplicationBootstrap {
  constructor(
    @Inject(EventBus) private readonly events: EventBus,
    @Inject(ProcessContext) private readonly context: ProcessContext,
    @Inject(FpsQrSettings) private readonly settings: FpsQrSettings,
    @Inject(FpsQrRefunds) private readonly refunds: FpsQrRefunds,
  ) {}

  onApplicationBootstrap(): void {
    this.events.registerBlockingEventHandler({
      id: 'fps-qr-settings',
      event: PaymentMethodEvent,
      handler: (event) => this.settings.onSaved(event),
    })
    if (!this.context.isServer) return
    // The event comes after the transaction: the refund is stored.
    this.events.ofType(RefundStateTransitionEvent).subscribe(({ toState, refund }) => {
      if (toState === 'Pending') this.refunds.send(refund.id).catch(logged)
    })
    this.events.ofType(RefundEvent).subscribe(({ refund }) => {
      if (!refund.transactionId) this.refunds.sendAll().catch(logged)
    })
    this.refunds.sendAll().catch(logged)
  }
}

const logged = (error: unknown) => Logger.error(textOf(error), ROUTE)

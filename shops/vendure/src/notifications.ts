// The endpoint for notifications: a verified one makes the shop read the code of the order.
import { NotificationError, notificationKeys, orderOf, verifyNotification } from '@fps-qr/client'
import { Controller, Inject, Param, Post, Req, Res } from '@nestjs/common'
import { Logger, PaymentMethod, RequestContextService, TransactionalConnection } from '@vendure/core'
import { FpsQrPayments } from './payments'
import { FpsQrRefunds } from './refunds'
import { FpsQrSettings, HANDLER_CODE } from './settings'
import { textOf } from './text-of'

export const ROUTE = 'fps-qr'

/** What it needs of Express. */
interface Delivered {
  /** The bytes as they came. */
  body: unknown
  headers: Record<string, string | string[] | undefined>
}
interface Answer {
  status(code: number): { end(): void }
}

@Controller(ROUTE)
export class FpsQrNotifications {
  constructor(
    @Inject(TransactionalConnection) private readonly connection: TransactionalConnection,
    @Inject(RequestContextService) private readonly contexts: RequestContextService,
    @Inject(FpsQrSettings) private readonly settings: FpsQrSettings,
    @Inject(FpsQrPayments) private readonly payments: FpsQrPayments,
    @Inject(FpsQrRefunds) private readonly refunds: FpsQrRefunds,
  ) {}

  /** @param code of the payment method: each has a site, and so a key, of its own */
  @Post(':code')
  async receive(
    @Param('code') code: string,
    @Req() request: Delivered,
    @Res() response: Answer,
  ): Promise<void> {
    response.status(await this.#statusOf(code, request)).end()
  }

  /** 2xx only after the order is changed and stored: else the notification comes again. */
  async #statusOf(code: string, { body, headers }: Delivered): Promise<number> {
    try {
      const methods = await this.connection.rawConnection.getRepository(PaymentMethod).findBy({ code })
      const method = methods.find(({ handler }) => handler.code === HANDLER_CODE)
      if (!method || !(body instanceof Uint8Array)) return method ? 401 : 404
      const ctx = await this.contexts.create({ apiType: 'admin' })
      const settings = await this.settings.of(ctx, method)
      const keys = notificationKeys(settings.notificationKey)
      const notification = await verifyNotification({ body, headers, keys })
      const { testSite } = settings
      const qrCodeUid = await orderOf(await this.settings.client(ctx, method), notification, { testSite })
      if (qrCodeUid === undefined) return 204
      await this.payments.refresh(qrCodeUid)
      if (notification.type === 'REFUND') await this.refunds.sendOf(qrCodeUid)
      return 204
    } catch (error) {
      Logger.warn(`a notification: ${textOf(error)}`, ROUTE)
      return error instanceof NotificationError ? 401 : 503
    }
  }
}

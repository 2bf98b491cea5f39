// The notifications that a merchant receives, as the webhooks of the OpenAPI document (contract, section 11).
import type * as z from 'zod/mini'
import { retryDelaysText } from '../contract/delivery.ts'
import type { Example } from '../contract/example.ts'
import {
  PaymentNotification,
  QrCodeNotification,
  ReceiptNotification,
  RefundNotification,
  SettlementNotification,
  TokenNotification,
} from '../contract/notifications/bodies.ts'
import {
  type ComposedNotification,
  type NotifiedPayment,
  paymentNotification,
  qrCodeNotification,
  receiptNotification,
  refundNotification,
  settlementNotification,
  tokenNotification,
} from '../contract/notifications/compose.ts'
import type { NotificationType } from '../contract/settings.ts'
import { headerReferences, type Schemas } from './components.ts'
import type { OpenApiDocument } from './objects.ts'
import { header, WEBHOOK_PARAMETERS } from './webhook-parameters.ts'

interface Webhook {
  operationId: string
  summary: string
  description: string
  /** The values that `Signature` covers, in its order. */
  signed: string
  schema: z.ZodMiniType
  examples: Record<string, Example>
}

const ORIGIN = { siteId: 'demo', utcOffset: '+03:00' }
const at = (time: string): number => Date.parse(`2026-11-20T${time}${ORIGIN.utcOffset}`) / 1000

/** An example is what the service sends. */
const example = (summary: string, { body }: ComposedNotification): Example => ({
  summary,
  value: JSON.parse(body),
})

const paid: NotifiedPayment = {
  paymentUid: 'A6325171030000001',
  qrCodeUid: 'order-1001',
  createdAt: at('20:11:40'),
  // Two digits that JSON keeps: 10.50 would be shown as 10.5.
  amount: { minorUnits: 1025, currency: 'RUB' },
  status: 'COMPLETED',
  changedAt: at('20:11:40'),
  applied: true,
  payer: { bankMemberId: '100000000111', phone: '+7 *** ***-**-00' },
}

export const WEBHOOKS: Record<NotificationType, Webhook> = {
  PAYMENT: {
    operationId: 'paymentNotification',
    summary: 'Payment notification',
    description: `A payment is completed, or the QR code's payment is declined. Deliver the goods only if \
\`payment.applied\` is true, \`payment.status.value\` is SUCCESS and \`payment.customFields.test\` is absent. A completed \
payment with \`applied\` false is real money that the QR code did not take: refund it.`,
    signed: 'paymentId|createdDateTime|amount.value',
    schema: PaymentNotification,
    examples: {
      completed: example('The QR code is paid', paymentNotification(paid, ORIGIN)),
      declined: example(
        'The bank declines the payment',
        paymentNotification({ ...paid, status: 'DECLINED', reason: 'insufficient funds' }, ORIGIN),
      ),
      notApplied: example(
        'A second payment of the same QR code',
        paymentNotification(
          {
            ...paid,
            paymentUid: 'A6325171030000002',
            applied: false,
            notAppliedReason: 'ALREADY_PAYED',
          },
          ORIGIN,
        ),
      ),
    },
  },
  REFUND: {
    operationId: 'refundNotification',
    summary: 'Refund notification',
    description: 'A refund is completed or declined.',
    signed: 'refundId|createdDateTime|amount.value',
    schema: RefundNotification,
    examples: {
      completed: example(
        'The customer gets a part of the payment back',
        refundNotification(
          {
            ...paid,
            refundUid: 'refund-1',
            createdAt: at('20:15:00'),
            amount: { minorUnits: 525, currency: 'RUB' },
            changedAt: at('20:15:01'),
          },
          ORIGIN,
        ),
      ),
    },
  },
  TOKEN: {
    operationId: 'tokenNotification',
    summary: 'Token notification',
    description: `A customer binds an account or refuses, or the customer or the bank ends a binding. A token that you \
delete yourself is not notified.`,
    signed: 'merchantSiteUid|account|status.value|status.changedDateTime',
    schema: TokenNotification,
    examples: {
      created: example(
        'The customer binds an account',
        tokenNotification(
          {
            qrCodeUid: 'bind-7',
            account: 'customer-7',
            status: 'CREATED',
            changedAt: at('20:11:40'),
            value: '65d5dec6-3e52-4770-8ab1-30254aec75c4',
            expiresAt: at('20:11:40') + 365 * 86_400,
            bankMemberId: '100000000111',
          },
          ORIGIN,
        ),
      ),
      rejected: example(
        'The customer refuses',
        tokenNotification(
          {
            qrCodeUid: 'bind-7',
            account: 'customer-7',
            status: 'REJECTED',
            changedAt: at('20:11:40'),
            reason: 'the customer refused',
          },
          ORIGIN,
        ),
      ),
    },
  },
  QR_CODE: {
    operationId: 'qrCodeNotification',
    summary: 'QR code notification',
    description:
      'A QR code is cancelled or expires. It is sent only if `notificationTypes` of the settings has QR_CODE.',
    signed: 'merchantSiteUid|qrCodeUid|status.value|status.changedDateTime',
    schema: QrCodeNotification,
    examples: {
      expired: example(
        'A QR code expires',
        qrCodeNotification({ qrCodeUid: 'order-1002', status: 'EXPIRED', changedAt: at('20:15:00') }, ORIGIN),
      ),
    },
  },
  RECEIPT: {
    operationId: 'receiptNotification',
    summary: 'Receipt notification',
    description: 'The cash register has registered a receipt, or a receipt has failed.',
    signed: 'merchantSiteUid|receiptUid|status.value|status.changedDateTime',
    schema: ReceiptNotification,
    examples: {
      registered: example(
        'The receipt of a payment',
        receiptNotification(
          {
            ...{ receiptUid: 'T6M0G9F2C7A1B3D5E8H4J6K7M9N2P4Q6', kind: 'sale', status: 'REGISTERED' },
            ...{ paymentUid: paid.paymentUid, qrCodeUid: paid.qrCodeUid, amount: paid.amount },
            changedAt: at('20:11:42'),
            fiscal: { fn: '9999078900001234', fd: '123', fpd: '3512345678', dateTime: at('20:11:41') },
          },
          ORIGIN,
        ),
      ),
    },
  },
  SETTLEMENT: {
    operationId: 'settlementNotification',
    summary: 'Settlement notification',
    description:
      'A settlement file is imported or deleted. It is sent only to addresses whose types have SETTLEMENT. `mismatched` and `unknown` are those of this moment: a payment that is reported later can change them.',
    signed: 'merchantSiteUid|settlementUid|status.value|status.changedDateTime',
    schema: SettlementNotification,
    examples: {
      imported: example(
        'A registry with a payment of another amount',
        settlementNotification(
          {
            settlementUid: 'tbank-2026-11-20',
            sha256: '0f5e1a7c9b3d24868e57eb3dce29220417922f18e7788285c4a1b6d3f2e09578',
            ...{ entries: 214, mismatched: 1, unknown: 0, status: 'IMPORTED', changedAt: at('20:15:00') },
          },
          ORIGIN,
        ),
      ),
    },
  },
}

const RESPONSES = {
  '2XX': { description: 'You have the notification. It is not sent again.' },
  410: { description: 'You do not want the notification. It has FAILED and is not sent again.' },
  default: {
    description: `The delivery has failed: any other status, a redirect, or no answer within 10 seconds. The service \
sends the notification again after ${retryDelaysText()}, each up to 10 % earlier or later. After the last attempt the notification has FAILED. \`Retry-After\` delays the \
next attempt by up to 24 hours.`,
    headers: headerReferences(['Retry-After']),
  },
}

/** The webhooks of the document, by the type of the notification. */
export const webhooksOf = (schemas: Schemas): OpenApiDocument['webhooks'] =>
  Object.fromEntries(
    Object.entries(WEBHOOKS).map(([type, { schema, examples, signed, ...webhook }]) => [
      type,
      {
        post: {
          ...webhook,
          tags: ['Notifications'],
          security: [],
          parameters: [
            ...Object.keys(WEBHOOK_PARAMETERS).map((name) => ({ $ref: `#/components/parameters/${name}` })),
            header(
              'Signature',
              `The lower-case hex text of HMAC-SHA256 over \`${signed}\`. The HMAC key is the text of the active notification key after \`whsec_\`, not decoded. It does not cover the whole body: verify \`webhook-signature\` too`,
              '0572c2153b1b57b1eddb9124ca6b8868e57eb3dce29220417922f18e7788285c',
            ),
          ],
          requestBody: {
            required: true,
            content: { 'application/json': { schema: schemas.of(schema, 'output'), examples } },
          },
          responses: RESPONSES,
        },
      },
    ]),
  )

// The bodies of notifications: the document shows these schemas, and what is composed has their types (contract, section 11).
import * as z from 'zod/mini'
import { BindingStatus } from '../binding.ts'
import { EventSettlement } from '../event-settlement.ts'
import { meta } from '../meta.ts'
import { NotAppliedReason, PaymentMethod } from '../payment.ts'
import { DocumentKind, FAILURE_REASONS, FiscalAnswer } from '../receipts/document.ts'
import { EndedBy } from '../token.ts'
import { NOTIFIED_STATUSES, SETTLEMENT_CHANGES } from './content.ts'

const DateTime = z.iso.datetime({ offset: true })
const CHANGED = 'When it got this status'

const AmountBody = z
  .object({
    value: z.number().apply(meta, {
      description: 'A number with exactly two fraction digits in the text of the body, such as 10.50',
    }),
    currency: z
      .string()
      .check(z.regex(/^[A-Z]{3}$/))
      .apply(meta, { description: 'ISO 4217' }),
  })
  .apply(meta, { id: 'NotificationAmount' })

const ResultBody = z
  .object({
    value: z.enum(['SUCCESS', 'DECLINE']),
    changedDateTime: DateTime.apply(meta, { description: CHANGED }),
    reasonMessage: z.optional(z.string()).apply(meta, { description: 'Why it was declined' }),
  })
  .apply(meta, { id: 'NotificationResult' })

/** What every body ends with. */
const ENVELOPE = {
  version: z.literal('1'),
  test: z
    .optional(z.literal(true))
    .apply(meta, { description: 'Of a test site: no money moved. Deliver nothing for it' }),
}

/** Who paid, and where. */
const PARTIES = {
  paymentMethod: z
    .object({
      type: z.literal('SBP'),
      phone: z.optional(z.string()).apply(meta, { description: 'The payer’s, if the network reported it' }),
    })
    .apply(meta, { id: 'NotificationPaymentMethod', description: 'How the customer paid' }),
  merchantSiteUid: z.string().apply(meta, { description: 'The siteId' }),
  customer: z
    .object({
      account: z.optional(z.string()).apply(meta, {
        description: '`tokenizationAccount` of the QR code; absent if the QR code did not take the payment',
      }),
      bankMemberId: z
        .optional(z.string())
        .apply(meta, { description: 'The payer’s bank, if the network reported it' }),
    })
    .apply(meta, { id: 'NotificationCustomer', description: 'Who paid' }),
}

export const PaymentNotification = z
  .object({
    payment: z
      .object({
        paymentId: z.string().apply(meta, { description: 'The network’s identifier of the payment' }),
        qrCodeUid: z.optional(z.string()).apply(meta, { description: 'Absent if `applied` is false' }),
        saleUid: z
          .optional(z.string())
          .apply(meta, { description: 'Of a COUNTER code: the sale that the payment is for' }),
        type: z.literal('PAYMENT'),
        createdDateTime: DateTime,
        amount: AmountBody.apply(meta, { description: 'What the customer paid' }),
        status: ResultBody.apply(meta, { description: 'The result of the payment' }),
        ...PARTIES,
        customFields: z
          .object({
            test: z
              .optional(z.literal('true'))
              .apply(meta, { description: 'A test notification: there is no such payment' }),
          })
          .apply(meta, { description: 'Empty, except in a test notification' }),
        flags: z.array(z.literal('SALE')),
        applied: z.boolean().apply(meta, {
          description: 'Whether the QR code took the payment. If it is false, deliver nothing for it',
        }),
        notAppliedReason: z.optional(NotAppliedReason),
        method: z.optional(PaymentMethod),
      })
      .apply(meta, { description: 'The payment' }),
    type: z.literal('PAYMENT'),
    ...ENVELOPE,
  })
  .apply(meta, { id: 'PaymentNotification' })

export const RefundNotification = z
  .object({
    refund: z
      .object({
        paymentId: z.string().apply(meta, { description: 'The payment that is refunded' }),
        refundId: z.string().apply(meta, { description: 'Your identifier of the refund' }),
        type: z.literal('REFUND'),
        createdDateTime: DateTime,
        amount: AmountBody.apply(meta, { description: 'What the customer gets back' }),
        status: ResultBody.apply(meta, { description: 'The result of the refund' }),
        ...PARTIES,
        customFields: z.object({}).apply(meta, { description: 'Empty' }),
        flags: z.array(z.literal('REFUND')),
      })
      .apply(meta, { description: 'The refund' }),
    type: z.literal('REFUND'),
    ...ENVELOPE,
  })
  .apply(meta, { id: 'RefundNotification' })

export const TokenNotification = z
  .object({
    token: z
      .object({
        status: z
          .object({
            value: BindingStatus,
            changedDateTime: DateTime.apply(meta, { description: CHANGED }),
            rejectReason: z
              .optional(z.string())
              .apply(meta, { description: 'Why it was rejected or deleted' }),
          })
          .apply(meta, { description: 'What became of the token' }),
        merchantSiteUid: z.string().apply(meta, { description: 'The siteId' }),
        account: z
          .string()
          .apply(meta, { description: '`tokenizationAccount` of the QR code, or an empty text' }),
        value: z.optional(z.string()).apply(meta, {
          format: 'uuid',
          description: 'The secret that charges the account; present if the token is CREATED',
        }),
        expiredDate: z
          .optional(DateTime)
          .apply(meta, { description: 'From this second on no new charge of the token is taken' }),
        tokenizationSource: z
          .object({
            type: z.literal('QR_CODE'),
            uid: z.optional(z.string()).apply(meta, {
              description: '`qrCodeUid`; absent if the site does not have the QR code',
            }),
          })
          .apply(meta, { description: 'Where the token comes from' }),
        bankMemberId: z
          .optional(z.string())
          .apply(meta, { description: 'The bank of the account, if the network reported it' }),
        endedBy: z.optional(EndedBy),
        pageUrl: z.optional(z.string()).apply(meta, {
          format: 'uri',
          description:
            'The page on which the customer ends the saved account: show it to them. Absent if the site does not have the QR code, or the deployment has no PUBLIC_URL',
        }),
      })
      .apply(meta, { description: 'The token' }),
    type: z.literal('TOKEN'),
    ...ENVELOPE,
  })
  .apply(meta, { id: 'TokenNotification' })

export const QrCodeNotification = z
  .object({
    qrCode: z
      .object({
        qrCodeUid: z.string().apply(meta, { description: 'Your identifier of the QR code' }),
        status: z
          .object({
            value: z.enum(NOTIFIED_STATUSES),
            changedDateTime: DateTime.apply(meta, { description: CHANGED }),
          })
          .apply(meta, { description: 'The new status of the QR code' }),
        merchantSiteUid: z.string().apply(meta, { description: 'The siteId' }),
      })
      .apply(meta, { description: 'The QR code' }),
    type: z.literal('QR_CODE'),
    ...ENVELOPE,
  })
  .apply(meta, { id: 'QrCodeNotification' })

export const ReceiptNotification = z
  .object({
    receipt: z
      .object({
        receiptUid: z.string().apply(meta, { description: 'The identifier of the document' }),
        kind: DocumentKind,
        paymentId: z.string().apply(meta, { description: 'The payment that it is of' }),
        refundId: z.optional(z.string()),
        closingUid: z.optional(z.string()),
        qrCodeUid: z.optional(z.string()),
        amount: AmountBody.apply(meta, { description: 'The sum of the document' }),
        status: z
          .object({
            value: z.enum(['REGISTERED', 'FAILED']),
            changedDateTime: DateTime.apply(meta, { description: CHANGED }),
            reason: z.optional(z.enum(FAILURE_REASONS)),
            reasonMessage: z
              .optional(z.string())
              .apply(meta, { description: 'The words of the cash register' }),
            canRetry: z.optional(z.boolean()).apply(meta, { description: 'Of a failed one' }),
          })
          .apply(meta, { description: 'What became of it' }),
        fiscal: z.optional(FiscalAnswer),
        merchantSiteUid: z.string().apply(meta, { description: 'The siteId' }),
      })
      .apply(meta, { description: 'The document of a cash register' }),
    type: z.literal('RECEIPT'),
    ...ENVELOPE,
  })
  .apply(meta, { id: 'ReceiptNotification' })

export const SettlementNotification = z
  .object({
    settlement: z
      .object({
        ...EventSettlement.shape,
        status: z
          .object({
            value: z.enum(SETTLEMENT_CHANGES),
            changedDateTime: DateTime.apply(meta, { description: CHANGED }),
          })
          .apply(meta, { description: 'Whether the file was imported or deleted' }),
        merchantSiteUid: z.string().apply(meta, { description: 'The siteId' }),
      })
      .apply(meta, { description: 'The settlement file as it was then' }),
    type: z.literal('SETTLEMENT'),
    ...ENVELOPE,
  })
  .apply(meta, { id: 'SettlementNotification' })

// The bodies of notifications, told without the code that composes them (contract, section 11).
import * as z from 'zod'
import { BINDING_STATUSES } from '../../src/contract/binding.ts'
import { NOT_APPLIED_REASONS } from '../../src/contract/payment.ts'
import { STATUSES } from '../../src/contract/status.ts'

const AmountBody = z.object({
  value: z.number(),
  currency: z.string().length(3),
})
const ResultBody = z.object({
  value: z.enum(['SUCCESS', 'DECLINE']),
  changedDateTime: z.iso.datetime({ offset: true }),
  reasonMessage: z.string().optional(),
})
/** Who paid, and where. */
const PARTIES = {
  paymentMethod: z.object({ type: z.literal('SBP'), phone: z.string().optional() }),
  merchantSiteUid: z.string(),
  customer: z.object({
    account: z.string().optional(),
    bankMemberId: z.string().optional(),
  }),
}

export const PaymentNotification = z.object({
  payment: z.object({
    paymentId: z.string(),
    qrCodeUid: z.string().optional(),
    type: z.literal('PAYMENT'),
    createdDateTime: z.iso.datetime({ offset: true }),
    amount: AmountBody,
    status: ResultBody,
    ...PARTIES,
    customFields: z.object({
      test: z.literal('true').optional(),
    }),
    flags: z.tuple([z.literal('SALE')]),
    applied: z.boolean(),
    notAppliedReason: z.enum(NOT_APPLIED_REASONS).optional(),
  }),
  type: z.literal('PAYMENT'),
  version: z.literal('1'),
})

export const RefundNotification = z.object({
  refund: z.object({
    paymentId: z.string(),
    refundId: z.string(),
    type: z.literal('REFUND'),
    createdDateTime: z.iso.datetime({ offset: true }),
    amount: AmountBody,
    status: ResultBody,
    ...PARTIES,
    customFields: z.object({}),
    flags: z.tuple([z.literal('REFUND')]),
  }),
  type: z.literal('REFUND'),
  version: z.literal('1'),
})

export const TokenNotification = z.object({
  token: z.object({
    status: z.object({
      value: z.enum(BINDING_STATUSES),
      changedDateTime: z.iso.datetime({ offset: true }),
      rejectReason: z.string().optional(),
    }),
    merchantSiteUid: z.string(),
    account: z.string(),
    value: z.string().optional(),
    expiredDate: z.iso.datetime({ offset: true }).optional(),
    tokenizationSource: z.object({
      type: z.literal('QR_CODE'),
      uid: z.string().optional(),
    }),
    bankMemberId: z.string().optional(),
  }),
  type: z.literal('TOKEN'),
  version: z.literal('1'),
})

export const QrCodeNotification = z.object({
  qrCode: z.object({
    qrCodeUid: z.string(),
    status: z.object({ value: z.enum(STATUSES), changedDateTime: z.iso.datetime({ offset: true }) }),
    merchantSiteUid: z.string(),
  }),
  type: z.literal('QR_CODE'),
  version: z.literal('1'),
})

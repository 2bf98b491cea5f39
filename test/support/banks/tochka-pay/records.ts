// What the fake Pay Gateway keeps of codes, payments and refunds, and how it states them. Amounts are kopecks.
import type { Scenarios } from './scenarios.ts'

/** `COMPLETED`, `WAITING`, or the reasonCode of a decline. */
export type Result = string

export interface Status {
  value: 'WAITING' | 'COMPLETED' | 'DECLINED'
  changedAt: number
  reasonCode?: string
}

export interface Refund {
  refundUid: string
  amount: number
  createdAt: number
  status: Status
  operationId: string
  /** Whether the payer has the money, whatever the status says. */
  isMoved: boolean
  callbackUrl: string | undefined
}

export type Method = 'SBP' | 'DIGITAL_RUBLE'

export interface Payment {
  paymentUid: string
  amount: number
  createdAt: number
  status: Status
  type: 'SBP' | 'SBP_TOKEN' | 'SBP_CASH_REGISTER_QRC' | 'DIGITAL_RUBLE' | 'DIGITAL_RUBLE_CASH_REGISTER_QRC'
  qrcId: string
  merchantQrcId: string | undefined
  activationUid: string | undefined
  /** The NSPK's number, or that of digital roubles. */
  operationId: string
  orderUid: string | undefined
  comment: string | undefined
  metadata: string | undefined
  callbackUrl: string | undefined
  isTest: boolean
  /** Whether the merchant has the money, whatever the status says. */
  isMoved: boolean
  refunds: Refund[]
  scenarios: Scenarios
}

/** A sale at a cashbox code. */
export interface Activation {
  activationUid: string
  amount: number
  expiresAt: number
  callbackUrl: string | undefined
  metadata: string | undefined
  scenarios: Scenarios
  /** Whether another program began it. */
  isForeign: boolean
  /** In the order of all calls of the code. */
  begun: number
}

export interface Tokenization {
  state: 'WAITING' | 'ACCEPTED' | 'REJECTED'
  token: string
  nspkToken: string
  memberId: string
  /** Whether the customer has ended it at the bank of the account: no call states that. */
  isOver: boolean
}

export interface Code {
  qrcId: string
  type: 'DYNAMIC' | 'STATIC' | 'TOKEN' | 'COUNTER'
  payload: string
  merchantQrcId: string | undefined
  amount: number | undefined
  expiresAt: number | undefined
  methods: readonly Method[]
  callbackUrl: string | undefined
  metadata: string | undefined
  scenarios: Scenarios
  tokenization: Tokenization | undefined
  payments: Payment[]
}

export const amountOf = (kopecks: number) => ({ amount: (kopecks / 100).toFixed(2), currency: 'RUB' })
const timeOf = (time: number): string => new Date(time).toISOString()

const statusOf = ({ value, changedAt, reasonCode }: Status) => ({
  ...{ value, changedDateTime: timeOf(changedAt) },
  ...(reasonCode !== undefined && {
    ...{ reasonSource: 'PAY_SYSTEM', reasonCode, reasonMessage: 'Отказ', psErrorCode: 'I05043' },
  }),
})

const sum = (refunds: readonly Refund[]): number =>
  refunds.reduce((total, { amount, isMoved }) => total + (isMoved ? amount : 0), 0)

/** Kopecks that the payer has back. */
export const refundedOf = ({ refunds }: Payment): number => sum(refunds)

/** @param refunds those that the bank already knows of in its answers */
export function paymentShape(payment: Payment, refunds: readonly Refund[] = payment.refunds): object {
  const { type, qrcId, merchantQrcId, activationUid, operationId } = payment
  const isDigital = type.startsWith('DIGITAL_RUBLE')
  const hasPayer = type === 'SBP' || type === 'SBP_CASH_REGISTER_QRC'
  return {
    paymentUid: payment.paymentUid,
    createdDateTime: timeOf(payment.createdAt),
    orderUid: payment.orderUid,
    amount: amountOf(payment.amount),
    refundedAmount: amountOf(sum(refunds)),
    chargebackSummary: { chargedAmount: amountOf(0), reversedAmount: amountOf(0) },
    status: statusOf(payment.status),
    paymentMethod: {
      ...{ type, qrcId, merchantQrcId, activationUid },
      ...(isDigital ? { operationId } : { nspkTransactionId: operationId }),
      ...(hasPayer && { payerPhoneNumber: '+79991234567', payerName: 'Иван И.' }),
    },
    isTest: payment.isTest,
    ...{ comment: payment.comment, metadata: payment.metadata, callbackUrl: payment.callbackUrl },
  }
}

export const refundShape = ({ type }: Payment, refund: Refund): object => ({
  refundUid: refund.refundUid,
  createdDateTime: timeOf(refund.createdAt),
  amount: amountOf(refund.amount),
  status: statusOf(refund.status),
  refundMethodResult: type.startsWith('DIGITAL_RUBLE')
    ? { type: 'DIGITAL_RUBLE', operationId: refund.operationId }
    : { type: 'SBP', nspkTransactionId: refund.operationId },
})

export const codeShape = ({ qrcId, payload, merchantQrcId }: Code, isTest: boolean): object => ({
  ...{ qrcId, payload, merchantQrcId, isTest },
})

export const decisionShape = ({ qrcId, metadata, tokenization }: Code): object =>
  tokenization?.state === 'ACCEPTED'
    ? {
        ...{ status: 'ACCEPTED', qrcId, token: tokenization.token },
        ...{ memberId: tokenization.memberId, metadata },
      }
    : { status: 'REJECTED', qrcId, metadata }

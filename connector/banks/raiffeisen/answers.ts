// What Raiffeisenbank's document says of the answers to each call (its SBP API, October 2021). It gives no HTTP status of a refusal.
import * as z from 'zod'
import type { Answers, Documented } from '../answers.ts'

/** A refusal in the bank's own shape. */
const failure = (code: string, text: string): Documented<string> => ({
  body: z
    .object({ code: z.literal(code), message: z.string() })
    .transform(({ message }) => `Raiffeisenbank: ${code}, ${message}`),
  says: `${code} | ${text}`,
})

const OK = 'responses: "200": OK'

const NOT_FOUND = failure('ERROR.NOT_FOUND', 'QR-код не найден у данного партнера')

const NO_MERCHANT = [
  failure('ERROR.MERCHANT_NOT_REGISTERED', 'Партнер с ID MA0000000552 не зарегистрирован'),
  failure('ERROR.SBP_MERCHANT_ID_IS_MISSING', 'SbpMerchantId партнера не указан'),
]

export const REGISTER: Answers<{ qrId: string; payload: string; subscriptionId?: string | undefined }> = {
  executed: {
    status: 200,
    body: z.object({
      code: z.literal('SUCCESS'),
      qrId: z.string(),
      payload: z.string(),
      subscriptionId: z.string().optional(),
    }),
    says: OK,
  },
  refused: [
    failure('ERROR.ACCOUNT_IS_NOT_REGISTERED', 'Указан неверный счет'),
    failure('ERROR.INVALID_REQUEST', 'Передана некорректная сумма платежа'),
    failure('ERROR.QR_EXPIRATION_DATE_NOT_VALID', 'Неверная дата истечения QR-кода'),
    ...NO_MERCHANT,
    failure('ERROR.DYNAMIC_QR_WITHOUT_AMOUNT', 'Не передана сумма для динамического QR-кода'),
    failure('ERROR.INVALID_ORDER', 'В номере заказа поддерживаются A-z09_-.'),
  ],
}

const Subscription = z.object({
  id: z.string(),
  status: z.enum(['INACTIVE', 'SUBSCRIBED', 'UNSUBSCRIBED']),
  qr: z.object({ id: z.string(), payload: z.string() }),
})
export type Subscription = z.output<typeof Subscription>
const subscription: Documented<Subscription> = {
  status: 200,
  body: Subscription,
  says: 'subscriptionRespones: Subscription status',
}

export const SUBSCRIBE: Answers<Subscription> = {
  executed: subscription,
  refused: [failure('ERROR.INVALID_REQUEST', 'Не передан обязательный параметр'), ...NO_MERCHANT],
}

/** The document states no answer to a request for a subscription that the bank does not have. */
export const SUBSCRIPTION: Answers<Subscription> = { executed: subscription }

const ORDER_STATUSES = ['SUCCESS', 'DECLINED', 'IN_PROGRESS'] as const
const Order = z.object({
  amount: z.number(),
  order: z.string(),
  paymentStatus: z.enum(ORDER_STATUSES),
  qrId: z.string(),
  sbpMerchantId: z.string(),
})
export type Order = z.output<typeof Order>
const orderOf: Documented<Order> = { status: 200, body: Order, says: 'paymentStatus: Payment status' }

/**
 * A repeated order is no refusal: the document refuses those "с успешными платежами", so that one has been charged. Neither is
 * a status of the order's payment, which is its result.
 */
export const CHARGE: Answers<Order> = {
  executed: orderOf,
  refused: [
    failure('ERROR.ACCOUNT_IS_NOT_REGISTERED', 'Указан неверный счет'),
    failure('ERROR.INVALID_REQUEST', 'Передана некорректная сумма платежа'),
    ...NO_MERCHANT,
    failure('ERROR.INVALID_ORDER', 'В номере заказа поддерживаются A-z09_-.'),
  ],
}

/** After an answer with one of these codes nobody knows whether the bank has looked for the order. */
const NOT_LOOKED_FOR = [401, 403, 429]

/** The document has no answer about an unknown order: any refusal in the bank's own shape is taken for it. */
const NO_ORDER: Documented<string> = {
  body: z
    .object({ code: z.string().startsWith('ERROR.'), message: z.string() })
    .transform(({ code, message }) => `Raiffeisenbank: ${code}, ${message}`),
  except: NOT_LOOKED_FOR,
  says: 'code | message',
  isAssumed: true,
}

/** Asked before the charge and after it. */
export const CHARGE_STATUS: Answers<Order> = {
  executed: orderOf,
  notKnown: [{ ...NOT_FOUND, except: NOT_LOOKED_FOR }, NO_ORDER],
}

const PaymentInfo = z.object({
  amount: z.number(),
  order: z.string(),
  paymentStatus: z.string(),
  sbpMerchantId: z.string(),
  transactionDate: z.string().optional(),
  // A number that is no safe integer was rounded: it would name another payment.
  transactionId: z
    .number()
    .optional()
    .transform((id) => (Number.isSafeInteger(id) ? id : undefined)),
})
export type PaymentInfo = z.output<typeof PaymentInfo>

export const STATUS: Answers<PaymentInfo> = {
  executed: { status: 200, body: PaymentInfo, says: OK },
  notKnown: [NOT_FOUND],
}

/** In the document this 200 has no body. So a gateway's page, or the bank's refusal, is not this answer. */
export const CANCEL: Answers<unknown> = {
  executed: {
    status: 200,
    body: z.union([z.literal(''), z.looseObject({ code: z.literal('SUCCESS').optional() })]),
    says: OK,
  },
}

const QR_STATUSES = ['NEW', 'IN_PROGRESS', 'CANCELLED', 'EXPIRED', 'PAID'] as const

export const CODE: Answers<{ qrId: string; qrStatus: (typeof QR_STATUSES)[number] }> = {
  executed: { status: 200, body: z.object({ qrId: z.string(), qrStatus: z.enum(QR_STATUSES) }), says: OK },
  notKnown: [NOT_FOUND],
}

const REFUND_STATUSES = ['IN_PROGRESS', 'COMPLETED', 'DECLINED'] as const
export interface Refund {
  amount: number
  refundStatus: (typeof REFUND_STATUSES)[number]
}
const refund: Documented<Refund> = {
  status: 200,
  body: z.object({ code: z.literal('SUCCESS'), amount: z.number(), refundStatus: z.enum(REFUND_STATUSES) }),
  says: 'refundStatus: Refund status code',
}

export const REFUND: Answers<Refund> = {
  executed: refund,
  refused: [
    failure('ERROR.REFUND_INSUFFICIENT_FUNDS', 'Сумма возврата больше суммы остатка по платежу'),
    failure('ERROR.INVALID_REQUEST', 'Сумма возврата не может быть меньше 1 копейки'),
  ],
}

export const REFUND_STATUS: Answers<Refund> = {
  executed: refund,
  notKnown: [failure('ERROR.REFUND_NOT_FOUND', 'Возврат с refundId *** не найден')],
}

export const SET_WEBHOOK: Answers<unknown> = { executed: { status: 200, body: z.unknown(), says: OK } }

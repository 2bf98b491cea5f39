// What the document of Tochka Pay Gateway says of the answers to each call («API Приёма платежей», 1.0), and the shapes of `Data`.
import * as z from 'zod'
import { kopecksOf } from '../../amounts.ts'
import type { Answers, Documented } from '../answers.ts'
import { Unavailable } from '../bank-errors.ts'
import { IDENTIFIER } from '../identifiers.ts'

/** What can name something in a reference, an address and a report. */
const Identifier = z.string().regex(IDENTIFIER)
/** The bank may send null where a field is not required. */
const OptionalText = z
  .string()
  .nullish()
  .transform((text) => text ?? undefined)

/** Roubles as text, `123.45`. Its output is kopecks. */
const Amount = z
  .object({ amount: z.string(), currency: z.literal('RUB') })
  .transform(({ amount }, context) => {
    const kopecks = kopecksOf(amount)
    if (kopecks !== undefined) return kopecks
    context.addIssue({ code: 'custom', message: 'must be roubles in digits' })
    return z.NEVER
  })

/** The document has WAITING, COMPLETED and DECLINED; its guides have more values: any other one decides nothing. */
const Status = z.object({
  value: z.string(),
  changedDateTime: z.string(),
  reasonCode: OptionalText,
  reasonMessage: OptionalText,
})
export type Status = z.output<typeof Status>

/** PaymentResponseDTO: the fields that the connector reads. */
export const Payment = z.object({
  paymentUid: Identifier,
  amount: Amount,
  refundedAmount: Amount,
  status: Status,
  isTest: z.boolean(),
  paymentMethod: z.object({
    type: z.string(),
    qrcId: OptionalText,
    activationUid: OptionalText,
    payerPhoneNumber: OptionalText,
  }),
})
export type Payment = z.output<typeof Payment>

/** RefundResponseDTO. */
export const Refund = z.object({ refundUid: Identifier, amount: Amount, status: Status })
export type Refund = z.output<typeof Refund>

/** SbpTokenizationResultResponseDto: what the payer has answered. */
export const Tokenization = z.discriminatedUnion('status', [
  z.object({
    status: z.literal('ACCEPTED'),
    qrcId: z.string(),
    token: z.string().min(1),
    memberId: z.string().regex(/^\d{12}$/),
  }),
  z.object({ status: z.literal('REJECTED'), qrcId: z.string() }),
])
export type Tokenization = z.output<typeof Tokenization>

/** QRCodeResponseDTO. */
export const Code = z.object({
  qrcId: z.string().min(1).max(32).regex(IDENTIFIER),
  payload: z.string().min(1).max(999),
  merchantQrcId: OptionalText,
  isTest: z.boolean(),
})
export type Code = z.output<typeof Code>

/** ActivateCashRegisterQrCodeResponse. */
export const Activation = z.object({ activationUid: z.string() })

/** GetCashRegisterQrCodeStatusResponse. */
export const CashboxStatus = z.object({
  status: z.enum(['INACTIVATED', 'WAITING_PAYMENT', 'IN_PROGRESS']),
  activationUid: OptionalText,
})
export type CashboxStatus = z.output<typeof CashboxStatus>

/** ErrorResponseDTO. The guide: «Бывает, что формат ответа отличается»; that is no answer. */
const Failure = z.object({
  code: z.string(),
  id: z.string(),
  message: z.string(),
  Errors: z.array(z.object({ errorCode: z.string(), message: z.string(), url: z.string() })),
})
type Failure = z.output<typeof Failure>

const textOf = ({ message, Errors }: Failure): string =>
  `Tochka Pay Gateway: ${[message, ...Errors.map((error) => `${error.errorCode}: ${error.message}`)].join('; ')}`

/** @param isIt of the categories and subcategories of this status, the one that is meant */
const failure = (
  status: number,
  says: string,
  isIt: (error: { category: string; codes: string[] }) => boolean,
): Documented<string> => ({
  status,
  body: Failure.refine(({ code, message: category, Errors }) => {
    const codes = Errors.map(({ errorCode }) => errorCode)
    return code === String(status) && isIt({ category, codes })
  }).transform(textOf),
  says,
})

/** The request was read and was not accepted. */
export const INVALID = failure(400, '400: REQUEST_PARSING_ERROR, REQUEST_VALIDATION_ERROR', ({ category }) =>
  ['REQUEST_PARSING_ERROR', 'REQUEST_VALIDATION_ERROR'].includes(category),
)

/** The bank does not have the payment. */
export const NO_PAYMENT = failure(
  404,
  '404: ENTITY_NOT_FOUND, PAYMENT_NOT_FOUND',
  ({ category, codes }) => category === 'ENTITY_NOT_FOUND' && codes.includes('PAYMENT_NOT_FOUND'),
)

/** Of the credentials, and not of what was asked for. */
const NO_MERCHANT = ['MERCHANT_NOT_FOUND', 'MERCHANT_SITE_NOT_FOUND']

/**
 * The bank does not have what was asked for. The document names no subcategory for a refund, a code or a consent: any other one
 * than of the merchant is taken for it.
 */
export const NO_ENTITY: Documented<string> = {
  ...failure(
    404,
    '404: ENTITY_NOT_FOUND',
    ({ category, codes }) =>
      category === 'ENTITY_NOT_FOUND' && !codes.some((code) => NO_MERCHANT.includes(code)),
  ),
  isAssumed: true,
}

/** Another operation of the payment is in progress, and this one was not begun. */
export const LOCKED = failure(
  423,
  '423: OPERATION_LOCKED, PAYMENT_LOCKED',
  ({ category, codes }) => category === 'OPERATION_LOCKED' && codes.includes('PAYMENT_LOCKED'),
)

/** The answers to a call: 200 with this `Data`, and these rows. */
export const answersOf = <T>(data: z.ZodType<T>, rows: Omit<Answers<T>, 'executed'> = {}): Answers<T> => ({
  executed: {
    status: 200,
    body: z.object({ Data: data }).transform(({ Data }) => Data),
    says: '"200": OK, Data',
  },
  ...rows,
})

/** `Data` of a list, and how many pages the bank states. */
export interface List<T> {
  items: T[]
  totalPages: number
}

/** The answers to a call for a list. */
export const listOf = <T>(item: z.ZodType<T>): Answers<List<T>> => ({
  executed: {
    status: 200,
    body: z
      .object({ Data: z.array(item), Meta: z.object({ totalPages: z.int().nonnegative() }) })
      .transform(({ Data: items, Meta: { totalPages } }) => ({ items, totalPages })),
    says: '"200": OK, Data, Meta.totalPages',
  },
})

/**
 * The items of a list.
 * @throws Unavailable where it has further pages: the document has no call for them, and what they have could decide
 */
export function wholeList<T>(operation: string, { items, totalPages }: List<T>): T[] {
  if (totalPages <= 1) return items
  throw new Unavailable(
    `${operation}: the list has ${totalPages} pages, of which only the first can be read`,
    {
      isInDoubt: false,
    },
  )
}

/** GET /payments/{paymentUid}; after a 404 of another subcategory nobody knows whether the bank has looked for the payment. */
export const PAYMENT = answersOf(Payment, { notKnown: [NO_PAYMENT] })

/** POST /payments: what a repeated `paymentUid` answers is not said, so 400 alone does not say that nothing was charged. */
export const CHARGE = answersOf(Payment, { refused: [INVALID] })

/** POST /payments/{paymentUid}/refunds */
export const REFUND = answersOf(Refund, { refused: [INVALID], notExecuted: [LOCKED] })

/** GET /payments/{paymentUid}/refunds/{refundUid} */
export const REFUND_STATUS = answersOf(Refund, { notKnown: [NO_ENTITY] })

/** GET /payments/{paymentUid}/refunds */
export const REFUNDS = listOf(Refund)

/** GET /sbp/qrc/{qrcId}/tokenization/result; what it answers before the consent is not said. */
export const TOKENIZATION = answersOf(Tokenization, { notKnown: [NO_ENTITY] })

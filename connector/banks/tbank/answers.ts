// What T-Bank's document says of the answers to each call (T-Bank acquiring API 1.80). It documents the HTTP status 200 alone.
import * as z from 'zod'
import { withoutContact } from '../../cash-registers/without-contact.ts'
import type { Answers } from '../answers.ts'

/** Text in one place of the document, a number in another. */
const Id = z.union([z.string(), z.number()]).transform(String)
/** Where it is not required; the bank may send null. */
const OptionalId = Id.nullish().transform((id) => id ?? undefined)

/** Kopecks; after a refund perhaps only what is left (0 too). */
const Amount = z.int().nonnegative()

/** Of every answer. */
const fields = {
  ErrorCode: OptionalId,
  Message: z.string().optional(),
  Details: z.string().optional(),
}

const Accepted = z.object({
  ...fields,
  Success: z.literal(true),
  Status: z.string().optional(),
  PaymentId: OptionalId,
  Data: z.string().optional(),
  OrderId: OptionalId,
  /** Of Cancel: the amount before it, and after it. */
  OriginalAmount: z.number().nullish(),
  NewAmount: z.number().nullish(),
  QrCancelCode: z.string().nullish(),
  QrCancelMessage: z.string().nullish(),
  RequestKey: OptionalId,
})
export type Accepted = z.output<typeof Accepted>

/** Where the amount is read, too: no other answer is refused for it. */
const Payment = Accepted.extend({ Amount: Amount.optional() })
export type Payment = z.output<typeof Payment>

const executed = {
  status: 200,
  body: Accepted,
  says: 'Success: Успешность прохождения запроса — true/false.',
}

/**
 * The document lists these codes for a charge, and none for Init: «Техническая ошибка», «Попробуйте еще раз завтра», «Попробуйте
 * снова через час», «Повторите попытку позже».
 */
const LATER = new Set(['3040', '3041', '3042', '9999'])
/** A wrong password is the operator's fault, not the merchant's. */
const CREDENTIALS = /токен|терминал|terminalkey/i

const Refusal = z
  .object({ ...fields, Success: z.literal(false), ErrorCode: Id })
  .transform(({ ErrorCode, Message = '', Details = '' }) => ({
    code: ErrorCode,
    message: Message,
    // Of a call with a receipt it can quote the payer's contact in its own form.
    text: withoutContact([ErrorCode, Message, Details].filter(Boolean).join(', ')),
  }))

const WRONG_FIELDS = /^неверные параметры/i

/** Of Init, GetQr, AddAccountQr. The document has no codes of their errors, and this text alone of one that will not pass. */
const refused = [
  {
    status: 200,
    body: Refusal.refine(({ code, message }) => !LATER.has(code) && WRONG_FIELDS.test(message)).transform(
      ({ text }) => `T-Bank: ${text}`,
    ),
    says: 'Message: Краткое описание ошибки. «Неверные параметры»',
  },
]

/** The sum of the items is not that of the payment; the receipt is missing, because the terminal has a cash register. */
const RECEIPT_CODES = ['308', '309']

/** The bank refuses the call for its receipt: its general list of codes has them, and no place that says of which calls. */
const ReceiptRefusal = Refusal.refine(({ code }) => RECEIPT_CODES.includes(code)).transform(
  ({ text }) => text,
)

const receiptRefused = {
  status: 200,
  body: ReceiptRefusal.transform((text) => `T-Bank: ${text}`),
  says: '308, 309',
  isAssumed: true,
}

export const INIT: Answers<Payment> = {
  executed: { ...executed, body: Payment },
  refused: [...refused, receiptRefused],
}

/** GetQr, AddAccountQr. */
export const LINK: Answers<Accepted> = { executed, refused }

/** CheckOrder of an order that does not exist may fail: only the credentials count there. */
export const CHECK_ORDER: Answers<string> = {
  executed: {
    status: 200,
    body: z.union([
      Accepted.transform(({ ErrorCode }) => ErrorCode ?? '0'),
      Refusal.refine(({ text }) => !CREDENTIALS.test(text)).transform(({ code }) => code),
    ]),
    says: 'ErrorCode: Код ошибки. 0 в случае успеха.',
  },
}

const OrderPayment = z.object({
  PaymentId: Id,
  Status: z.string(),
  // A session that cannot be read is left out: the other sessions count all the same.
  Amount: Amount.optional().catch(undefined),
})
export type OrderPayment = z.output<typeof OrderPayment>

/** The sessions of an order. Of an order without one the document says nothing: a refusal is taken for none before Init. */
export const ORDER_PAYMENTS: Answers<{ OrderId: string | undefined; payments: OrderPayment[] }> = {
  executed: {
    status: 200,
    body: z
      .object({ Success: z.literal(true), OrderId: OptionalId, Payments: z.array(OrderPayment) })
      .transform(({ OrderId, Payments }) => ({ OrderId, payments: Payments })),
    says: 'Метод возвращает статус заказа.',
  },
  refused: [
    {
      status: 200,
      body: Refusal.refine(({ code, text }) => !LATER.has(code) && !CREDENTIALS.test(text)).transform(
        ({ text }) => `T-Bank: ${text}`,
      ),
      says: 'ErrorCode: Код ошибки. 0 в случае успеха.',
    },
  ],
}

const Bound = z.object({
  Success: z.literal(true),
  RequestKey: Id,
  Status: z.string(),
  AccountToken: z.string().min(1).optional(),
  BankMemberId: z.string().optional(),
})

/** GetAddAccountQrState. The document has no refusal of it. */
export const BINDING: Answers<z.output<typeof Bound>> = {
  executed: {
    status: 200,
    body: Bound,
    says: '`ACTIVE` — привязка счета успешна, `INACTIVE` — привязка счета неуспешна или деактивирована',
  },
}

/** The answers to ChargeQr that say what was done: the payment's status, or a code of its list that declines. */
export type Charged = { paymentId: string; status: string; amount: number } | { code: string; text: string }

/** The others of its list, 3037, 3040 and 9999, do not say what was done, and neither does any code that is not in it. */
const DECLINES = ['3013', '3015', '3041', '3042']

export const CHARGE: Answers<Charged> = {
  executed: {
    status: 200,
    body: z.union([
      z
        .object({
          Success: z.literal(true),
          Status: z.string(),
          PaymentId: Id,
          Amount,
        })
        .transform(({ Status, PaymentId, Amount }) => ({
          paymentId: PaymentId,
          status: Status,
          amount: Amount,
        })),
      Refusal.refine(({ code }) => DECLINES.includes(code)),
    ]),
    says:
      '`CONFIRMED` — если платеж выполнен; `REJECTED` — если платеж не выполнен; `3013` — Рекуррентные платежи недоступны; ' +
      '`3015` — Неверный статус AccountToken; `3041`, `3042` — Слишком много неудачных попыток',
  },
}

/** GetState; the document has no refusal of it. */
export const STATE: Answers<Payment> = { executed: { ...executed, body: Payment } }

/** GetQrState; the document has no refusal of it. */
export const QR_STATE: Answers<Accepted> = { executed }

/** The document has no error codes of Cancel, so no answer says that nothing was done: also not one about its receipt. */
export const CANCEL: Answers<Accepted | { receiptRefused: string }> = {
  executed: {
    ...executed,
    body: z.union([Accepted, ReceiptRefusal.transform((text) => ({ receiptRefused: text }))]),
  },
}

/** SendClosingReceipt. The document has no codes of its errors: only the text above says that no document is made. */
export const CLOSING: Answers<Accepted> = { executed, refused }

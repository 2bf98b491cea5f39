// What T-Bank's document says of the answers to each call (T-Bank acquiring API 1.80). It documents the HTTP status 200 alone.
import * as z from 'zod'
import type { Answers } from '../../answers.ts'

/** Of every answer. `PaymentId` is text here and a number there. */
const fields = {
  ErrorCode: z.coerce.string().optional(),
  Message: z.string().optional(),
  Details: z.string().optional(),
}

const Accepted = z.object({
  ...fields,
  Success: z.literal(true),
  Status: z.string().optional(),
  PaymentId: z.coerce.string().optional(),
  Amount: z.number().optional(),
  Data: z.string().optional(),
  QrCancelCode: z.string().nullish(),
  QrCancelMessage: z.string().nullish(),
})
export type Accepted = z.output<typeof Accepted>

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
  .object({ ...fields, Success: z.literal(false), ErrorCode: z.coerce.string() })
  .transform(({ ErrorCode, Message = '', Details = '' }) => ({
    code: ErrorCode,
    text: [ErrorCode, Message, Details].filter(Boolean).join(', '),
  }))

/** Init and GetQr move no money: if the bank errs, the link is one that nobody sees. */
export const REGISTER: Answers<Accepted> = {
  executed,
  refused: [
    {
      status: 200,
      body: Refusal.refine(({ code, text }) => !LATER.has(code) && !CREDENTIALS.test(text)).transform(
        ({ text }) => `T-Bank: ${text}`,
      ),
      says: 'Message: Краткое описание ошибки. «Неверные параметры»',
    },
  ],
}

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

/** GetState, GetQrState: the document has no refusal of them. */
export const STATE: Answers<Accepted> = { executed }

/** The document has no error codes of Cancel, so no answer says that nothing was done. */
export const CANCEL: Answers<Accepted> = { executed }

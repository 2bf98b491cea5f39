// What Raiffeisenbank's document says of the answers of its fiscal API (October 2021).
import * as z from 'zod'
import { kopecksOf } from '../../amounts.ts'
import type { Answers, Documented } from '../../banks/answers.ts'

const Receipt = z.object({
  receiptNumber: z.union([z.string(), z.number()]).transform(String),
  receiptType: z.enum(['SELL', 'REFUND']),
  status: z.enum(['NEW', 'IN_PROGRESS', 'DONE', 'FAILED', 'AWAITING']),
  total: z.union([z.string(), z.number()]).transform((total) => kopecksOf(String(total))),
})
/** A document as the bank states it; `total` in kopecks, undefined where it is no sum of roubles. */
export type Receipt = z.output<typeof Receipt>

const executed: Documented<Receipt> = { status: 200, body: Receipt, says: 'status: Статус регистрации чека' }

const failure = (status: number | undefined, code: string, text: string): Documented<string> => ({
  ...(status !== undefined && { status }),
  body: z
    .object({ code: z.literal(code), message: z.string() })
    .transform(({ message }) => `Raiffeisenbank: ${code}, ${message}`),
  says: `${code} | ${text}`,
})

const NOT_FOUND = failure(404, 'RECEIPT_NOT_FOUND', 'Чек с id = {value} не найден')
/** The document is no longer NEW: it was sent before, and is asked about. */
const CONFLICT = failure(409, 'RECEIPT_STATUS_CONFLICT', 'Чек {value} в статусе {value}, действие невозможно')
const UNSUPPORTED = failure(
  undefined,
  'RECEIPT_TYPE_NOT_SUPPORTED',
  'Регистрация чеков типа {value} не поддерживается',
)

/** postSell, postRefund. A 403 is about the merchant, not about this document: it is sent again. */
export const CREATE: Answers<Receipt> = {
  executed,
  refused: [
    failure(400, 'RECEIPT_VALIDATION_FAILED', 'Чек не прошел валидацию. Причина: {value}'),
    UNSUPPORTED,
  ],
  notKnown: [CONFLICT],
}

/** putSell, putRefund. After any failure the bank is asked: a repeat of a registration is refused. */
export const REGISTER: Answers<Receipt> = {
  executed,
  refused: [UNSUPPORTED],
  notKnown: [CONFLICT, NOT_FOUND],
}

/** getSellStatus, getRefundStatus. */
export const STATUS: Answers<Receipt> = { executed, notKnown: [NOT_FOUND] }

// The notification of T-Bank that its cash register has made a document, or has not: `Status` RECEIPT.
import * as z from 'zod'
import type { DocumentNotice } from '../../banks/bank-receipts.ts'
import { moscowTime } from '../../banks/moscow.ts'
import type { Fiscal } from '../cash-register.ts'
import { withoutContact } from '../without-contact.ts'

const optional = (max: number) => z.string().min(1).max(max).optional().catch(undefined)

/** With the numbers as text. Its `Receipt`, which has the contact and the items, is not read. */
const Notification = z.object({
  Status: z.literal('RECEIPT'),
  Success: z.boolean(),
  ErrorCode: optional(20),
  ErrorMessage: optional(255),
  Amount: z
    .string()
    .regex(/^\d{1,13}$/)
    .transform(Number),
  Type: optional(64),
  FnNumber: optional(20),
  FiscalDocumentNumber: optional(20),
  FiscalDocumentAttribute: optional(20),
  EcrRegNumber: optional(20),
  ShiftNumber: optional(20),
  FiscalNumber: optional(20),
  ReceiptDatetime: optional(40),
  Url: optional(500),
})

/** @param fields of a verified notification, its numbers as text @returns undefined for another notification */
export function noticeOf(fields: Record<string, unknown>): DocumentNotice | undefined {
  const { data } = Notification.safeParse(fields)
  if (!data) return
  const { Amount: amount, Type, Success, ErrorCode, ErrorMessage } = data
  const type = typeOf(Type)
  const of = { amount, ...(type && { type }) }
  if (!Success) {
    const reason = [ErrorCode, ErrorMessage].filter(Boolean).join(', ')
    return { ...of, failure: `T-Bank: ${withoutContact(reason) || 'it gives no reason'}` }
  }
  return { ...of, fiscal: fiscalOf(data) }
}

/** The names of the bank, by ours. */
const NUMBERS = [
  ['fn', 'FnNumber'],
  ['fd', 'FiscalDocumentNumber'],
  ['fpd', 'FiscalDocumentAttribute'],
  ['registration', 'EcrRegNumber'],
  ['shift', 'ShiftNumber'],
  ['number', 'FiscalNumber'],
  ['url', 'Url'],
] as const

function fiscalOf(data: z.output<typeof Notification>): Fiscal {
  const fiscal: Fiscal = {}
  for (const [name, field] of NUMBERS) if (data[field] !== undefined) fiscal[name] = data[field]
  const dateTime = dateTimeOf(data.ReceiptDatetime)
  return { ...fiscal, ...(dateTime !== undefined && { dateTime }) }
}

/** In Moscow time, where the text is a time; without an offset it is one of Moscow. */
function dateTimeOf(text = ''): string | undefined {
  const [, date, offset = '+03:00'] =
    /^(\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(Z|[+-]\d\d:?\d\d)?$/.exec(text) ?? []
  const time = Date.parse(`${date?.replace(' ', 'T')}${offset.replace(/(\d\d)(\d\d)$/, '$1:$2')}`)
  return Number.isNaN(time) ? undefined : moscowTime(time)
}

/** The bank's document has no list of the types (tag 1054), so that their words are assumed. */
function typeOf(text = ''): 'INCOME' | 'RETURN' | undefined {
  if (/expense|outcome|buy|расход/i.test(text)) return
  if (/return|refund|возврат/i.test(text)) return 'RETURN'
  return /income|sell|приход/i.test(text) ? 'INCOME' : undefined
}

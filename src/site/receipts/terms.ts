// The terms of receipts: the cash register and the settings that hold for a code or a sale from the time that it is made.
import * as z from 'zod/mini'
import { type CashRegister, FFDS, REGISTER_KINDS } from '../../contract/receipts/cash-register.ts'
import type { ReceiptSettings, ReceiptSpec, Terms } from '../../contract/receipts/receipt.ts'
import { type ReceiptSubject, refuseReceipt } from '../../contract/receipts/rules.ts'
import { keptReceipts, ReceiptSettingsAnswer } from '../../contract/receipts/settings.ts'
import { VAT_RATES } from '../../contract/receipts/vat.ts'
import type { FieldErrors, Refusal } from '../../errors.ts'
import { integer, requiredText, type Sql, textValue } from '../rows/sql.ts'

/** The setting `receipts` of the site. */
export function receiptSettingsIn(sql: Sql): ReceiptSettings {
  const stored = textValue(sql, "SELECT settings -> 'receipts' FROM settings")
  return stored === undefined ? {} : ReceiptSettingsAnswer.parse(JSON.parse(stored))
}

/** The refusal of the receipt of a request; see refuseReceipt. @returns validation.error */
export function refuseReceiptOf(
  spec: ReceiptSpec | undefined,
  terms: Terms | undefined,
  of: ReceiptSubject,
): Refusal | undefined {
  const fields = spec || terms?.default ? refuseReceipt(spec, terms, of) : undefined
  return fields && refusedFields(fields)
}

/** The refusal of fields. @returns validation.error */
export function refusedFields(fields: FieldErrors): Refusal {
  const broken = Object.entries(fields).flatMap(([field, texts]) => texts.map((text) => `${field} ${text}`))
  return { ok: false, code: 'validation.error', description: broken.join('; '), fields }
}

/** A cash register as it is kept. */
export const StoredRegister = z.object({
  kind: z.enum(REGISTER_KINDS),
  ffd: z.enum(FFDS),
  maxItems: z.optional(z.int()),
  decimals: z.optional(z.literal([0, 1, 2, 3])),
  vats: z.optional(z.array(z.enum(VAT_RATES))),
} satisfies Record<keyof CashRegister, z.ZodMiniType>)

const StoredTerms = z.extend(ReceiptSettingsAnswer, { register: StoredRegister })

/** The text that is kept: in one order and without defaults, so that equal terms have equal ones. */
export function termsText({ register, ...settings }: Terms): string {
  const { kind, ffd, maxItems, decimals, vats } = register
  return JSON.stringify({ register: { kind, ffd, maxItems, decimals, vats }, ...keptReceipts(settings) })
}

/** Whether a code or a sale of the site ever had a receipt: else there are no documents and no contacts. */
export const hasReceiptsIn = (sql: Sql): boolean =>
  integer(sql, 'SELECT EXISTS (SELECT 1 FROM receipt_terms)') === 1

/** The terms with a number. */
export const termsOf = (sql: Sql, number: number): Terms =>
  StoredTerms.parse(JSON.parse(requiredText(sql, 'SELECT terms FROM receipt_terms WHERE number = ?', number)))

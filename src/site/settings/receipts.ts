// Whether the setting `receipts` fits the cash register of the site, and the day (contract, section 12).
import type { ReceiptSettings } from '../../contract/receipts/receipt.ts'
import { refuseReceiptSettings } from '../../contract/receipts/rules.ts'
import type { Refusal } from '../../errors.ts'
import type { Context } from '../context.ts'

/**
 * Refuses a new value. What stands stays: a rate of VAT can have ended since.
 * @returns validation.error
 */
export function refuseReceipts(
  { memory, now }: Pick<Context, 'memory' | 'now'>,
  value: ReceiptSettings | undefined,
  present: ReceiptSettings | undefined,
): Refusal | undefined {
  // Both are as they are kept: in one order.
  if (!value || JSON.stringify(value) === JSON.stringify(present)) return undefined
  const fields = refuseReceiptSettings(value, memory.cashRegister, now)
  if (!fields) return undefined
  const broken = Object.entries(fields).flatMap(([field, texts]) => texts.map((text) => `${field} ${text}`))
  return { ok: false, code: 'validation.error', description: broken.join('; '), fields }
}

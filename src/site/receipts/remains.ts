// What refunds and closings have taken of the document of a sale, in the order in which they were accepted.

import type { ItemSpec } from '../../contract/receipts/item.ts'
import type { RefundReceipt } from '../../contract/receipts/receipt.ts'
import { linesOfRefund } from '../../contract/receipts/refund-lines.ts'
import { refuseItems } from '../../contract/receipts/register-rules.ts'
import { type Parts, partsOfRefund } from '../../contract/receipts/requested-items.ts'
import { type Part, remainsOf, shareOf, sumOf, type Taking } from '../../contract/receipts/shares.ts'
import type { FieldErrors } from '../../errors.ts'
import type { Context } from '../context.ts'
import type { PaymentRow } from '../payments/rows.ts'
import { int, rowsWith, text } from '../rows/columns.ts'
import { IS_LATEST } from '../rows/latest-receipt.ts'
import { itemsIn, planIn, planText, type RefundPlan } from '../rows/receipts.ts'
import { type ReceiptRow, receiptByNumber } from './rows.ts'
import { termsOf } from './terms.ts'

const readPlans = rowsWith({ number: int, items: text, is_sent: int })
const readClosings = rowsWith({ number: int, place: int, at: int, items: text, is_sent: int })

/** A refund or a closing of a sale. */
export interface Accepted extends Taking {
  /** The number of its row of refunds, or of receipts. */
  number: number
  /** The number of the event that accepted it. */
  place: number
  /** Of a refund: the column that has its plan. */
  plan?: string | undefined
  /** The day of a closing, Unix seconds. */
  at: number
  /** Whether a cash register has its document, or can have it. */
  isSent: boolean
}

const IS_SENT = "state IN ('SENT', 'REGISTERED')"

/** The refunds of a payment that are not declined, and its closings, in the order in which they were accepted. */
export function acceptedOf(sql: SqlStorage, payment: number): Accepted[] {
  const plans = readPlans(
    sql,
    `SELECT number, items, EXISTS (SELECT 1 FROM receipts WHERE receipts.payment = refunds.payment AND refund = refunds.number AND ${IS_SENT}) AS is_sent
     FROM refunds WHERE payment = ? AND status <> 'DECLINED' AND items IS NOT NULL`,
    payment,
  )
  const closings = readClosings(
    sql,
    `SELECT number, place, at, items, ${IS_SENT} AS is_sent FROM receipts
     WHERE payment = ? AND kind = 'closing' AND ${IS_LATEST}`,
    payment,
  )
  return [
    ...plans.map(({ number, items: plan, is_sent }) => {
      const { place, items } = planIn(plan)
      return { kind: 'refund' as const, number, place, items, plan, at: 0, isSent: is_sent === 1 }
    }),
    ...closings.map(({ items, is_sent, ...row }) => {
      return { kind: 'closing' as const, ...row, items: itemsIn(items), isSent: is_sent === 1 }
    }),
  ].sort((a, b) => a.place - b.place)
}

/** What they took. @param before the place of the first that is left out */
export const takingsOf = (sql: SqlStorage, payment: number, before = Number.MAX_SAFE_INTEGER): Taking[] =>
  acceptedOf(sql, payment)
    .filter(({ place }) => place < before)
    .map(({ kind, items }) => ({ kind, items }))

/** What the receipt of a new refund is to be, undefined where it has none; or the fields that are refused. */
type NewPlan =
  | { plan: Omit<RefundPlan, 'place'> | undefined; fields?: undefined }
  | { plan?: undefined; fields: FieldErrors }

/**
 * Computes the receipt of a refund when it is accepted: from then on its items are reserved.
 * @param minorUnits of the refund
 * @param stated what its request states
 */
export function planRefund(
  sql: SqlStorage,
  payment: Pick<PaymentRow, 'number' | 'minor_units' | 'accepted_refunds' | 'receipt'>,
  minorUnits: number,
  stated?: RefundReceipt,
): NewPlan {
  const sale = payment.receipt === null ? undefined : receiptByNumber(sql, payment.receipt)
  if (!sale) return stated ? { fields: { receipt: [NO_SALE] } } : { plan: undefined }
  const takings = takingsOf(sql, payment.number)
  const items = stated?.items
  const { parts, fields } = items
    ? partsStated(sql, sale, takings, { items, amount: minorUnits })
    : { parts: partsShared(sale, takings, minorUnits), fields: undefined }
  if (fields) return { fields }
  if (parts.length === 0) return { plan: undefined }
  const isUntouched = payment.accepted_refunds === 0 && takings.length === 0
  return {
    plan: {
      request: items,
      isWhole: isUntouched && minorUnits === payment.minor_units ? true : undefined,
      items: parts,
    },
  }
}

const NO_SALE = 'is present, must be absent: the payment has no receipt'

/** The items that a refund states. */
export function partsStated(
  sql: SqlStorage,
  sale: ReceiptRow,
  takings: readonly Taking[],
  stated: { items: readonly ItemSpec[]; amount: number },
): Parts {
  const result = partsOfRefund(itemsIn(sale.items), takings, stated)
  const { register } = termsOf(sql, sale.terms)
  const fields = result.parts && refuseItems(linesOfRefund(result.parts, register), register, 'receipt.items')
  return fields ? { fields } : result
}

/** Shares of what remains; a bank can refund more than that. */
function partsShared(sale: ReceiptRow, takings: readonly Taking[], minorUnits: number): Part[] {
  const remains = remainsOf(itemsIn(sale.items), takings)
  return shareOf(remains, Math.min(minorUnits, sumOf(remains))) ?? []
}

/** Keeps the receipt of a refund in place of the one that it had; what its request stated stays. */
export function writePlan(
  sql: SqlStorage,
  { number, items }: { number: number; items: string | null },
  plan: RefundPlan,
): void {
  const request = items === null ? undefined : planIn(items).request
  sql.exec('UPDATE refunds SET items = ? WHERE number = ?', planText({ ...plan, request }), number)
}

/**
 * The column of what the receipt of a refund is to be that is reported without a request, or after it was declined: it takes what remains
 * now.
 */
export function plannedItems(
  { sql, memory }: Pick<Context, 'sql' | 'memory'>,
  payment: PaymentRow,
  { minor_units, items }: { minor_units: number; items: string | null },
): string | null {
  const { plan } = planRefund(sql, payment, minor_units)
  const request = items === null ? undefined : planIn(items).request
  return plan ? planText({ ...plan, request, place: memory.lastEvent + 1 }) : null
}

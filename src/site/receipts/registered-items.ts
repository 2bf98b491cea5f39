// The items that the cash register has: a restored site can have others under the same key.
import type { Item } from '../../contract/receipts/item.ts'
import { type Part, sumOf } from '../../contract/receipts/shares.ts'
import { itemsIn, itemsText, plainItems, planIn } from '../rows/receipts.ts'
import { textValue } from '../rows/sql.ts'
import { itemsOfClosing } from './closings.ts'
import { relabel } from './relabel.ts'
import { partsStated, takingsOf, writePlan } from './remains.ts'
import { type ReceiptRow, receiptByNumber, saleDocument } from './rows.ts'
import { termsOf } from './terms.ts'

/**
 * Gives a document the items that were registered, where they differ and have its sum; refunds and closings follow.
 * @returns its row after that
 */
export function withItems(sql: SqlStorage, row: ReceiptRow, items: readonly Item[]): ReceiptRow {
  if (sumOf(items) !== row.minor_units || isSame(itemsIn(row.items), items)) return row
  const taken = TAKEN[row.kind](sql, row, items)
  sql.exec('UPDATE receipts SET items = ? WHERE number = ?', itemsText(taken), row.number)
  return receiptByNumber(sql, row.number) ?? row
}

const isSame = (known: readonly Part[], items: readonly Item[]): boolean =>
  itemsText(plainItems(known)) === itemsText(items)

const TAKEN: Record<
  ReceiptRow['kind'],
  (sql: SqlStorage, row: ReceiptRow, items: readonly Item[]) => readonly (Item | Part)[]
> = {
  sale: (sql, row, items) => {
    const { register } = termsOf(sql, row.terms)
    // Returns refer to the last attempt; where an earlier one is registered, they change with that.
    if (row.is_replaced === 0) relabel(sql, { payment: row.payment, register }, itemsIn(row.items), items)
    return items
  },
  refund: (sql, row, items) => {
    const plan = textValue(sql, 'SELECT items FROM refunds WHERE number = ?', row.refund)
    const sale = saleDocument(sql, row.payment)
    if (plan === undefined || !sale) return items
    const planned = planIn(plan)
    const takings = takingsOf(sql, row.payment, planned.place)
    const { parts } = partsStated(sql, sale, takings, { items, amount: row.minor_units })
    if (parts) writePlan(sql, { number: row.refund ?? 0, items: plan }, { ...planned, items: parts })
    return items
  },
  closing: (sql, row, items) => {
    const sale = saleDocument(sql, row.payment)
    const closed =
      sale && itemsOfClosing(sql, sale, termsOf(sql, row.terms), { items, at: row.at, before: row.place })
    if (closed && 'parts' in closed) return closed.parts
    // They fit no line of the sale: its lines give the sum one after another.
    const [{ place } = { place: 0 }] = itemsIn(row.items)
    return items.map((item) => ({ ...item, place }))
  },
}

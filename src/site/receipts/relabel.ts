// Gives refunds and closings that are not sent the items of a sale whose document is corrected: returns keep the words of their sale.
import type { CashRegister } from '../../contract/receipts/cash-register.ts'
import type { Item } from '../../contract/receipts/item.ts'
import { linesOfRefund } from '../../contract/receipts/refund-lines.ts'
import { isPrepaid } from '../../contract/receipts/requested-items.ts'
import { type Part, remainsOf, shareOf, sumOf, type Taking } from '../../contract/receipts/shares.ts'
import { rateOn } from '../../contract/receipts/vat.ts'
import { itemsText, planIn } from '../rows/receipts.ts'
import { type Accepted, acceptedOf, writePlan } from './remains.ts'

/** Rewrites what was accepted of a sale, in its order. @param before the items of the failed document @param after those of its retry */
export function relabel(
  sql: SqlStorage,
  { payment, register }: { payment: number; register: CashRegister },
  before: readonly Item[],
  after: readonly Item[],
): void {
  if (itemsText(before) === itemsText(after)) return
  const isSameShape =
    before.length === after.length && before.every(({ amount }, index) => amount === after[index]?.amount)
  const lines: Item[] = [...after]
  const done: Taking[] = []
  for (const accepted of acceptedOf(sql, payment)) {
    const { kind, items } = accepted
    const parts = accepted.isSent
      ? items
      : isSameShape
        ? items.map((part) => named(accepted, part, lines[part.place]))
        : shared(accepted, remainsOf(after, done))
    if (!accepted.isSent) write(sql, accepted, parts, register)
    done.push({ kind, items: parts })
    if (kind === 'closing') lines.push(...parts)
  }
}

/** A share of what remains, a closing of the prepayment alone; the items as they were where less remains. */
function shared(accepted: Accepted, remains: readonly Part[]): readonly Part[] {
  const open = accepted.kind === 'closing' ? remains.filter(isPrepaid) : remains
  const share = shareOf(open, sumOf(accepted.items))
  return share?.map((part) => named(accepted, part, part)) ?? accepted.items
}

/** A part in the words of its line; a closing is full payment at the rate of its day. */
function named({ kind, at }: Accepted, part: Part, line: Item | undefined): Part {
  if (!line) return part
  const { name, object, unit, vat, method } = line
  return kind === 'refund'
    ? { ...part, name, object, unit, vat, method }
    : { ...part, name, object, unit, vat: rateOn(vat, at), method: 'fullPayment' }
}

function write(
  sql: SqlStorage,
  { kind, number, plan }: Accepted,
  parts: readonly Part[],
  register: CashRegister,
): void {
  if (plan !== undefined) writePlan(sql, { number, items: plan }, { ...planIn(plan), items: parts })
  const [column, lines] =
    kind === 'refund' ? (['refund', linesOfRefund(parts, register)] as const) : (['number', parts] as const)
  sql.exec(
    `UPDATE receipts SET items = ? WHERE ${column} = ? AND state = 'WAITING'`,
    ...[itemsText(lines), number],
  )
}

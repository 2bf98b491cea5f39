// What the document of a refund lists: the parts that the refund takes, in at most as many lines as its cash register takes.
import { type Capabilities, type CashRegister, capabilitiesOf } from './cash-register.ts'
import { formatQuantity, lineAmount } from './item.ts'
import { oneOf, type Part, sumOf } from './shares.ts'

/**
 * The lines of a refund's document. Closings add lines to a sale, so a refund can take more parts than a register takes lines: then parts
 * of one name, rate, method, object and unit are one line. The refund itself keeps its parts.
 * @returns more than the register takes where they differ too much
 */
export function linesOfRefund(parts: readonly Part[], register: CashRegister): Part[] {
  const can = capabilitiesOf(register)
  if (parts.length <= can.maxItems) return [...parts]
  const equal = Map.groupBy(parts, ({ name, vat, method, object, unit }) =>
    JSON.stringify([name, vat, method, object, unit]),
  )
  return Array.from(equal.values()).flatMap((group) => merged(group, can))
}

/** Equal parts as one: by quantity where that gives their sum and the register can state it, else as one of their sum. */
function merged(group: readonly Part[], can: Capabilities): Part[] {
  const [first] = group
  if (!first || group.length === 1) return [...group]
  const amount = sumOf(group)
  const quantity = group.reduce((sum, part) => sum + part.quantity, 0)
  const isExact =
    group.every(({ price }) => price === first.price) &&
    lineAmount(first.price, quantity) === amount &&
    formatQuantity(quantity).length <= can.quantityLength
  return [{ ...first, ...(isExact ? { quantity, amount } : oneOf(amount)) }]
}

// What the operator sets of a site.
import type { Limits } from '../../contract/limits.ts'
import type { CashRegister } from '../../contract/receipts/cash-register.ts'
import type { Context } from '../context.ts'
import { StoredLimits } from './limits.ts'

/** Replaces both limits. */
export function setLimits({ sql, memory }: Context, limits: Limits): void {
  sql.exec('UPDATE site SET limits = ?', JSON.stringify(StoredLimits.parse(limits)))
  memory.forgetSettings()
}

/** Sets the cash register of the site, or removes it. */
export function setCashRegister({ sql, memory }: Context, register: CashRegister | undefined): void {
  sql.exec('UPDATE site SET cash_register = ?', register ? JSON.stringify(register) : null)
  memory.forgetSettings()
}

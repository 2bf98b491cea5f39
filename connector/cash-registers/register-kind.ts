// The type of what a cash register's folder exports: the fields of its configuration, and how credentials become a CashRegister.
import type * as z from 'zod'
import type { Call } from '../banks/answers.ts'
import type { CashRegister } from './cash-register.ts'

export interface RegisterContext {
  /** Without a slash at the end. */
  baseUrl: string
  call: Call
  /** Where its webhooks go. */
  webhookUrl: string
  /** Unix milliseconds. */
  now: () => number
}

/**
 * In the configuration, beside `banks`:
 * `"cashRegisters": {"NAME": {"kind": "…", "baseUrl"?: "…", …credentials}}`, and `"cashRegister": "NAME"` of a site.
 */
export interface RegisterKind {
  /** `kind` in the configuration, and of the register of an instruction. */
  kind: string
  /** The address of production, without a slash at the end. */
  baseUrl: string
  /** The kind of the bank on whose calls it rides: a site with this register must have it. */
  bank?: string
  /** The fields of the credentials besides `kind` and `baseUrl`; `secret` is the schema of one that is secret. */
  credentials: (secret: z.ZodType<string>) => z.ZodType<(context: RegisterContext) => CashRegister>
}

// The type of what a bank's folder exports: the fields of its configuration, and how credentials become a Bank.
import type * as z from 'zod'
import type { Call } from './answers.ts'
import type { Bank } from './bank.ts'

export interface BankContext {
  /** Without a slash at the end. */
  baseUrl: string
  call: Call
  /** Unix milliseconds. */
  now: () => number
}

export interface BankKind {
  /** `bank` in the configuration. */
  kind: string
  /** The address of production, without a slash at the end. */
  baseUrl: string
  /** The fields of the credentials besides `bank` and `baseUrl`; `secret` is the schema of one that is secret. */
  credentials: (secret: z.ZodType<string>) => z.ZodType<(context: BankContext) => Bank>
  /** The fields of a site besides `token`, `bank` and `name`; they go to `Bank.forSite`. */
  site: z.ZodType
}

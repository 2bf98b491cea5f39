// The type of what a bank's folder exports: the fields of its configuration, and how credentials become a Bank.
import type * as z from 'zod'
import type { Call } from './answers.ts'
import type { Bank } from './bank.ts'

export interface BankContext {
  /** Without a slash at the end. */
  baseUrl: string
  call: Call
  /** Counts a payment that is no money, and tells the operator. @param number the bank's */
  noteTestPayment: (number: string) => void
  /** Counts a code of the bank's test that is registered for customers, and tells the operator. */
  noteTestCode: (qrcId: string) => void
  /** Unix milliseconds. */
  now: () => number
}

export interface BankKind {
  /** `bank` in the configuration, and in the reports of payments: the contract's word for the bank of a settlement file. */
  kind: string
  /** The address of production, without a slash at the end. */
  baseUrl: string
  /** The fields of the credentials besides `bank` and `baseUrl`; `secret` is the schema of one that is secret. */
  credentials: (secret: z.ZodType<string>) => z.ZodType<(context: BankContext) => Bank>
  /** The fields of a site besides `token`, `bank` and `name`; they go to `Bank.forSite`. */
  site: z.ZodType
}

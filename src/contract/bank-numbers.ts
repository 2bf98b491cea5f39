// The numbers of payments at their banks: by them a file of a bank is split over sites (contract, section 19).
import * as z from 'zod/mini'
import { SettlementBank } from './settlement-bank.ts'

/** By what the files of its bank name a payment. */
export const BankNumbersJson = z.object({
  paymentUid: z.string(),
  /** The 32 characters of the link. */
  qrcId: z.string(),
  bank: z.optional(SettlementBank),
  networkUid: z.optional(z.string()),
  order: z.optional(z.string()),
})
export type BankNumbers = z.infer<typeof BankNumbersJson>

/** The last payment of a page: its status as its place in PAYMENT_STATUSES, its time in Unix seconds, its row. */
export interface BankNumbersPosition {
  status: number
  at: number
  number: number
}

/** A line of NDJSON. */
export const bankNumbersLine = (numbers: BankNumbers): string => `${JSON.stringify(numbers)}\n`

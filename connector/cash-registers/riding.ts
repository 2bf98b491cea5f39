// Receipts that are a part of a bank's calls: as an instruction states them, and on disk until the call is made.
import * as z from 'zod'
import type { Bank } from '../banks/bank.ts'
import type { RidingReceipt } from '../banks/bank-receipts.ts'
import { ReceiptFields } from './instruction.ts'

const receiptOf = ({ register, isWholePayment = false, ...fields }: z.output<typeof ReceiptFields>) => ({
  ...{ ffd: register.ffd, items: fields.items, taxation: fields.taxation, contact: fields.contact },
  isWholePayment,
})

/** The field `receipt` of an instruction. */
export const RidingField = ReceiptFields.transform((fields): RidingReceipt => receiptOf(fields))

/** The same, as the text that a row keeps. It has the payer's contact, and is emptied once nothing is sent any more. */
export const RidingText = z.unknown().transform((value, context) => {
  const { error } = ReceiptFields.safeParse(value)
  if (!error) return JSON.stringify(value)
  context.addIssue(error.message)
  return z.NEVER
})

/** @param text of a row; empty where there is no receipt @returns the field of a bank's call */
export const ridingOf = (text: string): { receipt?: RidingReceipt } =>
  text === '' ? {} : { receipt: receiptOf(ReceiptFields.parse(JSON.parse(text))) }

/** Why the bank cannot carry a receipt: then nothing is sent without it. */
export const carryProblem = (
  { title, takesReceipts = false }: Bank,
  hasReceipt: boolean,
): string | undefined =>
  hasReceipt && !takesReceipts ? `${title}: no receipt can be a part of its calls` : undefined

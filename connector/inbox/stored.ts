// What the disk has of a verified webhook: the fields of banks/bank.ts that its report needs.
import * as z from 'zod'
import { DocumentNotice } from '../banks/bank-receipts.ts'
import { PAYMENT_METHODS } from '../banks/payment-method.ts'

export const Stored = z.object({
  qrcId: z.string().optional(),
  reference: z.string().optional(),
  owner: z.string().optional(),
  paidAt: z.string().optional(),
  order: z.string().optional(),
  binding: z
    .object({ request: z.string(), isActive: z.boolean(), bankMemberId: z.string().exactOptional() })
    .optional(),
  receipt: DocumentNotice.optional(),
  saleKey: z.string().optional(),
  refundOf: z.string().optional(),
  change: z.object({ of: z.string(), at: z.int() }).optional(),
  payment: z
    .object({
      status: z.enum(['COMPLETED', 'DECLINED']),
      number: z.string(),
      order: z.string().exactOptional(),
      amount: z.int(),
      paidAt: z.string().exactOptional(),
      method: z.enum(PAYMENT_METHODS).exactOptional(),
      payer: z.object({ phone: z.string().exactOptional() }).exactOptional(),
    })
    .optional(),
})
export type Stored = z.output<typeof Stored>

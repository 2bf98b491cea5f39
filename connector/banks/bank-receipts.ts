// The part of a bank's interface (bank.ts) for receipts that are a part of its calls, and for what its cash register says.
import * as z from 'zod'
import { Fiscal, type NewDocument } from '../cash-registers/cash-register.ts'

/** A receipt that a registration, a charge or a refund carries. */
export type RidingReceipt = Pick<NewDocument, 'ffd' | 'items' | 'taxation' | 'contact' | 'isWholePayment'>

/** What the bank says of a document. It has no key of ours: see cash-registers/notices.ts. */
export const DocumentNotice = z.object({
  /** Of money received, or given back; absent where the bank does not say. */
  type: z.enum(['INCOME', 'RETURN']).exactOptional(),
  amount: z.int(),
  fiscal: Fiscal.exactOptional(),
  /** Why there is no document. */
  failure: z.string().exactOptional(),
})
export type DocumentNotice = z.output<typeof DocumentNotice>

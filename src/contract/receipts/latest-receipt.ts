// The latest document of a payment or a refund, as the answer that shows the payment or the refund has it.
import * as z from 'zod/mini'
import { meta } from '../meta.ts'
import { DOCUMENT_STATES, DocumentState, type Fiscal } from './document.ts'

/** The latest attempt of a document. */
export interface LatestReceipt {
  receiptUid: string
  state: DocumentState
  /** Files have it; of it, answers have the `url` alone. */
  fiscal?: Fiscal | undefined
}

/** A refund whose payment has no document, so that it gets none. */
export const NO_RECEIPT = { state: 'NONE' } as const
export type NoReceipt = typeof NO_RECEIPT

const TEXT = z.string()
const url = z.optional(TEXT).apply(meta, {
  format: 'uri',
  description: 'Where the receipt can be read, once it is registered. It shows the contact',
})

export const LatestReceiptAnswer = z.object({ receiptUid: TEXT, state: DocumentState, url }).apply(meta, {
  id: 'LatestReceipt',
  description: 'The latest attempt of the document of the cash register',
})

export const RefundReceiptAnswer = z
  .object({
    receiptUid: z.optional(TEXT),
    state: z.enum([...DOCUMENT_STATES, NO_RECEIPT.state]).apply(meta, {
      description: 'NONE: the payment has no receipt, so the refund gets none',
    }),
    url,
  })
  .apply(meta, { id: 'RefundReceipt' })

/** The answer that shows it. */
export const latestReceiptAnswer = ({
  receiptUid,
  state,
  fiscal,
}: LatestReceipt): z.infer<typeof LatestReceiptAnswer> => ({
  receiptUid,
  state,
  ...(fiscal?.url !== undefined && { url: fiscal.url }),
})

/** The same of a refund. */
export const refundReceiptAnswer = (
  receipt: LatestReceipt | NoReceipt,
): z.infer<typeof RefundReceiptAnswer> => ('receiptUid' in receipt ? latestReceiptAnswer(receipt) : receipt)

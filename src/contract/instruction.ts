// Instructions: what the service asks the payment network to do (contract, section 10).
import * as z from 'zod/mini'
import { amountAnswer, StoredAmount } from './amount.ts'
import { formatDateTime } from './date-time.ts'

/** An instruction as the outbox keeps it. */
export const Instruction = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('payment.charge'),
    linkId: z.string(),
    paymentUid: z.string(),
    bindingUid: z.string(),
    amount: StoredAmount,
    /** Unix seconds. From then on the network must not execute it for the first time. */
    expiresAt: z.int(),
  }),
  z.object({
    type: z.literal('refund.create'),
    linkId: z.string(),
    paymentUid: z.string(),
    refundUid: z.string(),
    amount: StoredAmount,
  }),
  z.object({ type: z.literal('token.delete'), linkId: z.string(), bindingUid: z.string() }),
])
export type Instruction = z.infer<typeof Instruction>

/** Where and when an instruction was given; `createdAt` is Unix milliseconds. */
export interface InstructionOrigin {
  siteId: string
  createdAt: number
  utcOffset: string
}

/** The body of an instruction to a connector, in JSON. */
export function instructionBody(
  instruction: Instruction,
  { siteId, createdAt, utcOffset }: InstructionOrigin,
): string {
  const { type, linkId: qrcId, ...rest } = instruction
  return JSON.stringify({
    type,
    timestamp: formatDateTime(Math.floor(createdAt / 1000), utcOffset),
    data: {
      siteId,
      qrcId,
      ...rest,
      ...('amount' in rest && { amount: amountAnswer(rest.amount) }),
      ...('expiresAt' in rest && {
        expiresAt: undefined,
        expiresOn: formatDateTime(rest.expiresAt, utcOffset),
      }),
    },
  })
}

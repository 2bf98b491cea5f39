// Instructions: what the service asks the payment network to do (contract, section 10).
import * as z from 'zod'
import { amountAnswer } from './amount.ts'
import { formatDateTime } from './date-time.ts'

/** An instruction as the outbox keeps it. */
export const Instruction = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('refund.create'),
    linkId: z.string(),
    paymentUid: z.string(),
    refundUid: z.string(),
    amount: z.object({ minorUnits: z.int(), currency: z.string() }),
  }),
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
  { type, linkId: qrcId, amount, ...rest }: Instruction,
  { siteId, createdAt, utcOffset }: InstructionOrigin,
): string {
  return JSON.stringify({
    type,
    timestamp: formatDateTime(Math.floor(createdAt / 1000), utcOffset),
    data: { siteId, qrcId, ...rest, amount: amountAnswer(amount) },
  })
}

// Instructions: what the service asks the payment network to do (contract, section 10).
import * as z from 'zod/mini'
import { amountAnswer, StoredAmount } from './amount.ts'
import { formatDateTime } from './date-time.ts'
import {
  type ReceiptInstruction,
  type RidingReceipt,
  receiptBody,
  receiptInstructionData,
} from './receipts/instruction.ts'

/**
 * What every instruction says of its QR code: the network's identifier of the link, and the connector's own text, if it
 * gave one.
 */
const link = { linkId: z.string(), reference: z.optional(z.string()) }
/** The binding, and the connector's own text of it, if a report gave one. */
const binding = { bindingUid: z.string(), bindingReference: z.optional(z.string()) }
/** The network's own number of the payment, if it was reported. */
const networkUid = z.optional(z.string())

/** An instruction as the outbox keeps it. */
export const Instruction = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('payment.charge'),
    ...link,
    paymentUid: z.string(),
    ...binding,
    amount: StoredAmount,
    paymentPurpose: z.optional(z.string()),
    /** Unix seconds. From then on the network must not execute it for the first time. */
    expiresAt: z.int(),
  }),
  z.object({
    type: z.literal('refund.create'),
    ...link,
    networkUid,
    paymentUid: z.string(),
    refundUid: z.string(),
    amount: StoredAmount,
  }),
  z.object({ type: z.literal('token.delete'), ...link, ...binding }),
  z.object({
    type: z.literal('qrCode.cancel'),
    ...link,
    /** Unix seconds. From then on the link has ended, and nobody needs to cancel it. Absent where it has no end. */
    neededUntil: z.optional(z.int()),
  }),
  /** The rest is composed when it is sent. */
  z.object({ type: z.literal('receipt.register'), receiptUid: z.string() }),
])
export type Instruction = z.infer<typeof Instruction>
/** An instruction to register a document, as the outbox keeps it. */
type StoredReceipt = Extract<Instruction, { type: 'receipt.register' }>

/** An instruction as it is sent: with a receipt, where a cash register takes one; its contact is in no other instruction. */
export type SentInstruction =
  | (Exclude<Instruction, StoredReceipt> & { receipt?: RidingReceipt | undefined })
  | (Pick<StoredReceipt, 'type'> & ReceiptInstruction)

/** Where and when an instruction was given; `createdAt` is Unix milliseconds. */
interface InstructionOrigin {
  siteId: string
  createdAt: number
  utcOffset: string
}

/** The body of an instruction to a connector, in JSON. */
export function instructionBody(
  instruction: SentInstruction,
  { siteId, createdAt, utcOffset }: InstructionOrigin,
): string {
  const at = Math.floor(createdAt / 1000)
  if (instruction.type === 'receipt.register') {
    const { type, ...receipt } = instruction
    return networkMessage(type, at, utcOffset, receiptInstructionData(receipt, { siteId, utcOffset }))
  }
  const { type, linkId: qrcId, receipt, ...rest } = instruction
  return networkMessage(type, at, utcOffset, {
    siteId,
    qrcId,
    ...rest,
    ...(receipt && { receipt: receiptBody(receipt) }),
    ...('amount' in rest && { amount: amountAnswer(rest.amount) }),
    ...('expiresAt' in rest && {
      expiresAt: undefined,
      expiresOn: formatDateTime(rest.expiresAt, utcOffset),
    }),
    ...('neededUntil' in rest && { neededUntil: undefined }),
  })
}

/** The body of a message to a connector, in JSON. @param at Unix seconds */
export const networkMessage = (type: string, at: number, utcOffset: string, data: object): string =>
  JSON.stringify({ type, timestamp: formatDateTime(at, utcOffset), data })

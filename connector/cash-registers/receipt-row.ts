// A document of a cash register as the disk has it.
import * as z from 'zod'
import { roublesOf } from '../amounts.ts'
import { Place } from '../work/queue.ts'
import { Fiscal } from './cash-register.ts'
import { DOCUMENT_KINDS } from './instruction.ts'

/**
 * QUEUED: never sent. SENDING: it may have been. PENDING: the register has it. HELD: the operator looks at the register. OVER: the
 * service had its result when this disk was restored, and the disk has not.
 */
export const RECEIPT_STATES = [
  'QUEUED',
  'SENDING',
  'PENDING',
  'HELD',
  'REGISTERED',
  'FAILED',
  'OVER',
] as const
/** Whether it has a result: the opposite of OPEN. */
export const hasEnded = ({ state }: Pick<ReceiptRow, 'state'>): boolean =>
  state === 'REGISTERED' || state === 'FAILED' || state === 'OVER'

/** As the operator reads it. */
export const receiptText = ({ site, receiptUid, kind, paymentUid, refundUid, amount }: ReceiptRow): string =>
  `${site} document ${receiptUid}, ${kind} of the payment ${paymentUid}${refundUid === null ? '' : ` refund ${refundUid}`}, ${roublesOf(amount)} RUB`

const FiscalText = z
  .string()
  .transform((text): unknown => JSON.parse(text))
  .pipe(Fiscal)

export const ReceiptRow = Place.extend({
  site: z.string(),
  receiptUid: z.string(),
  /** The name of the cash register. */
  register: z.string(),
  kind: z.enum(DOCUMENT_KINDS),
  paymentUid: z.string(),
  refundUid: z.string().nullable(),
  closingUid: z.string().nullable(),
  /** Of the payment, without the bank's name; empty where the service has none. */
  reference: z.string(),
  amount: z.int(),
  givenAt: z.int(),
  state: z.enum(RECEIPT_STATES),
  /** The data of the instruction, as JSON; empty once nothing is sent any more. */
  data: z.string(),
  /** The items that the register was told of, as the instruction had them; empty where they are not known. They stay. */
  items: z.string(),
  /** What was sent, byte for byte; empty before, and once it is not sent any more. */
  request: z.string(),
  note: z.string(),
  reason: z.string(),
  canRetry: z.int().transform(Boolean),
  fiscal: FiscalText.nullable(),
  sentAt: z.int().nullable(),
  /** What the merchant was told last of a document without a result. */
  told: z.enum(['HELD', 'SENT']).nullable(),
  createdAt: z.int(),
})
export type ReceiptRow = z.output<typeof ReceiptRow>
export type ReceiptId = Pick<ReceiptRow, 'site' | 'receiptUid'>

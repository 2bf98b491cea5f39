// A document of a cash register: what a site keeps, and what is answered.
import * as z from 'zod/mini'
import { type Amount, AmountAnswer, amountAnswer, formatMinorUnits } from '../amount.ts'
import { formatDateTime } from '../date-time.ts'
import { meta } from '../meta.ts'
import { type Contact, maskedContact } from './contact.ts'
import { formatQuantity, type Item, ItemAnswer } from './item.ts'
import { Taxation } from './receipt.ts'
import { vatOf } from './vat.ts'

export const DOCUMENT_KINDS = ['sale', 'refund', 'closing'] as const
export type DocumentKind = (typeof DOCUMENT_KINDS)[number]
export const DocumentKind = z
  .enum(DOCUMENT_KINDS, `one of ${DOCUMENT_KINDS.join(', ')}`)
  .apply(meta, { id: 'ReceiptKind' })

export const DOCUMENT_STATES = ['WAITING', 'SENT', 'REGISTERED', 'FAILED'] as const
export type DocumentState = (typeof DOCUMENT_STATES)[number]
export const DocumentState = z
  .enum(DOCUMENT_STATES, `one of ${DOCUMENT_STATES.join(', ')}`)
  .apply(meta, { id: 'ReceiptState' })

/** Why a document failed. `refused`: the register stated it, in its own words. */
export const FAILURE_REASONS = ['noContact', 'vatRate', 'tooManyItems', 'refused'] as const
export type FailureReason = (typeof FAILURE_REASONS)[number]

/** What a document that is not sent waits for: the payer's contact, the sale's document, or the retry of the sale's document. */
export const WAITS_FOR = ['contact', 'sale', 'failedSale'] as const
export type WaitsFor = (typeof WAITS_FOR)[number]

const TEXT = z.string()
/** Fiscal data: what a register does not state is absent. `dateTime` is Unix seconds inside. */
export interface Fiscal {
  fn?: string | undefined
  fd?: string | undefined
  fpd?: string | undefined
  registration?: string | undefined
  shift?: string | undefined
  number?: string | undefined
  dateTime?: number | undefined
  url?: string | undefined
}

/** A document as its site keeps it; times are Unix seconds. */
export interface ReceiptDocument {
  receiptUid: string
  kind: DocumentKind
  state: DocumentState
  /** Whether another attempt followed. */
  isReplaced?: boolean | undefined
  paymentUid: string
  /** The QR code that was paid. */
  qrCodeUid?: string | undefined
  refundUid?: string | undefined
  closingUid?: string | undefined
  amount: Amount
  items: readonly Item[]
  taxation?: Taxation | undefined
  contact?: Contact | undefined
  createdAt: number
  sentAt?: number | undefined
  registeredAt?: number | undefined
  waitsFor?: WaitsFor | undefined
  /** Why the register's answer is awaited from the operator: nothing is sent again. */
  held?: string | undefined
  fiscal?: Fiscal | undefined
  error?: { reason: FailureReason; text?: string | undefined; canRetry: boolean } | undefined
}

export const FiscalAnswer = z
  .object({
    fn: z.optional(TEXT).apply(meta, { description: 'The number of the fiscal drive (tag 1041)' }),
    fd: z.optional(TEXT).apply(meta, { description: 'The number of the fiscal document (tag 1040)' }),
    fpd: z.optional(TEXT).apply(meta, { description: 'The fiscal sign of the document (tag 1077)' }),
    registration: z
      .optional(TEXT)
      .apply(meta, { description: 'The registration number of the cash register (tag 1037)' }),
    shift: z.optional(TEXT).apply(meta, { description: 'The number of the shift (tag 1038)' }),
    number: z
      .optional(TEXT)
      .apply(meta, { description: 'The number of the receipt in its shift (tag 1042)' }),
    dateTime: z.optional(z.iso.datetime({ offset: true })),
    url: z.optional(TEXT).apply(meta, { description: 'Where the receipt can be read. It shows the contact' }),
  })
  .apply(meta, { id: 'FiscalData', description: 'Fields that the register does not state are absent' })

export const ReceiptAnswer = z
  .object({
    receiptUid: TEXT,
    kind: DocumentKind,
    state: DocumentState,
    paymentId: TEXT,
    refundId: z.optional(TEXT),
    closingUid: z.optional(TEXT),
    amount: AmountAnswer,
    items: z.array(ItemAnswer),
    taxation: z.optional(Taxation),
    contact: z.optional(z.object({ email: z.optional(TEXT), phone: z.optional(TEXT) })).apply(meta, {
      description: 'Masked',
    }),
    createdOn: z.iso.datetime({ offset: true }),
    sentOn: z.optional(z.iso.datetime({ offset: true })),
    registeredOn: z.optional(z.iso.datetime({ offset: true })),
    waitsFor: z.optional(z.enum(WAITS_FOR)).apply(meta, {
      description:
        'Of a document that is not sent. contact: the payer may still give one; sale: the document of the sale; failedSale: the document of the sale has failed',
    }),
    held: z.optional(TEXT).apply(meta, {
      description: 'The cash register gave no clear answer: the operator looks there. Nothing is sent again',
    }),
    fiscal: z.optional(FiscalAnswer),
    error: z.optional(
      z.object({
        reason: z.enum(FAILURE_REASONS).apply(meta, {
          description:
            'noContact: there was no contact in time; vatRate: the rate of VAT does not hold on the day of the payment; tooManyItems: more lines than the cash register takes remain of a sale and its closings; refused: the cash register refused it',
        }),
        text: z.optional(TEXT).apply(meta, { description: 'The words of the cash register' }),
        canRetry: z.boolean(),
      }),
    ),
  })
  .apply(meta, { id: 'Receipt' })
export type ReceiptAnswer = z.infer<typeof ReceiptAnswer>

/** An item as a document states it: a prepayment has the computed rate. */
export const itemAnswer = (item: Item): ItemAnswer => ({
  name: item.name,
  price: formatMinorUnits(item.price),
  quantity: formatQuantity(item.quantity),
  amount: formatMinorUnits(item.amount),
  vat: vatOf(item.vat, item.method !== 'fullPayment'),
  method: item.method,
  object: item.object,
  unit: item.unit,
})

/** The answer that shows a document. @param offset the deployment's offset from UTC */
export const receiptAnswer = (document: ReceiptDocument, offset: string): ReceiptAnswer => ({
  receiptUid: document.receiptUid,
  kind: document.kind,
  state: document.state,
  paymentId: document.paymentUid,
  ...(document.refundUid !== undefined && { refundId: document.refundUid }),
  ...(document.closingUid !== undefined && { closingUid: document.closingUid }),
  amount: amountAnswer(document.amount),
  items: document.items.map(itemAnswer),
  ...(document.taxation !== undefined && { taxation: document.taxation }),
  ...(document.contact && { contact: maskedContact(document.contact) }),
  createdOn: formatDateTime(document.createdAt, offset),
  ...(document.sentAt !== undefined && { sentOn: formatDateTime(document.sentAt, offset) }),
  ...(document.registeredAt !== undefined && { registeredOn: formatDateTime(document.registeredAt, offset) }),
  ...(document.waitsFor !== undefined && { waitsFor: document.waitsFor }),
  ...(document.held !== undefined && { held: document.held }),
  ...(document.fiscal && { fiscal: fiscalAnswer(document.fiscal, offset) }),
  ...(document.error && {
    error: {
      reason: document.error.reason,
      ...(document.error.text !== undefined && { text: document.error.text }),
      canRetry: document.error.canRetry,
    },
  }),
})

export const fiscalAnswer = (
  { dateTime, ...fiscal }: Fiscal,
  offset: string,
): z.infer<typeof FiscalAnswer> => ({
  ...fiscal,
  ...(dateTime !== undefined && { dateTime: formatDateTime(dateTime, offset) }),
})

// The export of a whole site: a line of JSON for each row (contract, section 16).
import * as z from 'zod/mini'
import { signedAmountAnswer } from './amount.ts'
import { formatDateTime } from './date-time.ts'
import { type Event, eventAnswer } from './event.ts'
import { meta } from './meta.ts'
import { strictObject } from './object.ts'
import { parsed } from './parsed.ts'
import { type Payment, paymentAnswer } from './payment.ts'
import type { Person } from './person.ts'
import type { QrCode } from './qr-code.ts'
import type { QrCodeAnswer } from './qr-code-answer.ts'
import { type ReceiptDocument, receiptAnswer } from './receipts/document.ts'
import { type Refund, refundAnswer } from './refund.ts'
import { type Sale, saleAnswer } from './sale.ts'
import type { Settlement, SettlementEntry } from './settlement.ts'
import { type ListedToken, listedTokenAnswer } from './token.ts'

/** What is exported, in this order. */
export const EXPORT_KINDS = [
  'qrCode',
  'sale',
  'payment',
  'refund',
  'receipt',
  'token',
  'person',
  'settlement',
  'settlementEntry',
  'event',
] as const
export type ExportKind = (typeof EXPORT_KINDS)[number]

/** One exported row. */
export type ExportRow =
  | { kind: 'qrCode'; qrCode: QrCode }
  | { kind: 'sale'; sale: ExportedSale }
  | { kind: 'payment'; payment: ExportedPayment }
  | { kind: 'refund'; refund: Refund }
  | { kind: 'receipt'; receipt: ReceiptDocument }
  | { kind: 'token'; token: ListedToken & { account: string; bindingUid?: string | undefined } }
  | { kind: 'person'; person: ExportedPerson }
  | { kind: 'settlement'; settlement: Settlement }
  | { kind: 'settlementEntry'; entry: SettlementEntry }
  | { kind: 'event'; event: Event }
  | { kind: 'unreadable'; of: ExportKind; count: number }

/** A sale, with its code. */
type ExportedSale = Sale & { qrCodeUid: string }

/** A person without passkeys. */
export type ExportedPerson = Pick<Person, 'id' | 'name' | 'role' | 'tills' | 'createdAt' | 'removedAt'>

/** A payment, with what its merchant sees in the report of payments. */
type ExportedPayment = Payment & {
  qrcId: string
  networkUid?: string | undefined
  payer: { bankMemberId?: string | undefined; phone?: string | undefined }
}

/** Behind which row of which kind the export goes on, in the database of which epoch. */
export interface ExportCursor {
  kind: ExportKind
  number: number
  epoch: string
}

export interface ExportPage {
  rows: ExportRow[]
  /** Absent at the end. */
  next?: ExportCursor | undefined
}

export const exportCursorOf = ({ kind, number, epoch }: ExportCursor): string => `${kind}-${number}-${epoch}`

const RULE = 'a cursor of the export'

export const ExportQuery = strictObject({
  cursor: z.optional(
    parsed(z.string(RULE), RULE, (text): ExportCursor | undefined => {
      const [, name, number, epoch = ''] = /^(\w+)-(\d{1,15})-([\da-f]{16})$/.exec(text) ?? []
      const kind = EXPORT_KINDS.find((each) => each === name)
      return kind && { kind, number: Number(number), epoch }
    }).apply(meta, {
      description: 'The `cursor` of the last line that has one: the export goes on behind it',
      examples: ['payment-5000-8c1f0d5a9b3e7f42'],
    }),
  ),
})

/**
 * The line of a row, as JSON. Values of tokens are left out.
 * @param offset the deployment's offset from UTC
 * @param qrCodeAnswer the answer that shows a QR code
 */
export const exportLine = (
  row: ExportRow,
  offset: string,
  qrCodeAnswer: (qrCode: QrCode) => QrCodeAnswer,
): string => JSON.stringify({ kind: row.kind, ...contentOf(row, offset, qrCodeAnswer) })

function contentOf(row: ExportRow, offset: string, qrCodeAnswer: (qrCode: QrCode) => QrCodeAnswer): object {
  switch (row.kind) {
    case 'qrCode': {
      const { paymentPurpose, redirectUrl, callbackUrl, tokenizationAccount } = row.qrCode
      return { ...qrCodeAnswer(row.qrCode), paymentPurpose, redirectUrl, callbackUrl, tokenizationAccount }
    }
    case 'sale':
      return { qrCodeUid: row.sale.qrCodeUid, ...saleAnswer(row.sale, offset) }
    case 'payment': {
      const { qrcId, networkUid, payer } = row.payment
      return { ...paymentAnswer(row.payment, offset), qrcId, networkUid, payer }
    }
    case 'refund':
      return refundAnswer(row.refund, offset)
    case 'receipt':
      return receiptAnswer(row.receipt, offset)
    case 'token': {
      const { account, bindingUid } = row.token
      return { ...listedTokenAnswer(row.token, offset, false), account, bindingUid }
    }
    case 'person': {
      const { id, name, role, tills, createdAt, removedAt } = row.person
      const removedOn = removedAt === undefined ? undefined : formatDateTime(removedAt, offset)
      return { id, name, role, tills, createdOn: formatDateTime(createdAt, offset), removedOn }
    }
    case 'settlement': {
      const { importedAt, ...settlement } = row.settlement
      return { ...settlement, importedOn: formatDateTime(importedAt, offset) }
    }
    case 'settlementEntry':
      return exportedEntry(row.entry, offset)
    case 'event':
      return eventAnswer(row.event, offset)
    case 'unreadable':
      return { of: row.of, count: row.count }
  }
}

/** Amounts are text with two digits; what the bank does not state is absent. */
function exportedEntry(entry: SettlementEntry, offset: string): object {
  const { gross, fee, feeVat, feeVatSeparate, net, operatedAt, differences, ...others } = entry
  const { currency } = entry
  const text = (value: number | string) =>
    typeof value === 'number' ? signedAmountAnswer({ minorUnits: value, currency }).value : value
  const amounts = Object.entries({ gross, fee, feeVat, feeVatSeparate, net })
  return {
    ...others,
    ...Object.fromEntries(
      amounts.flatMap(([name, value]) => (value === undefined ? [] : [[name, text(value)]])),
    ),
    operatedAt: formatDateTime(operatedAt, offset),
    ...(differences.length > 0 && {
      differences: differences.map(({ field, ours, theirs }) => ({
        field,
        ours: text(ours),
        theirs: text(theirs),
      })),
    }),
  }
}

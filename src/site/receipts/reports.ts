// Reports of documents: what the cash register has registered is a fact (contract, section 18).
import type { ReceiptReport } from '../../contract/receipts/report.ts'
import type { Outcome } from '../../errors.ts'
import type { Context } from '../context.ts'
import { contradicts, ok, RECEIPT_NOT_FOUND } from '../outcomes.ts'
import { fiscalIn } from '../rows/receipts.ts'
import { fail, register, send } from './changes.ts'
import { withItems } from './registered-items.ts'
import type { DocumentResult } from './requests.ts'
import { lostAttempt } from './retries.ts'
import { documentOf, failureOf, findReceipt, type ReceiptRow } from './rows.ts'

/**
 * Records the report of a document; the same report again changes nothing. A document that was reported FAILED can still be reported
 * REGISTERED.
 * @returns payin.resource.not.found; payin.resource.already.exists where it is registered with other fiscal data, or reported FAILED
 */
export function reportReceipt(
  context: Context,
  receiptUid: string,
  report: ReceiptReport,
): Outcome<DocumentResult> {
  const { sql } = context
  const row = findReceipt(sql, receiptUid) ?? lostAttempt(context, receiptUid)
  if (!row) return RECEIPT_NOT_FOUND
  const isNew = recordReport(context, row, report)
  if (typeof isNew !== 'boolean') return isNew
  return ok({ document: documentOf(findReceipt(sql, receiptUid) ?? row), isReplayed: !isNew })
}

/** @returns whether it changes anything, or the refusal of a report that contradicts what is known */
function recordReport(context: Context, row: ReceiptRow, report: ReceiptReport) {
  const { reason, canRetry = false } = report
  switch (report.state) {
    case 'REGISTERED':
      return recordRegistered(context, row, report)
    case 'FAILED':
      if (row.state === 'REGISTERED') return contradicts(IS_REGISTERED, ['state'], FIRST)
      if (row.state === 'FAILED' && failureOf(row)?.reason === 'refused') return false
      fail(context, row, { reason: 'refused', text: reason, canRetry })
      return true
    case 'SENT':
      // It comes late.
      if (row.state === 'REGISTERED' || row.state === 'FAILED') return false
      return send(context, row, report.isHeld ? (reason ?? 'held') : undefined)
  }
}

const IS_REGISTERED = 'the document was reported REGISTERED, which is final'
const FIRST = 'the first report of this document'

function recordRegistered(context: Context, row: ReceiptRow, { fiscal = {}, items }: ReceiptReport) {
  if (row.state !== 'REGISTERED') {
    register(context, items ? withItems(context.sql, row, items) : row, fiscal)
    return true
  }
  const known = row.fiscal === null ? {} : fiscalIn(row.fiscal)
  const fields = FISCAL_FIELDS.filter(
    (name) => fiscal[name] !== undefined && known[name] !== undefined && fiscal[name] !== known[name],
  )
  if (fields.length > 0) {
    return contradicts(
      'the document was registered with other fiscal data',
      fields.map((name) => `fiscal.${name}`),
      FIRST,
    )
  }
  // A register can state its address of the receipt later.
  const more = { ...fiscal, ...known }
  if (FISCAL_FIELDS.every((name) => more[name] === known[name])) return false
  context.sql.exec('UPDATE receipts SET fiscal = ? WHERE number = ?', JSON.stringify(more), row.number)
  return true
}

const FISCAL_FIELDS = ['fn', 'fd', 'fpd', 'registration', 'shift', 'number', 'dateTime', 'url'] as const

// Finds the QR code, sale or link that a report of the payment network is about (contract, section 7).
import type { Outcome } from '../../errors.ts'
import { qrCodeForWrite } from '../clock.ts'
import type { Context } from '../context.ts'
import { ok, QR_CODE_NOT_FOUND } from '../outcomes.ts'
import type { SaleRow } from '../sales/rows.ts'
import { deletedNumber, type QrCodeKey, type QrCodeRow } from './rows.ts'

/**
 * How a report identifies the QR code. The network knows the id of the link: if it is kept, its payment is recorded even
 * if the site has no such QR code.
 */
export type ReportKey = QrCodeKey | { linkId: string; isKept: boolean }

/** The link of a report, and the row of its QR code, where the site has it, or the number of a deleted one. */
export interface ReportTarget {
  row?: QrCodeRow | undefined
  linkId: string
  /** The sale of a COUNTER code that it is about. */
  sale?: SaleRow | undefined
  deleted?: number | undefined
}

/** What a report is about, for its write. @returns payin.resource.not.found for a link that is not kept, and of which the site has no QR code */
export function reportTarget(context: Context, key: ReportKey): Outcome<ReportTarget> {
  const row = qrCodeForWrite(context, key)
  if (row) return ok({ row, linkId: row.link_id })
  if (!('isKept' in key)) return QR_CODE_NOT_FOUND
  const { linkId, isKept } = key
  const deleted = deletedNumber(context.sql, { linkId })
  return isKept || deleted !== undefined ? ok({ linkId, deleted }) : QR_CODE_NOT_FOUND
}

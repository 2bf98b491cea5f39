// What a report of the payment network is about (contract, section 7).
import type { Outcome } from '../../errors.ts'
import { ok, QR_CODE_NOT_FOUND } from '../outcomes.ts'
import { findQrCode, type QrCodeKey } from '../qr-codes.ts'
import type { QrCodeRow } from '../rows/qr-codes.ts'

/**
 * How a report identifies the QR code. The network knows the id of the link: if it is authentic, its payment is recorded
 * even if the site has no such QR code.
 */
export type ReportKey = QrCodeKey | { linkId: string; isAuthentic: boolean }

/** The link of a report, and the row of its QR code, where the site has it. */
export interface ReportTarget {
  row?: QrCodeRow | undefined
  linkId: string
}

/** What a report is about. @returns payin.resource.not.found for a QR code that neither the site nor its link knows */
export function reportTarget(sql: SqlStorage, key: ReportKey): Outcome<ReportTarget> {
  const row = findQrCode(sql, key)
  const linkId = row?.link_id ?? ('isAuthentic' in key && key.isAuthentic ? key.linkId : undefined)
  return linkId === undefined ? QR_CODE_NOT_FOUND : ok({ row, linkId })
}

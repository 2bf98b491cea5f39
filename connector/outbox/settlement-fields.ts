// How a bank's settlement files name what a report is about: added when it is sent, also to a report that 0.3.0 stored.
import * as z from 'zod'
import type { Core } from '../core.ts'
import { refundKeyOf } from '../money/refund/refunds.ts'
import { refundIdOf } from '../money/refund/reports.ts'
import type { RefundRow } from '../money/refund/rows.ts'
import type { ReportRow } from './rows.ts'

const Body = z.record(z.string(), z.unknown())

/** Of a payment the bank's kind and the order that the report lacks, of a refund its number at the bank. */
interface SettlementFields {
  bank?: string | undefined
  order?: string | undefined
  networkUid?: string | undefined
}

/** The body of a report with these fields; what it has already stays. */
export function withSettlementFields(core: Core, report: ReportRow): string {
  const fields = fieldsOf(core, report)
  return fields === undefined
    ? report.body
    : JSON.stringify({ ...fields, ...Body.parse(JSON.parse(report.body)) })
}

function fieldsOf(core: Core, { site, path }: ReportRow): SettlementFields | undefined {
  const [, qrcId, paymentUid] = /\/qrCodes\/([^/]+)\/payments\/([^/]+)$/.exec(path) ?? []
  if (qrcId !== undefined && paymentUid !== undefined) return ofPayment(core, { site, qrcId, paymentUid })
  const id = refundIdOf(site, path)
  const refund = id && core.disk.refunds.get(id)
  return refund && { networkUid: numberOf(core, refund) }
}

/** Nothing where its credentials are not configured any more. */
function ofPayment(
  { disk, banks }: Core,
  { site, qrcId, paymentUid }: Record<'site' | 'qrcId' | 'paymentUid', string>,
): SettlementFields {
  const charge = disk.charges.get({ site, paymentUid })
  if (charge) {
    const open = banks.get(charge.bank)
    return { bank: open?.kind, order: open?.bank.bindings?.isNamedByOrder ? charge.order : undefined }
  }
  const payment = disk.payments.ofCode(site, qrcId).find((each) => each.paymentUid === paymentUid)
  return { bank: Array.from(banks.values()).find(({ bank }) => bank.identity === payment?.identity)?.kind }
}

/** The bank's number of a refund, where the bank itself has stated that refund: one that was made there, or settled by hand, has another. */
function numberOf({ disk, banks }: Core, refund: RefundRow): string | undefined {
  const { state, bankUid, note } = refund
  if (state !== 'COMPLETED' || bankUid !== null || disk.decisions.isCompleted(refund)) return
  switch (banks.get(refund.bank)?.bank.refundsComparedBy) {
    case 'KEY':
      return refundKeyOf(refund)
    case 'NOTE':
      return note || undefined
    default:
      return
  }
}

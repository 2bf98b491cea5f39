// What the service is told of a refund: its result, or what it waits for.
import type { Core } from './core.ts'
import type { RefundId, RefundRow } from './disk/refunds.ts'
import { addressOf } from './disk/reports.ts'
import { roublesOf } from './money.ts'

const DAY_MS = 24 * 3_600_000
export const HELD = 'held, because it is not known whether the money has gone'

/** Below the site's address: where a refund is reported. */
export const reportPathOf = ({ paymentUid, refundUid }: RefundId): string =>
  `payments/${paymentUid}/refunds/${refundUid}`

/** The report of a result. With its amount, a completed refund is recorded also by a service that has lost the request. */
export function reportRefund(
  core: Core,
  refund: RefundId & Pick<RefundRow, 'state' | 'amount' | 'reason'>,
): void {
  const { site, state, amount, reason } = refund
  const body =
    state === 'COMPLETED'
      ? { status: state, amount: { value: roublesOf(amount), currency: 'RUB' } }
      : { status: state, reason: reason.slice(0, 255) || undefined }
  core.disk.reports.put({ site, path: reportPathOf(refund), body }, core.platform.now())
}

/** What the merchant was last told of a refund. */
export const toldOf = ({ disk }: Core, refund: RefundRow) =>
  disk.reports.get(addressOf(refund.site, reportPathOf(refund)))

/** Tells the merchant what a refund waits for. */
export function reportHeld(core: Core, refund: RefundRow, isAsked: boolean): void {
  const { site, reason } = refund
  const who = isAsked ? 'the bank is asked again' : 'the operator has to look at the bank'
  const text = `${HELD}; ${who}: ${reason}`
  const body = { status: 'WAITING', reason: text.slice(0, 255) }
  core.disk.reports.put({ site, path: reportPathOf(refund), body }, core.platform.now())
}

const UNSENT = 'not sent yet, it is tried again'

/** Tells the merchant why a refund has not been sent. The merchant can do nothing about it: a change is reported at most once a day. */
export function reportUnsent(core: Core, refund: RefundRow, reason: string): void {
  const { disk, platform } = core
  const { site } = refund
  const path = reportPathOf(refund)
  const body = { status: 'WAITING', reason: `${UNSENT}: ${reason}`.slice(0, 255) }
  const now = platform.now()
  const told = toldOf(core, refund)
  const isTold = told?.body.includes(UNSENT) && now - told.createdAt < DAY_MS
  if (isTold || told?.body === JSON.stringify(body)) return
  disk.reports.put({ site, path, body }, now)
}

/** Tells the merchant that a refund which it read is not sent, or held, is at the bank. */
export function reportSent(core: Core, refund: RefundRow): void {
  const { disk, platform } = core
  const told = toldOf(core, refund)?.body
  if (!told?.includes(UNSENT) && !told?.includes(HELD)) return
  const body = { status: 'WAITING', reason: 'sent to the bank, which has not stated the result yet' }
  disk.reports.put({ site: refund.site, path: reportPathOf(refund), body }, platform.now())
}

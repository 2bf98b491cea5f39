// What the service is told of a refund: its result, or what it waits for.
import { roublesOf } from '../../amounts.ts'
import type { Core } from '../../core.ts'
import { addressOf } from '../../outbox/rows.ts'
import { DAY_MS } from '../../work/schedule.ts'
import type { RefundId, RefundRow } from './rows.ts'

/** Below the site's address: where a refund is reported. */
export const reportPathOf = ({ paymentUid, refundUid }: RefundId): string =>
  `payments/${paymentUid}/refunds/${refundUid}`

/** The refund that a report at an address is about, or undefined. */
export function refundIdOf(site: string, address: string): RefundId | undefined {
  const [, paymentUid, refundUid] = /\/payments\/([^/]+)\/refunds\/([^/]+)$/.exec(address) ?? []
  return paymentUid && refundUid ? { site, paymentUid, refundUid } : undefined
}

/** The report of a result. With its amount, a completed refund is recorded also by a service that has lost the request. */
export function reportRefund(core: Core, refund: RefundId & Result): void {
  const { site } = refund
  core.disk.reports.put({ site, path: reportPathOf(refund), body: resultOf(refund) }, core.platform.now())
}

type Result = Pick<RefundRow, 'state' | 'amount' | 'reason'>

/** The body of the report of a result. */
export const resultOf = ({ state, amount, reason }: Result): object =>
  state === 'COMPLETED'
    ? { status: state, amount: { value: roublesOf(amount), currency: 'RUB' } }
    : { status: state, reason: reason.slice(0, 255) || undefined }

/** What the merchant is told of a refund without a result. */
type Told = NonNullable<RefundRow['told']>

const bodyOf = (text: string) => ({ status: 'WAITING', reason: text.slice(0, 255) })

function tell(core: Core, refund: RefundId, told: Told, text: string): void {
  const { disk, platform } = core
  const now = platform.now()
  disk.transaction(() => {
    // It would replace the report of a result.
    if (!disk.refunds.tell(refund, told, now)) return
    disk.reports.put({ site: refund.site, path: reportPathOf(refund), body: bodyOf(text) }, now)
  })
}

/** Tells the merchant what a held refund waits for. */
export function reportHeld(core: Core, refund: RefundId & Pick<RefundRow, 'reason'>, isAsked: boolean): void {
  const who = isAsked ? 'the bank is asked again' : 'the operator has to look at the bank'
  tell(
    core,
    refund,
    'HELD',
    `held, because it is not known whether the money has gone; ${who}: ${refund.reason}`,
  )
}

/** Tells the merchant why a refund has not been sent. The merchant can do nothing about it: a change is reported at most once a day. */
export function reportUnsent(core: Core, refund: RefundRow, reason: string): void {
  const { disk, platform } = core
  const { site, told, toldAt } = refund
  const text = `not sent yet, it is tried again: ${reason}`
  if (told === 'UNSENT') {
    const isToday = toldAt !== null && platform.now() - toldAt < DAY_MS
    const report = disk.reports.get(addressOf(site, reportPathOf(refund)))
    if (isToday || report?.body === JSON.stringify(bodyOf(text))) return
  }
  tell(core, refund, 'UNSENT', text)
}

/** Tells the merchant that a refund which it read is not sent, or held, is at the bank. */
export function reportSent(core: Core, refund: RefundRow): void {
  if (refund.told === 'UNSENT' || refund.told === 'HELD')
    tell(core, refund, 'SENT', 'sent to the bank, which has not stated the result yet')
}

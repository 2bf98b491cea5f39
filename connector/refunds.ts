// Refunds: taken from the service, refunds made at the bank, and which of them are held (contract, section 14).
import * as z from 'zod'
import type { CodeState } from './bank.ts'
import { bankOf, type Core } from './core.ts'
import { derivedId } from './derived-id.ts'
import { NEVER, type RefundId, type RefundRow } from './disk/refunds.ts'
import { addressOf } from './disk/reports.ts'
import { ageOf, type Given, mayLackRefunds, UNREAD } from './disk-age.ts'
import { AmountField, kopecksOf, roublesOf } from './money.ts'
import { intervalAt, sinceSent } from './schedule.ts'

export const RefundCreate = z.object({
  siteId: z.string(),
  qrcId: z.string(),
  paymentUid: z.string(),
  refundUid: z.string(),
  amount: AmountField,
  reference: z.string().optional(),
  networkUid: z.string().optional(),
})

const DAY_MS = 24 * 3_600_000
const HELD = 'held, because it is not known whether the money has gone'

/** The id of a refund at a bank that takes one of ours: 40 of `a-f 0-9`, the same on any disk. */
export const refundKeyOf = ({ site, paymentUid, refundUid }: RefundId): string =>
  derivedId([site, paymentUid, refundUid], 40)

/** Below the site's address: where a refund is reported. */
export const reportPathOf = ({ paymentUid, refundUid }: RefundId): string =>
  `payments/${paymentUid}/refunds/${refundUid}`

/** The report of a result. With its amount, a completed refund is recorded also by a service that has lost the request. */
function reportRefund(core: Core, refund: RefundId & Pick<RefundRow, 'state' | 'amount' | 'reason'>): void {
  const { site, state, amount, reason } = refund
  const body =
    state === 'COMPLETED'
      ? { status: state, amount: { value: roublesOf(amount), currency: 'RUB' } }
      : { status: state, reason: reason.slice(0, 255) || undefined }
  core.disk.reports.put({ site, path: reportPathOf(refund), body }, core.platform.now())
}

/**
 * Takes an instruction; a repeat of one that has its result is reported again.
 * @returns why it cannot be taken now, or undefined
 */
export function takeRefund(
  core: Core,
  data: z.output<typeof RefundCreate>,
  given: Pick<Given, 'givenAt' | 'isListed'>,
): string | undefined {
  const { disk, platform, log } = core
  const { siteId: site, qrcId, paymentUid, refundUid, networkUid } = data
  const { givenAt } = given
  const before = disk.refunds.get({ site, paymentUid, refundUid })
  if (before) {
    if (before.state === 'COMPLETED' || before.state === 'DECLINED') reportRefund(core, before)
    return
  }
  const row = disk.codes.ofSite(site, qrcId)
  const found = bankOf(core, data.reference ?? row?.reference)
  const amount = kopecksOf(String(data.amount.value))
  if (amount === undefined) return 'the amount is no amount'
  const age = ageOf(core, 'refunds', { siteId: site, qrcId, ...given })
  if (age === 'UNDECIDED') return UNREAD
  const isOld = age === 'OLD'
  // An old one is held without its bank, too: it would keep others of its site from being taken.
  if (!isOld && found && !found.bank) return `the connector has no bank ${found.name}`
  const state = isOld ? 'HELD' : found ? 'QUEUED' : 'DECLINED'
  const reasons = { HELD: 'it may have been carried out before this disk knew of it', QUEUED: '' }
  const reason = state === 'DECLINED' ? 'no bank has registered this code' : reasons[state]
  disk.transaction(() => {
    disk.refunds.insert({
      site,
      paymentUid,
      refundUid,
      qrcId,
      amount,
      givenAt,
      state,
      reason,
      bank: found?.name ?? '',
      reference: found?.rest ?? '',
      networkUid: networkUid ?? null,
      createdAt: platform.now(),
    })
    const refund = disk.refunds.get({ site, paymentUid, refundUid })
    if (refund?.state === 'DECLINED') reportRefund(core, refund)
    if (refund?.state === 'HELD') reportHeld(core, refund, found?.bank?.bank.hasRefundKey === true)
  })
  log('info', 'a refund was taken', { site, paymentUid, refundUid, state })
}

/**
 * Ends a refund, reports it, and lets the next one of the payment begin. A completed one is a fact, also where the operator
 * has declined it while the bank was asked.
 * @returns whether its state was still that of `refund`, or declined where it is completed
 */
export function finishRefund(
  core: Core,
  refund: RefundRow,
  state: 'COMPLETED' | 'DECLINED',
  reason: string,
): boolean {
  const { disk, platform, log } = core
  const { site, paymentUid, refundUid } = refund
  const isDone = disk.transaction(() => {
    const stored = disk.refunds.get(refund)
    const isLate = state === 'COMPLETED' && stored?.state === 'DECLINED'
    const from = isLate ? stored : refund
    if (!disk.refunds.change(from, { state, reason, note: refund.note })) return false
    reportRefund(core, { ...refund, state, reason })
    disk.refunds.wake(site, paymentUid, platform.now())
    return true
  })
  if (isDone) log('info', 'a refund has ended', { site, paymentUid, refundUid, state, reason })
  return isDone
}

/** What is held, and until when, in words for the merchant and the operator. */
interface Hold {
  reason: string
  /** For later calls; without one, only the operator's decision ends the hold where the bank takes no key of ours. */
  note?: string
}

/** Holds a refund, or goes on holding it: it is never sent again. The merchant is told what it waits for. */
export function holdRefund(core: Core, refund: RefundRow, { reason, note = '' }: Hold): void {
  const { disk, platform, log } = core
  const now = platform.now()
  const isAsked = note !== '' || core.banks.get(refund.bank)?.bank.hasRefundKey === true
  const nextAt = isAsked ? now + intervalAt(sinceSent(refund, now)) : NEVER
  // Of one that was not sent the merchant has read another reason.
  const isTold = toldOf(core, refund)?.body.includes(HELD) === true
  const isNews = refund.state !== 'HELD' || refund.reason !== reason || !isTold
  const isHeld = disk.transaction(() => {
    if (!disk.refunds.change(refund, { state: 'HELD', reason, note, nextAt })) return false
    if (isNews) reportHeld(core, { ...refund, reason }, isAsked)
    return true
  })
  if (!isHeld || !isNews) return
  const { site, paymentUid, refundUid } = refund
  log('error', 'a refund is held', { site, paymentUid, refundUid, reason })
}

/** What the merchant was last told of a refund. */
const toldOf = ({ disk }: Core, refund: RefundRow) =>
  disk.reports.get(addressOf(refund.site, reportPathOf(refund)))

/** Tells the merchant what a refund waits for. */
function reportHeld(core: Core, refund: RefundRow, isAsked: boolean): void {
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

/** A payment at a bank, as its refunds name it. */
interface Refundable {
  site: string
  bank: string
  paymentUid: string
  qrcId: string
  /** The bank's id of the payment. */
  reference: string
  amount: number
  /** Its refunds are younger. */
  createdAt: number
}

/**
 * Reports what was refunded at the bank and not by an instruction, where the bank states that all of the payment is:
 * not while a refund of ours is open, nor after a restore, when the disk may lack refunds.
 */
export function reportRefundsMadeAtBank(
  core: Core,
  payment: Refundable,
  refunded: NonNullable<CodeState['refunded']>,
): void {
  const { disk, platform, log } = core
  const { site, bank, paymentUid, qrcId, reference, amount } = payment
  const refunds = disk.refunds.ofPayment(site, paymentUid)
  if (refunds.some(({ state }) => state !== 'COMPLETED' && state !== 'DECLINED')) return
  const known = refunds
    .filter(({ state }) => state === 'COMPLETED')
    .reduce((sum, each) => sum + each.amount, 0)
  // Of a part the bank states no sum: what is known can be all of it.
  const isClear = refunded === 'ALL' ? amount <= known : known > 0
  if (isClear) return
  const chargedAt = disk.charges.get({ site, paymentUid })?.givenAt
  if (refunded === 'PART' || mayLackRefunds(core, { site, qrcId, chargedAt })) {
    log('warning', 'the refunds of a payment at the bank are unclear', {
      site,
      bank,
      paymentUid,
      known,
      refunded,
    })
    return
  }
  const refundUid = `bank-${amount}`
  const now = platform.now()
  const refund = {
    site,
    paymentUid,
    refundUid,
    bank,
    qrcId,
    reference,
    networkUid: null,
    amount: amount - known,
    givenAt: now,
    state: 'COMPLETED' as const,
    reason: 'made at the bank',
    createdAt: now,
  }
  disk.transaction(() => {
    disk.refunds.insert(refund)
    reportRefund(core, refund)
  })
  log('info', 'a refund was made at the bank', { site, bank, paymentUid, refundUid })
}

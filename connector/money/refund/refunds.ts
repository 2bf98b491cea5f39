// Refunds: taken from the service, ended, and which of them are held (contract, section 14).
import * as z from 'zod'
import { AmountField, kopecksOf } from '../../amounts.ts'
import { RidingText } from '../../cash-registers/riding.ts'
import { bankOf, type Core, type OpenBank } from '../../core.ts'
import { derivedId } from '../../derived-id.ts'
import { ageOf, type Given, UNREAD } from '../../disk/disk-age.ts'
import { intervalAt, sinceSent } from '../../work/schedule.ts'
import { hasEnded } from '../money-rows.ts'
import { makeRoom } from './at-bank.ts'
import { reportHeld, reportRefund } from './reports.ts'
import type { RefundId, RefundRow } from './rows.ts'

export const RefundCreate = z.object({
  siteId: z.string(),
  qrcId: z.string(),
  paymentUid: z.string(),
  refundUid: z.string(),
  amount: AmountField,
  reference: z.string().optional(),
  networkUid: z.string().optional(),
  receipt: RidingText.optional(),
})

/** The id of a refund at a bank that takes one of ours: 40 of `a-f 0-9`, the same on any disk. */
export const refundKeyOf = ({ site, paymentUid, refundUid }: RefundId): string =>
  derivedId([site, paymentUid, refundUid], 40)

/**
 * Takes an instruction; a repeat of one that is held or has its result is reported again.
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
  const amount = kopecksOf(String(data.amount.value))
  if (amount === undefined) return 'the amount is no amount'
  const before = disk.refunds.get({ site, paymentUid, refundUid })
  if (before && !makeRoom(core, before, amount)) {
    if (hasEnded(before)) reportRefund(core, before)
    // A restored service that has the refund again was not told.
    else if (before.state === 'HELD') reportHeld(core, before, isAskedAbout(core, before))
    return
  }
  const row = disk.codes.ofSite(site, qrcId)
  const found = bankOf(core, data.reference ?? row?.reference)
  const age = ageOf(core, 'refunds', { siteId: site, qrcId, ...given })
  if (age === 'UNDECIDED') return UNREAD
  const isOld = age === 'OLD'
  // An old one is held without its bank, too: it would keep others of its site from being taken.
  if (!isOld && found && !found.bank) return `the connector has no bank ${found.name}`
  const state: RefundRow['state'] = isOld ? 'HELD' : found ? 'QUEUED' : 'DECLINED'
  const held = 'it may have been carried out before this disk knew of it'
  const reason = isOld ? held : found ? '' : 'no bank has registered this code'
  const refund = {
    ...{ site, paymentUid, refundUid, qrcId, amount, givenAt, state, reason },
    ...{ bank: found?.name ?? '', reference: found?.rest ?? '', networkUid: networkUid ?? null },
    receipt: state === 'QUEUED' ? (data.receipt ?? '') : '',
    ...{ bankUid: null, createdAt: platform.now() },
  }
  disk.transaction(() => {
    disk.refunds.insert(refund)
    if (state === 'DECLINED') reportRefund(core, refund)
    if (state === 'HELD') reportHeld(core, refund, hasKey(found?.bank))
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

/** Whether a refund can be asked about without a note of the bank. */
export const hasKey = (open: OpenBank | undefined): boolean =>
  open !== undefined && open.bank.refundKey !== 'NONE'

const isAskedAbout = ({ banks }: Core, { bank, note }: Pick<RefundRow, 'bank' | 'note'>): boolean =>
  note !== '' || hasKey(banks.get(bank))

/** Why a refund is held, and what later calls need. */
interface Hold {
  /** For the merchant and the operator. */
  reason: string
  /** Of the bank, for later calls; without one, only the operator's decision ends the hold where the bank takes no key of ours. */
  note?: string
}

/** Holds a refund, or goes on holding it: it is never sent again. The merchant is told what it waits for. */
export function holdRefund(core: Core, refund: RefundRow, { reason, note = '' }: Hold): void {
  const { disk, platform, log } = core
  const now = platform.now()
  const isAsked = isAskedAbout(core, { ...refund, note })
  const dueAt = isAsked ? now + intervalAt(sinceSent(refund, now)) : 'REST'
  const isNews = refund.state !== 'HELD' || refund.reason !== reason || refund.told !== 'HELD'
  const isHeld = disk.transaction(() => {
    if (!disk.refunds.change(refund, { state: 'HELD', reason, note, next: { now, dueAt } })) return false
    if (isNews) reportHeld(core, { ...refund, reason }, isAsked)
    return true
  })
  if (!isHeld || !isNews) return
  const { site, paymentUid, refundUid } = refund
  log('error', 'a refund is held', { site, paymentUid, refundUid, reason })
}

// Charges of bound accounts: taken from the service, reported, held (contract, sections 9 and 14).
import * as z from 'zod'
import { AmountField, kopecksOf, roublesOf } from '../../amounts.ts'
import { carryProblem, RidingText } from '../../cash-registers/riding.ts'
import { bankOf, type Core } from '../../core.ts'
import { derivedId } from '../../derived-id.ts'
import { ageOf, type Given, UNREAD } from '../../disk/disk-age.ts'
import { referenceOf } from '../../reference.ts'
import type { Place } from '../../work/queue.ts'
import { intervalAt, sinceSent } from '../../work/schedule.ts'
import { hasEnded } from '../money-rows.ts'
import { compareAmount } from '../payment/amount-differences.ts'
import { paymentPathOf } from '../payment/payments.ts'
import type { ChargeId, ChargeRow } from './rows.ts'

export const PaymentCharge = z.object({
  siteId: z.string(),
  qrcId: z.string(),
  paymentUid: z.string(),
  bindingUid: z.string(),
  amount: AmountField,
  expiresOn: z.string(),
  reference: z.string().optional(),
  bindingReference: z.string().optional(),
  paymentPurpose: z.string().optional(),
  receipt: RidingText.optional(),
})

/** The order of a charge at the bank: 32 of `0-9 a-f`, the same on any disk. */
const orderOf = ({ site, paymentUid }: ChargeId): string => derivedId([site, paymentUid], 32)

/** Reports the result. A completed one has the reference and the number by which its refund finds it. */
function reportCharge(core: Core, charge: Omit<ChargeRow, keyof Place>): void {
  const { site, bindingUid, state, amount, reason, reference, linkCancelled, note } = charge
  const body = {
    status: state,
    amount: { value: roublesOf(amount), currency: 'RUB' },
    reason: state === 'DECLINED' ? reason.slice(0, 255) || undefined : undefined,
    networkUid: (reference || note).slice(0, 64) || undefined,
    reference: reference === '' ? undefined : referenceOf({ name: charge.bank }, reference),
    method: state === 'COMPLETED' ? core.banks.get(charge.bank)?.bank.bindings?.method : undefined,
    linkCancelled: linkCancelled === 1 || undefined,
    bindingUid,
  }
  core.disk.reports.put({ site, path: paymentPathOf(charge), body }, core.platform.now())
}

/** Reports the charge that has ended as it is on disk: what was stored since `charge` was read belongs to the report. */
function reportStored(core: Core, charge: ChargeRow): void {
  const { disk, platform } = core
  const stored = disk.charges.get(charge)
  if (!stored) return
  reportCharge(core, stored)
  // Webhooks have waited for its end.
  disk.webhooks.wake({ reference: stored.note || undefined, order: stored.order }, platform.now())
}

/**
 * Takes an instruction; a repeat of one that has its result is reported again.
 * @returns why it cannot be taken now, or undefined
 */
export function takeCharge(
  core: Core,
  data: z.output<typeof PaymentCharge>,
  given: Pick<Given, 'givenAt' | 'isListed'>,
): string | undefined {
  const { disk, platform, log } = core
  const { siteId: site, qrcId, paymentUid, bindingUid, receipt = '' } = data
  const { givenAt } = given
  const before = disk.charges.get({ site, paymentUid })
  if (before) {
    if (hasEnded(before)) reportCharge(core, before)
    return
  }
  const amount = kopecksOf(String(data.amount.value))
  if (amount === undefined) return 'the amount is no amount'
  const expiresAt = Date.parse(data.expiresOn)
  if (Number.isNaN(expiresAt)) return 'expiresOn is no time'
  const binding = disk.bindings.get({ site, bindingUid })
  const stated = bankOf(core, data.bindingReference)
  const bank = stated?.name ?? binding?.bank ?? ''
  const request = stated?.request ?? binding?.request ?? ''
  const age = ageOf(core, 'charges', { siteId: site, qrcId, ...given })
  if (age === 'UNDECIDED') return UNREAD
  const isOld = age === 'OLD'
  const isEnded = binding?.state === 'DELETED'
  const fault = isOld ? undefined : faultOf(core, { bank, request, isEnded, hasReceipt: receipt !== '' })
  const state: ChargeRow['state'] = isOld ? 'HELD' : fault === undefined ? 'QUEUED' : 'DECLINED'
  const reason = isOld ? 'it may have been sent before this disk knew of it' : (fault ?? '')
  const charge = {
    ...{ site, paymentUid, qrcId, bindingUid, bank, request, order: orderOf({ site, paymentUid }) },
    codeReference: data.reference ?? disk.codes.ofSite(site, qrcId)?.reference ?? null,
    ...{ amount, purpose: data.paymentPurpose ?? core.sites.get(site)?.name ?? site, givenAt, expiresAt },
    receipt: state === 'QUEUED' ? receipt : '',
    ...{ state, reason, note: '', reference: '', linkCancelled: 0, sentAt: null, createdAt: platform.now() },
  }
  disk.transaction(() => {
    disk.charges.insert(charge)
    if (state === 'DECLINED') reportCharge(core, charge)
  })
  log(isOld ? 'error' : 'info', isOld ? 'a charge is held' : 'a charge was taken', {
    ...{ site, paymentUid, bank, state, reason },
  })
}

/** Why a charge is declined at once. */
function faultOf(
  core: Core,
  {
    bank,
    request,
    isEnded,
    hasReceipt,
  }: Record<'bank' | 'request', string> & Record<'isEnded' | 'hasReceipt', boolean>,
): string | undefined {
  if (isEnded) return 'TOKEN_DELETED'
  if (bank === '' || request === '') return 'no bank has bound this account'
  const open = core.banks.get(bank)
  if (!open) return `the connector has no bank ${bank}, which has bound this account`
  if (!open.bank.bindings) return `${open.bank.title}: accounts cannot be charged`
  return carryProblem(open.bank, hasReceipt)
}

/** What the bank states of a completed charge. */
export interface Charged {
  reference: string
  amount: number
  isAmountAssumed?: boolean
}

/**
 * Ends a charge as completed: a fact, also where it was declined, perhaps by the operator while the bank was asked.
 * @returns whether it was not completed before
 */
export function completeCharge(core: Core, charge: ChargeRow, charged: Charged): boolean {
  const { disk, log } = core
  const { site, paymentUid } = charge
  const { reference, amount } = charged
  const isDone = disk.transaction(() => {
    const stored = disk.charges.get(charge)
    if (stored?.state === 'COMPLETED') compareAmount(core, stored, charged)
    if (!stored || stored.state === 'COMPLETED') return false
    if (!disk.charges.change(stored, { state: 'COMPLETED', reason: '', reference, amount })) return false
    reportStored(core, charge)
    return true
  })
  if (isDone) log('info', 'a charge has ended', { site, paymentUid, bank: charge.bank, state: 'COMPLETED' })
  return isDone
}

/** Ends a charge as declined. @returns whether its state was still that of `charge` */
export const declineCharge = (core: Core, charge: ChargeRow, reason: string): boolean =>
  core.disk.transaction(() => declineWithin(core, charge, reason))

/** The same within the caller's transaction. */
export function declineWithin(core: Core, charge: ChargeRow, reason: string): boolean {
  const { disk, platform, log } = core
  const { site, paymentUid, bindingUid } = charge
  if (!disk.charges.change(charge, { state: 'DECLINED', reason })) return false
  reportStored(core, charge)
  // The bank may have declined it because the binding is over.
  disk.bindings.wake({ site, bindingUid }, platform.now())
  log('info', 'a charge has ended', { site, paymentUid, bank: charge.bank, state: 'DECLINED', reason })
  return true
}

/** Holds a charge, or goes on holding it: it is never sent. The bank is asked about it, and the operator can end it. */
export function holdCharge(core: Core, charge: ChargeRow, reason: string): void {
  const { disk, platform, log } = core
  const now = platform.now()
  const next = { now, dueAt: now + intervalAt(sinceSent(charge, now)) }
  if (!disk.charges.change(charge, { state: 'HELD', reason, next })) return
  if (charge.state === 'HELD') return
  const { site, paymentUid } = charge
  log('error', 'a charge is held', { site, paymentUid, bank: charge.bank, reason })
}

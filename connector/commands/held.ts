// The refund or charge that the operator decides: which these are, what is to be known before, and how it is ended.
import { roublesOf } from '../amounts.ts'
import type { Core } from '../core.ts'
import { completeCharge, declineCharge } from '../money/charge/charges.ts'
import type { ChargeRow } from '../money/charge/rows.ts'
import { paymentPathOf } from '../money/payment/payments.ts'
import { finishRefund } from '../money/refund/refunds.ts'
import { reportPathOf } from '../money/refund/reports.ts'
import type { RefundRow } from '../money/refund/rows.ts'
import { UNDECIDED_MS } from '../work/schedule.ts'
import { type Options, required } from './options.ts'

export interface Decision {
  site: string
  result: 'COMPLETED' | 'DECLINED'
  reason: string
  /** Who decides. */
  by: string
}

/** What is held or cannot be sent, and what the decision does. */
interface Held {
  paymentUid: string
  /** Null: it is a charge. */
  refundUid: string | null
  amount: number
  /** The path of its report. */
  path: string
  /** What the operator reads before the decision. */
  lines: string[]
  /** Within a transaction. @throws Error where it is not to be decided any more */
  finish: () => void
}

/** Refunds that the connector could not send for 72 hours: they wait until it can, or the operator decides. */
export const unsentRefunds = ({ disk, platform }: Core): RefundRow[] =>
  disk.refunds.unsentSince(platform.now() - UNDECIDED_MS)

export const whyOpen = ({ state, reason }: RefundRow): string =>
  state === 'HELD' ? `held: ${reason}` : `not sent for 72 hours: ${reason}`

/** @throws Error where there is no such refund, or it is not for the operator to decide */
export function refundToSettle(core: Core, options: Options, { site, result, reason }: Decision): Held {
  const paymentUid = required(options, 'payment', 'the paymentUid')
  const id = { site, paymentUid, refundUid: required(options, 'refund', 'the refundUid') }
  const refund = core.disk.refunds.get(id)
  if (!refund) throw new Error('there is no such refund')
  requireDecidable(core, refund)
  const { qrcId, bank, reference, amount } = refund
  const roubles = `${roublesOf(amount)} RUB`
  return {
    ...id,
    amount,
    path: reportPathOf(id),
    lines: [
      `site ${site}, code ${qrcId}, refund ${id.refundUid} of the payment ${paymentUid}: ${roubles}, ${bank} ${reference}`,
      whyOpen(refund),
      `your decision: ${result}, for good: it is never sent to the bank again`,
      result === 'COMPLETED'
        ? `the merchant is told: COMPLETED, ${roubles} have gone back to the payer`
        : `the merchant is told: DECLINED, ${reason}; the ${roubles} can be refunded again`,
    ],
    finish: () => {
      // Meanwhile the bank can have ended it: what it has stated stays.
      requireDecidable(core, core.disk.refunds.get(id))
      const isDone = finishRefund(core, refund, result, reason)
      if (!isDone) throw new Error('the refund has changed meanwhile: see settle')
    },
  }
}

/**
 * @param number the bank's of the payment, by which it can be refunded: where the disk does not have it
 * @throws Error where there is no such charge, it is not held, or its number is not known
 */
export function chargeToSettle(
  core: Core,
  { site, paymentUid, result, reason, number }: Decision & { paymentUid: string; number: string | undefined },
): Held {
  const charge = core.disk.charges.get({ site, paymentUid })
  if (!charge) throw new Error('there is no such charge')
  requireHeld(charge)
  const { qrcId, bank, order, amount } = charge
  const reference = result === 'COMPLETED' ? referenceOf(core, charge, number) : ''
  const roubles = `${roublesOf(amount)} RUB`
  return {
    ...{ paymentUid, refundUid: null, amount, path: paymentPathOf(charge) },
    lines: [
      `site ${site}, code ${qrcId}, charge ${paymentUid}: ${roubles}, ${bank} order ${order}`,
      `held: ${charge.reason}`,
      `your decision: ${result}, for good: it is never sent to the bank again`,
      result === 'COMPLETED'
        ? `the merchant is told: COMPLETED, the account was charged ${roubles}; a refund finds it by ${reference}`
        : `the merchant is told: DECLINED, ${reason}; the code can be charged again`,
    ],
    finish: () => {
      requireHeld(core.disk.charges.get(charge))
      if (result === 'COMPLETED') completeCharge(core, charge, { reference, amount })
      else declineCharge(core, charge, reason)
    },
  }
}

/** @throws Error where it is neither held nor unsent, or not any more */
function requireDecidable(core: Core, refund: RefundRow | undefined): void {
  const isUnsent = ({ site, paymentUid, refundUid }: RefundRow) =>
    site === refund?.site && paymentUid === refund.paymentUid && refundUid === refund.refundUid
  if (refund?.state === 'HELD' || unsentRefunds(core).some(isUnsent)) return
  if (refund?.state === 'SENDING')
    throw new Error('the refund is SENDING, the bank is being asked: try again in a minute')
  throw new Error(
    `the refund is ${refund?.state}, only a held one can be settled, or one that could not be sent for 72 hours`,
  )
}

/** @throws Error where it is not held, or not any more */
function requireHeld(charge: ChargeRow | undefined): void {
  if (charge?.state !== 'HELD')
    throw new Error(`the charge is ${charge?.state}, only a held one can be settled`)
}

/** By what a refund finds the charge. @throws Error where nobody knows it, or where its number would lead the refund astray */
function referenceOf({ banks }: Core, { bank, note, order }: ChargeRow, number: string | undefined): string {
  const open = banks.get(bank)?.bank
  if (open?.bindings?.isFoundByOrder) {
    if (number === undefined) return order
    throw new Error(`${open.title} finds it by its order: leave out --number`)
  }
  const reference = number ?? note
  if (reference !== '') return reference
  // Without the bank nobody knows by which of them it finds a charge.
  const orOrder = open
    ? ''
    : `, or ${order} where the bank finds it by its order: the connector has no bank ${bank}`
  throw new Error(`--number is missing, must be the bank’s number of the payment${orOrder}`)
}

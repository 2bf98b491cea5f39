// Decides what the report of a payment does: tables of what stands and what is reported (contract, section 7).
import type { NotAppliedReason, Payment, PaymentResult, PaymentStatus } from '../../contract/payment.ts'
import type { QrCodeStatus } from '../../contract/status.ts'
import type { QrCodeRow } from '../qr-codes/rows.ts'
import type { SaleRow } from '../sales/rows.ts'

type ReportStep =
  | 'record'
  /** The report repeats what was reported, and changes nothing. */
  | 'repeat'
  | 'refuse'

/** By the status of the payment, and the one that is reported. */
const STEPS: Readonly<Record<PaymentStatus, Readonly<Record<PaymentResult, ReportStep>>>> = {
  // A charge, of which nothing was reported.
  WAITING: { COMPLETED: 'record', DECLINED: 'record' },
  DECLINED: { COMPLETED: 'record', DECLINED: 'repeat' },
  COMPLETED: { COMPLETED: 'repeat', DECLINED: 'refuse' },
}

/** What is done with a report of a payment that is known. @param isSame whether no field differs from what is known */
export function stepOf(known: PaymentStatus, reported: PaymentResult, isSame: boolean): ReportStep {
  const step = STEPS[known][reported]
  return step === 'repeat' && !isSame ? 'refuse' : step
}

/** What a recorded attempt does. If the payment is not applied, the decision is its reason. */
type Decision =
  /** The QR code is paid. */
  | 'pay'
  /** The same, and the charge for which the QR code waits is applied no longer. */
  | 'supersede'
  /** The QR code takes the payment, and stays open for others. */
  | 'collect'
  | 'decline'
  /** The charge for which the QR code waits is completed, with another amount. */
  | 'endCharge'
  /** A declined attempt, which changes nothing. */
  | 'ignore'
  | NotAppliedReason

/** What an attempt meets. */
type Standing =
  | 'unknown'
  | 'deleted'
  /** The QR code takes no payment. */
  | 'closed'
  | 'paid'
  | 'open'
  | 'ended'
  /** A charge is on its way, of which the attempt is not. */
  | 'charging'
  /** The attempt is the charge for which the QR code waits. */
  | 'charged'
  /** The QR code takes any number of payments, or is armed for a sale that is not paid. */
  | 'reusable'

/** An attempt that completed, with the amount that is asked for or with another one, or that was declined. */
type Attempt = 'exact' | 'other' | 'declined'

const each = (decision: Decision) => ({ exact: decision, other: decision, declined: decision })

const DECISIONS: Readonly<Record<Standing, Readonly<Record<Attempt, Decision>>>> = {
  unknown: each('UNKNOWN_QR_CODE'),
  // Nothing is known of it but that it ended.
  deleted: each('NOT_PAYABLE'),
  closed: { ...each('NOT_PAYABLE'), declined: 'ignore' },
  paid: { ...each('ALREADY_PAYED'), declined: 'ignore' },
  open: { exact: 'pay', other: 'AMOUNT_MISMATCH', declined: 'decline' },
  ended: { exact: 'pay', other: 'AMOUNT_MISMATCH', declined: 'ignore' },
  charging: { exact: 'supersede', other: 'AMOUNT_MISMATCH', declined: 'ignore' },
  charged: { exact: 'pay', other: 'endCharge', declined: 'decline' },
  reusable: { exact: 'collect', other: 'AMOUNT_MISMATCH', declined: 'ignore' },
}

/** What a decision writes. */
export interface Effect {
  applied: boolean
  notAppliedReason?: NotAppliedReason
  /** What happens to the status of the QR code. */
  action?: 'complete' | 'decline'
}

const notApplied = (notAppliedReason: NotAppliedReason): Effect => ({ applied: false, notAppliedReason })

export const EFFECTS: Readonly<Record<Decision, Effect>> = {
  pay: { applied: true, action: 'complete' },
  supersede: { applied: true, action: 'complete' },
  collect: { applied: true },
  decline: { applied: true, action: 'decline' },
  endCharge: { ...notApplied('AMOUNT_MISMATCH'), action: 'decline' },
  ignore: { applied: false },
  UNKNOWN_QR_CODE: notApplied('UNKNOWN_QR_CODE'),
  NOT_PAYABLE: notApplied('NOT_PAYABLE'),
  ALREADY_PAYED: notApplied('ALREADY_PAYED'),
  AMOUNT_MISMATCH: notApplied('AMOUNT_MISMATCH'),
}

/** What an attempt is for: the QR code where the site has it, the number of a deleted one, the sale of a COUNTER code. */
interface Target {
  row?: Pick<QrCodeRow, 'type' | 'status' | 'payment_uid' | 'minor_units' | 'currency'> | undefined
  deleted?: number | undefined
  sale?: Pick<SaleRow, 'status' | 'minor_units' | 'currency'> | undefined
}

/**
 * What becomes of an attempt that is recorded.
 * @param currencies of the deployment: those that a QR code without an amount takes
 */
export const decisionOn = (
  target: Target,
  { paymentUid, status, amount }: Pick<Payment, 'paymentUid' | 'status' | 'amount'>,
  currencies: readonly string[],
): Decision =>
  DECISIONS[standingOf(target, paymentUid)][
    status === 'DECLINED' ? 'declined' : isAsked(target, amount, currencies) ? 'exact' : 'other'
  ]

/** What a DYNAMIC code takes, by its status. */
const STANDINGS: Readonly<Record<QrCodeStatus, Standing>> = {
  CREATED: 'open',
  DECLINED: 'open',
  INIT_PAYMENT_BY_TOKEN: 'charging',
  // A late payment is a fact.
  EXPIRED: 'ended',
  CANCELLED: 'ended',
  PAYED: 'paid',
  // Only a TOKEN code is.
  ACCEPTED: 'closed',
}

function standingOf({ row, deleted, sale }: Target, paymentUid: string): Standing {
  if (!row) return deleted === undefined ? 'unknown' : 'deleted'
  if (row.type === 'TOKEN') return 'closed'
  if (row.type === 'STATIC') return row.status === 'CANCELLED' ? 'closed' : 'reusable'
  // A sale that has ended takes its payment too.
  if (row.type === 'COUNTER') return !sale ? 'closed' : sale.status === 'PAYED' ? 'paid' : 'reusable'
  const standing = STANDINGS[row.status]
  return standing === 'charging' && row.payment_uid === paymentUid ? 'charged' : standing
}

/** Whether an amount is the one that the sale, or the QR code, asks for; one without an amount takes any. */
function isAsked({ row, sale }: Target, amount: Payment['amount'], currencies: readonly string[]): boolean {
  const asked = sale ?? row
  return !asked || asked.minor_units === null
    ? currencies.includes(amount.currency)
    : asked.minor_units === amount.minorUnits && asked.currency === amount.currency
}

// Refunds that were made at the bank, by nobody's instruction: found, named and reported (contract, section 8).
import type { CodeState } from '../../banks/bank.ts'
import type { Core } from '../../core.ts'
import { derivedId } from '../../derived-id.ts'
import { mayLackRefunds } from '../../disk/disk-age.ts'
import { addressOf, type ReportRow } from '../../outbox/rows.ts'
import { hasEnded } from '../money-rows.ts'
import { refundIdOf, reportPathOf, reportRefund, resultOf } from './reports.ts'
import type { RefundId, RefundRow } from './rows.ts'

/** Where the service refuses so many identifiers of one refund, the identifier is not the reason. */
const MAX_UIDS = 10

/** A payment at a bank, as its refunds name it. */
interface Refundable {
  site: string
  bank: string
  paymentUid: string
  qrcId: string
  /** The bank's id of the payment. */
  reference: string
  amount: number
  /** When the payment's code or charge was made: every refund of it is younger. */
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
  if (!refunds.every(hasEnded)) return
  const known = refunds
    .filter(({ state }) => state === 'COMPLETED')
    .reduce((sum, each) => sum + each.amount, 0)
  // Where a part is refunded the bank states no sum: the refunds that are known can be all of it.
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
  const made = { site, paymentUid, amount: amount - known }
  const { refundUid, bankUid } = freeUid(refunds, made, 0)
  const now = platform.now()
  const refund = {
    ...made,
    refundUid,
    bank,
    qrcId,
    reference,
    networkUid: null,
    bankUid,
    givenAt: now,
    state: 'COMPLETED' as const,
    reason: 'made at the bank',
    receipt: '',
    createdAt: now,
  }
  disk.transaction(() => {
    disk.refunds.insert(refund)
    reportRefund(core, refund)
  })
  log('info', 'a refund was made at the bank', { site, bank, paymentUid, refundUid })
}

/**
 * The identifier of a refund that was made at the bank: the same on any disk. A merchant can have used it.
 * @param bankUid its number: how many before it are taken
 */
const refundUidOf = (
  { site, paymentUid, amount }: Pick<RefundRow, 'site' | 'paymentUid' | 'amount'>,
  bankUid: number,
) => `bank-${derivedId([site, paymentUid, String(amount), String(bankUid)], 16)}`

/** The first identifier from a number on that no refund of the payment has on this disk. */
function freeUid(
  refunds: readonly RefundId[],
  refund: Pick<RefundRow, 'site' | 'paymentUid' | 'amount'>,
  from: number,
) {
  const taken = new Set(refunds.map(({ refundUid }) => refundUid))
  let bankUid = from
  while (taken.has(refundUidOf(refund, bankUid))) bankUid++
  return { refundUid: refundUidOf(refund, bankUid), bankUid }
}

/**
 * Frees an identifier that an instruction names, where a refund made at the bank has it, and the two are not the same refund.
 * @param stored that has the identifier
 * @returns whether it is free now
 */
export function makeRoom(core: Core, stored: RefundRow, amount: number): boolean {
  if (stored.bankUid === null || stored.amount === amount) return false
  rename(core, stored, stored.bankUid)
  return true
}

/**
 * The service has another refund under the identifier of a report. A refund that was made at the bank is reported under its next
 * identifier; a report that 0.3.0 made under the identifier of a merchant's refund becomes that refund's own again.
 * @returns false where the report stays: it is of no such refund, or the service has refused too many
 */
export function reportOtherwise(core: Core, { site, path, body }: ReportRow): boolean {
  const id = refundIdOf(site, path)
  const refund = id && core.disk.refunds.get(id)
  if (!refund) return false
  const { bankUid } = refund
  if (bankUid !== null) {
    if (bankUid + 1 >= MAX_UIDS) return false
    rename(core, refund, bankUid)
    return true
  }
  if (!hasEnded(refund) || body === JSON.stringify(resultOf(refund))) return false
  reportRefund(core, refund)
  return true
}

function rename(core: Core, refund: RefundRow, bankUid: number): void {
  const { disk, log } = core
  const { site, paymentUid, refundUid } = refund
  const next = freeUid(disk.refunds.ofPayment(site, paymentUid), refund, bankUid + 1)
  disk.transaction(() => {
    disk.reports.remove(addressOf(site, reportPathOf(refund)))
    disk.refunds.rename(refund, next)
    reportRefund(core, { ...refund, ...next })
  })
  log('info', 'a refund made at the bank has another identifier', {
    ...{ site, paymentUid, before: refundUid, refundUid: next.refundUid },
  })
}

// Compares refunds that have ended with what the bank states of them, those that were declined included.
import { roublesOf } from '../../amounts.ts'
import { NotKnown } from '../../banks/bank-errors.ts'
import { type Core, knownCodeOf, type OpenBank } from '../../core.ts'
import type { Disk } from '../../disk/disk.ts'
import { messageOf } from '../../log.ts'
import { Jobs } from '../../work/jobs.ts'
import { isDue } from '../../work/schedule.ts'
import { endedState } from '../charge/runner.ts'
import { hasEnded } from '../money-rows.ts'
import type { RefundRow } from './rows.ts'
import { requestOf } from './runner.ts'

const INTERVAL_MS = 6 * 3_600_000
const PERIOD_MS = 7 * 24 * 3_600_000
const EXCESS = 'excessRefunds'

/** What was found about a refund, or about all refunds of a payment. */
interface RefundFinding {
  /** `EXCESS`: the bank has given back more than the merchant was told. */
  kind: 'EXCESS' | 'DIFFERENCE' | 'NOT_COMPARABLE'
  text: string
}

/**
 * Compares the refunds that were given, or decided by an operator, in a period; those that are equal have no finding. Times are Unix milliseconds.
 * @throws the signal's reason
 */
export async function compareRefunds(
  core: Core,
  from: number,
  to: number,
  signal?: AbortSignal,
): Promise<RefundFinding[]> {
  const findings: RefundFinding[] = []
  const payments = new Set<string>()
  for (const refund of core.disk.refunds.endedWithin(from, to)) {
    signal?.throwIfAborted()
    const open = core.banks.get(refund.bank)
    // A refund of no known bank was sent to none.
    if (!open) continue
    if (open.bank.refundsComparedBy !== 'PAYMENT') findings.push(...(await compareById(core, open, refund)))
    else {
      const payment = JSON.stringify([refund.site, refund.paymentUid])
      if (!payments.has(payment)) findings.push(...(await compareByPayment(core, open, refund)))
      payments.add(payment)
    }
  }
  return findings
}

async function compareById(core: Core, { bank }: OpenBank, refund: RefundRow): Promise<RefundFinding[]> {
  const { site, paymentUid, refundUid, amount, note } = refund
  const name = `${site} refund ${refundUid} of ${paymentUid}, ${roublesOf(amount)} RUB`
  if (bank.refundsComparedBy === 'NOTE' && note === '') {
    return [notComparable(`${name}: the bank has given it no number`)]
  }
  let stated: string
  try {
    stated = (await bank.refundState(requestOf(core, refund), note)).status
  } catch (error) {
    if (!(error instanceof NotKnown)) return [notComparable(`${name}: ${messageOf(error)}`)]
    stated = 'not known'
  }
  // What the bank has ended can have been reported while it was asked.
  const { state } = core.disk.refunds.get(refund) ?? refund
  if (stated === state || (state === 'DECLINED' && stated === 'not known')) return []
  const text = `${name}: reported as ${state}, at the bank it is ${stated}`
  if (stated === 'IN_DOUBT') return [notComparable(text)]
  return [{ kind: state === 'DECLINED' ? 'EXCESS' : 'DIFFERENCE', text }]
}

async function compareByPayment(
  core: Core,
  { name: bankName }: OpenBank,
  refund: RefundRow,
): Promise<RefundFinding[]> {
  const { disk } = core
  const { site, paymentUid } = refund
  const name = `${site} refunds of ${paymentUid}`
  const payment = paymentOf(core, refund)
  if (!payment) return [notComparable(`${name}: the payment is not on this disk`)]
  const noResult = [notComparable(`${name}: one of them has no result`)]
  if (sumOf(disk.refunds.ofPayment(site, paymentUid)) === undefined) return noResult
  let stated: 'ALL' | 'PART' | undefined
  try {
    stated = await payment.refunded()
  } catch (error) {
    return [notComparable(`${name}: ${messageOf(error)}`)]
  }
  // What the bank has refunded can have been reported while it was asked.
  const sum = sumOf(disk.refunds.ofPayment(site, paymentUid))
  if (sum === undefined) return noResult
  const ours = `${roublesOf(sum)} of ${roublesOf(payment.amount)} RUB were reported`
  const text = `${name}: ${ours}, ${bankName} states ${stated === undefined ? 'no refund' : stated === 'ALL' ? 'all' : 'a part'}`
  if (stated === 'ALL' && sum < payment.amount) return [{ kind: 'EXCESS', text }]
  if (stated === 'PART' && sum === 0) return [{ kind: 'EXCESS', text }]
  if (stated === 'PART' && sum < payment.amount) return [notComparable(text)]
  return stated === 'PART' || (stated === undefined && sum > 0) ? [{ kind: 'DIFFERENCE', text }] : []
}

/** @returns kopecks; undefined where one of them has no result */
function sumOf(refunds: readonly RefundRow[]): number | undefined {
  if (!refunds.every(hasEnded)) return
  return refunds.filter(({ state }) => state === 'COMPLETED').reduce((all, { amount }) => all + amount, 0)
}

/** The payment of a link, or a charge, and how its bank is asked what it has refunded of it. */
function paymentOf(core: Core, { site, paymentUid, qrcId }: RefundRow) {
  const { disk } = core
  const charge = disk.charges.get({ site, paymentUid })
  if (charge) {
    const open = core.banks.get(charge.bank)
    const { bindings } = open?.bank ?? {}
    if (!open || !bindings || charge.state !== 'COMPLETED') return
    const refunded = async () => {
      const stated = await endedState(open, bindings, charge)
      return stated.status === 'COMPLETED' ? stated.refunded : undefined
    }
    return { amount: charge.amount, refunded }
  }
  const row = disk.codes.ofSite(site, qrcId)
  const known = row && knownCodeOf(core, row)
  const payment = disk.payments
    .ofCode(site, qrcId)
    .find((each) => each.paymentUid === paymentUid && each.status === 'COMPLETED')
  if (!known || !payment) return
  return { amount: payment.amount, refunded: async () => (await known.bank.bank.state(known.code)).refunded }
}

const notComparable = (text: string): RefundFinding => ({
  kind: 'NOT_COMPARABLE',
  text: `${text}: not comparable`,
})

/** How many excesses the last comparison of the running connector has found. */
export const countExcess = ({ meta }: Disk): number => Number(meta.get(EXCESS) ?? 0)

/** Compares the refunds of the last week, four times a day. */
export class RefundComparison {
  readonly #core: Core
  readonly #jobs: Jobs
  readonly #stopping = new AbortController()
  #nextAt: number

  constructor(core: Core) {
    this.#core = core
    this.#jobs = new Jobs(1, core.log)
    this.#nextAt = Number(core.disk.meta.get('refundsComparedAt') ?? core.platform.now()) + INTERVAL_MS
  }

  /** Starts the comparison if it is due. */
  tick(): void {
    const now = this.#core.platform.now()
    if (!isDue(this.#nextAt, now, INTERVAL_MS)) return
    this.#nextAt = now + INTERVAL_MS
    this.#jobs.start('compare', () => this.#compare(now))
  }

  settled(): Promise<void> {
    return this.#jobs.settled()
  }

  /** A week's refunds are many calls: the comparison ends after the call in flight, and is due again. */
  stop(): void {
    this.#stopping.abort(new Error('the connector stops'))
  }

  async #compare(now: number): Promise<void> {
    const { disk, log } = this.#core
    const findings = await compareRefunds(this.#core, now - PERIOD_MS, now, this.#stopping.signal)
    const excess = findings.filter(({ kind }) => kind === 'EXCESS')
    for (const { text } of excess)
      log('error', 'a bank has refunded more than was reported', { finding: text })
    disk.meta.set(EXCESS, String(excess.length))
    disk.meta.set('refundsComparedAt', String(now))
  }
}

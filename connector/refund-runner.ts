// Carries out the refunds on disk: one in flight for each payment, and none twice.
import { type NewRefund, type RefundState, Refused, Unavailable } from './bank.ts'
import type { Core, OpenBank } from './core.ts'
import type { RefundRow } from './disk/refunds.ts'
import { Jobs } from './jobs.ts'
import { messageOf } from './log.ts'
import { finishRefund, holdRefund, NEVER, refundKeyOf } from './refunds.ts'
import { intervalAt } from './schedule.ts'

const BATCH = 100
const RETRY_MS = 60_000

export class RefundRunner {
  readonly #core: Core
  readonly #jobs: Jobs

  constructor(core: Core) {
    this.#core = core
    this.#jobs = new Jobs(16, core.log)
  }

  /** Starts what is due. */
  tick(): void {
    const { disk, platform } = this.#core
    for (const refund of disk.refunds.due(platform.now(), BATCH)) {
      this.#jobs.start(JSON.stringify([refund.site, refund.paymentUid]), () => this.#step(refund))
    }
  }

  settled(): Promise<void> {
    return this.#jobs.settled()
  }

  async #step(refund: RefundRow): Promise<void> {
    const bank = this.#core.banks.get(refund.bank)
    try {
      if (refund.state === 'HELD' && !bank?.bank.hasRefundKey) this.#delay(refund, NEVER)
      else if (!bank) this.#missingBank(refund)
      else if (refund.state === 'QUEUED') await this.#begin(bank, refund)
      // No call is in flight: the process ended, or the disk failed, before the bank's answer was stored.
      else if (refund.state === 'SENDING' && !bank.bank.hasRefundKey)
        holdRefund(this.#core, refund, 'the bank was called, and its answer is not known')
      else await this.#ask(bank, refund)
    } catch (error) {
      this.#core.log('warning', 'a step of a refund failed', { ...idOf(refund), error: messageOf(error) })
    }
  }

  #missingBank(refund: RefundRow): void {
    this.#core.log('error', 'the bank of a refund is not configured', { ...idOf(refund), bank: refund.bank })
    this.#delay(refund, this.#core.platform.now() + 3_600_000)
  }

  async #begin(bank: OpenBank, refund: RefundRow): Promise<void> {
    const { disk, platform } = this.#core
    const others = disk.refunds.ofPayment(refund.site, refund.paymentUid)
    const isBusy = others.some(({ state }) => state === 'SENDING' || state === 'PENDING' || state === 'HELD')
    const first = others.find(({ state }) => state === 'QUEUED')
    if (isBusy || first?.refundUid !== refund.refundUid) {
      return this.#delay(refund, platform.now() + RETRY_MS)
    }
    if (disk.refunds.change(refund, { state: 'SENDING' }))
      await this.#send(bank, { ...refund, state: 'SENDING' })
  }

  /** Only with the state SENDING on disk. */
  async #send(bank: OpenBank, refund: RefundRow): Promise<void> {
    const { disk, platform, log } = this.#core
    try {
      this.#apply(refund, await bank.bank.refund(requestOf(this.#core, refund)))
    } catch (error) {
      log('warning', 'the request of a refund failed', {
        ...idOf(refund),
        bank: bank.name,
        error: messageOf(error),
      })
      if (error instanceof Refused) {
        finishRefund(this.#core, refund, 'DECLINED', error.message)
        return
      }
      const wait = error instanceof Unavailable ? (error.retryAfter ?? 0) * 1000 : 0
      const nextAt = platform.now() + Math.max(wait, RETRY_MS)
      if (error instanceof Unavailable && !error.isInDoubt) {
        disk.refunds.change(refund, { state: 'QUEUED', nextAt })
      } else if (bank.bank.hasRefundKey) {
        disk.refunds.change(refund, { state: 'SENDING', nextAt })
      } else {
        holdRefund(this.#core, refund, messageOf(error))
      }
    }
  }

  async #ask(bank: OpenBank, refund: RefundRow): Promise<void> {
    const { platform, log } = this.#core
    const now = platform.now()
    const later = now + intervalAt(now - refund.createdAt)
    let state: RefundState
    try {
      state = await bank.bank.refundState(requestOf(this.#core, refund), refund.note)
    } catch (error) {
      log('warning', 'the status of a refund was not read', {
        ...idOf(refund),
        bank: bank.name,
        error: messageOf(error),
      })
      return this.#delay(refund, later)
    }
    if (state.status !== 'UNKNOWN') return this.#apply(refund, state)
    // The bank does not know the refund: it was never sent, and its id keeps it from counting twice.
    if (refund.state === 'SENDING') return this.#send(bank, refund)
    if (refund.state === 'HELD') return this.#delay(refund, later)
    holdRefund(this.#core, refund, state.reason)
  }

  #apply(refund: RefundRow, state: RefundState): void {
    const { disk, platform } = this.#core
    const now = platform.now()
    if (state.status === 'COMPLETED') finishRefund(this.#core, refund, 'COMPLETED', '')
    else if (state.status === 'DECLINED') finishRefund(this.#core, refund, 'DECLINED', state.reason)
    else if (state.status === 'UNKNOWN') holdRefund(this.#core, refund, state.reason)
    else {
      const nextAt = now + intervalAt(now - refund.createdAt)
      disk.refunds.change(refund, { state: 'PENDING', note: state.note, nextAt })
    }
  }

  #delay(refund: RefundRow, nextAt: number): void {
    this.#core.disk.refunds.change(refund, { state: refund.state, nextAt })
  }
}

const idOf = ({ site, paymentUid, refundUid }: RefundRow) => ({ site, paymentUid, refundUid })

function requestOf({ disk }: Core, refund: RefundRow): NewRefund {
  const { qrcId, reference, networkUid, amount } = refund
  // A declined attempt of the link can have the same uid.
  const payment = disk.payments
    .ofCode(refund.site, qrcId)
    .find(({ paymentUid, status }) => paymentUid === refund.paymentUid && status === 'COMPLETED')
  const number = networkUid ?? payment?.number
  const code = disk.codes.ofSite(refund.site, qrcId)
  const paidFrom = code?.createdAt ?? 0
  return { key: refundKeyOf(refund), type: code?.type, qrcId, reference, number, paidFrom, amount }
}

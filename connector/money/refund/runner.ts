// Carries out the refunds on disk: one in flight for each payment, and none twice.
import type { NewRefund, RefundState } from '../../banks/bank.ts'
import { carryProblem, ridingOf } from '../../cash-registers/riding.ts'
import { bankOf, type Core, type OpenBank } from '../../core.ts'
import { mayLackRefunds } from '../../disk/disk-age.ts'
import { isLearned } from '../../links/codes/lookup.ts'
import { messageOf } from '../../log.ts'
import { QueueRunner } from '../../work/runner.ts'
import {
  HOUR_MS,
  intervalAt,
  MISSING_BANK_MS,
  sinceSent,
  UNDECIDED,
  UNDECIDED_MS,
} from '../../work/schedule.ts'
import { finishRefund, hasKey, holdRefund, refundKeyOf } from './refunds.ts'
import { reportSent, reportUnsent } from './reports.ts'
import type { RefundRow } from './rows.ts'
import { outcomeOf, type RefundCall } from './rule.ts'

export const RETRY_MS = 60_000
/** Not sent by then, the merchant is told why. */
const UNSENT_MS = 3_600_000

export class RefundRunner extends QueueRunner<RefundRow> {
  constructor(core: Core) {
    super(core, core.disk.refunds.queue)
  }

  protected async run(refund: RefundRow): Promise<void> {
    const { banks, disk, platform, log } = this.core
    const bank = banks.get(refund.bank)
    try {
      if (!bank) this.#missingBank(refund)
      else if (refund.state === 'QUEUED') {
        // What cannot be read is found before the disk says that the bank was called.
        const request = requestOf(this.core, refund)
        const problem = carryProblem(bank.bank, request.receipt !== undefined)
        if (problem !== undefined) throw new Error(problem)
        const sending = { ...refund, state: 'SENDING', reason: '', sentAt: platform.now() } as const
        if (disk.refunds.change(refund, sending)) await this.#call('first', bank, sending, request)
      } else if (hasKey(bank) || refund.note !== '') {
        await this.#call(questionOf(refund), bank, refund)
      }
      // No call is in flight: the process ended, or the disk failed, before the bank's answer was stored.
      else
        holdRefund(this.core, refund, {
          reason: refund.reason || 'the bank was called, and its answer is not known',
        })
    } catch (error) {
      log('warning', 'a step of a refund failed', { ...idOf(refund), error: messageOf(error) })
      // Nothing happens where the step has changed the state: it says itself when it is due.
      this.#delay(refund, RETRY_MS, messageOf(error))
    }
  }

  #missingBank(refund: RefundRow): void {
    const { log } = this.core
    // A held one is listed, and its error was logged when it was held.
    const level = refund.state === 'HELD' ? 'warning' : 'error'
    log(level, 'the bank of a refund is not configured', { ...idOf(refund), bank: refund.bank })
    this.#delay(refund, MISSING_BANK_MS, `the connector has no bank ${refund.bank}`)
  }

  /** A request only with the state SENDING on disk. */
  async #call(
    call: RefundCall,
    open: OpenBank,
    refund: RefundRow,
    request = requestOf(this.core, refund),
  ): Promise<void> {
    const { disk, platform, log } = this.core
    const { name, bank } = open
    const isRequest = call === 'first' || call === 'repeat'
    const made = isRequest ? bank.refund(request) : bank.refundState(request, refund.note)
    const outcome = await outcomeOf(call, bank.refundKey, made)
    // The age starts again only if the bank has the repeat: decision 126.
    const sent = call === 'repeated' ? { ...refund, sentAt: platform.now() } : refund
    if (outcome.step === 'apply') return this.#apply(sent, outcome.state)
    const { step, reason, waitMs } = outcome
    if (step === 'askNow') return this.#call('repeated', open, refund, request)
    log('warning', 'a call did not end a refund', { ...idOf(refund), bank: name, call, step, reason })
    const now = platform.now()
    switch (step) {
      case 'decline':
        finishRefund(this.core, refund, 'DECLINED', reason)
        return
      case 'queue':
        disk.transaction(() => {
          const next = { now, dueAt: now + Math.max(waitMs, RETRY_MS) }
          if (!disk.refunds.change(refund, { state: 'QUEUED', reason, next })) return
          if (now - refund.createdAt >= UNSENT_MS) reportUnsent(this.core, refund, reason)
        })
        return
      case 'hold':
        holdRefund(this.core, refund, { reason })
        return
      case 'repeat':
        return this.#call('repeat', open, refund, request)
      case 'miss':
        if (sinceSent(refund, now) < HOUR_MS) return this.#askLater(refund, { ...refund, waitMs })
        holdRefund(this.core, refund, { reason: `the bank does not have it: ${reason}` })
        return
      case 'ask':
        if (refund.state === 'HELD') holdRefund(this.core, refund, refund)
        else this.#askLater(refund, { ...refund, waitMs })
    }
  }

  /** The bank has stated no result: it is asked again. After 72 hours the operator is shown the refund. */
  #askLater(
    refund: RefundRow,
    { state, note, waitMs }: Pick<RefundRow, 'state' | 'note'> & { waitMs: number },
  ) {
    const { disk, platform } = this.core
    const now = platform.now()
    const { sentAt } = refund
    const age = sinceSent(refund, now)
    if (age >= UNDECIDED_MS) return holdRefund(this.core, refund, { reason: UNDECIDED, note })
    const next = { now, dueAt: now + Math.max(waitMs, intervalAt(age)) }
    disk.transaction(() => {
      // The operator may have ended it while the bank was asked: then nothing else is reported.
      if (disk.refunds.change(refund, { state, note, sentAt, next })) reportSent(this.core, refund)
    })
  }

  #apply(refund: RefundRow, state: RefundState): void {
    const { note = refund.note } = state
    switch (state.status) {
      case 'COMPLETED':
        finishRefund(this.core, { ...refund, note }, 'COMPLETED', '')
        return
      case 'DECLINED':
        finishRefund(this.core, { ...refund, note }, 'DECLINED', state.reason)
        return
      case 'IN_DOUBT':
        holdRefund(this.core, refund, state)
        return
      case 'PENDING':
        this.#askLater(refund, { state: 'PENDING', note, waitMs: 0 })
    }
  }

  /** @param why it was not sent, where it waits to be */
  #delay(refund: RefundRow, delayMs: number, why?: string): void {
    const { disk, platform } = this.core
    const now = platform.now()
    const { state } = refund
    const next = { now, dueAt: now + delayMs }
    disk.refunds.change(
      refund,
      state === 'QUEUED' && why !== undefined ? { state, reason: why, next } : { state, next },
    )
  }
}

/** How a refund that was sent, or may have been, is asked about. */
function questionOf({ state }: RefundRow): RefundCall {
  if (state === 'SENDING') return 'lost'
  return state === 'PENDING' ? 'pending' : 'held'
}

const idOf = ({ site, paymentUid, refundUid }: RefundRow) => ({ site, paymentUid, refundUid })

/** The refund as the bank's calls get it. */
export function requestOf(core: Core, refund: RefundRow): NewRefund {
  const { disk } = core
  const { site, paymentUid, qrcId, reference, networkUid, amount } = refund
  // A declined attempt of the link can have the same uid.
  const payments = disk.payments.ofCode(site, qrcId).filter(({ status }) => status === 'COMPLETED')
  const code = disk.codes.ofSite(site, qrcId)
  const charge = disk.charges.get({ site, paymentUid })
  const paidBy = payments.find((each) => each.paymentUid === paymentUid)?.number
  const number = networkUid ?? paidBy ?? (charge?.reference || undefined)
  // A charge has an order of its own at the bank, and is as old as its instruction.
  const paid = charge ? { createdAt: charge.givenAt } : code
  const [first] = disk.refunds.ofPayment(site, paymentUid)
  // A payment by the link has the reference of its code, a charge one of its own.
  const isOfLink = code === undefined || bankOf(core, code.reference)?.rest === reference
  // The uid of a link's first payment is its qrcId, so that another uid tells of two, also on a disk that has neither.
  const isLater = isOfLink && paymentUid !== qrcId && code?.type !== 'STATIC' && code?.type !== 'COUNTER'
  // A code of the service's list has an id of this disk alone.
  const registered = isOfLink && code && !isLearned(code) ? code.id : undefined
  return {
    key: refundKeyOf(refund),
    type: code?.type,
    qrcId,
    reference,
    order: charge ? charge.order : registered,
    number,
    paidFrom: paid?.createdAt ?? 0,
    amount,
    webhookUrl: core.banks.get(refund.bank)?.webhookUrl,
    isFirst:
      first?.refundUid === refund.refundUid &&
      !mayLackRefunds(core, { site, qrcId, chargedAt: charge?.givenAt }),
    isOfOnlyPayment: charge !== undefined || (payments.length < 2 && !isLater),
    ...ridingOf(refund.receipt),
  }
}

// Carries out the charges on disk: each is sent once, and asked about until the bank states its end.
import type { BankBindings, BindingState, ChargeState, NewCharge } from '../../banks/bank-bindings.ts'
import { ridingOf } from '../../cash-registers/riding.ts'
import type { Core, OpenBank } from '../../core.ts'
import { askBinding, recordBinding } from '../../links/bindings/bindings.ts'
import type { Cancellations } from '../../links/cancellations/cancellations.ts'
import { messageOf } from '../../log.ts'
import { QueueRunner } from '../../work/runner.ts'
import { HOUR_MS, intervalAt, sinceSent, UNDECIDED, UNDECIDED_MS } from '../../work/schedule.ts'
import { completeCharge, declineCharge, holdCharge } from './charges.ts'
import { isLinkPaid } from './link.ts'
import type { ChargeRow } from './rows.ts'
import { type ChargeCall, chargeOutcomeOf } from './rule.ts'

export const RETRY_MS = 30_000

/** The name of the value that says since when a bank takes no charges; empty where it does. */
const refusingKey = (bank: string): string => `chargesRefusedSince:${bank}`

/** How many sets of credentials cannot charge, by the last word of their banks. */
export const countRefusing = ({ banks, disk }: Core): number =>
  Array.from(banks.keys()).filter((name) => disk.meta.get(refusingKey(name))).length

export class ChargeRunner extends QueueRunner<ChargeRow> {
  readonly #cancellations: Cancellations

  constructor(core: Core, cancellations: Cancellations) {
    super(core, core.disk.charges.queue)
    this.#cancellations = cancellations
  }

  protected async run(charge: ChargeRow): Promise<void> {
    const { banks, disk, platform, log } = this.core
    const bank = banks.get(charge.bank)
    try {
      if (!bank?.bank.bindings) this.#missingBank(charge)
      else if (charge.state === 'QUEUED') await this.#begin(bank, charge)
      else await this.#ask(bank, charge)
    } catch (error) {
      log('warning', 'a step of a charge failed', { ...idOf(charge), error: messageOf(error) })
      // Nothing happens where the step has changed the state: it says itself when it is due.
      const now = platform.now()
      disk.charges.change(charge, { state: charge.state, next: { now, dueAt: now + RETRY_MS } })
    }
  }

  /** Nobody can be asked about a charge that was sent. The operator can end it, or its bank, after it is configured again. */
  #missingBank(charge: ChargeRow): void {
    const missing = `the connector has no bank ${charge.bank}`
    if (charge.state === 'QUEUED') this.#decline(charge, `${missing}, which has bound this account`)
    else if (charge.state === 'HELD') holdCharge(this.core, charge, charge.reason)
    else holdCharge(this.core, charge, `${missing}, which may have made the charge`)
  }

  /** The steps before the account is charged. None of them moves money, and they are repeated until the charge ends. */
  async #begin(open: OpenBank, queued: ChargeRow): Promise<void> {
    const { disk, platform } = this.core
    const fault = this.#faultOf(queued)
    if (fault !== undefined) return this.#decline(queued, fault)
    const bound = await this.#made(queued, () => this.#boundState(open, queued))
    if (!bound) return
    if (bound.status === 'INACTIVE' || bound.status === 'ENDED') return this.#decline(queued, 'TOKEN_DELETED')
    if (bound.status === 'WAITING') return this.#retry(queued, 'the bank states no consent', 0)
    if (open.bank.bindings?.chargesByToken && bound.token === undefined)
      return this.#retry(queued, 'the bank states a consent without a token', 0)
    const charge = await this.#opened(open, queued)
    if (!charge) return
    const isPaid = await this.#made(charge, () => isLinkPaid(this.core, this.#cancellations, charge))
    if (isPaid === undefined) return
    if (isPaid) return this.#decline(charge, 'LINK_PAID')
    // Its token can have been deleted, and its time can have passed, while the bank was asked.
    const late = this.#faultOf(charge)
    if (late !== undefined) return this.#decline(charge, late)
    const sending = { state: 'SENDING' as const, sentAt: platform.now() }
    if (!disk.charges.change(charge, sending)) return
    await this.#send(open, { ...charge, ...sending }, bound.token)
  }

  /** Why a charge that was not sent never will be. */
  #faultOf(charge: ChargeRow): string | undefined {
    const { disk, platform } = this.core
    // A charge whose binding cannot be read ends with its time.
    if (platform.now() >= charge.expiresAt) return 'EXPIRED'
    return disk.bindings.get(charge)?.state === 'DELETED' ? 'TOKEN_DELETED' : undefined
  }

  async #boundState(open: OpenBank, charge: ChargeRow): Promise<BindingState | undefined> {
    const row = this.core.disk.bindings.get(charge)
    if (row) return askBinding(this.core, open, row)
    // If this disk does not have the binding, INACTIVE can be from before its consent: the service's list brings the binding, or the
    // charge expires.
    const state = await open.bank.bindings?.state(charge.request)
    return state?.status === 'INACTIVE' ? { status: 'WAITING' } : state
  }

  /** The charge with the bank's id of it on disk. */
  async #opened(open: OpenBank, charge: ChargeRow): Promise<ChargeRow | undefined> {
    const { bindings } = open.bank
    if (charge.note !== '' || !bindings?.open) return charge
    const opened = await this.#made(charge, () => bindings.open?.(requestOf(open, charge)))
    if (!opened) return
    const { note, isBegun } = opened
    const { disk, platform } = this.core
    const now = platform.now()
    const state = isBegun ? 'PENDING' : 'QUEUED'
    const change = { state, note, ...(isBegun ? { sentAt: now, next: { now, dueAt: now } } : {}) } as const
    if (!disk.charges.change(charge, change) || isBegun) return
    return { ...charge, note }
  }

  /** @returns undefined where it has to be done again, or is declined */
  async #made<T>(charge: ChargeRow, make: () => Promise<T> | T): Promise<T | undefined> {
    const outcome = await chargeOutcomeOf('open', Promise.resolve().then(make))
    if (outcome.step === 'apply') {
      if (outcome.value === undefined) this.#retry(charge, 'the bank does not have it', 0)
      return outcome.value
    }
    if (outcome.step === 'decline') this.#decline(charge, outcome.reason)
    else this.#retry(charge, outcome.reason, outcome.waitMs)
  }

  async #send(open: OpenBank, charge: ChargeRow, token: string | undefined): Promise<void> {
    const { bindings } = open.bank
    if (!bindings) return
    const outcome = await chargeOutcomeOf(
      'charge',
      bindings.charge(requestOf(open, charge), charge.note, token),
    )
    if (outcome.step === 'apply') return this.#apply(open, charge, outcome.value)
    const { step, reason, waitMs } = outcome
    if (step === 'decline') return this.#decline(charge, reason)
    if (step === 'retry') return this.#retry(charge, reason, waitMs)
    this.#note(charge, 'charge', reason)
    this.#pending(charge, waitMs)
  }

  /** Asks about a charge that was sent, or may have been. */
  async #ask(open: OpenBank, charge: ChargeRow): Promise<void> {
    const { bindings } = open.bank
    if (!bindings) return
    const outcome = await chargeOutcomeOf('ask', bindings.chargeState(requestOf(open, charge), charge.note))
    if (outcome.step === 'apply') return this.#apply(open, charge, outcome.value)
    const { step, reason, waitMs } = outcome
    this.#note(charge, 'ask', reason)
    if (step === 'miss') this.#inDoubt(charge, `the bank does not have it: ${reason}`, waitMs)
    else this.#pending(charge, waitMs)
  }

  #apply({ name }: OpenBank, charge: ChargeRow, state: ChargeState): void {
    const { disk, platform, log } = this.core
    switch (state.status) {
      case 'COMPLETED':
        completeCharge(this.core, charge, state)
        disk.meta.set(refusingKey(name), '')
        return
      case 'DECLINED':
        if (state.isForAll) {
          log('error', 'a bank takes no charges', { bank: name, reason: state.reason })
          disk.meta.set(refusingKey(name), String(platform.now()))
        }
        if (state.isBindingOver) this.#declineOfEnded(charge, state.reason)
        else this.#decline(charge, state.reason)
        return
      case 'IN_DOUBT':
        this.#inDoubt(charge, state.reason, 0)
        return
      case 'UNTOUCHED':
        if (platform.now() >= charge.expiresAt + HOUR_MS)
          holdCharge(this.core, charge, 'the bank has it, and has not begun it')
        else this.#pending(charge, 0)
        return
      case 'PENDING':
        this.#pending(charge, 0)
    }
  }

  /** The bank is asked about the charge again, and an hour after it was sent the operator decides. */
  #inDoubt(charge: ChargeRow, reason: string, waitMs: number): void {
    if (sinceSent(charge, this.core.platform.now()) >= HOUR_MS) holdCharge(this.core, charge, reason)
    else this.#pending(charge, waitMs)
  }

  /** The bank is asked about the charge again; a held charge stays held. */
  #pending(charge: ChargeRow, waitMs: number): void {
    const now = this.core.platform.now()
    if (charge.state === 'HELD') holdCharge(this.core, charge, charge.reason)
    else if (sinceSent(charge, now) >= UNDECIDED_MS) holdCharge(this.core, charge, UNDECIDED)
    else {
      const dueAt = now + Math.max(waitMs, intervalAt(sinceSent(charge, now)))
      this.core.disk.charges.change(charge, { state: 'PENDING', next: { now, dueAt } })
    }
  }

  /** The charge was not sent: all steps are done again. */
  #retry(charge: ChargeRow, reason: string, waitMs: number): void {
    const { disk, platform } = this.core
    this.#note(charge, 'open', reason)
    const now = platform.now()
    // At its end it is declined.
    const dueAt = Math.min(now + Math.max(waitMs, RETRY_MS), Math.max(charge.expiresAt, now))
    disk.charges.change(charge, { state: 'QUEUED', next: { now, dueAt } })
  }

  #decline(charge: ChargeRow, reason: string): void {
    declineCharge(this.core, charge, reason)
  }

  /** The bank has declined it because the account is not bound any more: the binding ends, and its other charges. */
  #declineOfEnded(charge: ChargeRow, reason: string): void {
    const { disk } = this.core
    disk.transaction(() => {
      this.#decline(charge, reason)
      const binding = disk.bindings.get(charge)
      if (binding) recordBinding(this.core, binding, { status: 'ENDED' })
    })
  }

  #note(charge: ChargeRow, call: ChargeCall, reason: string): void {
    this.core.log('warning', 'a call did not end a charge', {
      ...idOf(charge),
      bank: charge.bank,
      call,
      reason,
    })
  }
}

const idOf = ({ site, paymentUid }: ChargeRow) => ({ site, paymentUid })

/** The charge as the bank's calls get it. */
const requestOf = ({ webhookUrl }: OpenBank, charge: ChargeRow): NewCharge => {
  const { order, request, amount, purpose, expiresAt } = charge
  return { order, request, amount, purpose, expiresAt, webhookUrl, ...ridingOf(charge.receipt) }
}

/** What the bank states of a charge that has ended: a completed one is found by the reference that was reported. */
export const endedState = (open: OpenBank, bindings: BankBindings, charge: ChargeRow): Promise<ChargeState> =>
  bindings.chargeState(requestOf(open, charge), charge.state === 'COMPLETED' ? charge.reference : charge.note)

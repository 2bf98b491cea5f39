// Has the documents on disk registered, and none twice.
import { Refused } from '../banks/bank-errors.ts'
import type { OpenRegister } from '../core.ts'
import { messageOf } from '../log.ts'
import { QueueRunner } from '../work/runner.ts'
import { DAY_MS, intervalAt, MINUTE_MS, MISSING_BANK_MS, sinceSent, UNDECIDED_MS } from '../work/schedule.ts'
import type { DocumentState } from './cash-register.ts'
import { documentOf, ReceiptRegister } from './instruction.ts'
import type { ReceiptRow } from './receipt-row.ts'
import { finishReceipt, holdReceipt, idOf } from './receipts.ts'
import { reportSent } from './reports.ts'
import { type DocumentCall, outcomeOf } from './rule.ts'

export const RETRY_MS = 60_000
/** A document is registered within seconds: in its first minute it is asked about so often. */
export const FRESH_MS = 10_000
const UNDECIDED = 'the cash register has stated no result for 72 hours'
const LOST = 'the cash register was called, and its answer is not known'
const NOT_NOTIFIED = 'the cash register has told of no document for a day'

/** The lane is the cash register: one that is down delays no other, and no bank. */
export class ReceiptRunner extends QueueRunner<ReceiptRow> {
  constructor(core: QueueRunner<ReceiptRow>['core']) {
    super(core, core.disk.receipts.queue)
  }

  protected async run(receipt: ReceiptRow): Promise<void> {
    const { cashRegisters, log } = this.core
    const register = cashRegisters.get(receipt.register)
    try {
      if (register) await this.#step(register, receipt)
      else {
        log('error', 'the cash register of a document is not configured', {
          ...namesOf(receipt),
          register: receipt.register,
        })
        this.#delay(receipt, MISSING_BANK_MS, `the connector has no cash register ${receipt.register}`)
      }
    } catch (error) {
      log('warning', 'a step of a document failed', { ...namesOf(receipt), error: messageOf(error) })
      // Nothing happens where the step has changed the state: it says itself when it is due.
      this.#delay(receipt, RETRY_MS, messageOf(error))
    }
  }

  async #step(open: OpenRegister, receipt: ReceiptRow): Promise<void> {
    const { register } = open
    if (receipt.state === 'QUEUED' || receipt.state === 'SENDING') {
      if (register.rides.includes(receipt.kind)) return this.#awaitNotification(receipt)
      if (receipt.state === 'QUEUED') return this.#send('first', open, receipt)
      // No call is in flight: the process ended, or the disk failed, before the answer was stored.
      if (register.asks === 'NEVER') return holdReceipt(this.core, receipt, { reason: LOST })
      if (register.asks === 'KEY') return this.#call('lost', open, receipt)
      return this.#send('again', open, receipt)
    }
    const canAsk = register.state && (receipt.note !== '' || register.asks === 'KEY')
    if (canAsk) return this.#call(receipt.state === 'HELD' ? 'held' : 'pending', open, receipt)
    const left = DAY_MS - sinceSent(receipt, this.core.platform.now())
    // A clock that went back makes it due too early.
    if (receipt.state === 'PENDING' && left > 0) this.#delay(receipt, Math.min(left, DAY_MS), '')
    else holdReceipt(this.core, receipt, { reason: receipt.reason || NOT_NOTIFIED })
  }

  async #send(call: 'first' | 'again', open: OpenRegister, receipt: ReceiptRow): Promise<void> {
    const sending = this.#sending(open, receipt)
    if (sending) await this.#call(call, open, sending)
  }

  /** The request on disk, and the state SENDING. It is written once: what is sent again are the same bytes. */
  #sending({ register }: OpenRegister, receipt: ReceiptRow): ReceiptRow | undefined {
    const { disk, platform } = this.core
    let { request } = receipt
    if (request === '' || receipt.state === 'QUEUED') {
      if (receipt.data === '') {
        holdReceipt(this.core, receipt, { reason: 'what it says was erased with the payer’s data' })
        return
      }
      try {
        request = register.requestOf(documentOf(ReceiptRegister.parse(JSON.parse(receipt.data))))
      } catch (error) {
        if (!(error instanceof Refused)) throw error
        const reason = messageOf(error)
        if (receipt.state === 'QUEUED')
          finishReceipt(this.core, receipt, { state: 'FAILED', reason, canRetry: true })
        // Another configuration may have sent it.
        else holdReceipt(this.core, receipt, { reason })
        return
      }
    }
    const sent = {
      state: 'SENDING',
      request,
      reason: '',
      sentAt: receipt.state === 'QUEUED' ? platform.now() : (receipt.sentAt ?? platform.now()),
    } as const
    return disk.receipts.change(receipt, sent) ? { ...receipt, ...sent } : undefined
  }

  /** A request only with the state SENDING, and itself, on disk. */
  async #call(call: DocumentCall, open: OpenRegister, receipt: ReceiptRow): Promise<void> {
    const { disk, platform, log } = this.core
    const { name, register } = open
    const id = idOf(receipt)
    const isRequest = call === 'first' || call === 'again'
    const made = isRequest ? register.register(receipt.request, id) : register.state?.(id, receipt.note)
    if (!made) throw new Error('the cash register cannot be asked')
    const outcome = await outcomeOf(call, register.asks, made)
    if (outcome.step === 'apply') return this.#apply(receipt, outcome.state)
    const { step, reason, waitMs } = outcome
    log('warning', 'a call did not end a document', {
      ...namesOf(receipt),
      register: name,
      call,
      step,
      reason,
    })
    const now = platform.now()
    switch (step) {
      case 'fail':
        finishReceipt(this.core, receipt, { state: 'FAILED', reason, canRetry: true })
        return
      case 'queue':
        disk.receipts.change(receipt, {
          state: 'QUEUED',
          reason,
          next: { now, dueAt: now + Math.max(waitMs, RETRY_MS) },
        })
        return
      case 'hold':
        holdReceipt(this.core, receipt, { reason })
        return
      case 'again':
        return this.#send('again', open, receipt)
      case 'ask':
        if (receipt.state === 'HELD') holdReceipt(this.core, receipt, receipt)
        else this.#askLater(receipt, { state: receipt.state, note: receipt.note, reason, waitMs })
    }
  }

  /** A register that is down is asked until it answers; one that has the document and states no result is shown to the operator. */
  #askLater(
    receipt: ReceiptRow,
    { state, note, reason, waitMs }: Pick<ReceiptRow, 'state' | 'note' | 'reason'> & { waitMs: number },
  ): void {
    const { disk, platform } = this.core
    const now = platform.now()
    const age = sinceSent(receipt, now)
    if (state === 'PENDING' && age >= UNDECIDED_MS) {
      holdReceipt(this.core, receipt, { reason: UNDECIDED, note })
      return
    }
    const interval = age < MINUTE_MS && waitMs === 0 ? FRESH_MS : intervalAt(age)
    const next = { now, dueAt: now + Math.max(waitMs, interval) }
    disk.transaction(() => {
      // The operator may have ended it while the register was asked: then nothing else is reported.
      if (disk.receipts.change(receipt, { state, note, reason, sentAt: receipt.sentAt, next }))
        reportSent(this.core, receipt)
    })
  }

  #apply(receipt: ReceiptRow, state: DocumentState): void {
    switch (state.status) {
      case 'REGISTERED':
        finishReceipt(this.core, receipt, { state: 'REGISTERED', fiscal: state.fiscal })
        return
      case 'FAILED':
        finishReceipt(this.core, receipt, { ...state, state: 'FAILED' })
        return
      case 'IN_DOUBT':
        holdReceipt(this.core, receipt, state)
        return
      case 'PENDING':
        // Without a question to ask, the register's notification is awaited.
        if (!this.core.cashRegisters.get(receipt.register)?.register.state) {
          this.#awaitNotification(receipt)
          return
        }
        this.#askLater(
          receipt.state === 'SENDING' ? { ...receipt, sentAt: this.core.platform.now() } : receipt,
          { state: 'PENDING', note: state.note, reason: '', waitMs: 0 },
        )
    }
  }

  /** It is a part of the bank's calls, or cannot be asked about. Without a notification in time the operator looks. */
  #awaitNotification(receipt: ReceiptRow): void {
    const { disk, platform } = this.core
    const now = platform.now()
    disk.receipts.change(receipt, { state: 'PENDING', sentAt: now, next: { now, dueAt: now + DAY_MS } })
  }

  #delay(receipt: ReceiptRow, delayMs: number, reason: string): void {
    const { disk, platform } = this.core
    const now = platform.now()
    const { state } = receipt
    const next = { now, dueAt: now + delayMs }
    disk.receipts.change(receipt, state === 'HELD' ? { state, next } : { state, reason, next })
  }
}

const namesOf = ({ site, paymentUid, receiptUid, kind }: ReceiptRow) => ({
  site,
  paymentUid,
  receiptUid,
  kind,
})

// Reports the payments and consents of which webhooks tell; the bank is asked about what their signature does not cover.
import type { BankPayment, Code } from '../banks/bank.ts'
import { NotKnown } from '../banks/bank-errors.ts'
import type { DocumentNotice } from '../banks/bank-receipts.ts'
import { isSameInstant } from '../banks/instant.ts'
import { recordNotice } from '../cash-registers/notices.ts'
import type { Core, KnownCode, OpenBank } from '../core.ts'
import { recordBinding } from '../links/bindings/bindings.ts'
import { findBinding } from '../links/bindings/lists.ts'
import { type Found, findInLists, findOnDisk, isForeign } from '../links/codes/lookup.ts'
import { recordArmedPayment, saleOfPayment } from '../links/sales/sale-payments.ts'
import { messageOf } from '../log.ts'
import type { ChargeRow } from '../money/charge/rows.ts'
import { findCharge, recordChargeWebhook } from '../money/charge/webhook.ts'
import { recordPayment, recordState } from '../money/payment/payments.ts'
import type { PaymentRow } from '../money/payment/rows.ts'
import { KeyedMutex } from '../work/keyed-mutex.ts'
import { QueueRunner } from '../work/runner.ts'
import { DAY_MS, retryDelay } from '../work/schedule.ts'
import type { Problem, WebhookRow } from './rows.ts'
import { Stored } from './stored.ts'

/** Problems that last until an operator acts. */
const LASTING: readonly Problem[] = ['NO_SITE', 'NO_SALE', 'NO_PAYMENT', 'NO_RECEIPT', 'SEVERAL_RECEIPTS']
/** The bank is asked about such a webhook until it is this old: as long as the alert of it lasts. */
export const ASKED_MS = 7 * DAY_MS

/** No list that was read has the code, and one was not read: the webhook is woken when the code is learned. */
class ListsUnread extends Error {}

export class WebhookRunner extends QueueRunner<WebhookRow> {
  readonly #mutex = new KeyedMutex()
  /** The sites of the last tick: a reload puts others in their place. */
  #sites: Core['sites'] | undefined

  constructor(core: Core) {
    super(core, core.disk.webhooks.queue)
  }

  /** A start and a reload are often what the person has done: all that rests is asked about once more. */
  override tick(): void {
    const { sites, disk, platform } = this.core
    if (sites !== this.#sites) disk.webhooks.wakeResting(platform.now())
    this.#sites = sites
    super.tick()
  }

  protected async run(row: WebhookRow): Promise<void> {
    const { sites, disk, platform, log } = this.core
    try {
      const problem = await this.#report(row)
      if (problem !== undefined) this.#delay(row, problem, sites)
    } catch (error) {
      log('warning', 'a webhook was not reported', { bank: row.bank, error: messageOf(error) })
      const now = platform.now()
      // Nothing wakes it when the list can be read again, so it does not rest.
      const isRare = error instanceof ListsUnread && now - row.receivedAt >= ASKED_MS
      const note = messageOf(error)
      const why = error instanceof NotKnown ? { problem: 'NOT_KNOWN' as const, note } : { note }
      disk.webhooks.delay(row, why, { now, dueAt: now + (isRare ? DAY_MS : retryDelay(row.attempts)) })
    }
  }

  /** @param askedOf the sites among which its code was looked for */
  #delay(row: WebhookRow, problem: Problem, askedOf: Core['sites']): void {
    const { sites, disk, platform } = this.core
    const now = platform.now()
    // A reload in the meantime has woken only what rested already.
    const rests = LASTING.includes(problem) && now - row.receivedAt >= ASKED_MS && askedOf === sites
    disk.webhooks.delay(row, { problem }, { now, dueAt: rests ? 'REST' : now + retryDelay(row.attempts) })
  }

  #wantedOf(row: WebhookRow): { bank: OpenBank } & Stored {
    const bank = this.core.banks.get(row.bank)
    if (!bank) throw new Error(`the connector has no bank ${row.bank}`)
    return { bank, ...Stored.parse(JSON.parse(row.content)) }
  }

  /** @returns why it cannot be reported yet */
  async #report(row: WebhookRow): Promise<Problem | undefined> {
    const { disk, log } = this.core
    const webhook = this.#wantedOf(row)
    if (webhook.change && disk.webhooks.hasLater(row, webhook.change)) {
      disk.webhooks.finish(row, 'DONE', 'a later change was told before')
      return
    }
    if (webhook.refundOf !== undefined) return this.#wakeRefundsOf(row, webhook.bank, webhook.refundOf)
    if (webhook.receipt) return this.#recordNotice(row, webhook, webhook.receipt)
    if (webhook.binding) return this.#recordBinding(row, webhook.bank, webhook.binding)
    const charge = findCharge(this.core, webhook)
    // Charges come first: the code of a charge is another payment's.
    if (charge) return this.#recordCharge(row, charge, webhook.payment)
    // No list of codes has it: the charges that wait at the service are learned by themselves, and wake it.
    if (isOfChargeAlone(webhook))
      return this.#giveUpAfterDay(row, 'NO_CHARGE', 'no site had this charge for a day')
    const found = findOnDisk(this.core, webhook) ?? (await this.#findInLists(webhook))
    if (!found) return 'NO_SITE'
    if (isForeign(found, webhook.owner)) {
      disk.webhooks.finish(row, 'FOREIGN', 'it is of another merchant than the code')
      log('warning', 'a webhook is of another merchant', { bank: row.bank })
      return
    }
    const record = async () => {
      const problem = await this.#record(found, webhook)
      if (problem === undefined) disk.webhooks.finish(row, 'DONE', '')
      return problem
    }
    // Each payment of a counter ends one webhook: which ones are ended is read, and written, by one at a time.
    const { site, code } = found.known
    return code.type === 'COUNTER' ? this.#mutex.run(JSON.stringify([site, code.qrcId]), record) : record()
  }

  async #findInLists(webhook: { bank: OpenBank } & Stored): Promise<Found | undefined> {
    try {
      return await findInLists(this.core, webhook)
    } catch (error) {
      throw new ListsUnread(messageOf(error), { cause: error })
    }
  }

  async #recordCharge(
    row: WebhookRow,
    charge: ChargeRow,
    payment: Stored['payment'],
  ): Promise<Problem | undefined> {
    const { disk, platform, log } = this.core
    try {
      const problem = await recordChargeWebhook(this.core, charge, payment)
      if (problem === undefined) disk.webhooks.finish(row, 'DONE', '')
      return problem
    } catch (error) {
      const isOld = platform.now() - row.receivedAt >= DAY_MS
      // Not on one word of the bank alone.
      if (!(error instanceof NotKnown) || !isOld || row.problem !== 'NOT_KNOWN') throw error
      disk.webhooks.finish(row, 'GIVEN_UP', row.note)
      const { site, paymentUid, order } = charge
      const reason = row.note
      log('error', 'a webhook of a charge was given up', { bank: row.bank, site, paymentUid, order, reason })
    }
  }

  #recordNotice(
    row: WebhookRow,
    { bank, reference = '' }: { bank: OpenBank } & Stored,
    notice: DocumentNotice,
  ): Problem | undefined {
    const problem = recordNotice(this.core, bank, reference, notice)
    if (problem === undefined) this.core.disk.webhooks.finish(row, 'DONE', '')
    return problem
  }

  /** A consent counts as it is signed; any other state is asked for. */
  async #recordBinding(
    row: WebhookRow,
    bank: OpenBank,
    { request, isActive, bankMemberId }: NonNullable<Stored['binding']>,
  ): Promise<Problem | undefined> {
    const { disk, platform } = this.core
    const binding = await findBinding(this.core, bank, request)
    if (!binding)
      return this.#giveUpAfterDay(row, 'NO_BINDING', 'no site had this request to bind an account for a day')
    if (isActive) {
      recordBinding(this.core, binding, { status: 'ACTIVE', ...(bankMemberId ? { bankMemberId } : {}) })
    } else {
      disk.bindings.wake(binding, platform.now())
    }
    disk.webhooks.finish(row, 'DONE', '')
  }

  /** @returns the problem, until the webhook is given up */
  #giveUpAfterDay(row: WebhookRow, problem: Problem, note: string): Problem | undefined {
    const { disk, platform } = this.core
    if (platform.now() - row.receivedAt < DAY_MS) return problem
    disk.webhooks.finish(row, 'GIVEN_UP', note)
  }

  async #record({ known, row }: Found, { payment, paidAt, saleKey }: Stored): Promise<Problem | undefined> {
    const { disk, platform } = this.core
    if (known.code.type === 'COUNTER') {
      // A sale is not declined: it can be paid as long as it is armed.
      if (saleKey !== undefined && !payment) return
      const isReported =
        payment &&
        (saleKey === undefined
          ? await saleOfPayment(this.core, known, payment)
          : recordArmedPayment(this.core, known, payment, saleKey))
      return isReported ? undefined : 'NO_SALE'
    }
    let isPaid: boolean
    if (payment) {
      recordPayment(this.core, known, payment)
      isPaid = disk.payments.isPaid(known.site, known.code.qrcId)
    } else if (paidAt === undefined && known.code.type === 'DYNAMIC' && this.#wakeRefunds(known)) {
      // The payment is known, and the refund itself asks the bank.
      return
    } else {
      const state = await known.bank.bank.state(known.code)
      // Only the bank's own state of exactly that payment is reported.
      const isConfirmed =
        paidAt === undefined || state.payments.some((payment) => isOf(payment, known.code, paidAt))
      if (!isConfirmed) return 'NO_PAYMENT'
      const payments = recordState(this.core, known, state)
      this.#wakeRefunds(known, payments)
      isPaid = payments.length > 0
    }
    if (known.code.type !== 'DYNAMIC' || !isPaid) return
    const stored = disk.codes.get(row.id)
    if (stored) disk.codes.step(stored, 'PAID', { now: platform.now(), dueAt: 'REST' })
  }

  /** The refunds of a payment, or of a charge, ask the bank themselves. One that is not known here waits for nothing. */
  #wakeRefundsOf(row: WebhookRow, bank: OpenBank, number: string): undefined {
    const { disk, platform } = this.core
    const paid =
      disk.payments.ofKey(bank.bank.identity, number) ?? findCharge(this.core, { bank, order: number })
    if (paid) disk.refunds.wake(paid.site, paid.paymentUid, platform.now())
    disk.webhooks.finish(row, 'DONE', '')
  }

  /** @returns whether a refund of the code's payments has no result */
  #wakeRefunds(
    { site, code }: KnownCode,
    payments: readonly Pick<PaymentRow, 'paymentUid'>[] = this.core.disk.payments.ofCode(site, code.qrcId),
  ): boolean {
    const { disk, platform } = this.core
    return payments
      .map(({ paymentUid }) => disk.refunds.wake(site, paymentUid, platform.now()))
      .includes(true)
  }
}

/** Whether it names an order and no code: then it is of a charge, perhaps one of another program. */
const isOfChargeAlone = ({ order, qrcId, reference }: Stored): boolean =>
  order !== undefined && qrcId === undefined && reference === undefined

/** Whether a payment that the bank states is the one of that time. One without a time is, where the link is paid once. */
function isOf({ paidAt, status }: BankPayment, { type }: Code, time: string): boolean {
  if (paidAt === undefined) return type === 'DYNAMIC' && status === 'COMPLETED'
  return isSameInstant(Date.parse(paidAt), Date.parse(time))
}

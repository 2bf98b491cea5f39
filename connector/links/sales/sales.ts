// Sales of COUNTER codes: arming and disarming synchronously (contract, section 15).
import * as z from 'zod'
import { AmountField, kopecksOf, roublesOf } from '../../amounts.ts'
import { Refused } from '../../banks/bank-errors.ts'
import { type Core, type KnownCode, knownCodeOf, referenceOf } from '../../core.ts'
import { messageOf } from '../../log.ts'
import { compareAmount } from '../../money/payment/amount-differences.ts'
import { recordPayment } from '../../money/payment/payments.ts'
import type { PaymentRow } from '../../money/payment/rows.ts'
import { KeyedMutex } from '../../work/keyed-mutex.ts'
import { type Answer, refused, TIMEOUT_MS, unavailable } from '../codes/registers.ts'
import type { NewSaleRow, SaleRow } from './rows.ts'

export const Activate = z.object({
  siteId: z.string(),
  qrcId: z.string(),
  reference: z.string().optional(),
  saleUid: z.string(),
  amount: AmountField,
  paymentPurpose: z.string().optional(),
  ttl: z.int(),
  expiresOn: z.string(),
})
type Activate = z.output<typeof Activate>

export const Deactivate = z.object({
  siteId: z.string(),
  qrcId: z.string(),
  reference: z.string().optional(),
  saleUid: z.string(),
})
type Deactivate = z.output<typeof Deactivate>

/** The webhook of a payment can come until its report is this old. */
const TOLD_MS = 7 * 24 * 3_600_000

export class Sales {
  readonly #core: Core
  readonly #mutex = new KeyedMutex()

  constructor(core: Core) {
    this.#core = core
  }

  /** A sale is armed once; its first success is repeated. */
  activate(request: Activate): Promise<Answer> {
    return this.#inTurn(request, (signal) => this.#activate(request, signal))
  }

  /** Disarms the link, unless it is armed for a later sale. */
  deactivate(request: Deactivate): Promise<Answer> {
    return this.#inTurn(request, (signal) => this.#deactivate(request, signal))
  }

  /** The bank arms a link for one sale at a time, so the calls about one code follow each other, in the order of the requests. */
  #inTurn({ siteId, qrcId }: Deactivate, call: (signal: AbortSignal) => Promise<Answer>): Promise<Answer> {
    const { now } = this.#core.platform
    const until = now() + TIMEOUT_MS
    return this.#mutex.run(JSON.stringify([siteId, qrcId]), async () => {
      // Then the service stops waiting, and the till is told that nothing is changed.
      const rest = until - now()
      return rest > 0
        ? call(AbortSignal.timeout(rest))
        : unavailable('the bank is still busy with an earlier call')
    })
  }

  async #activate(request: Activate, signal: AbortSignal): Promise<Answer> {
    const { disk, platform, log } = this.#core
    const { siteId: site, qrcId, saleUid, ttl, paymentPurpose } = request
    const before = disk.sales.get(site, qrcId, saleUid)
    const amount = kopecksOf(String(request.amount.value))
    if (before?.reference) {
      const isArmed = before.state !== 'CANCELLED' && platform.now() < before.expiresAt
      // The service may not know of the first arming, whose answer it lost. A payment of that one must not pay this one.
      return isArmed && before.amount === amount
        ? saleAnswer(before.reference, before.expiresAt)
        : refused(armedBefore(before))
    }
    const known = this.#codeOf(request)
    if (!known) return unavailable('no bank is configured for this code')
    const { bank } = known.bank
    if (!bank.arm) return refused(`${bank.title}: there are no cashbox codes`)
    if (amount === undefined || request.amount.currency !== 'RUB')
      return refused('the amount must be roubles')
    const now = platform.now()
    const sale: NewSaleRow = {
      site,
      qrcId,
      saleUid,
      bank: known.bank.name,
      reference: null,
      amount,
      state: 'CALLING',
      // The latest of the code, also where the clock has gone back: the bank is asked to disarm that one alone.
      createdAt: Math.max(now, disk.sales.lastAt(site, qrcId) + 1),
      expiresAt: Date.parse(request.expiresOn),
    }
    disk.sales.put(sale, null)
    try {
      const purpose = paymentPurpose ?? this.#core.sites.get(site)?.name ?? site
      const armed = await bank.arm(known.code, { amount, purpose, ttl }, signal)
      const reference = referenceOf(known.bank, armed)
      disk.sales.put({ ...sale, reference, state: 'OPEN' }, now + 60_000)
      return saleAnswer(reference, sale.expiresAt)
    } catch (error) {
      log('warning', 'a code was not armed', { site, bank: known.bank.name, qrcId, error: messageOf(error) })
      if (!(error instanceof Refused)) return unavailable('the bank did not answer')
      // An earlier arming of the sale without an answer can have counted.
      if (!before) disk.sales.forget(sale)
      return refused(error.message)
    }
  }

  async #deactivate(request: Deactivate, signal: AbortSignal): Promise<Answer> {
    const { disk, platform, log } = this.#core
    const { siteId, qrcId, saleUid } = request
    const known = this.#codeOf(request)
    if (!known) return unavailable('no bank is configured for this code')
    const sale = disk.sales.get(siteId, qrcId, saleUid)
    // Another sale may be armed by now: that one stays.
    const isOver = sale && sale.state !== 'OPEN' && sale.state !== 'CALLING'
    const isLast = disk.sales.last(siteId, qrcId)?.saleUid === saleUid
    if (sale && (isOver || !isLast)) return { status: 200, body: {} }
    try {
      await known.bank.bank.disarm?.(known.code, signal)
    } catch (error) {
      log('warning', 'a code was not disarmed', {
        site: siteId,
        bank: known.bank.name,
        qrcId,
        error: messageOf(error),
      })
      return error instanceof Refused ? refused(error.message) : unavailable('the bank did not answer')
    }
    const now = platform.now()
    if (sale) disk.sales.cancelled(sale, now + 60_000)
    return { status: 200, body: {} }
  }

  #codeOf({
    siteId,
    qrcId,
    reference: given,
  }: {
    siteId: string
    qrcId: string
    reference?: string | undefined
  }) {
    const row = this.#core.disk.codes.ofSite(siteId, qrcId)
    const reference = row?.reference ?? given
    const fields = { site: siteId, type: 'COUNTER', qrcId, reference, amount: null } as const
    return knownCodeOf(this.#core, { ...fields, createdAt: row?.createdAt ?? 0 })
  }
}

/** The sale as a code that the bank is asked about. */
export function codeOfSale(core: Core, sale: SaleRow) {
  return knownCodeOf(core, { ...sale, type: 'COUNTER' })
}

/**
 * Asks the bank about the unpaid sales of a code, of which one was paid: the webhook says the amount, and not the sale. Calls about
 * one code must not overlap.
 * @returns whether a payment is reported, now or before, that is the webhook's. If the bank states a sale as paid only later, the
 * asker finds it
 */
export async function saleOfPayment(
  core: Core,
  { site, code, bank }: KnownCode,
  { amount, number }: { amount: number; number: string },
): Promise<boolean> {
  const { disk, platform } = core
  const { qrcId } = code
  const told = disk.payments.ofWebhook(site, qrcId, number)
  const sales = told ? [] : disk.sales.latest(site, qrcId)
  for (const sale of sales.filter(({ state }) => state !== 'PAID')) {
    const known = codeOfSale(core, sale)
    const payment = known && (await known.bank.bank.state(known.code)).payments[0]
    if (!payment) continue
    const isNew = recordPayment(core, known, payment, sale)
    disk.sales.step(sale, 'PAID', { now: platform.now(), dueAt: 'REST' })
    // A payment of another amount has lost its own webhook, or will have it.
    if (isNew && payment.amount === amount) break
  }
  const payment = told ?? untoldPayment(core, { site, qrcId, amount })
  if (!payment) return false
  disk.transaction(() => {
    compareAmount(core, { ...payment, bank: bank.name }, { amount })
    disk.payments.tell(payment, number)
  })
  return true
}

/**
 * The reported payment that a webhook of the amount tells of, and no other has told of. A sale's own schedule can have been first.
 * Where there is none, the bank has not stated the payment yet, or it is of an arming whose answer was lost, or the bank had left
 * another amount out. An older payment has lost its webhook.
 */
function untoldPayment(
  { disk, platform }: Core,
  { site, qrcId, amount }: { site: string; qrcId: string; amount: number },
): PaymentRow | undefined {
  const untold = disk.payments.untold(site, qrcId, platform.now() - TOLD_MS)
  const same = untold.find((payment) => payment.amount === amount)
  if (same || disk.sales.isAwaited(site, qrcId, amount)) return same
  const [assumed, second] = untold.filter(({ isAmountAssumed }) => isAmountAssumed)
  return second ? undefined : assumed
}

const armedBefore = ({ saleUid, amount, expiresAt }: SaleRow): string =>
  `the sale ${saleUid} was armed for ${roublesOf(amount)} RUB until ${new Date(expiresAt).toISOString()}, must be another saleUid`

const saleAnswer = (reference: string, expiresAt: number): Answer => ({
  status: 200,
  body: { reference, expiresOn: new Date(expiresAt).toISOString() },
})

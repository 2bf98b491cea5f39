// Sales of COUNTER codes: arming and disarming synchronously (contract, section 15).
import * as z from 'zod'
import { AmountField, kopecksOf, roublesOf } from '../../amounts.ts'
import { Refused } from '../../banks/bank-errors.ts'
import { carryProblem, RidingField } from '../../cash-registers/riding.ts'
import { type Core, knownCodeOf } from '../../core.ts'
import { messageOf } from '../../log.ts'
import { partsOf, referenceOf } from '../../reference.ts'
import { KeyedMutex } from '../../work/keyed-mutex.ts'
import { MINUTE_MS } from '../../work/schedule.ts'
import { type Answer, refused, TIMEOUT_MS, unavailable } from '../codes/registers.ts'
import type { NewSaleRow, SaleRow } from './rows.ts'
import { armedReferenceOf, saleKeyOf } from './sale-key.ts'

export const Activate = z.object({
  siteId: z.string(),
  qrcId: z.string(),
  reference: z.string().optional(),
  saleUid: z.string(),
  amount: AmountField,
  paymentPurpose: z.string().optional(),
  ttl: z.int(),
  expiresOn: z.string(),
  receipt: RidingField.optional(),
})
type Activate = z.output<typeof Activate>

export const Deactivate = z.object({
  siteId: z.string(),
  qrcId: z.string(),
  reference: z.string().optional(),
  saleUid: z.string(),
})
type Deactivate = z.output<typeof Deactivate>

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
    // An arming under a key that has no answer yet.
    const isRepeat = before?.state === 'CALLING' && before.amount === amount
    if (before?.reference && !isRepeat) {
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
    const problem = carryProblem(bank, request.receipt !== undefined)
    if (problem !== undefined) return refused(problem)
    if (amount === undefined || request.amount.currency !== 'RUB')
      return refused('the amount must be roubles')
    const now = platform.now()
    const key = saleKeyOf({ site, qrcId, saleUid, amount })
    const earlier = disk.sales.latest(site, qrcId).flatMap((each) => partsOf(each.reference)?.rest ?? [])
    const sale: NewSaleRow = {
      site,
      qrcId,
      saleUid,
      bank: known.bank.name,
      reference: bank.armsByKey ? armedReferenceOf(known, key) : null,
      amount,
      state: 'CALLING',
      // The latest of the code, also where the clock has gone back: the bank is asked to disarm that one alone.
      createdAt: Math.max(now, disk.sales.lastAt(site, qrcId) + 1),
      expiresAt: Date.parse(request.expiresOn),
    }
    // Under a key the payment is found also if the answer is lost.
    const firstAskAt = now + MINUTE_MS
    disk.sales.put(sale, bank.armsByKey ? firstAskAt : null)
    try {
      const purpose = paymentPurpose ?? this.#core.sites.get(site)?.name ?? site
      const { webhookUrl } = known.bank
      const armed = await bank.arm(known.code, { key, amount, purpose, ttl, webhookUrl, earlier }, signal)
      const reference = referenceOf(known.bank, armed)
      disk.sales.put({ ...sale, reference, state: 'OPEN' }, firstAskAt)
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
    const isOver = sale && sale.state !== 'OPEN' && sale.state !== 'CALLING'
    // Another sale may be armed by now: that one stays. By its key the bank is asked which one it is.
    const canBeArmed = known.bank.bank.armsByKey || disk.sales.last(siteId, qrcId)?.saleUid === saleUid
    if (sale && (isOver || !canBeArmed)) return { status: 200, body: {} }
    try {
      const reference = partsOf(sale?.reference ?? request.reference)?.rest ?? known.code.reference
      await known.bank.bank.disarm?.({ ...known.code, reference }, signal)
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

const armedBefore = ({ saleUid, amount, expiresAt }: SaleRow): string =>
  `the sale ${saleUid} was armed for ${roublesOf(amount)} RUB until ${new Date(expiresAt).toISOString()}, must be another saleUid`

const saleAnswer = (reference: string, expiresAt: number): Answer => ({
  status: 200,
  body: { reference, expiresOn: new Date(expiresAt).toISOString() },
})

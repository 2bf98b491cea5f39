// Histories of sites whose banks answer wrongly in one place whatever the connector asks, and what is true once they answer rightly.

import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { Answers } from '../soak/answers.ts'
import { crash } from '../support/bank-crashes.ts'
import type { BankDeployment } from '../support/bank-deployment.ts'
import { History, ROUNDS } from '../support/bank-history.ts'
import { BankWorld, told, worldDeployment } from '../support/bank-world.ts'
import { BindingHistory } from '../support/binding-history.ts'
import type { Held } from '../support/held.ts'
import { type Random, randomOf } from '../support/random.ts'
import { raiffeisenBank, tbankBank, tochkaBank } from '../support/test-banks.ts'
import { tochkaPayBank } from '../support/tochka-pay-bank.ts'
import { faultOf } from './outward.ts'

/** The banks of the sites by turns; the last ones bind accounts. */
const SHOPS = [tochkaBank, tbankBank, raiffeisenBank, tochkaPayBank] as const
const BINDING = [tbankBank, raiffeisenBank, tochkaPayBank] as const
const KINDS = [...SHOPS, ...BINDING] as const
const isBinding = (i: number): boolean => i % KINDS.length >= SHOPS.length
/** In each round, of a site that binds accounts. */
const STEPS = 5
/** Before them, once its bank answers wrongly: few steps at random move money. */
const CHARGING = ['bind', 'consent', 'charge', 'charge', 'charge'] as const
/** In the first rounds something comes into being that can be asked about. */
const OPENING = 2
const MINUTES = [1, 2, 5, 20] as const
/** Each site that binds no accounts has so many payments, of codes that live for days, before its bank answers wrongly. */
const PAYMENTS = 6
const PAYABLE_MINUTES = 4_320
/** After that so many refunds of so many roubles in each round. */
const REFUNDS = 3
const REFUND_ROUBLES = 20
/** When banks are asked again that still answer wrongly, in hours after the last step: of codes that have ended, too. */
const HOSTILE = [0.3, 1.4, 2.6]
/** The same of banks that are well, after that. */
const REST = [0.2, 1.4, 5, 26, 50]
/** The calls that move money; `Cancel` is a refund at T-Bank. */
const MOVES_MONEY = /^(?:refund|charge|ChargeQr|Cancel)$/
/** These, those that begin them, and those that ask what became of it. */
const ON_MONEY = /^(?:refund|charge|payment|ChargeQr|Cancel|CheckOrder|GetState|Init)/
/** So long the connector asks banks that answer wrongly. */
const ASKED_MS = 2_000

export interface BankReport {
  /** By bank and operation: how many answers were wrong, by their status. */
  kinds: Map<string, Map<string, number>>
  /** How many refunds and charges the operator has decided. */
  settled: number
  findings: string[]
}

/** @param size how many sites */
export async function hostileBanks(seed: number, size: number): Promise<BankReport> {
  const names = Array.from({ length: size }, (_, i) => `${seed}-${i}`)
  const deployment = await worldDeployment(
    names.map((name, i) => [name, KINDS[i % KINDS.length] ?? tochkaBank] as const),
  )
  const siteIds = names.map((name) => `site${name}`)
  const shops = siteIds.flatMap((siteId, i) =>
    isBinding(i) ? [] : new History(deployment, siteId, seed + i),
  )
  const clubs = siteIds.flatMap((siteId, i) =>
    isBinding(i) ? new BindingHistory(deployment, { siteId, seed: seed + i, canForget: false }) : [],
  )
  const batch = new Batch(deployment, { shops, clubs }, seed)
  for (let round = 0; round < ROUNDS; round++) await batch.round(round)
  await batch.rest()
  const report = await batch.report()
  await deployment.service.verify()
  await deployment.end()
  return report
}

class Batch extends BankWorld {
  readonly #random: Random
  readonly #answers = new Answers()
  readonly #unwatch: () => void
  readonly #findings: string[] = []

  constructor(
    deployment: BankDeployment,
    histories: { shops: readonly History[]; clubs: readonly BindingHistory[] },
    seed: number,
  ) {
    super(deployment, histories)
    this.#random = randomOf(seed)
    this.#unwatch = this.#answers.watch(() => [deployment.service.address])
    // Also where a round fails.
    onTestFinished(this.#unwatch)
  }

  async round(index: number): Promise<void> {
    this.advance(this.#random.pick(MINUTES) / 60)
    for (const shop of this.shops)
      shop.begin({ mood: undefined, isRefundSlow: this.#random.chance(0.5), steps: [] })
    for (const club of this.clubs) club.begin(index)
    for (const each of this.all) this.#setMood(each, index < OPENING ? 0 : 0.5)
    await Promise.all([
      ...this.shops.map(async (shop) => {
        for (const step of [...this.#payAndRefund(index), ...(shop.rounds[index]?.steps ?? [])])
          await shop.act(step)
      }),
      ...this.clubs.map(async (club) => {
        if (index >= OPENING) for (const step of CHARGING) await club.take(step)
        for (let step = 0; step < STEPS; step++) await club.act(index, step)
      }),
    ])
    await this.#askAgain()
    this.#look()
  }

  /** The steps of a round by which money moves, at a site without bound accounts. */
  #payAndRefund(index: number): Parameters<History['act']>[0][] {
    if (index === 0) {
      return Array.from({ length: PAYMENTS }, () => ({ do: 'create', type: 'DYNAMIC', ttl: PAYABLE_MINUTES }))
    }
    if (index === 1) {
      return Array.from({ length: PAYMENTS }, (_, code) => ({ do: 'pay', code, webhook: 'once' }))
    }
    return Array.from({ length: REFUNDS }, () => {
      return { do: 'refund', payment: this.#random.below(PAYMENTS), value: REFUND_ROUBLES }
    })
  }

  /** A bank that answers wrongly leaves always something due. */
  async #askAgain(): Promise<void> {
    await this.deployment.connector.kick()
    await sleep(ASKED_MS)
  }

  /** Some banks answer wrongly to what moves money alone, and always: few calls come so far where any answer can be wrong. */
  #setMood({ bank }: History | BindingHistory, rate: number): void {
    const { misbehaviour } = bank.fake
    if (!misbehaviour) return
    const of = this.#random.pick(['all', 'reads', 'writes', 'money', 'money'])
    const isOnMoney = of === 'money'
    misbehaviour.mood = rate === 0 ? undefined : isOnMoney ? { of: 'writes', rate: 1 } : { of, rate }
    misbehaviour.faultOf = (random, operation) =>
      !isOnMoney || MOVES_MONEY.test(operation) ? faultOf(random) : undefined
  }

  /** Time passes with banks that answer wrongly, and then with banks that are well, until nothing moves; the operator decides what is held. */
  async rest(): Promise<void> {
    for (const each of this.all) this.#setMood(each, this.#random.pick([0.3, 0.6, 1]))
    for (const more of HOSTILE) {
      this.#look()
      this.advance(more)
      await crash(this.deployment, 'kill both')
      await this.#askAgain()
    }
    await this.heal()
    for (const more of REST) await this.pass(more)
    for (const shop of this.shops) this.#findings.push(...told(shop, await shop.createAgain()))
    await this.decideHeld((held) => this.#requireReason(held))
  }

  /** T-Bank's right answers cannot tell apart the refunds of one payment; those of Pay Gateway can be a decline that decides nothing. */
  #requireReason({ site, paymentUid, refundUid }: Held): void {
    const bank = this.deployment.bankOf(site)
    const canBeRight = bank.kind === 'tochka-pay' || (bank.kind === 'tbank' && refundUid !== null)
    if (canBeRight || bank.fake.troubles.some((each) => ON_MONEY.test(each))) return
    this.#findings.push(`${site}: ${refundUid ?? 'the charge'} of ${paymentUid} is held after right answers`)
  }

  override async pass(more: number): Promise<void> {
    this.#look()
    await super.pass(more)
  }

  /** What can be seen only for a time: later the processes are killed, and webhooks correct what was reported. */
  #look(): void {
    const { service, connector } = this.deployment
    if (connector.hasEnded) this.#findings.push('the connector has ended by itself')
    const broken = service.log.match(/^.*(?:"level":"error"|ncaught|workerd ended).*$/gm) ?? []
    this.#findings.push(...broken.map((line) => `the log has: ${line.slice(0, 1_000)}`))
    this.#findings.push(...this.clubs.flatMap((club) => club.contradictions()))
  }

  async report(): Promise<BankReport> {
    this.#look()
    this.#unwatch()
    const findings = [...new Set(this.#findings), ...this.#answers.wrong, ...(await this.failures())]
    return { kinds: this.#kinds(), settled: this.settled, findings }
  }

  #kinds(): BankReport['kinds'] {
    const kinds: BankReport['kinds'] = new Map()
    for (const { bank } of this.all)
      for (const trouble of bank.fake.troubles) {
        const [operation = '', ...rest] = trouble.split(' ')
        const [, status] = /^HTTP\/1.1 (\d{3}) /.exec(rest.join(' ')) ?? []
        const way = status ?? (rest[0]?.startsWith('{"') ? 'no answer' : 'no HTTP')
        const kind = `${bank.kind} ${operation}`
        const ways = kinds.get(kind) ?? new Map<string, number>()
        kinds.set(kind, ways.set(way, (ways.get(way) ?? 0) + 1))
      }
    return kinds
  }
}

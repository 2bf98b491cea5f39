// Random histories of merchants, payers, crashes and banks that misbehave: the bank has given back what merchants were told.
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { atRest, becomesLess, type Crash, crash, PATIENT_POLLS } from '../support/bank-crashes.ts'
import type { BankDeployment } from '../support/bank-deployment.ts'
import { History, ROUNDS } from '../support/bank-history.ts'
import { BankWorld, inParallel, worldDeployment } from '../support/bank-world.ts'
import { hasClock } from '../support/clock.ts'
import { type Random, randomOf } from '../support/random.ts'
import { raiffeisenBank, tbankBank, tochkaBank } from '../support/test-banks.ts'
import { tochkaPayBank } from '../support/tochka-pay-bank.ts'

/** How many histories, by default. */
const HISTORIES = process.env.HISTORIES
/** The seed of the first one; the others follow it. */
const SEED = Number(process.env.SEED ?? 1)
/** How many share one service and one connector, their clock and their crashes. */
const BATCH = Number(process.env.BATCH ?? 200)

/** So often what the service has not delivered, and does not become less, is looked at. */
const MAX_READS = 60
const HOUR = 1
const MINUTE = HOUR / 60
/** After so many hours everything is looked at again, one after another: two days in the end. */
const REST = [0.2, 1.1, 1.2, 9.5, 12, 25]

type BankOf = typeof tochkaBank | typeof tbankBank | typeof raiffeisenBank | typeof tochkaPayBank

/** The service and the connector, which the histories of a batch share. */
class Batch extends BankWorld {
  readonly #random: Random
  /** Resolves when what was killed is up again. */
  #up: Promise<unknown> = Promise.resolve()
  kills = 0

  constructor(deployment: BankDeployment, shops: History[], seed: number) {
    super(deployment, { shops })
    this.#random = randomOf(seed)
  }

  /** Each history takes its steps; in the midst of them processes can be killed. */
  async round(index: number): Promise<void> {
    const random = this.#random
    // What was created in the first round can be paid in the second.
    this.advance(random.pick(index === 1 ? [0, 1, 1, 2] : [0, 1, 1, 2, 5, 20]) * MINUTE)
    const killed = random.weighted<Crash | 'nothing'>({
      ...{ nothing: 4, 'kill the service': 1, 'kill the connector': 2, 'kill both': 1 },
    })
    const killAt = random.below(this.shops.length)
    const isReconciled = random.chance(0.1)
    for (const history of this.shops) {
      const round = history.rounds[index]
      if (round) history.begin(round)
    }
    if (isReconciled) await this.deployment.connector.reconcile()
    let started = 0
    await inParallel(this.shops, async (history) => {
      if (started++ === killAt) this.#up = this.#crash(killed)
      for (const step of history.rounds[index]?.steps ?? []) {
        await this.#up
        await history.act(step)
      }
    })
    await this.#up
    await this.deployment.connector.kick()
  }

  async #crash(what: Crash | 'nothing'): Promise<void> {
    if (what === 'nothing') return
    await crash(this.deployment, what)
    this.kills += what === 'kill both' ? 2 : 1
  }

  /** The banks are well again, and time passes, until nothing moves any more. */
  async rest(): Promise<void> {
    await this.heal()
    for (const more of REST) await this.pass(more)
    await this.decideHeld()
  }

  /** What stays due is seen in the end. */
  override async pass(more: number): Promise<void> {
    const { service } = this.deployment
    this.kills += 2
    await super.pass(more)
    await becomesLess(MAX_READS, async () => {
      const untaken = await service.untaken()
      if (untaken > 0) await sleep(500)
      return untaken
    })
    await atRest(this.deployment, PATIENT_POLLS)
  }
}

/** Each history has a site and a bank of its own. */
async function batchOf(seeds: readonly number[], kinds: readonly [BankOf, ...BankOf[]]): Promise<Batch> {
  const deployment = await worldDeployment(
    seeds.map((seed) => [`${seed}`, kinds[seed % kinds.length] ?? kinds[0]] as const),
  )
  const histories = seeds.map((seed) => new History(deployment, `site${seed}`, seed))
  return new Batch(deployment, histories, seeds[0] ?? 0)
}

interface Run {
  banks: string
  kinds: [BankOf, ...BankOf[]]
  histories: number
}

it.runIf(hasClock).each<Run>([
  {
    banks: 'Tochka, T-Bank and Raiffeisenbank',
    kinds: [tochkaBank, tbankBank, raiffeisenBank],
    histories: Number(HISTORIES ?? 200),
  },
  { banks: 'Tochka Pay Gateway', kinds: [tochkaPayBank], histories: Number(HISTORIES ?? 100) },
])(
  'in $histories random histories at $banks, banks give back what merchants are told, no payment is missing, and no sale is ended by another’s call',
  { timeout: 120_000 + Number(HISTORIES ?? 200) * 5_000 },
  async ({ kinds, histories }) => {
    const total = new Map<string, number>()
    const count = (counts: Record<string, number>) => {
      for (const [name, more] of Object.entries(counts)) total.set(name, (total.get(name) ?? 0) + more)
    }
    for (let first = SEED; first < SEED + histories; first += BATCH) {
      const size = Math.min(BATCH, SEED + histories - first)
      const seeds = Array.from({ length: size }, (_, i) => first + i)
      const batch = await batchOf(seeds, kinds)
      for (let index = 0; index < ROUNDS; index++) await batch.round(index)
      await batch.rest()
      const failures = await batch.failures()
      await batch.deployment.service.verify()
      await batch.deployment.end()
      count({ histories: size, kills: batch.kills, settled: batch.settled })
      for (const { bank, refunds } of batch.shops) {
        const [payments, troubles] = [bank.ledger().length, bank.fake.troubles.length]
        count({ payments, refunds: refunds.length, troubles, ...bank.happened?.() })
      }
      const counts = JSON.stringify(Object.fromEntries(total))
      console.log(`SEED=${first} HISTORIES=${size}: ${failures.length} failures, ${counts}`)
      expect(failures.join('\n\n'), `SEED=${first} HISTORIES=${size} BATCH=${BATCH}`).toBe('')
    }
    // In so many histories each of these happens, or the generator does nothing.
    if (histories < 100) return
    expect(Array.from(total).filter(([, counted]) => counted === 0)).toEqual([])
  },
)

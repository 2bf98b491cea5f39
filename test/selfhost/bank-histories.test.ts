// Random histories of merchants, payers, crashes and banks that misbehave: the bank has given back what merchants were told.
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { atRest, becomesLess, PATIENT_POLLS, passTo } from '../support/bank-crashes.ts'
import { type BankDeployment, bankDeployment, type Sites } from '../support/bank-deployment.ts'
import { History, processedBy, ROUNDS } from '../support/bank-history.ts'
import { hasClock } from '../support/clock.ts'
import { byLedger, settleHeld } from '../support/held.ts'
import { type Random, randomOf } from '../support/random.ts'
import { raiffeisenBank, type TestBank, tbankBank, tochkaBank } from '../support/test-banks.ts'

/** How many histories. */
const HISTORIES = Number(process.env.HISTORIES ?? 200)
/** The seed of the first one; the others follow it. */
const SEED = Number(process.env.SEED ?? 1)
/** How many share one service and one connector, their clock and their crashes. */
const BATCH = Number(process.env.BATCH ?? 200)
/** How many of them act at the same time. */
const IN_FLIGHT = 24

/** So often what the service has not delivered, and does not become less, is looked at. */
const MAX_READS = 60
const HOUR = 1
const MINUTE = HOUR / 60
/** When everything is looked at again after the last step, in hours: two days in the end. */
const REST = [0.2, 1.3, 2.5, 12, 24, 49]

const KINDS = [tochkaBank, tbankBank, raiffeisenBank] as const

/** The service and the connector, which the histories of a batch share. */
class Batch {
  readonly deployment: BankDeployment
  readonly histories: History[]
  readonly #random: Random
  #hours = 0
  /** Resolves when what was killed is up again. */
  #up: Promise<unknown> = Promise.resolve()
  kills = 0
  /** The refunds that the operator has decided. */
  settled = 0

  constructor(deployment: BankDeployment, histories: History[], seed: number) {
    this.deployment = deployment
    this.histories = histories
    this.#random = randomOf(seed)
  }

  /** Each history takes its steps; in the midst of them processes can be killed. */
  async round(index: number): Promise<void> {
    const random = this.#random
    // What was created in the first round can be paid in the second.
    this.#setClock(this.#hours + random.pick(index === 1 ? [0, 1, 1, 2] : [0, 1, 1, 2, 5, 20]) * MINUTE)
    const killed = random.weighted({ nothing: 4, service: 1, connector: 2, both: 1 })
    const killAt = random.below(this.histories.length)
    const isReconciled = random.chance(0.1)
    for (const history of this.histories) {
      const round = history.rounds[index]
      if (round) history.begin(round)
    }
    if (isReconciled) await this.deployment.connector.reconcile()
    let started = 0
    await inParallel(this.histories, async (history) => {
      if (started++ === killAt) this.#up = this.#kill(killed)
      for (const step of history.rounds[index]?.steps ?? []) {
        await this.#up
        await history.act(step)
      }
    })
    await this.#up
    await this.deployment.connector.kick()
  }

  async #kill(what: 'nothing' | 'service' | 'connector' | 'both'): Promise<void> {
    const { service, connector } = this.deployment
    const killed = { nothing: [], service: [service], connector: [connector], both: [service, connector] }[
      what
    ]
    await Promise.all(killed.map((each) => each.kill()))
    for (const each of killed) await each.start()
    this.kills += killed.length
  }

  /** The banks are well again, and time passes, until nothing moves any more. */
  async rest(): Promise<void> {
    const { deployment } = this
    await inParallel(this.histories, (history) => history.heal())
    const before = this.#hours
    for (const hours of REST) await this.#pass(before + hours)
    const commands = deployment.connector.commands()
    for (let decided = -1; decided !== 0; ) {
      decided = await settleHeld(deployment, commands, (held) => byLedger(deployment, held))
      this.settled += decided
      if (decided > 0) await this.#pass(this.#hours + 1.2 * HOUR)
    }
    commands.end()
  }

  /** The histories after which something is wrong. */
  async failures(): Promise<string[]> {
    // `reconcile` finds what the connector has lost: it is no excuse for losing it.
    const told = new Map<History, Awaited<ReturnType<History['told']>>>()
    await inParallel(this.histories, async (history) => void told.set(history, await history.told()))
    const { output } = await this.deployment.connector.reconcile(4)
    const processed = processedBy(this.deployment)
    const failures: string[] = []
    for (const [history, before] of told) {
      const problems = history.problems(before, history.untold(before, output, processed))
      if (problems.length > 0) failures.push([history, ...problems].join('\nPROBLEM '))
    }
    return failures
  }

  /** What stays due is seen in the end. */
  async #pass(hours: number): Promise<void> {
    const { service } = this.deployment
    this.kills += 2
    this.#hours = hours
    await passTo(this.deployment, hours)
    await becomesLess(MAX_READS, async () => {
      const untaken = await service.untaken()
      if (untaken > 0) await sleep(500)
      return untaken
    })
    await atRest(this.deployment, PATIENT_POLLS)
  }

  #setClock(hours: number): void {
    this.#hours = hours
    this.deployment.setClock(hours)
  }
}

async function inParallel<T>(values: readonly T[], work: (value: T) => Promise<void>): Promise<void> {
  const rest = values.values()
  const worker = async () => {
    for (const value of rest) await work(value)
  }
  await Promise.all(Array.from({ length: IN_FLIGHT }, worker))
}

/** Each history has a site and a bank of its own. */
async function batchOf(seeds: readonly number[]): Promise<Batch> {
  const sites: Sites = Object.fromEntries(seeds.map((seed) => [`site${seed}`, `bank${seed}`]))
  const moreBanks = (now: () => number): TestBank[] =>
    seeds.map((seed, i) => (KINDS[seed % 3] ?? tochkaBank)(`bank${seed}`, now, 1_000 + i))
  const deployment = await bankDeployment({ sites, moreBanks, hasClock: true })
  const histories = seeds.map((seed) => new History(deployment, `site${seed}`, seed))
  return new Batch(deployment, histories, seeds[0] ?? 0)
}

it.runIf(hasClock)(
  `in ${HISTORIES} random histories banks give back what merchants are told, and no payment is missing`,
  { timeout: 120_000 + HISTORIES * 5_000 },
  async () => {
    const total = { histories: 0, payments: 0, refunds: 0, settled: 0, troubles: 0, kills: 0 }
    for (let first = SEED; first < SEED + HISTORIES; first += BATCH) {
      const size = Math.min(BATCH, SEED + HISTORIES - first)
      const batch = await batchOf(Array.from({ length: size }, (_, i) => first + i))
      for (let index = 0; index < ROUNDS; index++) await batch.round(index)
      await batch.rest()
      const failures = await batch.failures()
      await batch.deployment.service.verify()
      await batch.deployment.end()
      total.histories += size
      total.kills += batch.kills
      total.settled += batch.settled
      for (const { bank, refunds } of batch.histories) {
        total.payments += bank.ledger().length
        total.refunds += refunds.length
        total.troubles += bank.fake.troubles.length
      }
      console.log(`SEED=${first} HISTORIES=${size}: ${failures.length} failures, ${JSON.stringify(total)}`)
      expect(failures.join('\n\n'), `SEED=${first} HISTORIES=${size} BATCH=${BATCH}`).toBe('')
    }
    // In so many histories each of these happens, or the generator does nothing.
    if (HISTORIES < 200) return
    expect(Object.entries(total).filter(([, count]) => count === 0)).toEqual([])
  },
)

// Histories of bound accounts that share a service and a connector, their clock, their crashes and their restores.
import { rmSync } from 'node:fs'
import { expect, vi } from 'vitest'
import { atRest, type Crash, crash, PATIENT_POLLS } from './bank-crashes.ts'
import { type BankDeployment, WAITING } from './bank-deployment.ts'
import { BankWorld } from './bank-world.ts'
import type { BindingHistory } from './binding-history.ts'
import { type Random, randomOf } from './random.ts'

/** Of each history in each round. */
const STEPS = 5
/** No charge can begin after that. */
const CHARGE_HOURS = 3
/** After so many hours everything is looked at again, one after another. */
const REST = [0.2, 1.2, 3.6, 21]
/** The same before a restored service goes on. */
const SHORT_REST = [0.2, 1.2, 3.6]
/** What is taken at once is taken by then; the rest waits for its next attempt. */
const SOON = { timeout: 10_000 }

/** What happens to service and connector after a round. */
export type Event =
  | Crash
  | 'answer late'
  | 'restore the connector'
  | 'restore the service'
  | 'lose the disk of the connector'
  | 'restore both'
  | 'lose both disks'

type Restore = Exclude<Event, Crash | 'answer late'>

export class BindingBatch extends BankWorld {
  /** How often each event has happened. */
  readonly #happened = new Map<Event, number>()
  readonly #random: Random

  constructor(deployment: BankDeployment, clubs: readonly BindingHistory[], seed: number) {
    super(deployment, { clubs })
    this.#random = randomOf(seed)
  }

  /** Each history takes its steps, in the midst of which the connector is killed; then the event happens. */
  async round(index: number, event: Event): Promise<void> {
    const { deployment, clubs: histories } = this
    this.advance(this.#random.pick([1, 2, 5, 20]) / 60)
    // What was asked for in the last round goes on, with banks that are as they were.
    await atRest(deployment)
    for (const history of histories) history.begin(index)
    const restore = await this.#backUp()
    const killAt = this.#random.below(histories.length)
    await Promise.all(
      histories.map(async (history, i) => {
        for (let step = 0; step < STEPS; step++) {
          if (i === killAt && step === 2) await this.#crash('kill the connector')
          await history.act(index, step)
        }
      }),
    )
    if (event === 'kill the connector' || event === 'kill the service' || event === 'kill both') {
      await this.#crash(event)
    } else if (event === 'answer late') {
      await this.#answerLate()
      this.#count(event)
    } else {
      await restore[event]()
      this.#count(event)
    }
    await deployment.connector.kick()
  }

  /** Waits up to a minute until the connector has what was asked for, and then until the banks have done it. */
  async goOn(): Promise<void> {
    await vi.waitFor(() => this.#expectTaken(), { timeout: 60_000 }).catch(() => {})
    await atRest(this.deployment, PATIENT_POLLS)
  }

  /** @returns what can be made of the copies, as docs/banks.md has it */
  async #backUp(): Promise<Record<Restore, () => Promise<void>>> {
    const { connector, service, now } = this.deployment
    // The time of a backup is that of its beginning.
    const time = now() - 1_000
    const copies = { connector: await connector.backUp(), service: service.backUp() }
    return {
      'restore the connector': () => connector.restore(copies.connector, time),
      'lose the disk of the connector': async () => {
        await connector.kill()
        rmSync(connector.data, { recursive: true })
        await connector.start()
      },
      // Nothing is open, everything is reported again, and then the service is resumed.
      'restore the service': async () => {
        await service.restore(copies.service)
        await this.rest(SHORT_REST)
        await connector.command('replay', '--from', new Date(time - 60_000).toISOString())
        await service.resume()
      },
      'restore both': async () => {
        await connector.kill()
        await service.restore(copies.service)
        await connector.restore(copies.connector, time)
        await service.resume()
        await this.#repeat()
      },
      'lose both disks': async () => {
        await Promise.all([service.kill(), connector.kill()])
        for (const { data } of [service, connector]) rmSync(data, { recursive: true })
        await service.start()
        await connector.start()
        await this.#repeat()
      },
    }
  }

  /** Merchants ask again for what neither disk has any more: nothing of it is made twice. */
  async #repeat(): Promise<void> {
    for (const history of this.clubs) await history.repeatCharges()
  }

  /** Charges have begun, and their time ends before the banks have said what is asked first. */
  async #answerLate(): Promise<void> {
    const { deployment, clubs: histories } = this
    // After a kill the service waits before it sends a charge.
    await this.pass(0.5)
    const answers = await Promise.all(histories.map((history) => history.chargeSlowly()))
    this.advance(CHARGE_HOURS + 0.1)
    for (const answer of answers) answer()
    await atRest(deployment)
  }

  async #crash(what: Crash): Promise<void> {
    await crash(this.deployment, what)
    this.#count(what)
  }

  #count(what: Event): void {
    this.#happened.set(what, (this.#happened.get(what) ?? 0) + 1)
  }

  /** The banks are well, and time passes until nothing moves any more; the operator decides what is held. */
  async rest(passes: readonly number[] = REST): Promise<void> {
    await this.heal()
    for (const [index, more] of passes.entries()) {
      await this.pass(more)
      // A service that is restored sends none.
      if (index === 1 && passes === REST) await this.#taken()
    }
    await this.decideHeld()
  }

  /**
   * Resolves when the connector has taken every charge and refund that the service has accepted. What it could not take is sent again
   * within an hour.
   */
  async #taken(): Promise<void> {
    for (let retries = 0; retries < 2; retries++) {
      const isTaken = await vi
        .waitFor(() => this.#expectTaken(), SOON)
        .then(
          () => true,
          () => false,
        )
      if (isTaken) return
      await this.pass(1.1)
    }
    await vi.waitFor(() => this.#expectTaken(), WAITING)
  }

  async #expectTaken(): Promise<void> {
    const { connector } = this.deployment
    const rows = connector.read('SELECT payment_uid AS uid FROM charges UNION SELECT refund_uid FROM refunds')
    const taken = new Set(rows.map(({ uid }) => uid))
    const waiting = (await Promise.all(this.clubs.map((history) => history.waiting()))).flat()
    await connector.kick()
    expect(waiting.filter((uid) => !taken.has(uid))).toEqual([])
  }

  /** What happened in all histories. */
  counts(): Record<string, number> {
    const counts = new Map<string, number>([...this.#happened, ['settled', this.settled]])
    for (const history of this.clubs)
      for (const [name, count] of Object.entries(history.counts))
        counts.set(name, (counts.get(name) ?? 0) + count)
    return Object.fromEntries(counts)
  }
}

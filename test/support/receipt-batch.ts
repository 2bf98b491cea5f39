// Histories of receipts that share a service and a connector, their clock, their crashes and their restores.
import { rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { atRest, becomesLess, type Crash, crash, PATIENT_POLLS, passTo } from './bank-crashes.ts'
import type { BankDeployment } from './bank-deployment.ts'
import { inParallel } from './bank-world.ts'
import { byLedger, settleHeld } from './held.ts'
import { type Random, randomOf } from './random.ts'
import type { ReceiptHistory } from './receipt-history.ts'

/** Of each history in each round. */
const STEPS = 8
/** After so many hours everything is looked at again, one after another: a document waits for a day at its register. */
const REST = [0.2, 1.2, 1.2, 12, 13, 25]
/** The same before a restored service goes on, and after other attempts. */
const SHORT_REST = [0.2, 1.2, 1.2]
/** What a register has not told of within it is held. */
const A_DAY = [1.2, 12, 13]
const MAX_READS = 60

export const EVENTS = [
  ...(['kill the service', 'kill both', 'restore the connector'] as const),
  ...(['restore the service', 'lose the disk of the connector'] as const),
]
export type Event = (typeof EVENTS)[number]

export class ReceiptBatch {
  readonly deployment: BankDeployment
  readonly histories: readonly ReceiptHistory[]
  readonly #random: Random
  #hours = 0

  constructor(deployment: BankDeployment, histories: readonly ReceiptHistory[], seed: number) {
    this.deployment = deployment
    this.histories = histories
    this.#random = randomOf(seed)
  }

  /** The merchants say what their receipts have, and the operator which cash register they have. */
  async open(): Promise<void> {
    await inParallel(this.histories, async ({ siteId, merchant, register }) => {
      // A site exists with its first write.
      await merchant.ask('/settings', { method: 'PUT', body: {} })
      await this.deployment.operator(siteId, '/cashRegister', { method: 'PUT', body: register.stated })
      const receipts = { vat: '22', default: true, ...register.settings }
      const { status, text } = await merchant.ask('/settings', { method: 'PATCH', body: { receipts } })
      expect([status, text]).toEqual([200, text])
    })
  }

  /** Each history takes its steps, in the midst of which the connector is killed; then the event happens. */
  async round(index: number, event: Event | undefined): Promise<void> {
    const { deployment, histories } = this
    this.#hours += this.#random.pick([1, 2, 5, 20, 60]) / 60
    deployment.setClock(this.#hours)
    // What a lost disk alone knew is lost with it: so nothing waits for its report then.
    await atRest(deployment, PATIENT_POLLS)
    for (const history of histories) history.begin(index)
    const restore = await this.#backUp()
    const killAt = this.#random.below(histories.length)
    let started = 0
    await inParallel([...histories], async (history) => {
      const isKilled = started++ === killAt
      for (let step = 0; step < STEPS; step++) {
        if (isKilled && step === 3) await crash(deployment, 'kill the connector')
        await history.act(index, step)
      }
    })
    if (event !== undefined) await restore(event)
    await deployment.connector.kick()
  }

  /** @returns what can be made of the copies, as docs/banks.md has it */
  async #backUp(): Promise<(event: Event) => Promise<void>> {
    const { connector, service, now } = this.deployment
    // The time of a backup is that of its beginning.
    const time = now() - 1_000
    const copies = { connector: await connector.backUp(), service: service.backUp() }
    return async (event) => {
      if (event === 'restore the connector') await connector.restore(copies.connector, time)
      else if (event === 'lose the disk of the connector') {
        await connector.kill()
        rmSync(connector.data, { recursive: true })
        await connector.start()
      } else if (event === 'restore the service') {
        await service.restore(copies.service)
        // Codes that are lost come back by the merchants' repeats, payments and documents by the connector's reports.
        await inParallel([...this.histories], (history) => history.repeatCreates())
        for (const more of SHORT_REST) await this.pass(more)
        await connector.command('replay', '--from', new Date(time - 60_000).toISOString())
        await service.resume()
        await inParallel([...this.histories], async (history) => {
          await history.repeatCreates()
          await history.repeatClosings()
        })
        await this.#endAll()
      } else await crash(this.deployment, event satisfies Crash)
    }
  }

  /**
   * What the restored service has lost is the connector's alone to tell, and a document that it made anew is of another time: each
   * refund and each document has its result before the connector loses it, too.
   */
  async #endAll(): Promise<void> {
    for (const history of this.histories) history.heal()
    for (const more of A_DAY) await this.pass(more)
    await this.#decideRefunds()
  }

  /** So many hours pass, and then everything that is due is done. */
  async pass(more: number): Promise<void> {
    const { service } = this.deployment
    this.#hours += more
    await passTo(this.deployment, this.#hours)
    await becomesLess(MAX_READS, async () => {
      const untaken = await service.untaken()
      if (untaken > 0) await sleep(500)
      return untaken
    })
    await atRest(this.deployment, PATIENT_POLLS)
  }

  /** The registers are well, and time passes until nothing moves any more; the merchants have failed documents made again. */
  async rest(): Promise<void> {
    for (const history of this.histories) history.heal()
    for (const more of REST) await this.#passDelivering(more)
    await this.#decideRefunds()
    // What fails is retried until nothing can be: a refund waits for the document of its sale.
    for (let retries = 0; retries < 3; retries++) {
      let made = 0
      await inParallel([...this.histories], async (history) => {
        const answers = await history.retryAll()
        made += answers.filter((answer) => answer.endsWith(' 202')).length
      })
      if (made === 0) break
      for (const more of SHORT_REST) await this.#passDelivering(more)
    }
    for (const more of A_DAY) await this.#passDelivering(more)
  }

  /** The same, and the registers send the webhooks that wait. */
  async #passDelivering(more: number): Promise<void> {
    await this.pass(more)
    await inParallel([...this.histories], ({ register }) => register.deliver())
    await atRest(this.deployment, PATIENT_POLLS)
  }

  /** After a restore refunds are held: the operator decides them by the banks' own databases. */
  async #decideRefunds(): Promise<void> {
    const commands = this.deployment.connector.commands()
    const decide = () => settleHeld(this.deployment, commands, (held) => byLedger(this.deployment, held))
    while ((await decide()) > 0) await this.#passDelivering(1.2)
    commands.end()
  }

  /** What happened in each history after which something is wrong, for a person. */
  async failures(): Promise<string[]> {
    const failures: string[] = []
    await inParallel([...this.histories], async (history) => {
      const problems = await history.problems()
      if (problems.length > 0) failures.push([history, ...problems].join('\nPROBLEM '))
    })
    return failures
  }
}

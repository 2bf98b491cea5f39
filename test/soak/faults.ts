// What goes wrong besides the banks: processes end, connections break, clocks step, disks fill up, servers of merchants fail.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import type { BankDeployment } from '../support/bank-deployment.ts'
import { commandOf } from '../support/command.ts'
import type { Random } from '../support/random.ts'
import { deleteAndRestore, LEAVER } from './leaver.ts'
import type { Receiver, ReceiverMood } from './receiver.ts'
import { diskFaults } from './small-disk.ts'
import { type Fault, Turns } from './turns.ts'

/** How long a connection, a disk or a receiver stays away, at most. */
const AWAY_MS = 6_000
/** How far a clock is corrected, at most. */
const MAX_CLOCK_STEP_S = 5
/** Of five in a second. */
const MAX_TRIES = 1_500
const MOODS: readonly [ReceiverMood, ...ReceiverMood[]] = ['well', 'slow', 'failing', 'gone']

export class Faults {
  readonly turns: Turns
  /** Resolves when everything that was ended is up again. */
  up: Promise<unknown> = Promise.resolve()
  /** How many times workerd was ended alone: the supervisor says so, and starts it again. */
  workerdKills = 0
  readonly #deployment: BankDeployment
  readonly #receivers: readonly Receiver[]
  readonly #random: Random
  #aheadSeconds = 0

  constructor(deployment: BankDeployment, receivers: readonly Receiver[], random: Random) {
    this.#deployment = deployment
    this.#receivers = receivers
    this.#random = random
    this.turns = new Turns(this.#lasting, this.#ends, random)
  }

  /** Something goes wrong, once the service answers again. @param canEnd whether processes may end */
  async happen(canEnd: boolean): Promise<void> {
    const { service } = this.#deployment
    // workerd may just be starting again, after an end of its own or a step of the clock.
    for (let tries = 0; !(await fetch(`${service.address}/healthz`).catch(() => undefined))?.ok; tries++) {
      if (tries === MAX_TRIES) throw new Error('the service does not start again')
      await sleep(200)
    }
    await this.turns.happen(canEnd)
  }

  /** Processes go on. */
  readonly #lasting: Record<string, Fault> = {
    ...diskFaults(() => this.#away()),
    'receivers change': async () => {
      for (const receiver of this.#receivers) receiver.mood = this.#random.pick(MOODS)
    },
    'the connector does not reach the service': async () => {
      const { service } = this.#deployment
      service.isReachable = false
      await this.#away()
      service.isReachable = true
    },
    'the service does not reach the connector': async () => {
      const { connector } = this.#deployment
      connector.isReachable = false
      await this.#away()
      connector.isReachable = true
    },
    'the clock goes forward': () => this.#stepClock(1),
    'a site is deleted and restored': () => {
      const { service, merchant } = this.#deployment
      const site = merchant(LEAVER)
      return deleteAndRestore({
        address: () => service.address ?? '',
        create: () => site.create('kept'),
        read: () => site.ask('/sbp/qrCodes/kept'),
      })
    },
    'a backup is taken': async () => {
      const to = `${this.#deployment.directory}/backup-${this.turns.counts.get('a backup is taken') ?? 0}`
      await this.#command('backup', '--data', this.#deployment.service.data, '--to', to)
      await this.#command('verify', '--data', to)
      rmSync(to, { recursive: true })
    },
  }

  /** Processes end, and start again. */
  readonly #ends: Record<string, Fault> = {
    'kill -9 of the service': () => this.#end('service', 'SIGKILL'),
    'kill -9 of workerd alone': async () => {
      const { workerd } = this.#deployment.service.pids
      if (!workerd) throw new Error('workerd does not run')
      process.kill(workerd, 'SIGKILL')
      this.workerdKills++
    },
    'kill -9 of the connector': () => this.#end('connector', 'SIGKILL'),
    'kill -9 of both': () => this.#end('both', 'SIGKILL'),
    'SIGTERM of the service': () => this.#end('service', 'SIGTERM'),
    'SIGTERM of the connector': () => this.#end('connector', 'SIGTERM'),
    // The supervisor ends a workerd whose timers would stand still.
    'the clock goes back': () => this.#stepClock(-1),
  }

  #end(what: 'service' | 'connector' | 'both', signal: 'SIGKILL' | 'SIGTERM'): Promise<unknown> {
    const { service, connector } = this.#deployment
    const ended = what === 'both' ? [service, connector] : [{ service, connector }[what]]
    const restart = async () => {
      await Promise.all(ended.map((each) => (signal === 'SIGKILL' ? each.kill() : each.stop())))
      for (const each of ended) await each.start()
    }
    this.up = restart()
    return this.up
  }

  async #stepClock(direction: number): Promise<void> {
    this.#aheadSeconds += direction * (1 + this.#random.below(MAX_CLOCK_STEP_S))
    this.#deployment.setClock(this.#aheadSeconds / 3600)
  }

  async #away(): Promise<void> {
    await sleep(1_000 + this.#random.below(AWAY_MS - 1_000))
  }

  /** Runs a command of the operator's beside the service. @throws Error with what it prints if it fails */
  async #command(name: string, ...args: string[]): Promise<void> {
    const child = spawn(process.execPath, [...commandOf(name), ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const ended = once(child, 'close')
    const printed = await Promise.all([text(child.stdout), text(child.stderr)])
    const [status] = await ended
    if (status !== 0) throw new Error(`${name} ends with ${status}: ${printed.join('')}`)
  }
}

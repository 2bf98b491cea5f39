// What goes wrong with a cluster: instances end, join and leave; their network and their bucket are cut, slow, away; their
// clocks step, their disk is full.
import { rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import type { Instance, TestCluster } from '../support/cluster.ts'
import { verifiedCopy } from '../support/cluster-command.ts'
import type { Random } from '../support/random.ts'
import { SECRET } from '../support/secret.ts'
import { type Site, siteAt } from '../support/site-at.ts'
import { deleteAndRestore, LEAVER } from './leaver.ts'
import { diskFaults } from './small-disk.ts'
import { type Fault, Turns } from './turns.ts'

const NAMES = ['a', 'b', 'c'] as const
/** It joins, and leaves again. */
const GUEST = 'd'
const SLOW_MS = 500
/** How long the bucket is slow, the disk full, or a guest there, at most. */
const LASTING_MS = 10_000
/** Longer than a lease. */
const CUT_MS = 12_000
const AWAY_MS = 20_000
/** With production's leases an instance stays at two seconds. */
const MIN_CLOCK_STEP_S = 3
/** Longer than a lease. */
const MAX_CLOCK_STEP_S = 15
/** An instance whose clock went back notices it only when the clock is where it was: until then no timer of workerd fires. */
const LEAVES_MS = 60_000
/** How often instances that have ended are looked for. */
const SUPERVISE_MS = 200

export class ClusterFaults {
  readonly turns: Turns
  /** Why instances ended that no fault had ended, and how often: on a machine that stands still for long, a lease is lost too. */
  readonly ownEnds = new Map<string, number>()
  readonly #cluster: TestCluster
  readonly #random: Random
  /** How many sites a backup has. */
  readonly #siteCount: number
  readonly #instances = new Map<string, Instance>()
  readonly #sites = new Map<string, Site>()
  /** Those that may end by themselves now. */
  #mayEnd = new Set<string>()

  private constructor(cluster: TestCluster, random: Random, siteCount: number) {
    this.#cluster = cluster
    this.#random = random
    this.#siteCount = siteCount
    this.turns = new Turns(this.#lasting, this.#ends, random)
  }

  /** Starts three instances. @param siteCount how many sites they have besides the leaver's */
  static async start(cluster: TestCluster, random: Random, siteCount: number): Promise<ClusterFaults> {
    const faults = new ClusterFaults(cluster, random, siteCount + 1)
    for (const name of NAMES) await faults.#start(name)
    // A backup can come before the turn of the leaver.
    await faults.site(LEAVER).create('kept')
    return faults
  }

  /** Those that run, or have ended and start again. */
  get instances(): Instance[] {
    return [...this.#instances.values()]
  }

  /** The address of one of them. */
  readonly address = (): string => this.#random.pick([this.first, ...this.instances.slice(1)]).address

  /** A site through one or another of them. */
  site(siteId: string): Site {
    const site = this.#sites.get(siteId) ?? siteAt(this.address, SECRET, siteId)
    this.#sites.set(siteId, site)
    return site
  }

  get first(): Instance {
    const [first] = this.#instances.values()
    if (!first) throw new Error('no instance runs')
    return first
  }

  /** Stops all instances, and fetches their sites. @returns the directory of the backup, which is verified */
  async backUp(): Promise<string> {
    await Promise.all(this.instances.map(stopped))
    return verifiedCopy(this.#cluster, this.#siteCount)
  }

  /** Starts an instance again that has ended by itself, as a supervisor does. */
  async supervise(): Promise<void> {
    for (const [name, instance] of this.#instances) {
      if (name === GUEST || instance.pid() !== undefined || this.#mayEnd.has(name)) continue
      this.#ended(instance)
      await this.#planned([name], () => this.#start(name))
    }
  }

  #ended(instance: Instance): void {
    const [, reason = 'no reason given'] = /leaving the cluster: (.+)/.exec(instance.log()) ?? []
    this.ownEnds.set(reason, (this.ownEnds.get(reason) ?? 0) + 1)
  }

  /** Processes go on. */
  readonly #lasting: Record<string, Fault> = {
    // What an instance has on its disk is a cache.
    ...diskFaults(() => this.#aWhile()),
    'the bucket is slow': async () => {
      this.#cluster.bucket.weather('all', { delayMs: SLOW_MS })
      await this.#aWhile()
      this.#cluster.bucket.weather('all')
    },
    'an instance joins, and leaves': async () => {
      await this.#start(GUEST)
      await this.#aWhile()
      const guest = this.#instances.get(GUEST)
      this.#instances.delete(GUEST)
      if (guest?.pid() !== undefined) await stopped(guest)
      else if (guest) this.#ended(guest)
    },
    'a site is deleted and restored': () => {
      const site = this.site(LEAVER)
      return deleteAndRestore({
        address: this.address,
        create: () => site.create('kept'),
        read: () => site.ask('/sbp/qrCodes/kept'),
      })
    },
    'an instance is not reached by the others': () => this.#cut([this.#random.pick(NAMES)]),
    'an instance reaches none of the others': () => {
      const alone = this.#random.pick(NAMES)
      return this.#cut(NAMES.filter((name) => name !== alone))
    },
  }

  /** Processes end, and start again. */
  readonly #ends: Record<string, Fault> = {
    'kill -9 of an instance': () => this.#restart((instance) => instance.kill()),
    'SIGTERM of an instance': () => this.#restart(stopped),
    'the clock of an instance goes forward': () => this.#restart((instance) => this.#stepClock(instance, 1)),
    'the clock of an instance goes back': () => this.#restart((instance) => this.#stepClock(instance, -1)),
    // Nothing copies a cluster that runs.
    'all instances stop for a backup': async () => {
      // One that the supervisor starts meanwhile would run beside it.
      while (this.instances.some((instance) => instance.pid() === undefined)) await sleep(SUPERVISE_MS)
      await this.#planned(NAMES, async () => {
        rmSync(await this.backUp(), { recursive: true })
        for (const name of NAMES) await this.#start(name)
      })
    },
    'an instance does not reach the bucket': () => this.#withoutBucket([this.#random.pick(NAMES)], CUT_MS),
    'the bucket is away': () => this.#withoutBucket(NAMES, AWAY_MS),
  }

  async #restart(end: (instance: Instance) => Promise<void>): Promise<void> {
    const name = this.#random.pick(NAMES)
    await this.#planned([name], async () => {
      const instance = this.#instances.get(name)
      if (instance?.pid() !== undefined) await end(instance)
      await this.#start(name)
    })
  }

  /** An instance leaves when its clock is not that of the bucket. */
  async #stepClock(instance: Instance, direction: 1 | -1): Promise<void> {
    const seconds = MIN_CLOCK_STEP_S + this.#random.below(MAX_CLOCK_STEP_S - MIN_CLOCK_STEP_S + 1)
    this.#cluster.setClock(instance.name, direction * seconds)
    await expect.poll(() => instance.pid(), { timeout: LEAVES_MS }).toBeUndefined()
    this.#cluster.setClock(instance.name, 0)
  }

  async #cut(names: readonly string[]): Promise<void> {
    for (const name of names) this.#cluster.network(name).cut()
    await sleep(CUT_MS)
    for (const name of names) this.#cluster.network(name).heal()
  }

  async #withoutBucket(names: readonly string[], ms: number): Promise<void> {
    await this.#planned(names, async () => {
      for (const name of names) this.#cluster.bucket.weather(name, { fault: () => 'silent' })
      await sleep(ms)
      for (const name of names) this.#cluster.bucket.weather(name)
      for (const name of names) await this.#ready(name)
    })
  }

  async #planned(names: readonly string[], work: () => Promise<void>): Promise<void> {
    this.#mayEnd = this.#mayEnd.union(new Set(names))
    await work()
    this.#mayEnd = this.#mayEnd.difference(new Set(names))
  }

  async #start(name: string): Promise<void> {
    for (;;) {
      const started = await this.#cluster.join(name).catch(() => undefined)
      if (started) return void this.#instances.set(name, started)
      await sleep(SUPERVISE_MS)
    }
  }

  /** Starts an instance again if it ends before it holds its lease. */
  async #ready(name: string): Promise<void> {
    for (;;) {
      const instance = this.#instances.get(name)
      if (instance?.pid() === undefined) return this.#start(name)
      if (await instance.isReady()) return
      await sleep(SUPERVISE_MS)
    }
  }

  #aWhile(): Promise<void> {
    return sleep(1_000 + this.#random.below(LASTING_MS - 1_000))
  }
}

/** Stops an instance; one that is ending by itself does not drain. */
const stopped = (instance: Instance): Promise<void> => instance.stop().catch(() => instance.kill())

// Learns from the lists of the service what this disk does not know: every hour, and after a reload.
import * as z from 'zod'
import { learnReceipts } from '../cash-registers/waiting.ts'
import type { Core, OpenSite } from '../core.ts'
import { learnBindings } from '../links/bindings/lists.ts'
import { LIST_MS, learn } from '../links/codes/lookup.ts'
import { messageOf } from '../log.ts'
import { Jobs } from '../work/jobs.ts'
import { DAY_MS, isDue } from '../work/schedule.ts'
import { ListFailed, listCodes } from './service.ts'
import { learnCharges, learnRefunds } from './waiting-lists.ts'

const LEARN_MS = 3_600_000

/** Whether other lists of the site are still asked for: not where the service does not answer, or has deleted the site. */
const isOfOneList = (error: unknown): boolean =>
  error instanceof z.ZodError || (error instanceof ListFailed && !error.isDeleted)

export class Learning {
  readonly #core: Core
  readonly #jobs: Jobs
  #dueAt = 0
  /** The sites whose lists were read last: a reload puts others in their place. */
  #learnedOf: Core['sites'] | undefined

  constructor(core: Core) {
    this.#core = core
    this.#jobs = new Jobs(1, core.log)
  }

  /** Starts what is due. */
  tick(): void {
    const now = this.#core.platform.now()
    if (isDue(this.#dueAt, now, LEARN_MS) || this.#core.sites !== this.#learnedOf)
      this.#jobs.start('learn', () => this.#learn(now))
  }

  settled(): Promise<void> {
    return this.#jobs.settled()
  }

  /** Puts codes that were registered from another disk into the queue; refunds and charges that it may have sent become HELD. */
  async #learn(now: number): Promise<void> {
    const { sites, disk, log } = this.#core
    this.#learnedOf = sites
    let dueAt = now + LEARN_MS
    for (const site of sites.values()) {
      try {
        await this.#learnFrom(site, now)
        disk.payerData.siteExists(site.siteId)
      } catch (error) {
        if (error instanceof ListFailed && error.isDeleted) disk.payerData.siteDeleted(site.siteId, false)
        log('warning', 'the lists of the service were not read', {
          site: site.siteId,
          error: messageOf(error),
        })
        // The delay is longer for a service that does not have these lists than for one that is down, or restored and not resumed.
        if (!(error instanceof ListFailed && error.status < 500 && error.status !== 409)) dueAt = now + 60_000
      }
    }
    this.#dueAt = dueAt
  }

  /**
   * Reads the lists of old instructions first: until they are on disk some instructions are not taken. A list that the service does not give keeps
   * no other from being read.
   * @throws the first failure
   */
  async #learnFrom(site: OpenSite, now: number): Promise<void> {
    const failures: unknown[] = []
    for (const learnList of [
      () => learnRefunds(this.#core, site),
      () => this.#learnSince(site, 'bindings', now, learnBindings),
      () => learnCharges(this.#core, site),
      () => learnReceipts(this.#core, site),
      () => this.#learnSince(site, 'codes', now, learnCodes),
    ]) {
      await learnList().catch((error: unknown) => {
        if (!isOfOneList(error)) throw error
        failures.push(error)
      })
    }
    if (failures.length > 0) throw failures[0]
  }

  /** Each list has a time of its own: one that is never given does not make the others long. */
  async #learnSince(
    site: OpenSite,
    list: 'bindings' | 'codes',
    now: number,
    learnList: (core: Core, site: OpenSite, since: number) => Promise<void>,
  ): Promise<void> {
    const { meta } = this.#core.disk
    const key = `learnedAt:${list}:${site.siteId}`
    // This disk knows nothing of a new site. So the bank is also asked, once, about codes that ended long ago.
    // Version 0.3.0 kept one time for all lists of a site.
    const learnedAt = meta.get(key) ?? meta.get(`learnedAt:${site.siteId}`) ?? now - LIST_MS
    const since = Math.min(Number(learnedAt), now - DAY_MS)
    await learnList(this.#core, site, since)
    meta.set(key, String(now))
  }
}

async function learnCodes(core: Core, site: OpenSite, since: number): Promise<void> {
  for await (const code of listCodes(core, site, since)) learn(core, site, code)
}

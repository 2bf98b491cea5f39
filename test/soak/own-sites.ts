// Test sites beside the live ones: links of the service itself, the sandbox bank, and everything that their callers do.
import { setTimeout as sleep } from 'node:timers/promises'
import { SiteAnswer } from '../../src/contract/site.ts'
import type { BankDeployment } from '../support/bank-deployment.ts'
import { MixedLoad } from '../support/mixed-load.ts'
import { SECRET } from '../support/secret.ts'
import { asOperator } from '../support/serve.ts'
import { siteAt } from '../support/site-at.ts'

const SITE_IDS = ['own-test', 'kiosk-test']
/** A caller rests so long between two orders. */
const PAUSE_MS = 400
const MAX_REST_S = 180

export class OwnSites {
  readonly #load: MixedLoad
  readonly #reached: ReturnType<typeof reachedOf>

  private constructor(load: MixedLoad, reached: ReturnType<typeof reachedOf>) {
    this.#load = load
    this.#reached = reached
  }

  static async start({ service }: BankDeployment, seed: number): Promise<OwnSites> {
    const reached = reachedOf(service)
    const load = await MixedLoad.start({
      ...{ instances: () => [reached], siteIds: SITE_IDS, clients: 2, seed, pauseMs: PAUSE_MS },
    })
    return new OwnSites(load, reached)
  }

  get acknowledged(): number {
    return this.#load.acknowledged
  }

  /**
   * Ends the callers, and waits at most three minutes until nothing of these sites is on its way. Later the clock is set, and then
   * the merchants' servers refuse signatures that are too old or too new.
   */
  async end(): Promise<void> {
    await this.#load.end()
    for (let seconds = 0; seconds < MAX_REST_S && (await this.#isBusy().catch(() => true)); seconds++)
      await sleep(1000)
  }

  async #isBusy(): Promise<boolean> {
    for (const siteId of SITE_IDS) {
      const answer = await asOperator(this.#reached, `/sites/${siteId}`)
      const { notifications, instructions } = SiteAnswer.parse(await answer.json())
      if (notifications.pending + instructions.pending > 0) return true
    }
    return false
  }

  problems(): Promise<string[]> {
    return this.#load.problems(this.#reached)
  }
}

/** The service, whose address changes with each start. */
const reachedOf = (service: BankDeployment['service']) => ({
  get address(): string {
    return service.address ?? 'http://127.0.0.1:9'
  },
  site(siteId: string) {
    return siteAt(() => this.address, SECRET, siteId)
  },
})

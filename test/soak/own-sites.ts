// Test sites beside the live ones: links of the service itself, the sandbox bank, and everything that their callers do.
import type { BankDeployment } from '../support/bank-deployment.ts'
import { MixedLoad } from '../support/mixed-load.ts'
import { SECRET } from '../support/secret.ts'
import { siteAt } from '../support/site-at.ts'

const SITE_IDS = ['own-test', 'kiosk-test']
/** A caller rests so long between two orders. */
const PAUSE_MS = 400

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

  end(): Promise<void> {
    return this.#load.end()
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

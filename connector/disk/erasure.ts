// Erases payers' personal data: of sites whose data the service has deleted, and all that is older than is kept.
import type { Core } from '../core.ts'
import { DAY_MS, isDue } from '../work/schedule.ts'
import type { DeletedSite } from './payer-data.ts'

interface Pass {
  /** The row behind which it goes on. */
  from: number
  before: number
  changes: number
  sites: readonly DeletedSite[]
}

export class Erasure {
  readonly #core: Core
  /** The pass through the tables, while it lasts. */
  #pass: Pass | undefined
  /** When all is looked through for what has become old. */
  #nextPass = 0
  #isLogFull = false

  constructor(core: Core) {
    this.#core = core
  }

  /** A part of a pass: requests are served between two. */
  tick(): void {
    const { disk } = this.#core
    this.#pass ??= this.#begun()
    if (this.#pass) this.#goOn(this.#pass)
    // Erased bytes are in the log until it is emptied.
    else if (this.#isLogFull) this.#isLogFull = !disk.payerData.emptyLog()
  }

  async settled(): Promise<void> {}

  #begun(): Pass | undefined {
    const { disk, platform, retentionDays } = this.#core
    const now = platform.now()
    const sites = disk.payerData.sitesToErase()
    const isPassDue = retentionDays !== undefined && isDue(this.#nextPass, now, DAY_MS)
    if (sites.length === 0 && !isPassDue) return
    this.#nextPass = now + DAY_MS
    return {
      from: 0,
      before: retentionDays === undefined ? 0 : now - retentionDays * DAY_MS,
      changes: 0,
      sites,
    }
  }

  #goOn(pass: Pass): void {
    const { disk, log } = this.#core
    const { changes, next } = disk.payerData.eraseBehind(pass.from, pass.before)
    pass.changes += changes
    if (next !== undefined) {
      pass.from = next
      return
    }
    this.#pass = undefined
    for (const site of pass.sites) disk.payerData.siteErased(site)
    if (pass.changes === 0) return
    this.#isLogFull = !disk.payerData.emptyLog()
    log('info', 'payers’ data were erased', {
      rows: pass.changes,
      deletedSites: pass.sites.map(({ site }) => site).join(' '),
    })
  }
}

// Asks banks about bindings: whether the customer has agreed, and whether one that was agreed to has ended.
import { askBinding } from './bindings.ts'
import type { Core } from './core.ts'
import type { BindingRow } from './disk/bindings.ts'
import { Jobs } from './jobs.ts'
import { messageOf } from './log.ts'
import { intervalAt } from './schedule.ts'

const BATCH = 50
const PER_BANK = 4

export class BindingRunner {
  readonly #core: Core
  /** Of each bank: one that is down does not delay the others. */
  readonly #jobs: ReadonlyMap<string, Jobs>

  constructor(core: Core) {
    this.#core = core
    this.#jobs = new Map(Array.from(core.banks.keys(), (name) => [name, new Jobs(PER_BANK, core.log)]))
  }

  /** Starts what is due. */
  tick(): void {
    const { disk, platform } = this.#core
    for (const [bank, jobs] of this.#jobs) {
      for (const binding of disk.bindings.due(bank, platform.now(), BATCH)) {
        jobs.start(JSON.stringify([binding.site, binding.bindingUid]), () => this.#ask(binding))
      }
    }
  }

  async settled(): Promise<void> {
    await Promise.all(Array.from(this.#jobs.values(), (jobs) => jobs.settled()))
  }

  async #ask(row: BindingRow): Promise<void> {
    const { banks, disk, platform, log } = this.#core
    const open = banks.get(row.bank)
    if (!open) return
    try {
      await askBinding(this.#core, open, row)
    } catch (error) {
      const { site, bank, bindingUid } = row
      log('warning', 'a bank did not state a binding', { site, bank, bindingUid, error: messageOf(error) })
      const now = platform.now()
      disk.bindings.asked(row, row.askedAt, now + intervalAt(now - row.createdAt))
    }
  }
}

// Asks banks about bindings: whether the customer has agreed, and whether one that was agreed to has ended.
import { askBinding, soonest } from './bindings.ts'
import type { Core } from './core.ts'
import type { BindingRow } from './disk/bindings.ts'
import { JobsByName } from './jobs.ts'
import { messageOf } from './log.ts'
import { intervalAt } from './schedule.ts'

const BATCH = 50
const PER_BANK = 4

export class BindingRunner {
  readonly #core: Core
  readonly #jobs: JobsByName

  constructor(core: Core) {
    this.#core = core
    this.#jobs = new JobsByName(PER_BANK, core.log)
  }

  /** Starts what is due. */
  tick(): void {
    const { banks, disk, platform } = this.#core
    for (const bank of banks.keys()) {
      for (const binding of disk.bindings.due(bank, platform.now(), BATCH)) {
        this.#jobs
          .of(bank)
          .start(JSON.stringify([binding.site, binding.bindingUid]), () => this.#ask(binding))
      }
    }
  }

  settled(): Promise<void> {
    return this.#jobs.settled()
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
      const isWoken = disk.bindings.get(row)?.askAt !== row.askAt
      const askAt = now + intervalAt(now - row.createdAt)
      disk.bindings.asked(row, now, isWoken ? soonest(askAt, now) : askAt)
    }
  }
}

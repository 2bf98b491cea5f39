// Asks banks about bindings: whether the customer has agreed, and whether one that was agreed to has ended.
import type { Core } from '../../core.ts'
import { messageOf } from '../../log.ts'
import { QueueRunner } from '../../work/runner.ts'
import { intervalAt, MISSING_BANK_MS } from '../../work/schedule.ts'
import { askBinding } from './bindings.ts'
import type { BindingRow } from './rows.ts'

const PER_BANK = 4

export class BindingRunner extends QueueRunner<BindingRow> {
  constructor(core: Core) {
    super(core, core.disk.bindings.queue, { perLane: PER_BANK })
  }

  protected async run(row: BindingRow): Promise<void> {
    const { banks, disk, platform, log } = this.core
    const open = banks.get(row.bank)
    if (!open) {
      const now = platform.now()
      return disk.bindings.queue.delay(row, { now, dueAt: now + MISSING_BANK_MS })
    }
    try {
      await askBinding(this.core, open, row)
    } catch (error) {
      const { site, bank, bindingUid } = row
      log('warning', 'a bank did not state a binding', { site, bank, bindingUid, error: messageOf(error) })
      const now = platform.now()
      disk.bindings.queue.delay(row, { now, dueAt: now + intervalAt(now - row.createdAt) })
    }
  }
}

// Cancellation of links: on disk until the bank says that nobody can pay the link any more (contract, section 14).
import * as z from 'zod'
import { bankOf, type Core, type OpenBank } from '../../core.ts'
import { messageOf } from '../../log.ts'
import { QueueRunner } from '../../work/runner.ts'
import { intervalAt, MISSING_BANK_MS } from '../../work/schedule.ts'
import { type Answer, unavailable } from '../codes/registers.ts'
import type { CancellationRow } from './rows.ts'

/** The state of a cancelled link is requested once more: a payment may have come before the cancellation. */
const AFTER_CANCEL_MS = 60_000

export const Cancel = z.object({ siteId: z.string(), qrcId: z.string(), reference: z.string().optional() })

export class Cancellations extends QueueRunner<CancellationRow> {
  constructor(core: Core) {
    super(core, core.disk.cancellations.queue)
  }

  protected async run(row: CancellationRow): Promise<void> {
    const { log } = this.core
    const found = bankOf(this.core, row.reference)
    try {
      if (found?.bank) await this.#cancel(found.bank, row)
      else this.#delay(row, MISSING_BANK_MS)
    } catch (error) {
      const { site, qrcId } = row
      log('warning', 'a step of a cancellation failed', { site, qrcId, error: messageOf(error) })
      this.#delay(row)
    }
  }

  /** No call of a bank that can refund is used: where the bank cannot cancel, the link lives until it expires. */
  async cancel({ siteId: site, qrcId, reference: given }: z.output<typeof Cancel>): Promise<Answer> {
    const { disk, platform, log } = this.core
    const reference = disk.codes.ofSite(site, qrcId)?.reference ?? given
    const found = bankOf(this.core, reference)
    if (reference === undefined || !found) {
      log('warning', 'a code to cancel is unknown', { site, qrcId })
      return { status: 204 }
    }
    if (!found.bank) return unavailable(`the connector has no bank ${found.name}`)
    // No bank states how a link that only binds an account is cancelled: a consent that comes is a fact.
    const isOnlyBinding = found.rest === '' && found.request !== undefined
    if (!found.bank.bank.cancel || isOnlyBinding) return { status: 204 }
    const now = platform.now()
    const row = disk.cancellations.put(
      { site, qrcId, reference, bank: found.name, since: now },
      now + intervalAt(0),
    )
    return (await this.#cancel(found.bank, row))
      ? { status: 204 }
      : unavailable('the bank has not confirmed it: it is sent again')
  }

  /** @returns whether nobody can pay the link any more */
  async #cancel(open: OpenBank, row: CancellationRow): Promise<boolean> {
    const { disk, platform, log } = this.core
    const { site, qrcId } = row
    const code = disk.codes.ofSite(site, qrcId)
    const end = await this.#endOf(open, row)
    const now = platform.now()
    if (end === undefined) {
      this.#delay(row)
      log('warning', 'a cancellation is not confirmed', { site, bank: open.name, qrcId })
      return false
    }
    disk.transaction(() => {
      disk.cancellations.done(row)
      const state = disk.codes.ofSite(site, qrcId)?.state
      if (!code || state === 'PAID') return
      if (end === 'CANCELLED') disk.codes.cancelled(code.id, now, now + AFTER_CANCEL_MS)
      // The link is paid, or has ended: the bank is asked at once.
      else if (state === 'OPEN') disk.codes.wake(code.id, now)
    })
    return true
  }

  #delay(row: CancellationRow, delayMs?: number): void {
    const { disk, platform } = this.core
    const now = platform.now()
    disk.cancellations.delay(row, { now, dueAt: now + (delayMs ?? intervalAt(now - row.since)) })
  }

  /** Whether the bank has cancelled it, or states another end; undefined if neither is known. */
  async #endOf(open: OpenBank, { site, qrcId, reference, since }: CancellationRow) {
    const { disk, log } = this.core
    const row = disk.codes.ofSite(site, qrcId)
    const code = {
      // The stricter rule holds for a code of an unknown type.
      type: row?.type ?? ('STATIC' as const),
      qrcId,
      reference: bankOf(this.core, reference)?.rest ?? '',
      amount: row?.amount ?? undefined,
      createdAt: row?.createdAt ?? since,
    }
    let isConfirmed = false
    try {
      await open.bank.cancel?.(code)
      isConfirmed = true
    } catch (error) {
      log('warning', 'a code was not cancelled', { site, bank: open.name, qrcId, error: messageOf(error) })
    }
    if (isConfirmed && !open.bank.isClosed) return 'CANCELLED' as const
    // Whatever the answer was, only the state of the link says whether it can be paid: a gateway can answer 200, too.
    const isClosed = await open.bank.isClosed?.(code).catch((error: unknown) => {
      log('warning', 'the state of a link was not read', {
        site,
        bank: open.name,
        qrcId,
        error: messageOf(error),
      })
      return false
    })
    if (!isClosed) return
    return isConfirmed ? ('CANCELLED' as const) : ('ENDED' as const)
  }
}

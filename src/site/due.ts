// What the alarm of a site does: records ends, deletes old rows, applies payments that came before their QR code.
import type { Outcome } from '../errors.ts'
import { removeExpired } from './access/sessions.ts'
import { nextEnd, openSaleForWrite, qrCodeAt, qrCodeForWrite, recordTokenEnd } from './clock.ts'
import type { Context } from './context.ts'
import { recordEnds } from './ends.ts'
import { deleteEnded } from './outbox/outbox.ts'
import { ok } from './outcomes.ts'
import { applyRemaining } from './payments/early-payments.ts'
import { nextSweep, sweep } from './qr-codes/retention.ts'
import { findQrCode, type QrCodeKey } from './qr-codes/rows.ts'
import { eraseContacts } from './receipts/contacts.ts'
import { endWaits } from './receipts/waiting.ts'
import { settlements } from './settlements/load.ts'
import { type Milliseconds, toMilliseconds } from './time.ts'
import { tokenRows } from './tokens/rows.ts'

/** How ends are read and written. */
interface Access {
  read<T>(operation: (context: Context) => T): T
  /** @param isOwn whether the object itself writes; `now` is the time of the context */
  write(operation: (context: Context, now: Milliseconds) => void, isOwn: boolean): Promise<Outcome<void>>
}

/** What is due on a site. */
export class Due {
  readonly #access: Access
  #recording: Promise<Outcome<void>> | undefined

  constructor(access: Access) {
    this.#access = access
  }

  /**
   * Does what is due, in one write; more than it does follows by the next alarm. Calls at the same time share the write, so that
   * no transaction records more than one part.
   * @returns service.unavailable if the queue is full, which a write of the object itself never finds
   * @throws Error where a part of it cannot be done; every other part is done
   */
  record(isOwn = false): Promise<Outcome<void>> {
    this.#recording ??= this.#recordAll(isOwn).finally(() => {
      this.#recording = undefined
    })
    return this.#recording
  }

  async #recordAll(isOwn: boolean): Promise<Outcome<void>> {
    const parts = await this.#parts()
    let current: Part | undefined
    const recordDue = (context: Context, now: Milliseconds) => {
      for (const part of parts) {
        current = part
        part(context, now)
      }
      current = undefined
    }
    try {
      return await this.#access.write(recordDue, isOwn)
    } catch (error) {
      // What fails undoes its own write alone.
      for (const part of parts.filter((each) => each !== current)) {
        await this.#access.write(part, isOwn).catch(() => {})
      }
      throw error
    }
  }

  /** All that is due, in the order of one write. The module of settlements is loaded before it: no transaction waits. */
  async #parts(): Promise<readonly Part[]> {
    if (!this.#access.read(({ memory }) => memory.hasSettlements)) return [...PARTS, ...CLEANING]
    const { workOnSettlements } = await settlements()
    // Before the sweep, which is not due any more after it: a cluster limits the pages of a commit, and each of both can take most of them.
    const settle: Part = (context, now) => {
      const sweepAt = nextSweep(context.sql)
      if (sweepAt === undefined || sweepAt > now) workOnSettlements(context, now)
    }
    return [...PARTS, settle, ...CLEANING]
  }

  /** The same, unless no end is due. */
  async recordEnds(): Promise<Outcome<void>> {
    return this.#access.read(isEndDue) ? this.record() : ok(undefined)
  }

  /** Records the ends of a QR code, of its tokens and of its sale that are due. */
  async recordEndsOf(key: QrCodeKey): Promise<Outcome<void>> {
    if (!this.#access.read((context) => isEndOfDue(context, key))) return ok(undefined)
    return this.#access.write((context) => recordEndsOf(context, key), false)
  }
}

function isEndDue({ sql, now }: Context): boolean {
  const next = nextEnd(sql)
  return next !== undefined && next <= toMilliseconds(now)
}

function isEndOfDue({ sql, now }: Context, key: QrCodeKey): boolean {
  const row = findQrCode(sql, key)
  return row !== undefined && qrCodeAt(row, now).version !== row.version
}

function recordEndsOf(context: Context, key: QrCodeKey): void {
  const row = qrCodeForWrite(context, key)
  if (!row) return
  for (const token of tokenRows(context.sql, 'WHERE tokens.qr_code = ?', row.number)) {
    recordTokenEnd(context, token)
  }
  openSaleForWrite(context, row)
}

/** A part of the alarm: it does some of its work, and the next alarm goes on. @param now the same time as the context's */
type Part = (context: Context, now: Milliseconds) => void

const PARTS: readonly Part[] = [
  (context) => recordEnds(context),
  applyRemaining,
  (context) => {
    if (context.memory.hasReceipts) endWaits(context)
  },
  ({ sql }, now) => deleteEnded(sql, now),
]
const CLEANING: readonly Part[] = [
  sweep,
  ({ sql, now }) => removeExpired(sql, now),
  (context) => {
    if (context.memory.hasReceipts) eraseContacts(context)
  },
]

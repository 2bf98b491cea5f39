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
import { nextErasure } from './receipts/contacts.ts'
import { endWaits } from './receipts/waiting.ts'
import { settlements } from './settlements/load.ts'
import { nextSettlementWork } from './settlements/next-work.ts'
import { type Milliseconds, toMilliseconds } from './time.ts'
import { tokenRows } from './tokens/rows.ts'

/** How ends are read and written. */
interface Access {
  /** `now` is the time of the context. */
  read<T>(operation: (context: Context, now: Milliseconds) => T): T
  /** @param isOwn whether the object itself writes */
  write(operation: (context: Context, now: Milliseconds) => void, isOwn: boolean): Promise<Outcome<void>>
}

/** Loads the parts that are modules. */
interface Loads {
  settle(): Promise<Part>
  erase(): Promise<Part>
}

/** What is due on a site. */
export class Due {
  readonly #access: Access
  readonly #loads: Loads
  #recording: Promise<Outcome<void>> | undefined

  constructor(access: Access, loads: Loads = { settle, erase }) {
    this.#access = access
    this.#loads = loads
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

  /** All that is due, in the order of one write. Modules are loaded before it, and only for what is due: no transaction waits. */
  async #parts(): Promise<readonly Part[]> {
    const due = this.#access.read(({ sql, memory }, now) => ({
      settling: memory.hasSettlements && isBy(now, nextSettlementWork(sql)),
      erasing: memory.hasReceipts && isBy(now, nextErasure(sql)),
    }))
    return [
      ...PARTS,
      // Before the sweep, which is not due any more after it: a cluster limits the pages of a commit, and each of both can take most of them.
      ...(due.settling ? [await loaded(this.#loads.settle)] : []),
      ...CLEANING,
      ...(due.erasing ? [await loaded(this.#loads.erase)] : []),
    ]
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
const CLEANING: readonly Part[] = [sweep, ({ sql, now }) => removeExpired(sql, now)]

const isBy = (now: Milliseconds, at: Milliseconds | undefined): boolean => at !== undefined && at <= now

/** A part of a module. One that cannot be loaded fails alone: every other part is done. */
const loaded = (load: () => Promise<Part>): Promise<Part> =>
  load().catch((error: unknown) => () => {
    throw error
  })

async function settle(): Promise<Part> {
  const { workOnSettlements } = await settlements()
  return (context, now) => {
    if (!isBy(now, nextSweep(context.sql))) workOnSettlements(context, now)
  }
}

async function erase(): Promise<Part> {
  const { eraseContacts } = await settlements()
  return (context) => eraseContacts(context)
}

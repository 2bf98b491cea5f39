// The Durable Object: the books of one merchant site, and their only writer.
import { DurableObject } from 'cloudflare:workers'
import type { QrCodeOrder } from '../contract/qr-code.ts'
import type { Outcome } from '../errors.ts'
import { groupCommit } from './group-commit.ts'
import { type Created, createQrCode } from './qr-codes.ts'
import { migrate } from './schema.ts'

export class Site extends DurableObject {
  readonly #commits = groupCommit()
  #migrated = false

  /** Creates a QR code, or replays it; see createQrCode. */
  create(order: QrCodeOrder, payload: string): Promise<Outcome<Created>> {
    return this.#write((now) => createQrCode(this.ctx.storage.sql, order, payload, now))
  }

  /** Runs an operation, whole or not at all, in a turn that it shares with others. */
  async #write<T>(operation: (now: number) => Outcome<T>): Promise<Outcome<T>> {
    const outcome = this.#commits.run(() => {
      this.#migrateOnce()
      return this.ctx.storage.transactionSync(() => operation(now()))
    })
    return (
      outcome ?? { ok: false, code: 'service.unavailable', description: 'too many calls wait for the site' }
    )
  }

  #migrateOnce(): void {
    if (this.#migrated) return
    migrate(this.ctx.storage)
    this.#migrated = true
  }
}

/** Unix seconds: the site's only look at the clock. */
const now = () => Math.floor(Date.now() / 1000)

// The Durable Object: the books of one merchant site, and their only writer.
import { DurableObject } from 'cloudflare:workers'
import type { QrCodeOrder } from '../contract/qr-code.ts'
import type { Outcome } from '../errors.ts'
import { type Created, createQrCode } from './qr-codes.ts'
import { migrate } from './schema.ts'

export class Site extends DurableObject {
  #migrated = false

  /** Creates a QR code, or replays it; see createQrCode. */
  async create(order: QrCodeOrder, payload: string): Promise<Outcome<Created>> {
    this.#migrateOnce()
    return createQrCode(this.ctx.storage.sql, order, payload, now())
  }

  #migrateOnce(): void {
    if (this.#migrated) return
    migrate(this.ctx.storage)
    this.#migrated = true
  }
}

/** Unix seconds: the site's only look at the clock. */
const now = () => Math.floor(Date.now() / 1000)

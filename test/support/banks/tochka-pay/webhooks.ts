// The webhooks of the fake Pay Gateway: each is kept as it was signed, so that it can come late, again and in another order.
import type { Delivery, WebhookPost } from '../fake-bank.ts'
import type { PayKeys } from './keys.ts'

/** As it was signed: an older one states an older state. */
export interface PayEvent {
  event: 'payment-updated' | 'refund-updated' | 'sbp-token-issued' | 'sbp-token-declined'
  /** The paymentUid, the refundUid, or the qrcId of the consent. */
  id: string
  qrcId: string
  callbackUrl: string | undefined
  jwt: string
}

const PAYLOADS = {
  'payment-updated': 'payment',
  'refund-updated': 'refund',
  'sbp-token-issued': 'sbp-tokenization-decision',
  'sbp-token-declined': 'sbp-tokenization-decision',
} as const

const TEXT = { 'content-type': 'text/plain' }

export class PayWebhooks {
  readonly all: PayEvent[] = []
  /** In which order several of them go out. */
  order: 'made' | 'reversed' = 'made'
  /** Where the bank sends those without a callbackUrl. */
  siteUrl: string | undefined
  /** Where all of them go, whatever the operations say. */
  to: string | undefined
  readonly #keys: PayKeys
  readonly #post: (post: WebhookPost, delivery: Delivery) => Promise<void>
  readonly #sending = new Set<Promise<void>>()

  constructor(keys: PayKeys, post: (post: WebhookPost, delivery: Delivery) => Promise<void>) {
    this.#keys = keys
    this.#post = post
  }

  /** Signs a webhook of the present state. @param more fields of the envelope */
  make(event: Omit<PayEvent, 'jwt'>, payload: object, more: object): PayEvent {
    const envelope = { version: '1.0', ...more, event: event.event, payloadType: PAYLOADS[event.event] }
    const made = { ...event, jwt: this.#keys.jwt({ ...envelope, payload }) }
    this.all.push(made)
    return made
  }

  of(id: string): PayEvent[] {
    return this.all.filter((each) => each.id === id || each.qrcId === id)
  }

  async send(events: readonly PayEvent[], delivery: Delivery): Promise<void> {
    for (const each of this.order === 'made' ? events : events.toReversed()) {
      const url = this.to ?? each.callbackUrl ?? this.siteUrl
      if (url === undefined) continue
      await this.#post({ code: each.qrcId, url, body: each.jwt, headers: TEXT }, delivery)
    }
  }

  /** Sends them after the answer to the call that is being executed. One that nobody takes is lost. */
  sendSoon(events: readonly PayEvent[], delivery: Delivery): void {
    if (delivery.times === 0) return
    const sending = new Promise((resolve) => setImmediate(resolve))
      .then(() => this.send(events, delivery))
      .catch(() => {})
      .finally(() => this.#sending.delete(sending))
    this.#sending.add(sending)
  }

  /** Resolves when none is on its way. */
  async areSent(): Promise<void> {
    while (this.#sending.size > 0) await Promise.all(this.#sending)
  }
}

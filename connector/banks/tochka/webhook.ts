// The webhooks of Tochka: a JWT as text, RS256, signed by the key that the bank publishes.
import { compactVerify, importJWK } from 'jose'
import * as z from 'zod'
import { kopecksOf } from '../../amounts.ts'
import type { WebhookRequest } from '../../partner.ts'
import { isDue } from '../../work/schedule.ts'
import type { Webhook } from '../bank.ts'
import { Unauthorized } from '../bank-errors.ts'
import type { BankContext } from '../bank-kind.ts'
import { type Jwk, Jwks } from '../rsa-jwk.ts'
import { reads } from './answers.ts'
import { IncomingPayment } from './bodies.ts'

/** A key is fetched again for a signature that it does not verify, but not more often. */
const REFRESH_MS = 60_000

/** The customer in the example of the bank's documentation: test webhooks carry it. */
const EXAMPLE_CUSTOMER = '300123123'

const Claims = z.object({ webhookType: z.string(), customerCode: z.string() })

type Context = Pick<BankContext, 'baseUrl' | 'call' | 'now'>

/** Verifies webhooks for one customer. */
export class TochkaWebhooks {
  readonly #customerCode: string
  readonly #context: Context
  #keys: Jwk[] = []
  #fetchedAt = Number.NEGATIVE_INFINITY
  /** The fetch in flight. */
  #fetching: Promise<void> | undefined

  constructor(customerCode: string, context: Context) {
    this.#customerCode = customerCode
    this.#context = context
  }

  /**
   * @returns undefined for a genuine webhook that is no payment of a link
   * @throws Unauthorized; Unavailable where the bank does not give its key
   */
  async verify({ body }: WebhookRequest): Promise<Webhook | undefined> {
    const payload = await this.#payloadOf(body.trim())
    const claims = Claims.safeParse(payload)
    if (!claims.success) throw new Unauthorized('the JWT has no webhookType or no customerCode')
    const { webhookType, customerCode } = claims.data
    // The key is the bank's, not the customer's: it signs the webhooks of all customers.
    if (customerCode !== this.#customerCode) {
      if (customerCode === EXAMPLE_CUSTOMER) return undefined
      throw new Unauthorized(`the customerCode is not ${this.#customerCode}`)
    }
    if (webhookType !== 'incomingSbpPayment') return undefined
    const payment = IncomingPayment.safeParse(payload)
    const amount = payment.success ? kopecksOf(payment.data.amount) : undefined
    if (!payment.success || !amount) throw new Unauthorized('the payment lacks a field')
    const { qrcId, merchantId, refTransactionId, payerMobileNumber: phone } = payment.data
    return {
      // A webhook that states another amount of the payment is no repeat.
      id: `${refTransactionId}:${amount}`,
      qrcId,
      owner: `${merchantId}:`,
      payment: {
        status: 'COMPLETED',
        number: refTransactionId,
        amount,
        ...(phone ? { payer: { phone } } : {}),
      },
    }
  }

  async #payloadOf(token: string): Promise<unknown> {
    const keys = this.#keys
    const verified = await verifyWith(keys, token)
    if (verified !== undefined) return verified
    if (isDue(this.#fetchedAt + REFRESH_MS, this.#context.now(), REFRESH_MS)) {
      this.#fetching ??= this.#fetchKeys().finally(() => {
        this.#fetching = undefined
      })
      await this.#fetching
    }
    // Another webhook can have fetched the new keys while this one was verified by the old ones.
    const retried = this.#keys === keys ? undefined : await verifyWith(this.#keys, token)
    if (retried !== undefined) return retried
    throw new Unauthorized('the key of the bank does not verify the JWT')
  }

  async #fetchKeys(): Promise<void> {
    const { baseUrl, call, now } = this.#context
    const url = new URL('/doc/openapi/static/keys/public', baseUrl).href
    this.#keys = await call({ operation: 'key', method: 'GET', url }, reads(Jwks))
    this.#fetchedAt = now()
  }
}

/** The JSON that one of the keys has signed by RS256, or undefined. */
async function verifyWith(keys: readonly Jwk[], token: string): Promise<unknown> {
  for (const key of keys) {
    try {
      const { payload } = await compactVerify(token, await importJWK(key, 'RS256'), { algorithms: ['RS256'] })
      return JSON.parse(new TextDecoder().decode(payload))
    } catch {}
  }
}

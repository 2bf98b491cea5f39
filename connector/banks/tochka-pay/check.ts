// What `check` asks Tochka Pay Gateway: whether the credentials work, and whether its published key is the one of the credentials.
import { createPublicKey, type KeyObject } from 'node:crypto'
import type { CheckResult } from '../../partner.ts'
import type { Answers } from '../answers.ts'
import { Unavailable, undefinedIfNotKnown } from '../bank-errors.ts'
import type { BankContext } from '../bank-kind.ts'
import { Jwks } from '../rsa-jwk.ts'
import { PAYMENT } from './answers.ts'
import type { PayCall } from './client.ts'

const KEYS: Answers<Jwks> = { executed: { status: 200, body: Jwks, says: 'keys/public' } }

/**
 * The API has no harmless call without an id. So we ask about a payment that cannot exist: only good credentials get 404
 * PAYMENT_NOT_FOUND.
 */
export function checkAccess(call: PayCall, now: number): Promise<CheckResult> {
  return answered(async () => {
    const request = { operation: 'payment', method: 'GET', path: `/payments/check-${now}` } as const
    await call(PAYMENT, request).catch(undefinedIfNotKnown)
    return { isGood: true, text: 'the credentials work' }
  })
}

/** Webhooks are verified by the pinned key alone: a key that the bank has replaced refuses all of them. */
export function checkKey({ baseUrl, call }: BankContext, webhookKey: KeyObject): Promise<CheckResult> {
  const url = new URL('/doc/openapi/static/keys/public', baseUrl).href
  return answered(async () => {
    const published = await call({ operation: 'key', method: 'GET', url }, KEYS)
    const isGood = published.some((key) => createPublicKey({ key, format: 'jwk' }).equals(webhookKey))
    const text = isGood
      ? 'the bank publishes the key of webhookKey'
      : `the bank publishes another key than webhookKey: ask the bank, then take the key of ${url}`
    return { isGood, text }
  })
}

/** Without an answer that is the result: what else is checked is shown too. */
async function answered(ask: () => Promise<CheckResult>): Promise<CheckResult> {
  try {
    return await ask()
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error
    return { isGood: false, text: error.message }
  }
}

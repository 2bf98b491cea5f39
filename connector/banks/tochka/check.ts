// What `check` asks Tochka: whether the credentials work, and where its webhooks go.
import * as z from 'zod'
import type { CheckResult } from '../../partner.ts'
import type { WebhookCheck } from '../bank.ts'
import { undefinedIfNotKnown } from '../bank-errors.ts'
import { reads, readsOrLacks } from './answers.ts'
import * as bodies from './bodies.ts'
import type { TochkaCall } from './client.ts'

export interface Settings {
  clientId: string
  customerCode: string
  jwt: string
}

/** The BIC of Tochka, where no account names one. */
const BANK_CODE = '044525104'
const EVENT = 'incomingSbpPayment'

/** The BIC of `{account}/{BIC}`. */
export const bankCodeOf = (accountId: string): string => accountId.split('/')[1] ?? BANK_CODE

export async function checkCredentials(call: TochkaCall, { customerCode }: Settings): Promise<CheckResult[]> {
  const { Data } = await call(reads(bodies.Customer), {
    operation: 'customer',
    method: 'GET',
    url: `/sbp/v1.0/customer/${customerCode}/${BANK_CODE}`,
  })
  return [{ isGood: Data.status === 'Active', text: `the credentials work; the customer is ${Data.status}` }]
}

export async function checkWebhook(
  call: TochkaCall,
  { clientId }: Settings,
  { url, register }: WebhookCheck,
): Promise<CheckResult[]> {
  const address = `/webhook/v1.0/${encodeURIComponent(clientId)}`
  const current = await currentWebhook(call, address)
  if (current?.url === url && current.webhooksList.includes(EVENT)) {
    return [{ isGood: true, text: `the bank sends ${EVENT} to ${url}` }]
  }
  if (!register) {
    const text = current
      ? `the bank sends ${current.webhooksList.join(', ') || 'nothing'} to ${current.url}, not ${EVENT} to ${url}`
      : `the bank sends no webhooks; --register sets ${url}`
    return [{ isGood: false, text }]
  }
  const webhooksList = Array.from(new Set([...(current?.webhooksList ?? []), EVENT]))
  await call(reads(z.unknown()), {
    operation: 'set_webhook',
    method: current ? 'POST' : 'PUT',
    url: address,
    body: { webhooksList, url },
  })
  return [{ isGood: true, text: `set: the bank sends ${EVENT} to ${url}` }]
}

/** An application without a webhook is answered with a refusal, or with an empty list. */
async function currentWebhook(call: TochkaCall, url: string) {
  const request = { operation: 'webhook', method: 'GET', url } as const
  const answer = await call(readsOrLacks(bodies.Webhooks), request).catch(undefinedIfNotKnown)
  return answer?.Data
}

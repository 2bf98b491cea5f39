// The address of a receipt that the sandbox's cash register made: where it leads to nothing (contract, section 13).
import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { sandboxReceiptUrl } from '../../src/gateway/sandbox-receipt.ts'
import { receiptSite } from '../support/receipts.ts'
import { call, sandbox, serviceWith } from '../support/service.ts'

const read = readConfig({ ...env, PAYMENT_NETWORK: 'sandbox' })
if (!read.ok) throw new Error(read.problems.join('; '))
const { config } = read
const external = serviceWith({ settings: { PAYMENT_NETWORK: 'external' } })
const NONE = '0'.repeat(32)

it.each<[string, (siteId: string, receiptUid: string) => string, number, typeof sandbox]>([
  ['as it was given', (siteId, uid) => sandboxReceiptUrl(config, siteId, uid), 200, sandbox],
  ['where money moves', (siteId, uid) => sandboxReceiptUrl(config, siteId, uid), 404, external],
  [
    'of another site',
    (siteId, uid) => sandboxReceiptUrl(config, 'demo', uid).replace('demo', siteId),
    404,
    sandbox,
  ],
  ['of a receipt that is none', (siteId) => sandboxReceiptUrl(config, siteId, NONE), 404, sandbox],
])('an address %s', async (_, addressOf, status, fetch) => {
  const site = await receiptSite()
  const { receiptUid } = await site.registered()
  const address = addressOf(site.siteId, receiptUid)
  expect((await call(address, { token: null, headers: { Accept: 'text/html' } }, fetch)).status).toBe(status)
})

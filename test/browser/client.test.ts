// The client's package in a browser, on the service's own origin, with a token that only reads.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, inject, it } from 'vitest'
import { mintToken } from '../../bin/mint-token.ts'
import { launch, visit } from '../support/browser.ts'
import { siteAt } from '../support/site-at.ts'

const { directory } = inject('clientPackage')
const { address, secret } = inject('sandbox')

it('reads a QR code and waits for its payment', async () => {
  const reader = await mintToken(secret, { siteId: 'demo', scope: 'merchant:read', days: 1 })
  const site = siteAt(() => address, secret, 'demo')
  expect((await site.create('in-a-browser', { amount: { value: '10.50' } })).status).toBe(200)

  const browser = await launch()
  try {
    const { page, faults } = await visit(browser, `${address}/`)
    await page.route('**/client/*.js', (route) => {
      const name = new URL(route.request().url()).pathname.replace('/client/', '')
      const body = readFileSync(join(directory, 'node_modules/@fps-qr/client/dist', name), 'utf8')
      return route.fulfill({ contentType: 'text/javascript', body })
    })
    const longPoll = page.waitForRequest((request) => request.headers().prefer === 'wait=30')
    const waiting = page.evaluate(`import('/client/index.js').then(async ({ FpsQr }) => {
      const fps = new FpsQr({ baseUrl: location.origin, siteId: 'demo', token: '${reader}' })
      const { amount } = await fps.getQrCode('in-a-browser')
      const { qrCode } = await fps.waitForPayment('in-a-browser')
      return amount.value + ' ' + qrCode.status
    })`)
    await longPoll
    await site.value('/sandbox/v1/sites/demo/qrCodes/in-a-browser/payments', { body: {} })
    expect(await waiting).toBe('10.50 PAYED')
    expect(faults).toEqual([])
  } finally {
    await browser.close()
  }
})

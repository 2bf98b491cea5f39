// The client's package in a browser, on the service's own origin, with a token that only reads.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, inject, it } from 'vitest'
import { mintToken } from '../../bin/mint-token.ts'
import { launch, visit } from '../support/browser.ts'

const { directory } = inject('clientPackage')
const { address, secret } = inject('sandbox')

it('reads a QR code and waits for its payment', async () => {
  const mint = (scope: string) => mintToken(secret, { siteId: 'demo', scope, days: 1 })
  const [merchant, reader] = [await mint('merchant'), await mint('merchant:read')]
  const ask = async (path: string, body: object) => {
    const headers = { Authorization: `Bearer ${merchant}`, 'Content-Type': 'application/json' }
    const response = await fetch(address + path, { method: 'POST', headers, body: JSON.stringify(body) })
    expect(response.status).toBe(200)
  }
  const order = { qrCodeUid: 'in-a-browser', qrCode: { type: 'DYNAMIC' }, amount: { value: '10.50' } }
  await ask('/payin/v1/sites/demo/sbp/qrCodes', order)

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
    await ask('/sandbox/v1/sites/demo/qrCodes/in-a-browser/payments', {})
    expect(await waiting).toBe('10.50 PAYED')
    expect(faults).toEqual([])
  } finally {
    await browser.close()
  }
})

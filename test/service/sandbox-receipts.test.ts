// The cash register of the sandbox in the deployed bundle: it registers receipts through the outbox, and shows each as a page.
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { mintToken } from '../../bin/mint-token.ts'
import type { ReceiptAnswer } from '../../src/contract/receipts/document.ts'
import { PaymentReceiptsAnswer } from '../../src/contract/receipts/list.ts'
import { bareWorkerd } from '../support/bare-workerd.ts'
import { qrCodeIn } from '../support/client.ts'

const PUBLIC_URL = 'http://qr.example/fps'
const service = bareWorkerd({ PAYMENT_NETWORK: 'sandbox', PUBLIC_URL }, 'any')
let base = ''
beforeAll(async () => {
  base = `http://127.0.0.1:${await service.start()}`
})
afterAll(() => service.dispose())

/** Sends a request of site demo, whose operator has set nothing. */
async function ask(path: string, method = 'GET', body?: object): Promise<Response> {
  const scope = path.startsWith('/network/') ? 'network' : 'merchant'
  const token = await mintToken(service.secret, { siteId: 'demo', scope, days: 1 })
  return fetch(base + path, {
    method,
    headers: { Authorization: `Bearer ${token}`, Host: 'qr.example', 'Content-Type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
}
const SITE = '/payin/v1/sites/demo'

/** A payment of 5.00 RUB with a receipt of one item. */
async function paid(name: string): Promise<string> {
  const body = {
    qrCodeUid: crypto.randomUUID(),
    qrCode: { type: 'DYNAMIC' },
    amount: { value: 5 },
    receipt: {
      contact: { email: 'mary@shop.example' },
      taxation: 'osn',
      items: [{ name, price: 5, vat: '22' }],
    },
  }
  const code = await qrCodeIn(await ask(`${SITE}/sbp/qrCodes`, 'POST', body))
  const simulated = await ask(`/sandbox/v1/sites/demo/qrCodes/${code.qrCodeUid}/payments`, 'POST', {})
  return (await qrCodeIn(simulated)).payment?.paymentUid ?? ''
}

/** The only document of a payment, once it is in a state. */
const documentIn = (paymentUid: string, state: ReceiptAnswer['state']) =>
  vi.waitUntil(
    async () => {
      const response = await ask(`${SITE}/payments/${paymentUid}/receipts`)
      const { receipts } = PaymentReceiptsAnswer.parse(await response.json())
      return receipts.find((receipt) => receipt.state === state)
    },
    { timeout: 20_000, interval: 200 },
  )

it('registers a receipt without an operator, and its page says that it is a test', async () => {
  const { fiscal = {}, receiptUid } = await documentIn(await paid('Чай'), 'REGISTERED')
  expect(fiscal).toMatchObject({ fn: expect.stringMatching(/^9999/), fpd: expect.stringMatching(/^\d{10}$/) })
  const { url = '' } = fiscal
  expect(url).toMatch(new RegExp(`^${PUBLIC_URL}/receipts/demo/${receiptUid}/[0-9a-f]{24}$`))
  const page = (at: string) => fetch(base + at.slice(PUBLIC_URL.length), { headers: { Accept: 'text/html' } })
  const shown = await page(`${url}?lang=en`)
  expect(shown.status).toBe(200)
  const html = await shown.text()
  expect(html).toContain('Чай')
  expect(html).toContain(fiscal.fpd)
  expect(html).toMatch(/Test: not a fiscal document/)
  expect(html).not.toContain('mary@shop.example')
  const guessed = url.replace(/.$/, (digit) => (digit === '0' ? '1' : '0'))
  expect((await page(guessed)).status).toBe(404)
})

it('fails an item named `fail` for good, and one named `fail-retry` so that it can be retried', async () => {
  const final = await documentIn(await paid('fail'), 'FAILED')
  expect(final.error).toEqual({ reason: 'refused', text: 'test item', canRetry: false })
  const paymentUid = await paid('fail-retry')
  const failed = await documentIn(paymentUid, 'FAILED')
  expect(failed.error).toEqual({ reason: 'refused', text: 'test item', canRetry: true })
  const items = [{ name: 'Tea', price: 5, vat: '22' }]
  const retried = await ask(`${SITE}/receipts/${failed.receiptUid}/retry`, 'POST', { receipt: { items } })
  expect(retried.status).toBe(202)
  expect(await documentIn(paymentUid, 'REGISTERED')).toMatchObject({ items: [{ name: 'Tea' }] })
})

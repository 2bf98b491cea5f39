// npx wrangler dev, for development: it serves the source, and npm start goes on with its data.
import { afterAll, expect, it } from 'vitest'
import { npmStarts, READY } from '../support/npm-start.ts'
import { siteAt } from '../support/site-at.ts'
import { wranglerDev } from '../support/wrangler-dev.ts'

const PUBLIC_URL = 'https://qr.example'
const { start } = npmStarts()
const dev = wranglerDev({ PAYMENT_NETWORK: 'sandbox', PUBLIC_URL })
afterAll(() => dev.dispose())

const createAt = (address: string) => siteAt(() => address, dev.secret, 'demo').create('order-1')

it('wrangler dev creates a QR code and serves static files; npm start on its state directory has the QR code', async () => {
  const address = await dev.start()
  const created = await createAt(address)
  expect(created.status).toBe(200)
  expect((await fetch(`${address}/style.css`)).status).toBe(200)
  expect(await (await fetch(`${address}/docs/reference/qr-codes`)).text()).toContain('id="createQrCode"')
  dev.kill()

  const service = await start('--persist-to', dev.disk, '--var', `PUBLIC_URL:${PUBLIC_URL}`)
  await service.writes(READY)
  const replayed = await createAt(`http://127.0.0.1:${service.port}`)
  expect([replayed.text, replayed.headers.get('Idempotent-Replayed')]).toEqual([created.text, 'true'])
})

// The picture of the console in the README, docs/console.png. UPDATE_PICTURES=1 takes it again.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { DEVICES, type DeviceName, launch, SCREENSHOTS } from '../support/browser.ts'
import { signIn } from '../support/console-browser.ts'
import { openShop, type Shop } from '../support/shop.ts'

const service = inject('external')
const PICTURE = join(import.meta.dirname, '../../docs/console.png')
const SIZE = { width: 1120, height: 480 }
let browser: Browser
let shop: Shop

/** A morning: the orders, what they cost, and what became of them. */
const ORDERS = [
  ['order-1041', 350, 'Капучино и круассан'],
  ['order-1042', 1280, 'Завтрак на двоих'],
  ['order-1043', 190, 'Чай'],
  ['order-1044', 640, 'Сырники и кофе'],
  ['order-1045', 2450, 'Торт на заказ'],
  ['order-1046', 420, 'Обед'],
] as const

beforeAll(async () => {
  ;[browser, shop] = await Promise.all([
    launch(),
    openShop(service, { name: 'Чайная лавка', supportContact: '+7 800 555-01-00' }),
  ])
  for (const [qrCodeUid, value, paymentPurpose] of ORDERS) {
    const made = await shop.make({ qrCodeUid, amount: { value }, paymentPurpose })
    const payment = await shop.report(made, 'COMPLETED', { amount: { value, currency: 'RUB' } })
    if (value === 2450) await shop.refund(payment, 450)
  }
  await shop.make({ qrCodeUid: 'order-1047', amount: { value: 990 } })
})
afterAll(() => browser?.close())

/** A page of the console, of a device, as an address that a picture can have. */
async function shown(device: DeviceName, locale: string, path: string): Promise<string> {
  const { page, open } = await signIn(browser, service, shop.siteId, { ...DEVICES[device], locale })
  await open(path)
  return `data:image/png;base64,${(await page.screenshot({ animations: 'disabled' })).toString('base64')}`
}

/** Both devices side by side. */
async function picture(desktop: string, phone: string): Promise<Buffer> {
  const page = await (await browser.newContext({ viewport: SIZE })).newPage()
  await page.setContent(`<style>
    body { margin: 0; height: 100vh; display: flex; gap: 28px; align-items: center; justify-content: center; background: #e9eaee }
    img { border-radius: 14px; box-shadow: 0 6px 24px #0002; height: 430px }
  </style><img src="${desktop}"><img src="${phone}">`)
  await page.waitForFunction('[...document.images].every(({ complete }) => complete)')
  return page.screenshot()
}

it('is of the payments in English and of an order in Russian, and has the size of a small file', async () => {
  const taken = await picture(
    await shown('desktop', 'en-GB', 'payments'),
    await shown('phone', 'ru-RU', 'qr/order-1045'),
  )
  writeFileSync(join(SCREENSHOTS, 'console-picture.png'), taken)
  if (process.env.UPDATE_PICTURES) writeFileSync(PICTURE, taken)
  const stored = readFileSync(PICTURE)
  expect(stored.byteLength).toBeLessThan(120_000)
  // Width and height of a PNG (its clause 11.2.1).
  expect([stored.readUInt32BE(16), stored.readUInt32BE(20)]).toEqual([SIZE.width, SIZE.height])
})

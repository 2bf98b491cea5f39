// Key screens against their stored pictures, with text as blocks. UPDATE_BASELINES=1 stores what is shown now.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, inject, it } from 'vitest'
import { blockFont } from '../support/block-font.ts'
import { DEVICES, type DeviceName, launch, SCREENSHOTS, visit } from '../support/browser.ts'
import { openShop, type Shop } from '../support/shop.ts'

const STORED = join(import.meta.dirname, 'baselines')
const FONT = `@font-face { font-family: blocks; src: url(data:font/ttf;base64,${blockFont().toString('base64')}) }
* { font-family: blocks !important; caret-color: transparent }
.time, dd { font-variant-numeric: normal }`
/** Of all pixels, how many may differ: curves are drawn a little differently by other versions of the browser. */
const TOLERANCE = 0.004

let browser: Browser
let network: Shop
let sandbox: Shop

beforeAll(async () => {
  ;[browser, network, sandbox] = await Promise.all([
    launch(),
    openShop(inject('network')),
    openShop(inject('sandbox')),
  ])
})
afterAll(() => browser?.close())

type Open = () => Promise<string>
const paid = async () => {
  const made = await network.make({ redirectUrl: 'https://shop.example/' })
  await network.report(made, 'COMPLETED')
  return `${made.page}&until=0`
}
const declined = async () => {
  const made = await network.make({ redirectUrl: 'https://shop.example/' })
  await network.report(made, 'DECLINED')
  return made.page
}
const cancelled = async () => {
  const made = await network.make({ redirectUrl: 'https://shop.example/' })
  await network.cancel(made)
  return made.page
}
/** The tap on the way to the bank, whose app takes the link: the page stays. */
const tapPay = async (page: Page) => {
  await page.route('https://qr.nspk.ru/**', (route) => route.fulfill({ status: 204 }))
  await page.locator('.before [data-bank]').tap()
  await page.locator('.waiting').waitFor()
  await page.evaluate('document.activeElement.blur(), scrollTo(0, 0)')
}
const altered = async () => (await network.make()).page.replace('sum=150050', 'sum=1')
type Screen = [
  name: string,
  device: DeviceName,
  light: 'light' | 'dark',
  locale: string,
  open: Open,
  act?: (page: Page) => Promise<unknown>,
]
const SCREENS: Screen[] = [
  ['pay-phone', 'phone', 'light', 'ru-RU', async () => (await network.make()).page],
  ['pay-phone-dark', 'phone', 'dark', 'en-GB', async () => (await network.make()).page],
  ['waiting-phone', 'phone', 'light', 'ru-RU', async () => (await network.make()).page, tapPay],
  ['altered-phone', 'phone', 'dark', 'ru-RU', altered],
  ['pay-desktop', 'desktop', 'light', 'ru-RU', async () => (await network.make()).page],
  ['sandbox-phone', 'phone', 'light', 'ru-RU', async () => (await sandbox.make({ amount: undefined })).page],
  ['banks-phone', 'phone', 'light', 'ru-RU', async () => (await network.make()).page.replace('?', '/banks?')],
  ['declined-phone', 'phone', 'light', 'ru-RU', declined],
  ['paid-phone', 'phone', 'light', 'ru-RU', paid],
  ['cancelled-desktop', 'desktop', 'dark', 'en-GB', cancelled],
  ['start-desktop', 'desktop', 'light', 'en-GB', async () => `${inject('sandbox').address}/`],
  ['start-phone-dark', 'phone', 'dark', 'ru-RU', async () => `${inject('sandbox').address}/`],
]

describe('a key screen looks as it did', () => {
  it.for(SCREENS)('%s', async ([name, device, colorScheme, locale, open, act], { expect }) => {
    const options = { ...DEVICES[device], colorScheme, locale, bypassCSP: true }
    const { page } = await visit(browser, await open(), options)
    await act?.(page)
    await page.addStyleTag({ content: FONT })
    // What differs each time: the picture, the time left, the identifiers.
    await page.evaluate(`{
      for (const each of document.querySelectorAll('figure img')) each.style.filter = 'brightness(0)'
      for (const each of document.querySelectorAll('[role=timer]')) each.replaceWith(Object.assign(each.cloneNode(), { textContent: 'Осталось 09:59', role: '' }))
      for (const each of document.querySelectorAll('dd')) if (/\\d{2}:\\d{2}|[0-9a-f-]{36}/.test(each.textContent)) each.textContent = 'x'.repeat(30)
    }`)
    await page.evaluate('document.fonts.load("16px blocks").then(() => document.fonts.ready)')
    const shown = await page.screenshot({ animations: 'disabled' })
    writeFileSync(join(SCREENSHOTS, `baseline-${name}.png`), shown)
    const file = join(STORED, `${name}.png`)
    if (process.env.UPDATE_BASELINES) {
      mkdirSync(STORED, { recursive: true })
      writeFileSync(file, shown)
    }
    expect(existsSync(file), 'UPDATE_BASELINES=1 stores it').toBe(true)
    expect(await difference(page, readFileSync(file), shown)).toBeLessThan(TOLERANCE)
  })
})

/** The share of the pixels that differ visibly; 1 where the sizes differ. */
async function difference(page: Page, stored: Buffer, shown: Buffer): Promise<number> {
  const canvas = await page.context().newPage()
  const share = await canvas.evaluate<number>(`(async () => {
    const [a, b] = await Promise.all(['${stored.toString('base64')}', '${shown.toString('base64')}'].map(async (png) => {
      const bitmap = await createImageBitmap(await (await fetch('data:image/png;base64,' + png)).blob())
      const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d')
      context.drawImage(bitmap, 0, 0)
      return context.getImageData(0, 0, bitmap.width, bitmap.height)
    }))
    if (a.width !== b.width || a.height !== b.height) return 1
    let differing = 0
    for (let i = 0; i < a.data.length; i += 4) {
      const distance = Math.abs(a.data[i] - b.data[i]) + Math.abs(a.data[i + 1] - b.data[i + 1]) + Math.abs(a.data[i + 2] - b.data[i + 2])
      if (distance > 48) differing++
    }
    return differing / (a.width * a.height)
  })()`)
  await canvas.close()
  return share
}

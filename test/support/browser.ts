// Chromium, and pages in it that note everything they should not do.
import { mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import jsQR from 'jsqr'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { onTestFinished, TestRunner } from 'vitest'
import type { Pixels } from '../qr/reading.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
export const SCREENSHOTS = 'dist/screenshots'
mkdirSync(SCREENSHOTS, { recursive: true })

/** The installed Chromium: CHROMIUM, or Debian's without a window, at half of the CPU time. It asks nobody for anything on its own. */
export const launch = (...options: string[]): Promise<Browser> =>
  chromium.launch({
    executablePath: process.env.CHROMIUM || '/usr/bin/chromium-headless-shell',
    args: [
      ...options,
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      // Letters are as wide as with a window.
      '--font-render-hinting=none',
    ],
  })

/** What a payer has in the hand, or on the desk. */
export const DEVICES = {
  phone: {
    viewport: { width: 390, height: 844 },
    isMobile: true,
    hasTouch: true,
    userAgent:
      'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36',
  },
  desktop: {
    viewport: { width: 1280, height: 800 },
    userAgent:
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
  },
} as const satisfies Record<string, BrowserContextOptions>
export type DeviceName = keyof typeof DEVICES

export interface Visit {
  page: Page
  /** Errors on the console, violations of the policy among them, and requests to another origin than the first. */
  faults: string[]
}

/** A page of a browser of its own, as it were: without the cookies and the cache of others. By default on a desktop. It ends with its test, or with the browser. */
export async function visit(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<Visit> {
  const context = await browser.newContext({ locale: 'ru-RU', ...DEVICES.desktop, ...options })
  // A page that waits asks and draws until it is closed. Of concurrent tests the runner does not know which one this is.
  const test = TestRunner.getCurrentTest()
  if (test && !test.concurrent) onTestFinished(() => context.close())
  const page = await context.newPage()
  const faults: string[] = []
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) faults.push(message.text())
  })
  page.on('pageerror', (error) => faults.push(String(error)))
  page.on('request', (request) => {
    if (!/^(data|blob):/.test(request.url()) && new URL(request.url()).origin !== new URL(url).origin)
      faults.push(`a request to ${request.url()}`)
  })
  await page.goto(url)
  return { page, faults }
}

/** What axe-core finds wrong: rule and element. */
export async function barriers(page: Page): Promise<string[]> {
  await page.evaluate(AXE)
  return page.evaluate<string[]>(`axe.run({ resultTypes: ['violations'] }).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html)))`)
}

/** Keeps a picture of the page, for somebody to look at. */
export const picture = (page: Page, name: string): Promise<Buffer> =>
  page.screenshot({ path: `${SCREENSHOTS}/${name}.png` })

/** The page's picture as it is on the screen, in grey. */
export async function pixelsOf(page: Page): Promise<Pixels> {
  const png = (await page.locator('img').screenshot()).toString('base64')
  const { width, height, light } = await page.evaluate<{ width: number; height: number; light: string }>(
    `createImageBitmap(new Blob([Uint8Array.fromBase64('${png}')])).then((bitmap) => {
      const { width, height } = bitmap
      const context = new OffscreenCanvas(width, height).getContext('2d')
      context.drawImage(bitmap, 0, 0)
      const { data } = context.getImageData(0, 0, width, height)
      return { width, height, light: Uint8Array.from(data.filter((_, i) => i % 4 === 1)).toHex() }
    })`,
  )
  const data = Uint8ClampedArray.from(
    [...Buffer.from(light, 'hex')].flatMap((green) => [green, green, green, 255]),
  )
  return { width, height, data }
}

/** What a scanner reads from the page's picture. */
export async function scanned(page: Page): Promise<string | undefined> {
  const { data, width, height } = await pixelsOf(page)
  return jsQR(data, width, height)?.data
}

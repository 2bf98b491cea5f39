// The payer's page: how soon its first byte comes; how it and pages of the documentation load on a slow phone.
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'
import * as z from 'zod'
import { serve } from '../test/support/workers.ts'
import { CHROMIUM } from './chromium.ts'
import type { Part } from './figures.ts'
import { create } from './requests.ts'
import { median } from './statistics.ts'
import { figure, table } from './table.ts'

const FULL = { requests: 300, count: 5 }
const SMALLEST = { requests: 3, count: 1 }
/** A phone on a slow mobile network: 150 ms there and back, 1.6 Mbit/s, a quarter of this machine's processor. */
const NETWORK = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 94_000 }
const CPU_SLOWDOWN = 4
/** A guide in each language, and a page of the reference. */
const DOCUMENTATION = {
  guide: '/docs/guides/five-minutes',
  guide_ru: '/docs/ru/guides/refunds',
  reference: '/docs/reference/qr-codes',
}

export const pages: Part = async ({ directory, ours, isSmallest }) => {
  const { requests, count } = isSmallest ? SMALLEST : FULL
  const server = await serve(ours, join(directory, 'pages'))
  const answer = z
    .object({ pageUrl: z.string() })
    .parse(await (await create(server.port, randomUUID())).json())
  const url = answer.pageUrl.replace('http://qr.example', `http://127.0.0.1:${server.port}`)

  const firstBytes: number[] = []
  for (let i = 0; i < requests; i++) {
    const started = performance.now()
    const response = await fetch(url)
    firstBytes.push(performance.now() - started)
    if (!response.ok) throw new Error(`the page answered ${response.status}`)
    await response.text()
  }
  const ttfb = median(firstBytes)
  const rows = [[`the first byte, median of ${requests}`, `${figure(ttfb)} ms`]]

  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  })
  const loaded: Record<string, Load> = {}
  const addresses = Object.entries(DOCUMENTATION).map(
    ([name, path]) => [name, `http://127.0.0.1:${server.port}${path}`] as const,
  )
  for (const [name, address] of [['payer', url] as const, ...addresses]) {
    const loads: Load[] = []
    for (let i = 0; i < count; i++) loads.push(await load(browser, address))
    const of = (what: keyof Load) => median(loads.map((each) => each[what]))
    const whole = { paintMs: of('paintMs'), kilobytes: of('kilobytes'), shift: of('shift') }
    loaded[name] = whole
    rows.push(
      [`${name} on a slow phone: the first paint`, `${figure(whole.paintMs)} ms`],
      ['  without the picture, not compressed', `${figure(whole.kilobytes)} KB`],
      ['  layout shift', figure(whole.shift)],
    )
  }
  await browser.close()
  // The pages of payers had long polls: SIGTERM would wait for them.
  await server.kill()
  return {
    tables: [table('Pages', ['', ''], rows)],
    figures: { page_ttfb_ms: ttfb, pages: loaded },
    faults: [],
  }
}

interface Load {
  paintMs: number
  /** 1,000 bytes. */
  kilobytes: number
  shift: number
}

const Measured = z.object({ paintMs: z.number(), shift: z.number(), picture: z.number() })

/** Loads the page as a phone that has never seen it. */
async function load(browser: Browser, url: string): Promise<Load> {
  const context = await browser.newContext({
    viewport: { width: 390, height: 844 },
    isMobile: true,
    hasTouch: true,
    userAgent: 'Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 Chrome/140.0 Mobile Safari/537.36',
  })
  const page = await context.newPage()
  const devtools = await context.newCDPSession(page)
  let bytes = 0
  devtools.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength
  })
  await devtools.send('Network.enable')
  await devtools.send('Network.emulateNetworkConditions', NETWORK)
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN })
  const response = await page.goto(url)
  if (!response?.ok()) throw new Error(`${url} is answered ${response?.status()}`)
  await page.waitForTimeout(1500)
  const { paintMs, shift, picture } = Measured.parse(
    await page.evaluate(`new Promise((resolve) => {
      let shift = 0
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) shift += entry.value
      }).observe({ type: 'layout-shift', buffered: true })
      setTimeout(() => resolve({
        shift,
        paintMs: performance.getEntriesByName('first-contentful-paint')[0].startTime,
        picture: document.querySelector('figure img')?.src.length ?? 0,
      }), 100)
    })`),
  )
  await context.close()
  return { paintMs, kilobytes: (bytes - picture) / 1000, shift }
}

// The payer's page: how soon its first byte comes; how it and pages of the documentation load on a slow phone.
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'
import * as z from 'zod'
import { serve } from '../test/support/workers.ts'
import type { Part } from './figures.ts'
import { create } from './requests.ts'
import { median } from './statistics.ts'
import { figure, table } from './table.ts'

const CHROMIUM = process.env.CHROMIUM || '/usr/bin/chromium-headless-shell'
const REQUESTS = 300
const LOADS = 5
/** A phone on a slow mobile network: 150 ms there and back, 1.6 Mbit/s, a quarter of this machine's processor. */
const NETWORK = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 94_000 }
const CPU_SLOWDOWN = 4
/** A guide in each language, and a page of the reference. */
const DOCUMENTATION = ['/docs/guides/five-minutes', '/docs/ru/guides/refunds', '/docs/reference/qr-codes']

export const pages: Part = async ({ directory, ours }) => {
  const server = await serve(ours, join(directory, 'pages'))
  const answer = z
    .object({ pageUrl: z.string() })
    .parse(await (await create(server.port, randomUUID())).json())
  const url = answer.pageUrl.replace('http://qr.example', `http://127.0.0.1:${server.port}`)

  const firstBytes: number[] = []
  for (let i = 0; i < REQUESTS; i++) {
    const started = performance.now()
    const response = await fetch(url)
    firstBytes.push(performance.now() - started)
    if (!response.ok) throw new Error(`the page answered ${response.status}`)
    await response.text()
  }
  const ttfb = median(firstBytes)
  const rows = [[`the first byte, median of ${REQUESTS}`, `${figure(ttfb)} ms`]]

  if (existsSync(CHROMIUM)) {
    const browser = await chromium.launch({
      executablePath: CHROMIUM,
      args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking'],
    })
    for (const [name, address] of [
      ['the payer’s page', url],
      ...DOCUMENTATION.map((path) => [path, `http://127.0.0.1:${server.port}${path}`] as const),
    ] as const) {
      const loads: Load[] = []
      for (let i = 0; i < LOADS; i++) loads.push(await load(browser, address))
      const of = (what: keyof Load) => median(loads.map((each) => each[what]))
      rows.push(
        [`${name} on a slow phone: the first paint`, `${figure(of('paintMs'))} ms`],
        ['  bytes without the picture, not compressed', figure(of('bytes'))],
        ['  layout shift', figure(of('shift'))],
      )
    }
    await browser.close()
  }
  await server.stop()
  return { tables: [table('Pages', ['', ''], rows)], figures: { page_ttfb_ms: ttfb }, faults: [] }
}

interface Load {
  paintMs: number
  bytes: number
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
  await page.goto(url)
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
  return { paintMs, bytes: bytes - picture, shift }
}

// The layout of every state: what to do is on the first screen, and nothing is cut, on any screen and with large text.
import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, inject, it, onTestFinished } from 'vitest'
import { MAX_PURPOSE } from '../../src/contract/text.ts'
import { barriers, DEVICES, launch } from '../support/browser.ts'
import { portOf } from '../support/ports.ts'
import { type Made, openShop, type Shop, SUM } from '../support/shop.ts'

const SCREENS: Record<string, BrowserContextOptions> = {
  '320 × 568': { ...DEVICES.phone, viewport: { width: 320, height: 568 } },
  '360 × 640': { ...DEVICES.phone, viewport: { width: 360, height: 640 } },
  '390 × 844': DEVICES.phone,
  '844 × 390': { ...DEVICES.phone, viewport: { width: 844, height: 390 } },
  '1440 × 900': { ...DEVICES.desktop, viewport: { width: 1440, height: 900 } },
}
const SHOP = { name: 'Чайная лавка на Садовой', supportContact: '+7 800 555-01-00' }
const PAY = '.before .button'
const REDIRECT = { redirectUrl: 'https://shop.example/thanks' }

/** A state: its page, what the payer does there first, and the way on that must be in view. */
interface State {
  page: string
  way: string
  /** Whether it is reached by a tap on the way to the bank. */
  waits?: boolean
}

let browsers: Record<'100 %' | '200 %', Browser>
let states: Record<string, State>

beforeAll(async () => {
  const [normal, twice, network, sandbox] = await Promise.all([
    launch(),
    launch('--blink-settings=defaultFontSize=32'),
    openShop(inject('network'), SHOP),
    openShop(inject('sandbox'), SHOP),
  ])
  browsers = { '100 %': normal, '200 %': twice }
  states = await makeStates(network, sandbox)
})
afterAll(() => Promise.all(Object.values(browsers ?? {}).map((browser) => browser.close())))

async function makeStates(network: Shop, sandbox: Shop): Promise<Record<string, State>> {
  const after = async (change: (made: Made) => Promise<unknown>, body: object = REDIRECT, qrCode = {}) => {
    const made = await network.make({ ...body }, qrCode)
    await change(made)
    return made.page
  }
  const paid = (refunded: number) => async (made: Made) => {
    const payer = { bankMemberId: '999999999001' }
    const paymentUid = await network.report(made, 'COMPLETED', { payer })
    if (refunded > 0) await network.refund(paymentUid, refunded)
  }
  const nothing = async () => {}
  const BACK = '.bar .button'
  const HEADING = 'h1'
  const open = await after(nothing, {})
  return {
    created: { page: open, way: PAY },
    waiting: { page: open, way: '.after .button', waits: true },
    banks: { page: open.replace('?', '/banks?'), way: '[data-search]' },
    'the largest sum': {
      page: await after(nothing, {
        amount: { value: 999_999_999.99 },
        paymentPurpose: 'Щ'.repeat(MAX_PURPOSE),
      }),
      way: PAY,
    },
    'a sum to type': { page: await after(nothing, { amount: undefined }, { ttl: 4320 }), way: PAY },
    'a binding': {
      page: await after(nothing, { tokenizationPurpose: 'Подписка' }, { type: 'TOKEN' }),
      way: PAY,
    },
    declined: { page: await after((made) => network.report(made, 'DECLINED')), way: PAY },
    refused: {
      page: await after((made) => network.report(made, 'DECLINED', { reason: 'CUSTOMER_REFUSED' })),
      way: PAY,
    },
    paid: { page: await after(paid(0)), way: BACK },
    'refunded in part': { page: await after(paid(500)), way: BACK },
    refunded: { page: await after(paid(SUM)), way: BACK },
    cancelled: { page: await after((made) => network.cancel(made)), way: BACK },
    altered: { page: open.replace('sum=150050', 'sum=1'), way: HEADING },
    sandbox: { page: (await sandbox.make()).page, way: '.primary' },
    'a sum to type in the sandbox': {
      page: (await sandbox.make({ amount: undefined })).page,
      way: '.primary',
    },
  }
}

/** On a desktop the picture is the way to pay. */
const wayOf = ({ way }: State, screen = '') =>
  way === PAY && SCREENS[screen]?.isMobile === undefined ? 'figure img' : way

/** A page that stays where it was opened, however long the machine takes; and its requests to other hosts since then. */
async function staying(browser: Browser, options: BrowserContextOptions) {
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options })
  const page = await context.newPage()
  const foreign: string[] = []
  let opened = 'about:blank'
  // What a page of another state keeps there would change this one.
  await page.addInitScript("if (location.href !== 'about:blank') sessionStorage.clear()")
  await page.route('**', (route) => {
    const request = route.request()
    const url = request.url()
    if (request.isNavigationRequest()) return url === opened ? route.continue() : route.abort('aborted')
    if (new URL(url).origin !== new URL(opened).origin) foreign.push(url)
    return route.continue()
  })
  const open = async (url: string) => {
    // Nothing of the page before comes late.
    await page.goto('about:blank')
    foreign.length = 0
    opened = url
    await page.goto(url)
  }
  return { page, foreign, open, close: () => context.close() }
}

async function stay(browser: Browser, url: string, options: BrowserContextOptions): Promise<Page> {
  const { page, open } = await staying(browser, options)
  await open(url)
  return page
}

/** What is wrong with the page as it is on the screen. */
const faultsOf = (page: Page, way: string) =>
  page.evaluate<string[]>(`((way) => {
    const faults = []
    const root = document.documentElement
    if (root.scrollWidth > innerWidth) faults.push('it scrolls sideways by ' + (root.scrollWidth - innerWidth))
    const shown = [...document.querySelectorAll(way)].find((each) => each.checkVisibility())
    const { top, bottom, left, right } = shown?.getBoundingClientRect() ?? {}
    if (!shown) faults.push(way + ' is not shown')
    else if (top < 0 || bottom > innerHeight || left < 0 || right > innerWidth)
      faults.push(way + ' is outside the first screen: ' + [top, bottom, innerHeight])
    else {
      const hit = document.elementFromPoint((left + right) / 2, (top + bottom) / 2)
      if (!shown.contains(hit)) faults.push(way + ' is covered by ' + hit?.outerHTML.slice(0, 80))
    }
    for (const each of document.querySelectorAll('h1, h2, p, dd, .button, .sum, summary, .links *, a')) {
      if (!each.checkVisibility() || each.matches('.strip bdi')) continue
      if (each.scrollWidth > each.clientWidth + 1 && getComputedStyle(each).display !== 'inline')
        faults.push('it is cut: ' + each.outerHTML.slice(0, 80))
    }
    for (const sum of document.querySelectorAll('.sum')) {
      const range = document.createRange()
      range.selectNodeContents(sum)
      const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)))
      if (sum.checkVisibility() && lines.size !== 1) faults.push('the sum has ' + lines.size + ' lines')
    }
    for (const each of document.querySelectorAll('.button, summary, .language, .links > *, [data-check], .missing a')) {
      const { height } = each.getBoundingClientRect()
      if (each.checkVisibility() && height < 40) faults.push('too low for a thumb: ' + each.outerHTML.slice(0, 80))
    }
    return faults
  })(${JSON.stringify(way)})`)

/** What of the page moved by itself since it was loaded. */
const shiftsOf = (page: Page) =>
  page.evaluate<string[]>(`new Promise((resolve) => {
    const shifts = []
    const observer = new PerformanceObserver((list) => {
      for (const { value, hadRecentInput, startTime, sources } of list.getEntries()) {
        const moved = sources.map(({ node }) => node?.outerHTML?.slice(0, 80) ?? node?.nodeName)
        if (!hadRecentInput) shifts.push('it moved by ' + value + ' after ' + startTime + ' ms: ' + moved.join(' and '))
      }
    })
    observer.observe({ type: 'layout-shift', buffered: true })
    requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => resolve(shifts))))
  })`)

/** How the picture begins in a page. */
const PICTURE = '<details class="code"'

/** Passes requests on; of a page with a picture the part before the picture is sent a second earlier. */
async function slowPicture(origin: string): Promise<string> {
  const proxy = createServer(async (request, response) => {
    const answer = await fetch(`${origin}${request.url}`, {
      headers: { 'User-Agent': request.headers['user-agent'] ?? '' },
    })
    const body = Buffer.from(await answer.arrayBuffer())
    response.writeHead(answer.status, { 'Content-Type': answer.headers.get('Content-Type') ?? '' })
    const picture = body.indexOf(PICTURE)
    const column = picture < 0 ? 0 : body.lastIndexOf('<div>', picture)
    response.write(body.subarray(0, column))
    if (column > 0) await sleep(1000)
    response.end(body.subarray(column))
  })
  onTestFinished(() => {
    proxy.close()
    proxy.closeAllConnections()
  })
  return `http://127.0.0.1:${await portOf(proxy)}`
}

it.for(['created', 'a binding', 'declined'])(
  'on a desktop nothing moves when the picture of a page comes late: %s',
  async (name, { expect }) => {
    const { href, origin, pathname, search } = new URL(states[name]?.page ?? '')
    expect(await (await fetch(href)).text()).toContain(PICTURE)
    const { page, open, close } = await staying(browsers['100 %'], DEVICES.desktop)
    await open(`${await slowPicture(origin)}${pathname}${search}`)
    expect(await shiftsOf(page)).toEqual([])
    await close()
  },
)

const CASES = Object.keys(SCREENS).flatMap((screen, i) =>
  (['100 %', '200 %'] as const).map((text, j) => [screen, text, i + j] as const),
)

describe.for(CASES)('at %s with text of %s', ([screen, text, number]) => {
  it('every state has its way on in view, and cuts, shifts and fetches nothing', async ({ expect }) => {
    const found: string[] = []
    const stayingIn = (locale: string) => staying(browsers[text], { ...SCREENS[screen], locale })
    const inLanguages = [await stayingIn('ru-RU'), await stayingIn('en-GB')] as const
    for (const [i, [name, state]] of Object.entries(states).entries()) {
      const { page: url, waits = false } = state
      const way = wayOf(state, screen)
      // Every language and every light meets every state on some screen.
      const { page, foreign, open } = inLanguages[(i + number) % 2 === 0 ? 0 : 1]
      await page.emulateMedia({ colorScheme: (i + (number >> 1)) % 2 === 0 ? 'light' : 'dark' })
      await open(url)
      if (waits) {
        await page.locator('.before [data-bank]').click()
        await page.locator('.waiting').waitFor()
        await page.evaluate('scrollTo(0, 0)')
      }
      const faults = [...(await faultsOf(page, way)), ...foreign.map((each) => `a request to ${each}`)]
      if (!waits) faults.push(...(await shiftsOf(page)))
      found.push(...faults.map((fault) => `${name}: ${fault}`))
    }
    await Promise.all(inLanguages.map(({ close }) => close()))
    expect(found).toEqual([])
  })

  it('every state has it without script too', async ({ expect }) => {
    const found: string[] = []
    const options = { ...SCREENS[screen], locale: 'ru-RU', javaScriptEnabled: false }
    const { page, open, close } = await staying(browsers[text], options)
    for (const [name, state] of Object.entries(states)) {
      const { page: url, waits } = state
      if (waits) continue
      await open(url)
      const needed = name === 'banks' ? '[data-banks] a' : wayOf(state, screen)
      found.push(...(await faultsOf(page, needed)).map((fault) => `${name}: ${fault}`))
    }
    await close()
    expect(found).toEqual([])
  })
})

describe('the first paint', () => {
  it('needs at most 33 KB, uncompressed: the document and what blocks it', async ({ expect }) => {
    for (const [name, { page: url }] of Object.entries(states)) {
      const page = await stay(browsers['100 %'], url, { ...DEVICES.phone, locale: 'ru-RU' })
      const sizes = await page.evaluate<Record<string, number>>(`(() => {
        const entries = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
        const first = entries.filter((each) => each.entryType === 'navigation' || each.renderBlockingStatus === 'blocking')
        return Object.fromEntries(first.map(({ name, decodedBodySize }) => [name.split('?')[0], decodedBodySize]))
      })()`)
      const sum = Object.values(sizes).reduce((all, each) => all + each, 0)
      expect(Object.keys(sizes), name).toHaveLength(2)
      expect(sum, name).toBeLessThanOrEqual(33_000)
      await page.context().close()
    }
  })
})

describe('the states that only a script or a chance shows', () => {
  it.for(['light', 'dark'] as const)('have no barrier, %s', async (colorScheme, { expect }) => {
    for (const name of ['waiting', 'banks', 'refused', 'refunded in part', 'refunded', 'altered']) {
      const state = states[name]
      if (!state) throw new Error(`there is no state ${name}`)
      const options = { ...DEVICES.phone, locale: 'en-GB', colorScheme }
      const page = await stay(browsers['100 %'], state.page, options)
      if (state.waits) await page.locator('.before [data-bank]').tap()
      expect(await barriers(page), name).toEqual([])
      await page.context().close()
    }
  })
})

// The documentation site in a browser: its pages, its search, its examples.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, inject, it } from 'vitest'
import { mintToken } from '../../bin/mint-token.ts'
import { ERRORS } from '../../src/errors.ts'
import { barriers, DEVICES, launch, visit } from '../support/browser.ts'

const { address, secret } = inject('sandbox')
const run = promisify(execFile)
let browser: Browser

beforeAll(async () => {
  browser = await launch()
})
afterAll(() => browser?.close())

interface Declared {
  operationId: string
  summary: string
  tags: string[]
}
interface Body {
  content: Record<string, { examples?: Record<string, { value: unknown }> }>
}
interface Document {
  paths: Record<string, Record<string, Declared & { requestBody?: Body }>>
  webhooks: Record<string, { post: Declared & { requestBody: Body } }>
}
const documentOf = async () => (await fetch(`${address}/openapi.json`)).json<Document>()
const pageOf = ([tag = '']: string[]) => `/docs/reference/${tag.toLowerCase().replaceAll(' ', '-')}`
const docs = (path: string, options = {}) =>
  visit(browser, `${address}/docs${path}`, { locale: 'en-GB', ...options })
/** The code of a block as its copy button has it. */
const copyOf = (page: Page, selector: string) =>
  page
    .locator(`${selector} .expressive-code .copy button`)
    .first()
    .getAttribute('data-code')
    .then((code) => (code ?? '').replaceAll('\u007f', '\n'))

/** Each device and each light: Starlight's own styles do not mix them. */
const VIEWS = [
  ['phone', 'light'],
  ['desktop', 'dark'],
] as const
const PAGES = [
  '/',
  '/guides/five-minutes',
  '/guides/notifications',
  '/guides/testing',
  '/guides/questions',
  '/errors',
  '/reference/qr-codes',
  '/reference/notifications',
  '/in-depth/contract',
  '/ru',
  '/ru/guides/refunds',
  '/ru/guides/questions',
  '/ru/guides/going-live',
  '/ru/reference/tokens',
]

describe.each(VIEWS)('on a %s, %s', (device, colorScheme) => {
  it.for(PAGES)('%s has no barrier, fits, and breaks no rule of its policy', async (path, { expect }) => {
    const { page, faults } = await docs(path, { ...DEVICES[device], colorScheme })
    expect(await barriers(page)).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(DEVICES[device].viewport.width)
    expect(faults).toEqual([])
  })
})

describe('the site', () => {
  it('follows the language of the browser on its first page, once, and a chosen one stays', async ({
    expect,
  }) => {
    const { page, faults } = await docs('/', { locale: 'ru-RU' })
    await page.waitForURL(`${address}/docs/ru`)
    const choose = (label: string) =>
      page.locator('starlight-lang-select select:visible').first().selectOption({ label })
    await choose('English')
    await page.waitForURL(`${address}/docs/`)
    await page.goto(`${address}/docs/`)
    await page.getByRole('heading', { level: 1, name: 'Take payments by QR code' }).waitFor()
    expect(await page.evaluate('document.documentElement.lang')).toBe('en')
    // Another page stays as it is asked for.
    await page.goto(`${address}/docs/ru/guides/refunds`)
    expect(await page.evaluate('document.documentElement.lang')).toBe('ru')
    await choose('English')
    await page.waitForURL(`${address}/docs/guides/refunds`)
    expect(faults).toEqual([])
    const { page: english } = await docs('/')
    await english.getByRole('heading', { level: 1, name: 'Take payments by QR code' }).waitFor()
    expect(english.url()).toBe(`${address}/docs/`)
  })

  it.for(['phone', 'desktop'] as const)(
    'stays where it is when its script comes, on a %s',
    async (device, { expect }) => {
      const context = await browser.newContext(DEVICES[device])
      const page = await context.newPage()
      const script = Promise.withResolvers<void>()
      await page.route('**/docs/page.js', async (route) => {
        await script.promise
        await route.continue()
      })
      await page.goto(`${address}/docs/ru/guides/refunds`, { waitUntil: 'commit' })
      const below = page.locator('.sl-markdown-content h2').first()
      await below.waitFor()
      await page.evaluate('document.fonts.ready')
      const before = await below.boundingBox()
      script.resolve()
      await page.locator('docs-tabs [role="tab"]').first().waitFor()
      expect(Math.abs(((await below.boundingBox())?.y ?? 0) - (before?.y ?? 0))).toBeLessThan(1)
      await context.close()
    },
  )

  it('forbids inline scripts and styles', async ({ expect }) => {
    const policy = (await fetch(`${address}/docs/`)).headers.get('Content-Security-Policy')
    expect(policy).toContain("script-src 'self' 'wasm-unsafe-eval'; style-src 'self';")
    expect(policy).not.toContain('unsafe-inline')
  })

  it('has no link that leads nowhere', async ({ expect }) => {
    const seen = new Map<string, string>()
    const queue = [`${address}/docs/`, `${address}/docs/ru`]
    for (let at = queue.shift(); at !== undefined; at = queue.shift()) {
      const answer = await fetch(at)
      const html = await answer.text()
      seen.set(at, answer.ok ? html : '')
      expect([at, answer.status]).toEqual([at, 200])
      for (const [, href = ''] of html.matchAll(/<a [^>]*?href="([^"]+)"/g)) {
        const [target = ''] = new URL(href.replaceAll('&amp;', '&'), answer.url).href.split('#')
        if (!target.startsWith(`${address}/docs/`) || seen.has(target) || queue.includes(target)) continue
        queue.push(target)
      }
    }
    expect(seen.size).toBeGreaterThan(40)
    const dead: string[] = []
    for (const [at, html] of seen) {
      for (const [, href = ''] of html.matchAll(/<a [^>]*?href="([^"]*#[^"]+)"/g)) {
        const url = new URL(href, at)
        const [target = ''] = url.href.split('#')
        const id = decodeURIComponent(url.hash.slice(1))
        const text = seen.get(target)
        if (text !== undefined && !text.includes(`id="${id}"`)) dead.push(`${at} → ${url.href}`)
      }
    }
    expect(dead).toEqual([])
  })

  it.for([
    ['/ru', 'Поиск', 'возврат', 'Возвраты'],
    ['/', 'Search', 'refund', 'Refunds'],
  ])('at %s finds "%s" %s', async ([path = '', label = '', word = '', title = ''], { expect }) => {
    const { page, faults } = await docs(path)
    await page.getByRole('button', { name: label }).click()
    await page.locator('#starlight__search input').fill(word)
    const found = page.locator('.pagefind-ui__result-link').getByText(title, { exact: true }).first()
    await found.waitFor()
    await found.click()
    await page.waitForURL(/\/docs\/.*refunds/)
    expect(faults).toEqual([])
  })

  it('has its search in a browser that is never idle', async () => {
    const context = await browser.newContext({ locale: 'en-GB' })
    const page = await context.newPage()
    await page.addInitScript(() => {
      Object.assign(globalThis, {
        requestIdleCallback: (callback: () => void, options?: { timeout?: number }) =>
          options?.timeout ? setTimeout(callback, options.timeout) : 1,
      })
    })
    await page.goto(`${address}/docs/guides/refunds`)
    await page.getByRole('button', { name: 'Search' }).click()
    await page.locator('#starlight__search input').fill('refund')
    await page.locator('.pagefind-ui__result-link').first().waitFor()
    await context.close()
  })

  it.for([
    ['/ru', 'Поиск', 'вазврат', 'По запросу «вазврат» ничего не найдено'],
    ['/ru', 'Поиск', 'чаепитие', 'По запросу «чаепитие» ничего не найдено'],
    ['/', 'Search', 'чаепитие', 'No results for чаепитие'],
  ])('at %s by the %s of "%s" says: %s', async ([path = '', label = '', word = '', message = '']) => {
    const { page } = await docs(path)
    await page.getByRole('button', { name: label }).click()
    await page.locator('#starlight__search input').fill(word)
    await page.getByText(message, { exact: true }).waitFor()
  })

  it('looks only for the words that it has, in a module of its own for each alphabet', async ({ expect }) => {
    const { page, faults } = await docs('/')
    const loaded: string[] = []
    page.on('request', (request) => {
      const [file] = /[^/]*(?:pagefind\.js.*|\.pagefind)$/.exec(request.url()) ?? []
      if (file) loaded.push(file)
    })
    const found = (title: string) =>
      page.locator('.pagefind-ui__result-link').getByText(title, { exact: true }).first().waitFor()
    await page.getByRole('button', { name: 'Search' }).click()
    const field = page.locator('#starlight__search input')
    await field.fill('аннулирование refund')
    await found('Refunds · API reference')
    expect(loaded).toEqual(['pagefind.js?ru', 'wasm.ru.pagefind'])
    await field.fill('refund')
    // The first page of the first search has a section of the same name.
    await page.getByText(/^\d+ results for refund$/).waitFor()
    expect(loaded.slice(2)).toEqual(['pagefind.js?en', 'wasm.en.pagefind'])
    expect(faults).toEqual([])
  })

  it('speaks Russian in its search, and nothing in it overlaps on a phone', async ({ expect }) => {
    const { page } = await docs('/ru', DEVICES.phone)
    await page.getByRole('button', { name: 'Поиск' }).click()
    const field = page.locator('#starlight__search input')
    await field.fill('возврат')
    await page.getByText(/^Найдено по запросу «возврат»: \d+$/).waitFor()
    await page.getByRole('button', { name: 'Показать ещё' }).waitFor()
    const end = async (locator: Locator) => {
      const box = await locator.boundingBox()
      return (box?.x ?? 0) + (box?.width ?? 0)
    }
    const cancel = await page.getByRole('button', { name: 'Отмена' }).boundingBox()
    expect(cancel?.x).toBeGreaterThanOrEqual(await end(field))
    expect(cancel?.x).toBeGreaterThanOrEqual(await end(page.getByRole('button', { name: 'Очистить' })))
  })

  it('goes to the same page in the other language, marks it in the contents, and keeps the theme', async ({
    expect,
  }) => {
    const { page } = await docs('/ru/guides/refunds', { colorScheme: 'light' })
    await page.locator('starlight-theme-select select').first().selectOption('dark')
    await page.locator('starlight-lang-select select').first().selectOption({ label: 'English' })
    await page.waitForURL(`${address}/docs/guides/refunds`)
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark')
    expect(await page.locator('nav.sidebar a[aria-current=page]').allTextContents()).toEqual([
      expect.stringContaining('Refunds'),
    ])
    await page.getByRole('link', { name: 'Start page' }).click()
    await page.waitForURL(`${address}/`)
  })

  it('says in Russian what is in English alone: in the contents, behind each link, and on the page', async ({
    expect,
  }) => {
    const { page } = await docs('/ru/guides/self-hosting')
    const behind = await page
      .locator('.sl-markdown-content a[href*="in-depth/"], .sl-markdown-content a[href*="reference/"]')
      .evaluateAll((links) => links.map(({ nextSibling }) => nextSibling?.textContent?.slice(0, 8)))
    expect(new Set(behind)).toEqual(new Set([' (англ.)']))
    const groups = await page.locator('nav.sidebar .group-label').allTextContents()
    expect(groups.map((text) => text.trim())).toEqual([
      'Руководства',
      'Справочник (англ.)',
      'Подробно (англ.)',
    ])
    await page.goto(`${address}/docs/ru/reference/tokens`)
    await page.getByText('Эта страница только на английском').waitFor()
  })

  it('has its contents behind a button on a phone', async ({ expect }) => {
    const { page } = await docs('/', DEVICES.phone)
    const link = page.locator('nav.sidebar').getByRole('link', { name: 'Tokens' }).first()
    expect(await link.isVisible()).toBe(false)
    await page.getByRole('button', { name: 'Menu' }).click()
    await link.click()
    await page.waitForURL(`${address}/docs/guides/tokens`)
  })

  it('shows all languages of an example without script', async ({ expect }) => {
    const { page } = await docs('/guides/refunds', { javaScriptEnabled: false })
    for (const name of ['curl', 'Node', 'Python', 'PHP'])
      expect(await page.locator('.tab-name').getByText(name, { exact: true }).first().isVisible()).toBe(true)
  })
})

describe('the tabs of an example', () => {
  it('change all examples, by mouse and by keys, and stay on the next page', async ({ expect }) => {
    const { page } = await docs('/guides/five-minutes')
    await page.getByRole('tab', { name: 'Node' }).first().click()
    expect(await page.getByRole('tabpanel').allTextContents()).toEqual([
      expect.stringContaining('fps.createQrCode'),
      expect.stringContaining('fps.waitForPayment'),
    ])
    await page.getByRole('tab', { name: 'Node' }).first().press('ArrowRight')
    expect(await page.getByRole('tab', { selected: true }).allTextContents()).toEqual(['Python', 'Python'])
    await page.goto(`${address}/docs/ru/guides/refunds`)
    expect(await page.getByRole('tab', { selected: true }).allTextContents()).toEqual(['Python'])
  })
})

describe('the reference', () => {
  it('has every operation on the page of its resource, with the request of the document', async ({
    expect,
  }) => {
    const { paths } = await documentOf()
    const { page } = await docs('/')
    let at = ''
    for (const [path, methods] of Object.entries(paths)) {
      for (const [method, { operationId, summary, tags, requestBody }] of Object.entries(methods)) {
        if (at !== pageOf(tags)) await page.goto(address + pageOf(tags))
        at = pageOf(tags)
        expect(await page.locator(`#${operationId} h2`).textContent()).toBe(summary)
        expect(await page.locator(`.operations a[href="#${operationId}"]`).count()).toBe(1)
        const command = await copyOf(page, `#${operationId} [data-tab=curl]`)
        const { stdout } = await run('sh', ['-c', `curl() { printf '%s\\0' "$@"; }\n${command}`], {
          env: { ...process.env, TOKEN: 'a.b.c' },
        })
        const words = stdout.split('\0')
        const [url = ''] = words.filter((word) => word.startsWith(`${address}/`))
        expect(new URL(url).pathname.split('/').length).toBe(path.split('/').length)
        expect(words.includes('-X') ? words[words.indexOf('-X') + 1] : 'GET').toBe(method.toUpperCase())
        expect(words).toContain('Authorization: Bearer a.b.c')
        const body = words.includes('-d') ? words[words.indexOf('-d') + 1] : undefined
        const content: Body['content'] = requestBody?.content ?? {}
        const examples = Object.values(content['application/json']?.examples ?? {})
        expect(body && JSON.parse(body)).toEqual(examples[0]?.value)
        const [type] = Object.keys(content)
        if (type !== undefined)
          expect(words).toContain(
            `Content-Type: ${type === 'application/merge-patch+json' ? 'application/json' : type}`,
          )
        expect(words.includes('@logo.png')).toBe(type?.startsWith('image/') ?? false)
      }
    }
  })

  it('marks in the contents the operation that is read', async ({ expect }) => {
    const { page } = await docs('/reference/qr-codes#getQrCode')
    const marked = page.locator('.of-page a[aria-current=location]')
    await marked.filter({ hasText: /^Get a QR code$/ }).waitFor()
    await page.locator('#cancelQrCode').evaluate((section) => section.scrollIntoView())
    await marked.filter({ hasText: /^Cancel a QR code$/ }).waitFor()
    await expect.poll(() => marked.count()).toBe(1)
  })

  it('leads from the contents to an operation on a phone, where they cover the page', async () => {
    const { page } = await docs('/reference/qr-codes', DEVICES.phone)
    await page.getByRole('button', { name: 'Menu' }).click()
    const link = page.locator('.of-page').getByRole('link', { name: 'Cancel a QR code' })
    await link.click()
    await page.waitForURL(/#cancelQrCode$/)
    await link.waitFor({ state: 'hidden' })
  })

  it('has the bodies of the notifications that a merchant receives', async ({ expect }) => {
    const { page } = await docs('/reference/notifications')
    const { webhooks } = await documentOf()
    for (const { post } of Object.values(webhooks)) {
      const bodies = await page
        .locator(`#${post.operationId} .copy button`)
        .evaluateAll((buttons) => buttons.map((each) => each.getAttribute('data-code') ?? ''))
      const examples = Object.values(post.requestBody.content['application/json']?.examples ?? {})
      expect(bodies.map((body) => JSON.parse(body.replaceAll('\u007f', '\n')))).toEqual(
        examples.map(({ value }) => value),
      )
    }
  })

  it('tells each error on a line of its own, in the order of the statuses, and where a field is required', async ({
    expect,
  }) => {
    const { page } = await docs('/reference/refunds')
    const lines = await page.locator('#refundPayment .errors li').allTextContents()
    const codes = lines.map((line) => line.split(':')[0])
    expect(codes).toEqual(codes.toSorted((a = '', b = '') => Number.parseInt(a, 10) - Number.parseInt(b, 10)))
    for (const code of [
      '400 validation.error',
      '404 payin.resource.not.found',
      '409 payin.resource.already.exists',
      '409 payin.incorrect-method-invocation',
      '409 site.restored',
      '409 network.changed',
      '503 network.not.connected',
    ])
      expect(codes).toContain(code)
    await page.goto(`${address}/docs/reference/qr-codes`)
    const fields = await page.locator('#createQrCode .fields').nth(1).locator('dt').allTextContents()
    expect(fields).toContain('amount.value number or string required in amount')
    const rules = await page.locator('#createQrCode .fields').nth(1).locator('dd').allTextContents()
    expect(rules.filter((rule) => rule.trim() === '')).toEqual([])
  })

  it('shows the example beside the description on a wide screen', async ({ expect }) => {
    const { page } = await docs('/reference/qr-codes', { viewport: { width: 1440, height: 900 } })
    const box = (selector: string) => page.locator(`#createQrCode ${selector}`).first().boundingBox()
    const [about, example] = [await box('.about'), await box('.example')]
    expect(example?.x).toBeGreaterThan((about?.x ?? 0) + (about?.width ?? 1440))
  })

  it('tries an operation in a sandbox, with a token that ends with the tab', async ({ expect }) => {
    const { page, faults } = await docs('/reference/qr-codes')
    const form = page.locator('#createQrCode .try')
    await form.getByText('Try it').click()
    // The service gave one by itself, of the site demo and for an hour.
    await expect.poll(() => form.getByLabel('Access token').inputValue()).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/)
    const given = await form.getByLabel('Access token').inputValue()
    const { sub, scope, iat, exp } = JSON.parse(
      Buffer.from(given.split('.')[1] ?? '', 'base64url').toString(),
    )
    expect([sub, scope, exp - iat]).toEqual(['demo', 'merchant', 3600])
    const token = await mintToken(secret, { siteId: 'demo', scope: 'merchant', days: 1 })
    await form.getByLabel('Access token').fill(token)
    await form.getByLabel('Body').fill('{"qrCodeUid":"tried","qrCode":{"type":"DYNAMIC"}}')
    await form.getByRole('button', { name: 'Send POST' }).click()
    await form.getByText('"qrCodeUid": "tried"').waitFor()
    expect(await page.evaluate('JSON.stringify(localStorage) + document.cookie')).not.toContain(token)
    expect(await barriers(page)).toEqual([])
    // On another operation the token is there already; in another tab it is not.
    await page.locator('#getQrCodeImage .try').getByText('Try it').click()
    await page.locator('#getQrCodeImage').getByLabel('qrCodeUid').fill('tried')
    await page.locator('#getQrCodeImage').getByRole('button', { name: 'Send GET' }).click()
    await page.locator('#getQrCodeImage .try img').waitFor()
    const other = await page.context().newPage()
    await other.goto(page.url())
    await other.locator('#createQrCode .try').getByText('Try it').click()
    const field = other.locator('#createQrCode').getByLabel('Access token')
    await field.waitFor()
    expect(await field.inputValue()).not.toBe(token)
    expect(faults).toEqual([])
  })

  it('tries nothing where money moves', async ({ expect }) => {
    const { page } = await visit(browser, `${inject('external').address}/docs/reference/refunds`)
    const form = page.locator('#refundPayment .try')
    await form.getByText('Try it').click()
    await form.getByText('This works in a sandbox only').waitFor()
    expect(await form.getByRole('textbox').count()).toBe(0)
  })
})

describe('an error', () => {
  it.for(['/docs/errors', '/docs/ru/errors'])('has a section of its code at %s', async (path, { expect }) => {
    const page = await (await fetch(address + path)).text()
    const anchors = Array.from(page.matchAll(/ id="([\w.-]+)"/g), ([, id]) => id)
    expect(Object.keys(ERRORS).filter((code) => !anchors.includes(code))).toEqual([])
  })

  it('leads to its section', async ({ expect }) => {
    const answer = await fetch(`${address}/payin/v1/sites/demo/sbp/qrCodes`)
    const [, link = ''] = /^<([^>]+)>; rel="help"$/.exec(answer.headers.get('Link') ?? '') ?? []
    expect(link).toBe(`${address}/docs/errors#auth.unauthorized`)
    const { page } = await visit(browser, link)
    const heading = page.getByRole('heading', { name: 'auth.unauthorized' })
    const box = await heading.boundingBox()
    expect(box?.y).toBeGreaterThan(0)
    expect(box?.y).toBeLessThan(400)
  })
})

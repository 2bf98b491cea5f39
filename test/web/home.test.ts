// The addresses outside the API: the home page, the documentation, the document, the health.
import { listDurableObjectIds } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { QR_CODE_EXAMPLE, QrCodeAnswer } from '../../src/contract/qr-code-answer.ts'
import { MAX_PURPOSE } from '../../src/contract/text.ts'
import { parseLink } from '../../src/fps/link.ts'
import type { Platform } from '../../src/gateway/context.ts'
import { codeIn } from '../support/html.ts'
import { call, ORIGIN, serviceWith } from '../support/service.ts'
import { strict } from '../support/strict.ts'

const get = (path: string, Accept = '') => call(path, { token: null, headers: { Accept } })

describe('the home page', () => {
  it.each(['', '*/*', 'application/json'])('tells a program in JSON (Accept: %j)', async (accept) => {
    const response = await get('/', accept)
    expect(response.headers.get('Content-Type')).toBe('application/json')
    expect(await response.json()).toMatchObject({
      documentation: '/docs',
      openapi: '/openapi.json',
      health: '/healthz',
    })
  })

  it('tells a person in HTML', async () => {
    const response = await get('/', 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8')
    expect(response.headers.get('Content-Type')).toMatch(/^text\/html/)
    const text = await response.text()
    for (const link of ['docs/ru/', 'console/']) expect(text).toContain(`href="${link}"`)
  })

  it.each([
    ['/', 'ru', 'Универсальный QR-код для СБП', '?lang=en'],
    ['/', 'en', 'A universal payment QR code for SBP', '?lang=ru'],
    ['/?lang=en', 'ru', 'A universal payment QR code for SBP', '?lang=ru'],
    ['/?lang=ru', 'en', 'Универсальный QR-код для СБП', '?lang=en'],
    ['/?lang=de', 'en', 'A universal payment QR code for SBP', '?lang=ru'],
  ])(
    'at %s speaks to a reader of %s: "%s", and leads to the other language',
    async (path, language, ...row) => {
      const [title, other] = row
      const headers = { Accept: 'text/html', 'Accept-Language': language }
      const page = await (await call(path, { token: null, headers })).text()
      expect(page).toContain(title)
      expect(page).toContain(`class="language" href="${other}"`)
    },
  )
})

it.each([
  ['a sandbox', { PAYMENT_NETWORK: 'sandbox' }, '#demo'],
  ['a deployment with test sites', { TEST_SITES: 'on' }, 'docs/guides/testing#your-test-site'],
  ['a deployment without them', {}, undefined],
])('on %s the start page begins with what a merchant has there', async (_, settings, href) => {
  const headers = { Accept: 'text/html', 'Accept-Language': 'en' }
  const page = await (await call('/', { token: null, headers }, serviceWith({ settings }))).text()
  expect(/<a class="button primary" href="([^"]+)">Try it</.exec(page)?.[1]).toBe(href)
})

it('the start page shows a request, and the answer that the service gives to it', async () => {
  const settings = {
    PAYMENT_NETWORK: 'sandbox',
    LINK_BASE_URL: 'https://qr.nspk.ru',
    BANK_MEMBER_ID: '100000000007',
  }
  const service = serviceWith({ settings })
  const page = await call('/', { token: null, headers: { Accept: 'text/html' } }, service)
  const [request = '', shown = ''] = codeIn(await page.text())
  const [, path = '', body = ''] =
    /^curl -sS 'http:\/\/qr\.test([^']+)'[\s\S]* -d '([^']+)'$/.exec(request) ?? []
  const answer = await call(path, { body }, service)
  expect(answer.status).toBe(200)
  expect(withoutChance(JSON.parse(shown))).toBe(withoutChance(await answer.json()))
})

/** Text in which the id of the link, its checksum and the times are those of any answer. */
const withoutChance = (answer: unknown) =>
  JSON.stringify(answer)
    .replaceAll(/AD1[0-9A-V]{29}/g, 'ID')
    .replaceAll(/crc=[0-9A-F]{4}/g, 'crc')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+03:00/g, 'TIME')

describe('a person', () => {
  const failing = serviceWith({ settings: { ALLOWED_HOSTS: 'other.example' } })

  it.each([
    ['/', 'the error object', 'application/json'],
    ['/docs', 'the error object', 'application/json'],
    ['/pay/demo/x', 'the page', 'text/html; charset=utf-8'],
    ['/pay/demo/x/y/z', 'the page', 'text/html; charset=utf-8'],
    ['/pay/', 'the page', 'text/html; charset=utf-8'],
  ])('who opens %s gets a page where the service fails, and a program gets %s', async (path, _, type) => {
    const page = await call(path, { token: null, headers: { Accept: 'text/html' } }, failing)
    expect([page.status, page.headers.get('Content-Type')]).toEqual([421, 'text/html; charset=utf-8'])
    expect(await page.text()).toContain('Страница не открылась')
    const other = await call(path, { token: null, headers: { Accept: '*/*' } }, failing)
    expect([other.status, other.headers.get('Content-Type')]).toEqual([421, type])
  })

  it.each([
    ['/nothing', './'],
    ['/nothing/here', '../'],
  ])(
    'who opens the unknown address %s gets a page that leads to %s, and a program the error object',
    async (path, start) => {
      const page = await get(path, 'text/html')
      expect([page.status, page.headers.get('Content-Type')]).toEqual([404, 'text/html; charset=utf-8'])
      const text = await page.text()
      expect(text).toContain('Страница не найдена')
      expect(text).toContain(`<a href="${start}">На главную</a>`)
      const english = await (await get(`${path}?lang=en&a=b`, 'text/html')).text()
      expect(english).toContain('Page not found')
      expect(english).toContain('class="language" href="?a=b&amp;lang=ru"')
      expect((await get(path, '*/*')).headers.get('Content-Type')).toBe('application/json')
    },
  )

  it.each([
    '/payin/v1/nothing',
    '/partner/payin/v1/nothing',
    '/payin',
    '/network/v1/nothing',
    '/sandbox/v1/nothing',
  ])('gets the error object at %s', async (path) => {
    const response = await get(path, 'text/html')
    expect(response.headers.get('Content-Type')).toBe('application/json')
  })

  it('who posts where nothing can be posted gets a page', async () => {
    const response = await call('/', { token: null, method: 'POST', headers: { Accept: 'text/html' } })
    expect([response.status, response.headers.get('Content-Type')]).toEqual([405, 'text/html; charset=utf-8'])
    expect(response.headers.get('Allow')).toBe('GET, HEAD')
  })
})

describe('the documentation', () => {
  const pages: Record<string, string> = { '/docs/': 'the overview', '/docs/errors': 'the errors' }
  const docs = {
    fetch: async (request: Request) => {
      const text = pages[new URL(request.url).pathname]
      return text === undefined ? new Response(null, { status: 404 }) : new Response(text)
    },
  }

  it('is a folder', async () => {
    const response = await call('/docs', { token: null }, serviceWith({}))
    expect([response.status, response.headers.get('Location')]).toEqual([303, 'docs/'])
  })

  it.each(Object.entries(pages))('at %s is what its own Worker serves: %s', async (path, text) => {
    const response = await call(path, { token: null }, serviceWith({ docs }))
    expect([response.status, await response.text()]).toEqual([200, text])
  })

  it.each([[{ docs }], [{}]])('has no other pages', async (platform) => {
    const response = await call(
      '/docs/nothing',
      { token: null, headers: { Accept: 'text/html' } },
      serviceWith(platform),
    )
    expect(response.status).toBe(404)
    expect(await response.text()).toContain('Страница не найдена')
  })
})

describe('the document', () => {
  it('is OpenAPI 3.1, with every field of the contract', async () => {
    const response = await call('/openapi.json', { token: null }, serviceWith({}))
    const text = await response.text()
    expect(JSON.parse(text)).toMatchObject({
      openapi: expect.stringMatching(/^3\.1\./),
      servers: [{ url: ORIGIN }],
    })
    for (const field of [
      'qrCodeUid',
      'qrCode',
      'type',
      'ttl',
      'image',
      'mediaType',
      'width',
      'height',
      'content',
      'payload',
      'status',
      'amount',
      'value',
      'currency',
      'paymentPurpose',
      'redirectUrl',
      'tokenizationPurpose',
      'tokenizationAccount',
      'flags',
      'createdOn',
      'token',
      'payment',
      'refunds',
      'serviceName',
      'errorCode',
      'description',
      'userMessage',
      'dateTime',
      'traceId',
      'cause',
    ]) {
      expect(text).toContain(`"${field}":`)
    }
  })

  it('shows bounds and defaults', async () => {
    const document = await (await call('/openapi.json', { token: null }, serviceWith({}))).text()
    for (const bound of [
      '"maxLength":200',
      '"minimum":1,"maximum":129600',
      '"minimum":100,"maximum":2000',
      `"maxLength":${MAX_PURPOSE}`,
      '"maxLength":64',
      '"maxLength":1000',
      'By default `RUB`',
      'By default `image/png`',
    ]) {
      expect(document).toContain(bound)
    }
  })

  it('shows an answer that the contract allows, with a link that verifies', () => {
    const example = strict(QrCodeAnswer).parse(QR_CODE_EXAMPLE.value)
    expect(parseLink(example.qrCode.payload)?.amount).toEqual({ minorUnits: 1, currency: 'RUB' })
    expect(example.amount).toEqual({ value: '0.01', currency: 'RUB' })
  })
})

describe('the health', () => {
  it.each([
    ['written', {}, 'Сервис работает'],
    [
      'not written',
      {
        site: () => {
          throw new Error('no disk')
        },
      },
      'не записываются',
    ],
  ])('is a page for a person, where data is %s', async (_, platform, text) => {
    const service = serviceWith(platform as Parameters<typeof serviceWith>[0])
    const response = await call('/healthz', { token: null, headers: { Accept: 'text/html' } }, service)
    expect([response.status, response.headers.get('Content-Type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(await response.text()).toContain(text)
  })

  it('answers, and asks no site', async () => {
    const site = vi.fn<Platform['site']>()
    const before = await listDurableObjectIds(env.SITES)
    for (const response of [
      await get('/healthz'),
      await call('/healthz', { token: null }, serviceWith({ site })),
    ]) {
      expect([response.status, await response.json()]).toEqual([200, { status: 'ok' }])
    }
    expect(site).not.toHaveBeenCalled()
    expect(await listDurableObjectIds(env.SITES)).toEqual(before)
  })
})

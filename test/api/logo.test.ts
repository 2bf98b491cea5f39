// The identity of a shop: its logo, fetched once and served from here, and its colour (contract, section 12).
import { describe, expect, it } from 'vitest'
import { contrast } from '../../src/contract/color.ts'
import { type FreshSite, freshSite } from '../support/admin.ts'
import { qrCodeBody } from '../support/client.ts'
import { IMPOSTORS, PICTURES } from '../support/pictures.ts'
import { call, errorOf, ORIGIN, serviceWith } from '../support/service.ts'

const URL_OF_LOGO = 'https://shop.example/logo.png'
const bytesOf = (mediaType: string, width = 64, height = 64) =>
  Uint8Array.from(PICTURES[mediaType]?.(width, height) ?? [])
const PNG = bytesOf('image/png')

/** A service whose network is one server; `asked` has the URLs that it was asked for. */
function serviceOn(answer: (request: Request) => Response | Promise<Response>, settings = {}) {
  const asked: string[] = []
  const fetch = serviceWith({
    settings,
    fetch: async (request) => {
      asked.push(request.url)
      return answer(request)
    },
  })
  return { fetch, asked }
}
type Service = ReturnType<typeof serviceOn>

const put = ({ ask }: FreshSite, body: Record<string, unknown>, { fetch }: Service) =>
  ask('/settings', { method: 'PUT', body }, fetch)

const pageOf = async ({ ask }: FreshSite, { fetch }: Service) => {
  const answer = await ask('/sbp/qrCodes', { body: qrCodeBody({ amount: { value: 5 } }) }, fetch)
  const { pageUrl } = await answer.json<{ pageUrl: string }>()
  const response = await call(pageUrl.slice(ORIGIN.length), { token: null }, fetch)
  return { response, pageUrl, html: await response.text() }
}

const logoIn = ({ html, pageUrl }: { html: string; pageUrl: string }) => {
  const [, src] = /<img class="mark" src="([^"]+)"/.exec(html) ?? []
  return src && new URL(src, pageUrl).href.slice(ORIGIN.length)
}

describe('a logo', () => {
  it.each(Object.keys(PICTURES))('of type %s is fetched once, and served from here', async (mediaType) => {
    const site = freshSite()
    const content = bytesOf(mediaType, 1024, 1024)
    const service = serviceOn(() => new Response(content, { headers: { 'Content-Type': 'text/html' } }))
    const answer = await put(site, { logoUrl: URL_OF_LOGO }, service)
    expect(await answer.json()).toMatchObject({ logoUrl: URL_OF_LOGO })
    expect((await put(site, { logoUrl: URL_OF_LOGO, name: 'Tea' }, service)).status).toBe(200)
    const page = await pageOf(site, service)
    expect(service.asked).toEqual([URL_OF_LOGO])
    expect(page.html).not.toContain('shop.example')
    const logo = await call(logoIn(page) ?? '', { token: null }, service.fetch)
    expect([logo.status, logo.headers.get('Content-Type'), logo.headers.get('Cache-Control')]).toEqual([
      200,
      mediaType,
      'public, max-age=600',
    ])
    expect(logo.headers.get('X-Content-Type-Options')).toBe('nosniff')
    expect(new Uint8Array(await logo.arrayBuffer())).toEqual(content)
    const again = await call(logoIn(page) ?? '', { token: null }, service.fetch)
    expect(new Uint8Array(await again.arrayBuffer())).toEqual(content)
  })

  it('has another address when it is another, and none when it is removed', async () => {
    const site = freshSite()
    let content = PNG
    const service = serviceOn(() => new Response(content))
    await put(site, { logoUrl: URL_OF_LOGO }, service)
    const first = logoIn(await pageOf(site, service))
    content = bytesOf('image/webp')
    await put(site, { logoUrl: `${URL_OF_LOGO}?2` }, service)
    const second = logoIn(await pageOf(site, service))
    expect(second).not.toBe(first)
    const statusOf = async (path = '') => (await call(path, { token: null }, serviceWith({}))).status
    expect([await statusOf(first), await statusOf(second)]).toEqual([404, 200])
    await put(site, {}, service)
    expect(logoIn(await pageOf(site, service))).toBeUndefined()
    expect(await statusOf(second)).toBe(404)
  })

  it('at an address that is made up, spelt otherwise, or another site’s, wakes no site', async () => {
    const site = freshSite()
    const service = serviceOn(() => new Response(PNG))
    await put(site, { logoUrl: URL_OF_LOGO }, service)
    const path = logoIn(await pageOf(site, service)) ?? ''
    const quiet = serviceWith({
      site: () => {
        throw new Error('a site is called')
      },
    })
    const [, , siteId = '', hash = '', mac = ''] = path.split('/')
    for (const made of [
      `/logo/${siteId}/${hash}/${'0'.repeat(24)}`,
      `/logo/${siteId}/${hash}/`,
      `/logo/${siteId}/${hash}/zz`,
      ...[`${mac}0`, `${mac}zz`, mac.toUpperCase()].map((other) => `/logo/${siteId}/${hash}/${other}`),
      `/logo/other/${hash}/${mac}`,
      `/logo/${siteId}/${hash.replace(/./, (each) => (each === '0' ? '1' : '0'))}/${mac}`,
    ])
      expect((await call(made, { token: null }, quiet)).status, made).toBe(404)
  })

  it('whose request was answered, and is sent again with the same If-Match, is not fetched again', async () => {
    const site = freshSite()
    const service = serviceOn(() => new Response(PNG))
    const etag = (await site.ask('/settings')).headers.get('ETag') ?? ''
    const again = () =>
      site.ask(
        '/settings',
        { method: 'PUT', body: { logoUrl: URL_OF_LOGO }, headers: { 'If-Match': etag } },
        service.fetch,
      )
    expect([(await again()).status, (await again()).status]).toEqual([200, 200])
    expect(service.asked).toHaveLength(1)
    expect(await site.events()).toHaveLength(1)
  })
})

describe('a logo is refused, and the settings stay, where', () => {
  const REFUSED: [string, () => Response | Promise<Response>, string][] = [
    ['the server answers 404', () => new Response(PNG, { status: 404 }), 'its server answered 404'],
    [
      'the server redirects',
      () => Response.redirect('https://shop.example/other.png'),
      'its server answered 302',
    ],
    ['the server is not there', () => Promise.reject(new Error('refused')), 'no connection'],
    [
      'the server is too slow',
      () => Promise.reject(new DOMException('late', 'TimeoutError')),
      'it did not come within 10 seconds',
    ],
    ['it has more than 256 KiB', () => new Response(new Uint8Array(256 * 1024 + 1).fill(1)), 'it is larger'],
    ['it is 1025 pixels wide', () => new Response(bytesOf('image/png', 1025, 1)), 'it has 1025 × 1 pixels'],
    [
      'it is 65535 pixels high',
      () => new Response(bytesOf('image/jpeg', 1, 65_535)),
      'it has 1 × 65535 pixels',
    ],
    [
      'it decodes to 64 GB',
      () => new Response(bytesOf('image/webp', 2 ** 24, 1024)),
      'it has 16777216 × 1024 pixels',
    ],
    ['it has no pixels', () => new Response(bytesOf('image/png', 0, 5)), 'it has 0 × 5 pixels'],
    ...Object.entries(IMPOSTORS).map(([name, bytes]): [string, () => Response, string] => [
      `it is ${name}`,
      () => new Response(Uint8Array.from(bytes), { headers: { 'Content-Type': 'image/png' } }),
      'it is something else',
    ]),
  ]
  it.each(REFUSED)('%s', async (_, answer, problem) => {
    const site = freshSite()
    await put(site, { name: 'Tea' }, serviceOn(answer))
    const response = await put(site, { name: 'New', logoUrl: URL_OF_LOGO }, serviceOn(answer))
    expect(response.status).toBe(400)
    const { cause } = await errorOf(response)
    expect(cause?.logoUrl).toEqual([expect.stringMatching(new RegExp(`pixels a side: ${problem}$`))])
    expect(await (await site.ask('/settings')).json()).toMatchObject({ name: 'Tea' })
  })

  it('a body does not end: no more of it is read than a logo may have', async () => {
    let read = 0
    const endless = () =>
      new Response(
        new ReadableStream<Uint8Array>({
          pull(controller) {
            read += 64 * 1024
            controller.enqueue(new Uint8Array(64 * 1024))
          },
        }),
      )
    const response = await put(freshSite(), { logoUrl: URL_OF_LOGO }, serviceOn(endless))
    expect(response.status).toBe(400)
    expect(read).toBeLessThan(1024 * 1024)
  })

  it.each([
    'http://shop.example/logo.png',
    'https://127.0.0.1/logo.png',
    'https://2130706433/logo.png',
    'https://0x7f.1/logo.png',
    'https://10.0.0.1/logo.png',
    'https://169.254.169.254/latest/meta-data',
    'https://[::1]/logo.png',
    'https://[::ffff:10.0.0.1]/logo.png',
    'https://[64:ff9b::a00:1]/logo.png',
    'https://localhost/logo.png',
    'https://db.internal/logo.png',
    'https://printer.local/logo.png',
    'https://intranet/logo.png',
    'https://user@shop.example/logo.png',
    'https://shop.example/logo.png#top',
    'https://qr.test/logo.png',
    'file:///etc/passwd',
    'data:image/png;base64,AAAA',
  ])('its URL is %s: nothing is fetched', async (logoUrl) => {
    const service = serviceOn(() => new Response(PNG))
    const response = await put(freshSite(), { logoUrl }, service)
    expect([response.status, Object.keys((await errorOf(response)).cause ?? {})]).toEqual([400, ['logoUrl']])
    expect(service.asked).toEqual([])
  })

  it('the key may not set it: nothing is fetched', async () => {
    const service = serviceOn(() => new Response(PNG))
    const { ask } = freshSite()
    const body = { logoUrl: URL_OF_LOGO }
    const refused = await ask(
      '/settings',
      { method: 'PUT', body, claims: { scope: 'merchant' } },
      service.fetch,
    )
    expect([refused.status, service.asked]).toEqual([403, []])
  })
})

describe('a colour', () => {
  it.each([
    ['#1B4FD6', '#ffffff'],
    ['#0f6b3c', '#ffffff'],
    ['#000000', '#ffffff'],
    // Three to one with white, but white text on it would not be legible.
    ['#ef6c00', '#000000'],
  ])('%s is the buttons’, with text in %s, and the policy names its rules', async (color, text) => {
    const site = freshSite()
    const service = serviceOn(() => new Response(PNG))
    expect(await (await put(site, { color }, service)).json()).toMatchObject({ color })
    const { html, response, pageUrl } = await pageOf(site, service)
    const [, rules = ''] = /<style>([^<]*)<\/style>/.exec(html) ?? []
    expect(rules).toContain(`:root{--act:${color};--on-act:${text};`)
    const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(rules))
    const policy = response.headers.get('Content-Security-Policy') ?? ''
    expect(policy).toContain(`style-src 'self' 'sha256-${new Uint8Array(hash).toBase64()}';`)
    expect(policy).not.toContain('unsafe')
    // So is it on every page that has the shop, also where the link was changed.
    const altered = await call(
      `${pageUrl.slice(ORIGIN.length).replace('sum=500', 'sum=1')}`,
      { token: null },
      service.fetch,
    )
    const list = await call(
      pageUrl.slice(ORIGIN.length).replace('?', '/banks?'),
      { token: null },
      serviceWith({
        settings: { BANKS_URL: 'https://list.example/' },
        fetchConnector: async () => Response.json({}),
      }),
    )
    for (const other of [altered, list]) {
      expect(other.headers.get('Content-Security-Policy')).toContain(new Uint8Array(hash).toBase64())
      expect(await other.text()).toContain(`<style>${rules}</style>`)
    }
    // In the light and in the dark, buttons and links differ from the page, and texts are legible.
    const all = Array.from(rules.matchAll(/--act:(#\w+);--on-act:(#\w+);--link:(#\w+)/g))
    expect(all).toHaveLength(2)
    for (const [i, [, act = '', on = '', link = '']] of all.entries()) {
      const ground = ['#ffffff', '#17191f'][i] ?? ''
      expect(contrast(act, ground)).toBeGreaterThanOrEqual(3)
      expect(contrast(act, on)).toBeGreaterThanOrEqual(4.5)
      expect(contrast(link, ground)).toBeGreaterThanOrEqual(4.5)
    }
  })

  it.each(['#ffdd2d', '#ffffff', '#1b4fd', '1b4fd6', 'red', '#1b4fd6;}', 'url(x)', '', 5])(
    '%j is refused',
    async (color) => {
      const response = await put(
        freshSite(),
        { color },
        serviceOn(() => new Response(PNG)),
      )
      expect([response.status, Object.keys((await errorOf(response)).cause ?? {})]).toEqual([400, ['color']])
    },
  )

  it('is absent by default: nothing is inline', async () => {
    const { html, response } = await pageOf(
      freshSite(),
      serviceOn(() => new Response(PNG)),
    )
    expect(html).not.toContain('<style')
    expect(response.headers.get('Content-Security-Policy')).toContain("style-src 'self';")
  })
})

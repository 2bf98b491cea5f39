// The demonstration on the home page.
import { describe, expect, it } from 'vitest'
import { MAX_PURPOSE } from '../../src/contract/text.ts'
import { formatLink, parseLink } from '../../src/fps/link.ts'
import { qrCodeBody } from '../support/client.ts'
import { codeIn } from '../support/html.ts'
import { external } from '../support/payer.ts'
import { COLLECTION, call, create, FORM, ORIGIN, sandbox, serviceWith } from '../support/service.ts'

const Accept = 'text/html'

const homePage = async (search = '', service = sandbox) =>
  (await call(`/${search}`, { token: null, headers: { Accept } }, service)).text()
const submit = (fields: Record<string, string>, service = sandbox) =>
  call(
    '/',
    {
      token: null,
      body: new URLSearchParams(fields).toString(),
      headers: FORM,
    },
    service,
  )
const made = async (fields: Record<string, string>, service = sandbox) => {
  const location = (await submit(fields, service)).headers.get('Location') ?? ''
  return { location, link: new URL(location, ORIGIN).searchParams.get('link') ?? '' }
}
const search = (link: string) => `?link=${encodeURIComponent(link)}`

describe('the demonstration', () => {
  it('creates a QR code of site demo and shows its picture and its link, whose page opens', async () => {
    const response = await submit({ amount: '12.50', purpose: 'Tea & cake' })
    expect(response.status).toBe(303)
    const location = response.headers.get('Location') ?? ''
    const link = new URL(location, ORIGIN).searchParams.get('link') ?? ''
    expect(parseLink(link)?.amount).toEqual({ minorUnits: 1250, currency: 'RUB' })
    const page = await homePage(location)
    expect(page).toContain(`<a href="${link.slice(`${ORIGIN}/`.length).replaceAll('&', '&amp;')}">`)
    expect(page).toContain('src="data:image/svg+xml,%3Csvg')
    const payers = await call(link.slice(ORIGIN.length), { token: null }, sandbox)
    expect(await payers.text()).toContain('Tea &amp; cake')
  })

  it('is polled and paid at the address that the browser is at, whatever PUBLIC_URL is', async () => {
    const service = serviceWith({
      settings: { PAYMENT_NETWORK: 'sandbox', PUBLIC_URL: 'http://localhost:8787' },
    })
    const { location, link } = await made({ amount: '1', purpose: 'Tea' }, service)
    expect(link).toMatch(/^http:\/\/localhost:8787\/pay\/demo\//)
    const page = await homePage(location, service)
    const addresses = ['data-poll', 'action', 'href'].map(
      (name) => new RegExp(` ${name}="([^"?]*pay/demo/[^"?]*)`).exec(page)?.[1],
    )
    const path = new URL(link).pathname.slice(1)
    expect(addresses).toEqual([`${path}/state`, path, path])
  })

  it('leads to the payer’s page where links point to the network', async () => {
    const settings = { PAYMENT_NETWORK: 'sandbox', LINK_BASE_URL: 'https://qr.nspk.ru' }
    const service = serviceWith({ settings })
    const location = (await submit({ amount: '1', purpose: 'Tea' }, service)).headers.get('Location') ?? ''
    const link = new URL(location, ORIGIN).searchParams.get('link') ?? ''
    expect(link).toMatch(/^https:\/\/qr\.nspk\.ru\//)
    const [, href = ''] = /<a href="([^"]+)"><img/.exec(await homePage(location, service)) ?? []
    const url = new URL(href.replaceAll('&amp;', '&'), ORIGIN).href
    expect(url).toBe(link.replace('https://qr.nspk.ru', `${ORIGIN}/pay/demo`))
    const page = await call(url.slice(ORIGIN.length), { token: null }, service)
    expect(await page.text()).toContain('>Tea<')
  })

  it('creates a QR code without a sum where none is typed', async () => {
    const location = (await submit({ amount: '', purpose: '' })).headers.get('Location') ?? ''
    expect(parseLink(new URL(location, ORIGIN).searchParams.get('link') ?? '')?.amount).toBeUndefined()
  })

  it('shows the qrCodeUid, the status as it is now, and where it is long polled', async () => {
    const { location, link } = await made({ amount: '12.50', purpose: 'Tea' })
    const page = await homePage(location)
    expect(page).toMatch(/<code>demo-[0-9a-f]{16}<\/code>/)
    expect(page).toContain('data-status="CREATED">CREATED</code>')
    const [, poll = ''] = /data-poll="([^"]+)"/.exec(page) ?? []
    const state = await call(`/${poll.replaceAll('&amp;', '&')}`, { token: null }, sandbox)
    expect(await state.json()).toEqual({ status: 'CREATED' })
    expect(page).toContain(`data-state="${state.headers.get('ETag')?.replaceAll('"', '&quot;')}"`)
    await call(link.slice(ORIGIN.length), { token: null, body: 'action=pay', headers: FORM }, sandbox)
    expect(await homePage(location)).toContain('data-status="PAYED">PAYED</code>')
  })

  it('shows the two requests as they can be sent: the first is a replay, the second waits', async () => {
    const { location } = await made({ amount: '12.50', purpose: "Tea 'n' cake" })
    const page = await homePage(location)
    // After the request and the answer that every visitor sees.
    const commands = codeIn(page).slice(2)
    expect(commands).toHaveLength(2)
    const [, address = ''] = /^curl -sS '([^']+)'/.exec(commands[0] ?? '') ?? []
    const [, body = ''] = /-d '(.+)'$/s.exec(commands[0] ?? '') ?? []
    const replayed = await call(
      address.slice(ORIGIN.length),
      { body: body.replaceAll("'\\''", "'"), headers: { 'Content-Type': 'application/json' } },
      sandbox,
    )
    expect([replayed.status, replayed.headers.get('Idempotent-Replayed')]).toEqual([200, 'true'])
    expect(await replayed.json()).toMatchObject({ amount: { value: '12.50', currency: 'RUB' } })
    const [, state = ''] = /^curl -sS '([^']+)'/.exec(commands[1] ?? '') ?? []
    expect((await call(state.slice(ORIGIN.length), {}, sandbox)).status).toBe(200)
    expect(commands[1]).toContain("-H 'Prefer: wait=60'")
  })

  it.each([
    [{ amount: '0' }, 400, 'Введите сумму от 0,01'],
    [{ amount: '<b>' }, 400, 'Введите сумму от 0,01'],
    [{ amount: '2,505' }, 400, 'Введите сумму от 0,01'],
    [
      { amount: '1', purpose: 'x'.repeat(MAX_PURPOSE + 1) },
      400,
      `Введите назначение не длиннее ${MAX_PURPOSE} символов`,
    ],
  ])(
    'says in the visitor’s language what a field must be that the API refuses (%j), and keeps what was typed',
    async (fields, status, text) => {
      const response = await submit(fields)
      expect(response.status).toBe(status)
      expect(response.headers.get('Content-Type')).toMatch(/^text\/html/)
      const page = await response.text()
      const [, alert = ''] = /role="alert">([\s\S]*?)<\/div>/.exec(page) ?? []
      // What to do comes first, then how the API says it.
      expect(alert.startsWith(`<p><strong>${text}`)).toBe(true)
      expect(alert).toContain('<p>Сервис отклонил запрос: 400 <code>validation.error</code></p>')
      expect(page).toContain(
        `name="amount" inputmode="decimal" autocomplete="off" maxlength="30" value="${fields.amount.replace('<b>', '&lt;b&gt;')}"`,
      )
    },
  )

  it.each(['2,50', '2.50', '2,5', ' 2,50 '])('takes the amount %j', async (amount) => {
    expect(parseLink((await made({ amount })).link)?.amount).toEqual({ minorUnits: 250, currency: 'RUB' })
  })

  it('asks for a payment only until it is made', async () => {
    const { location, link } = await made({ amount: '1' })
    expect(await homePage(location)).toContain('Заплатите с этого телефона')
    await call(link.slice(ORIGIN.length), { token: null, body: 'action=pay', headers: FORM }, sandbox)
    expect(await homePage(location)).not.toContain('Заплатите с этого телефона')
  })

  it.each([
    ['ru', '100,00'],
    ['en', '100.00'],
  ])('in %s proposes the amount %s', async (lang, amount) =>
    expect(await homePage(`?lang=${lang}`)).toContain(`maxlength="30" value="${amount}"`),
  )

  it('has a limit of its own, beside the keys of site demo, and shows in the page that it is used up', async () => {
    const service = serviceWith({
      settings: { PAYMENT_NETWORK: 'sandbox' },
      limiter: { limit: async ({ key }) => ({ success: key !== 'form:demo' }) },
    })
    const response = await submit({ amount: '1' }, service)
    expect(response.status).toBe(429)
    expect(await response.text()).toMatch(/role="alert"[\s\S]*http.too.many.requests/)
    expect((await call(COLLECTION, { body: qrCodeBody() }, service)).status).toBe(200)
  })

  it('shows no link that this deployment did not make for it', async () => {
    const { qrCode } = await create(qrCodeBody(), {}, sandbox)
    expect(await homePage(search(qrCode.payload))).toContain('<img')
    const parts = parseLink(qrCode.payload)
    if (!parts) throw new Error('no link')
    for (const link of [
      'https://evil.example/',
      'javascript:alert(1)',
      formatLink({ ...parts, base: 'https://evil.example' }),
      formatLink({ ...parts, id: `${parts.id.slice(0, -2)}00` }),
      `${qrCode.payload}"><script>`,
    ]) {
      const page = await homePage(search(link))
      expect(page).toContain('<form')
      expect(page).not.toMatch(/<img|evil|<script>/)
    }
  })

  it('is in the sandbox only', async () => {
    const external = serviceWith({})
    expect(await homePage('', external)).not.toContain('<form')
    expect((await submit({ amount: '1' }, external)).status).toBe(405)
  })
})

describe('a token for the documentation', () => {
  const ask = (headers: Record<string, string>, service = sandbox) =>
    call('/docs-token', { method: 'POST', token: null, headers }, service)
  const OWN = { 'Sec-Fetch-Site': 'same-origin' }

  it('is of the site demo, for an hour, and works', async () => {
    const answer = await ask(OWN)
    expect(answer.headers.get('Cache-Control')).toContain('no-store')
    const { siteId, token, expiresIn } = await answer.json<{
      siteId: string
      token: string
      expiresIn: number
    }>()
    expect([answer.status, siteId, expiresIn]).toEqual([200, 'demo', 3600])
    const { exp, iat, sub, scope } = JSON.parse(atob(token.split('.')[1] ?? ''))
    expect([exp - iat, sub, scope]).toEqual([3600, 'demo', 'merchant'])
    const list = (siteId: string) => call(`/payin/v1/sites/${siteId}/sbp/qrCodes`, { token }, sandbox)
    expect([(await list('demo')).status, (await list('other')).status]).toEqual([200, 403])
  })

  it.each([{}, { 'Sec-Fetch-Site': 'cross-site' }, { Origin: 'https://evil.example' }])(
    'is refused unless a page of the service asks: %j',
    async (headers) => expect((await ask(headers)).status).toBe(403),
  )

  it('is nowhere but in a sandbox as a whole', async () => {
    for (const service of [external, serviceWith({ settings: { TEST_SITES: 'on' } })])
      expect((await ask(OWN, service)).status).toBe(404)
  })
})

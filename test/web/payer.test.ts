// The payer's page, as a payer without script meets it: over HTTP.
import { listDurableObjectIds, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { EventsAnswer } from '../../src/contract/event.ts'
import type { QrCodeAnswer } from '../../src/contract/qr-code-answer.ts'
import { formatLink, type Link, parseLink } from '../../src/fps/link.ts'
import { makeLinkId } from '../../src/fps/link-id.ts'
import type { Service } from '../../src/gateway/context.ts'
import { type Call, COLLECTION, call, create, ORIGIN, qrCodeBody, serviceWith } from '../support/service.ts'
import { strict } from '../support/strict.ts'

const sandbox = serviceWith({ settings: { PAYMENT_NETWORK: 'sandbox' } })
const external = serviceWith({})
const amount = { value: 1500.5 }
const paymentPurpose = 'Две кружки'

const made = (more: Record<string, unknown> = {}, qrCode: Record<string, unknown> = {}) =>
  create(qrCodeBody({ amount, paymentPurpose, ...more }, qrCode), {}, sandbox)

/** Sends a request to a link, as a browser does: without a token. */
const open = (link: string, { headers, ...more }: Call = {}, service = sandbox) =>
  call(link.slice(ORIGIN.length), { token: null, headers: { ...headers }, ...more }, service)
const read = async (link: string, language = 'ru', service = sandbox) =>
  (await open(link, { headers: { 'Accept-Language': language } }, service)).text()

/** Sends the form of the page. */
const submit = (link: string, fields: Record<string, string>, service = sandbox) =>
  open(
    link,
    {
      body: new URLSearchParams(fields).toString(),
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    },
    service,
  )

const item = ({ qrCodeUid }: QrCodeAnswer) => `${COLLECTION}/${qrCodeUid}`
const statusOf = async (qrCode: QrCodeAnswer) =>
  ((await (await call(item(qrCode))).json()) as QrCodeAnswer).qrCode.status

async function expire({ qrCodeUid }: QrCodeAnswer): Promise<void> {
  await runInDurableObject(env.SITES.getByName('demo'), (_, { storage }) => {
    storage.sql.exec('UPDATE qr_codes SET created_at = 1 WHERE qr_code_uid = ?', qrCodeUid)
  })
}
const INTO: Record<string, (qrCode: QrCodeAnswer) => Promise<unknown>> = {
  CREATED: async () => {},
  DECLINED: ({ qrCode }) => submit(qrCode.payload, { action: 'decline' }),
  PAYED: ({ qrCode }) => submit(qrCode.payload, { action: 'pay' }),
  EXPIRED: expire,
  CANCELLED: (qrCode) => call(item(qrCode), { method: 'DELETE' }),
}

describe.each([
  ['ru', 'CREATED', 'К оплате', true],
  ['ru', 'DECLINED', 'Операция отклонена', true],
  ['ru', 'PAYED', 'Оплачено', false],
  ['ru', 'EXPIRED', 'Время оплаты истекло', false],
  ['ru', 'CANCELLED', 'Счёт отменён продавцом', false],
  ['en', 'CREATED', 'Amount due', true],
  ['en', 'DECLINED', 'The payment was declined', true],
  ['en', 'PAYED', 'Payment received', false],
  ['en', 'EXPIRED', 'This payment link has expired', false],
  ['en', 'CANCELLED', 'The shop cancelled this payment', false],
])('in %s, a QR code that is %s', (language, status, title, payable) => {
  it('is shown with its shop, sum, purpose and state; to be paid and counted down while it can be', async () => {
    const qrCode = await made()
    await INTO[status]?.(qrCode)
    expect(await statusOf(qrCode)).toBe(status)
    const response = await open(qrCode.qrCode.payload, { headers: { 'Accept-Language': language } })
    expect(response.headers.get('Content-Type')).toMatch(/^text\/html/)
    const page = (await response.text()).replaceAll(/\s/g, ' ')
    const sum = language === 'ru' ? '1 500,50 ₽' : '₽1,500.50'
    expect(page).toContain(`<html lang="${language}">`)
    expect(page).toContain(`<title>${title} · ${sum} · demo</title>`)
    for (const text of [`>${title}<`, '<bdi>demo</bdi>', sum, `<bdi>${paymentPurpose}</bdi>`])
      expect(page).toContain(text)
    for (const text of ['<form', 'role="timer"', '<img', 'value="pay"', 'value="decline"'])
      expect(page.includes(text), text).toBe(payable)
    // What is paid does not change; what ended can still be paid by a payment that is on its way.
    for (const text of ['http-equiv="refresh"', 'data-state'])
      expect(page.includes(text), text).toBe(status !== 'PAYED')
  })

  it('leads back to the shop, unless it is to be paid for the first time', async () => {
    const qrCode = await made({ redirectUrl: 'https://shop.example/orders/1?a=1&b=2' })
    await INTO[status]?.(qrCode)
    const page = await read(qrCode.qrCode.payload, language)
    const link = 'href="https://shop.example/orders/1?a=1&amp;b=2" rel="noopener noreferrer"'
    expect(page.includes(link)).toBe(status !== 'CREATED')
  })
})

describe('the time left', () => {
  it.each([
    ['2026-11-20T12:00:00Z', 1, '+03:00', 'ru', 'Осталось 01:00'],
    ['2026-11-20T12:00:00Z', 59, '+03:00', 'en', 'Time left 59:00'],
    ['2026-11-20T12:00:00Z', 60, '+03:00', 'ru', 'Действует до 16:00 (UTC+3)'],
    ['2026-11-20T12:00:00Z', 150, '+03:00', 'ru', 'Действует до 17:30 (UTC+3)'],
    ['2026-11-20T12:00:00Z', 150, '-09:30', 'en', 'Valid until 05:00 (UTC-9:30)'],
    ['2026-11-20T20:00:00Z', 60, '+03:00', 'ru', 'Действует до 21 ноября, 00:00 (UTC+3)'],
    ['2026-11-20T12:00:00Z', 3 * 1440, '+03:00', 'en', 'Valid until 23 November, 15:00 (UTC+3)'],
  ])(
    'of a QR code made at %s for %i minutes, at the offset %s in %s, is "%s"',
    async (at, ttl, offset, ...row) => {
      const [language, text] = row
      const { qrCode } = await made({}, { ttl })
      const now = Date.parse(at)
      await runInDurableObject(env.SITES.getByName('demo'), (_, { storage }) => {
        const id = parseLink(qrCode.payload)?.id
        storage.sql.exec('UPDATE qr_codes SET created_at = ? WHERE link_id = ?', now / 1000, id ?? '')
      })
      const still = serviceWith({ settings: { UTC_OFFSET: offset }, now: () => now })
      vi.useFakeTimers({ toFake: ['Date'], now })
      const page = await read(qrCode.payload, language, still)
      vi.useRealTimers()
      const left = /role="timer" data-seconds="(\d+)" data-left="[^"]+">([^<]*)</.exec(page)
      expect([Number(left?.[1]), left?.[2]?.replaceAll(/\s/g, ' ')]).toEqual([ttl * 60, text])
    },
  )
})

describe('the address', () => {
  it('chooses the language, whatever the browser prefers, and keeps it through a form', async () => {
    const { qrCode } = await made()
    const page = await read(qrCode.payload, 'ru')
    const [, other = ''] = /class="language" href="([^"]+)" lang="en"/.exec(page) ?? []
    const english = new URL(other.replaceAll('&amp;', '&'), qrCode.payload).href
    expect(english).toBe(`${qrCode.payload}&lang=en`)
    expect(await read(english, 'ru')).toContain('Amount due')
    expect(await read(`${qrCode.payload}&lang=ru`, 'en')).toContain('К оплате')
    const location = (await submit(english, { action: 'pay' })).headers.get('Location') ?? ''
    expect(new URL(location, english).href).toBe(english)
    const state = await open(english.replace('?', '/state?'))
    expect(await state.json()).toEqual({ status: 'PAYED' })
  })

  it.each(['&lang=de', '&lang=', '&until=', '&until=x', '&until=0&lang=en', '&lang=en&lang=en'])(
    'is 404 with %s behind the link',
    async (added) => expect((await open(`${(await made()).qrCode.payload}${added}`)).status).toBe(404),
  )

  it('lets a page without script refresh itself for ten minutes, and then no more', async () => {
    const { qrCode } = await made()
    const start = Math.floor(Date.now() / 1000)
    const at = async (link: string, seconds: number) => {
      const service = serviceWith({
        settings: { PAYMENT_NETWORK: 'sandbox' },
        now: () => (start + seconds) * 1000,
      })
      const [, address] = /content="10;url=([^"]+)"/.exec(await read(link, 'ru', service)) ?? []
      return address && new URL(address.replaceAll('&amp;', '&'), link).href
    }
    const refreshed = await at(qrCode.payload, 0)
    expect(refreshed).toBe(`${qrCode.payload}&until=${start + 600}`)
    expect(await at(refreshed ?? '', 599)).toBe(refreshed)
    expect(await at(refreshed ?? '', 600)).toBeUndefined()
    // The button goes on.
    expect(await read(refreshed ?? '')).toContain(
      `data-check href="${new URL(qrCode.payload).search.replaceAll('&', '&amp;')}"`,
    )
  })
})

describe('a link that is not valid', () => {
  const id = (siteId: string, secret = env.TOKEN_SECRET) =>
    makeLinkId(secret, siteId, 'AD1000', Date.now(), crypto.getRandomValues(new Uint8Array(7)))
  const link = (siteId: string, linkId: string, origin = ORIGIN) =>
    formatLink({ base: `${origin}/pay/${siteId}`, id: linkId, type: 'DYNAMIC', bank: '100000000000' })

  it.each([
    ['made up', link('foreign', id('foreign', 'another secret of at least 32 characters'))],
    ['of another site', link('foreign', id('demo'))],
    ['of a malformed siteId', link('..%2f', id('foreign'))],
    ['without query', link('foreign', id('foreign')).replace(/\?.*/, '')],
    [
      'with a parameter out of order',
      link('foreign', id('foreign')).replace(/(type=..)&(bank=\d+)/, '$2&$1'),
    ],
    ['with something added', `${link('foreign', id('foreign'))}&utm_source=x`],
  ])('(%s) is a 404 page in both languages, its state is 404 too, and no site is called', async (_, none) => {
    const site = vi.fn<Service['site']>()
    const service = serviceWith({ settings: { PAYMENT_NETWORK: 'sandbox' }, site })
    const before = await listDurableObjectIds(env.SITES)
    for (const [language, title] of [
      ['ru', 'Ссылка не найдена'],
      ['en-GB', 'The link was not found'],
    ]) {
      const response = await open(none, { headers: { 'Accept-Language': language ?? '' } }, service)
      expect(response.status).toBe(404)
      expect(response.headers.get('Content-Type')).toMatch(/^text\/html/)
      const page = await response.text()
      expect(page).toContain(`tabindex="-1">${title}</h1>`)
      // The switch leads to the same link in the other language, which Accept-Language does not change.
      const [, href = '', other] = /class="language" href="([^"]+)" lang="(\w+)"/.exec(page) ?? []
      const switched = new URL(href.replaceAll('&amp;', '&'), none).href
      expect(switched).toBe(`${none}${none.includes('?') ? '&' : '?'}lang=${other}`)
      expect(await read(switched, language, service)).toContain(`<html lang="${other}">`)
    }
    expect((await submit(none, { action: 'pay' }, service)).status).toBe(404)
    expect((await open(none.replace(/\?|$/, '/state?'), {}, service)).status).toBe(404)
    expect(site).not.toHaveBeenCalled()
    expect(await listDurableObjectIds(env.SITES)).toEqual(before)
  })

  it.each<[string, (parts: Link, payload: string) => string]>([
    ['another sum', (parts) => formatLink({ ...parts, amount: { minorUnits: 1, currency: 'RUB' } })],
    ['no sum', (parts) => formatLink({ ...parts, amount: undefined })],
    ['another bank', (parts) => formatLink({ ...parts, bank: '200000000000' })],
    ['another type', (parts) => formatLink({ ...parts, type: 'TOKEN' })],
    [
      'another checksum',
      (_, payload) => payload.replace(/....$/, (crc) => (crc === '0000' ? '1111' : '0000')),
    ],
  ])('(with an authentic id, and %s) is 404, at once where its state is long polled', async (_, alter) => {
    const { qrCode } = await made()
    const parts = parseLink(qrCode.payload)
    if (!parts) throw new Error('no link')
    const altered = alter(parts, qrCode.payload)
    expect(altered).not.toBe(qrCode.payload)
    expect((await open(altered)).status).toBe(404)
    expect((await submit(altered, { action: 'pay' })).status).toBe(404)
    const state = altered.replace('?', '/state?')
    const poll = await open(state, { headers: { 'If-None-Match': '"0-a"', Prefer: 'wait=60' } })
    expect(poll.status).toBe(404)
  })

  it('(authentic, of a QR code that the site does not have) is 404', async () => {
    expect((await open(link('demo', id('demo')))).status).toBe(404)
  })
})

it('a link is good at the service’s public address, whatever address the request comes to', async () => {
  const settings = { PUBLIC_URL: 'https://pay.example/fps' }
  const { qrCode } = await create(qrCodeBody(), {}, serviceWith({ settings }))
  expect(qrCode.payload).toMatch(/^https:\/\/pay\.example\/fps\/pay\/demo\//)
  const behind = qrCode.payload.replace('https://pay.example/fps', ORIGIN)
  expect((await open(behind, {}, serviceWith({ settings }))).status).toBe(200)
  const before = await made()
  expect((await open(before.qrCode.payload, {}, serviceWith({ settings }))).status).toBe(200)
})

it.each(['https://qr.nspk.ru', 'https://former.example/pay/demo'])(
  'the page of a link with the base %s has its id and parameters: they are the issued ones',
  async (base) => {
    const { qrCode } = await create(
      qrCodeBody({ amount }),
      {},
      serviceWith({ settings: { LINK_BASE_URL: base } }),
    )
    const page = qrCode.payload.replace(base, `${ORIGIN}/pay/demo`)
    expect(page).not.toBe(qrCode.payload)
    expect((await open(page)).status).toBe(200)
    const state = await open(page.replace('?', '/state?'))
    expect(await state.json()).toEqual({ status: 'CREATED' })
  },
)

describe('pageUrl', () => {
  const NETWORK = { LINK_BASE_URL: 'https://qr.nspk.ru', LINK_TOKEN_BASE_URL: 'https://sub.nspk.ru' }
  const cases: [name: string, settings: Record<string, string>, type: string, base: string, page: string][] =
    [
      ['by default', {}, 'DYNAMIC', `${ORIGIN}/pay/demo`, `${ORIGIN}/pay/demo`],
      [
        'with PUBLIC_URL',
        { PUBLIC_URL: 'https://fps.example/a/' },
        'DYNAMIC',
        'https://fps.example/a/pay/demo',
        'https://fps.example/a/pay/demo',
      ],
      ['on the network', NETWORK, 'DYNAMIC', 'https://qr.nspk.ru', `${ORIGIN}/pay/demo`],
      ['on the network, to bind an account', NETWORK, 'TOKEN', 'https://sub.nspk.ru', `${ORIGIN}/pay/demo`],
      [
        'on the network, with PUBLIC_URL',
        { ...NETWORK, PUBLIC_URL: 'https://fps.example' },
        'DYNAMIC',
        'https://qr.nspk.ru',
        'https://fps.example/pay/demo',
      ],
    ]

  it.each(cases)(
    '(%s) is this service’s page, with the payload’s parameters, and it opens',
    async (...row) => {
      const [, settings, type, base, page] = row
      const service = serviceWith({ settings: { PAYMENT_NETWORK: 'sandbox', ...settings } })
      const body = qrCodeBody({ amount, paymentPurpose, tokenizationPurpose: 'Подписка' }, { type })
      const { qrCode, pageUrl } = await create(body, {}, service)
      expect(qrCode.payload.startsWith(`${base}/`)).toBe(true)
      expect(pageUrl).toBe(qrCode.payload.replace(base, page))
      expect((await create(body, {}, service)).pageUrl).toBe(pageUrl)

      const here = pageUrl.replace(page, `${ORIGIN}/pay/demo`)
      expect(await read(here, 'ru', service)).toContain(type === 'TOKEN' ? 'Подписка' : paymentPurpose)
      const state = here.replace('?', '/state?')
      const first = await open(state, {}, service)
      expect(await first.json()).toEqual({ status: 'CREATED' })
      if (type === 'TOKEN') return
      const known = { 'If-None-Match': first.headers.get('ETag') ?? '', Prefer: 'wait=60' }
      const poll = open(state, { headers: known }, service)
      const paid = await submit(here, { action: 'pay' }, service)
      expect(new URL(paid.headers.get('Location') ?? '', here).href).toBe(here)
      expect(await (await poll).json()).toEqual({ status: 'PAYED' })
      expect(await read(here, 'ru', service)).toContain('Оплачено')
    },
  )

  it('is as the settings are now, whereas a payload never changes', async () => {
    const body = qrCodeBody({ amount })
    const { qrCode } = await create(body, {}, serviceWith({ settings: NETWORK }))
    const settings = { PUBLIC_URL: 'https://fps.example', BANK_MEMBER_ID: '100000000001' }
    const later = await create(body, {}, serviceWith({ settings }))
    expect(later.qrCode.payload).toBe(qrCode.payload)
    expect(later.pageUrl).toBe(qrCode.payload.replace('https://qr.nspk.ru', 'https://fps.example/pay/demo'))
  })

  it.each<[string, (url: string) => string]>([
    ['crc', (url) => url.replace(/....$/, (crc) => (crc === '0000' ? '1111' : '0000'))],
    ['sum', (url) => url.replace(/sum=\d+/, 'sum=1')],
    ['bank', (url) => url.replace(/bank=\d+/, 'bank=200000000000')],
    ['cur', (url) => url.replace('cur=RUB', 'cur=USD')],
  ])(
    'on the network, with an altered %s is 404, at once where its state is long polled',
    async (_, alter) => {
      const service = serviceWith({ settings: { PAYMENT_NETWORK: 'sandbox', ...NETWORK } })
      const { pageUrl } = await create(qrCodeBody({ amount }), {}, service)
      const altered = alter(pageUrl)
      expect(altered).not.toBe(pageUrl)
      expect((await open(altered, {}, service)).status).toBe(404)
      expect((await submit(altered, { action: 'pay' }, service)).status).toBe(404)
      for (const known of [{}, { 'If-None-Match': '"0-a"' }]) {
        const headers = { ...known, Prefer: 'wait=60' }
        expect((await open(altered.replace('?', '/state?'), { headers }, service)).status).toBe(404)
      }
    },
  )
})

describe('the page', () => {
  it.each([sandbox, external])(
    'runs and loads what is of this origin, and nothing inline',
    async (service) => {
      const { qrCode } = await made({ redirectUrl: 'https://shop.example/' })
      const response = await open(qrCode.payload, {}, service)
      const policy = response.headers.get('Content-Security-Policy') ?? ''
      expect(policy).not.toMatch(/unsafe|https?:|\*/)
      expect(policy).toContain(`form-action ${service === sandbox ? "'self'" : "'none'"};`)
      // The way to the bank is the link itself; of an own link it is this page.
      const page = (await response.text()).replace(/<a [^>]*>/g, '')
      expect(page).not.toMatch(/https?:\/\/|<script>|<style|style=|\son\w+=/)
    },
  )

  it('shows texts of the merchant as texts', async () => {
    const hostile = `<script>alert(1)</script>"'><img src=x onerror=alert(1)>&amp;`
    const { qrCode } = await made({
      paymentPurpose: hostile,
      tokenizationPurpose: hostile,
      redirectUrl: `https://shop.example/"'><script>alert(1)</script>`,
      flags: ['CREATE_TOKEN'],
    })
    const escaped =
      '&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&gt;&lt;img src=x onerror=alert(1)&gt;&amp;amp;'
    const page = await read(qrCode.payload)
    expect(page.split(`<bdi>${escaped}</bdi>`)).toHaveLength(3)
    await submit(qrCode.payload, { action: 'pay' })
    const paid = await read(qrCode.payload)
    for (const each of [page, paid]) expect(each).not.toMatch(/<script>|<img src=x/)
  })

  it('shows nothing that is not the payer’s', async () => {
    const qrCode = await made({
      qrCodeUid: `uid-${crypto.randomUUID()}`,
      tokenizationAccount: 'customer-77',
      redirectUrl: 'https://shop.example/thanks',
      flags: ['CREATE_TOKEN'],
    })
    const secrets = [qrCode.qrCodeUid, 'customer-77']
    const pages = [await read(qrCode.qrCode.payload)]
    expect(pages[0]).not.toContain('shop.example')
    await submit(qrCode.qrCode.payload, { action: 'decline' })
    pages.push(await read(qrCode.qrCode.payload))
    await submit(qrCode.qrCode.payload, { action: 'pay' })
    pages.push(await read(qrCode.qrCode.payload))
    for (const page of pages) for (const secret of secrets) expect(page).not.toContain(secret)
  })

  it('of a TOKEN code shows what the token is for, and no sum', async () => {
    const { qrCode } = await made({ tokenizationPurpose: 'Подписка' }, { type: 'TOKEN' })
    const page = await read(qrCode.payload)
    for (const text of ['>Привязка счёта</h1>', '<bdi>Подписка</bdi>']) expect(page).toContain(text)
    expect(page).not.toContain('₽')
  })

  it('once it is paid leads back to the shop, shown first', async () => {
    const { qrCode } = await made({ redirectUrl: 'https://shop.example/thanks?a=1&b=2' })
    await submit(qrCode.payload, { action: 'pay' })
    const page = await read(qrCode.payload)
    expect(page).toContain('href="https://shop.example/thanks?a=1&amp;b=2" rel="noopener noreferrer"')
    expect(page).toContain('content="10;url=https://shop.example/thanks?a=1&amp;b=2"')
    expect(page.replaceAll(/\s/g, ' ')).toContain('Через 10 секунд откроется shop.example')
    const stays = /<a href="([^"]+)">Остаться здесь</.exec(page)?.[1]?.replaceAll('&amp;', '&') ?? ''
    const stayed = await read(new URL(stays, qrCode.payload).href)
    expect(stayed).toContain('href="https://shop.example/thanks?a=1&amp;b=2"')
    expect(stayed).not.toMatch(/http-equiv|data-leaves|Через/)
  })

  it('leaves a log line with its pattern, never with the link', async () => {
    const lines: string[] = []
    const service = serviceWith({ settings: { PAYMENT_NETWORK: 'sandbox' }, log: (line) => lines.push(line) })
    const { qrCode } = await made()
    await open(qrCode.payload, {}, service)
    await open(qrCode.payload.replace('?', '/state?'), {}, service)
    await open(`${qrCode.payload}0`, {}, service)
    await submit(qrCode.payload, { action: 'pay' }, service)
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { route: '/pay/:siteId/:id', site: 'demo', status: 200 },
      { route: '/pay/:siteId/:id/state', site: 'demo', status: 200 },
      { route: '/pay/:siteId/:id', status: 404, errorCode: 'payin.resource.not.found' },
      { route: '/pay/:siteId/:id', status: 303 },
    ])
    expect(lines.join()).not.toContain(parseLink(qrCode.payload)?.id)
  })

  it('of a service in trouble says so to a person, and when to come again', async () => {
    const broken = serviceWith({
      site: (siteId) => ({
        ...env.SITES.getByName(siteId),
        readForPayer: () => Promise.reject(Object.assign(new Error('reset'), { overloaded: true })),
      }),
    })
    const { qrCode } = await made()
    const response = await open(qrCode.payload, { headers: { 'Accept-Language': 'en' } }, broken)
    expect([response.status, response.headers.get('Retry-After')]).toEqual([503, '1'])
    expect(await response.text()).toContain('The service is temporarily unavailable')
  })
})

describe('the state', () => {
  it('is long polled like the merchant’s answer', async () => {
    const { qrCode } = await made()
    const address = qrCode.payload.replace('?', '/state?')
    const first = await open(address)
    expect(await first.json()).toEqual({ status: 'CREATED' })
    const known = { 'If-None-Match': first.headers.get('ETag') ?? '' }
    expect((await open(address, { headers: known })).status).toBe(304)
    const unchanged = await open(address, { headers: { ...known, Prefer: 'wait=1' } })
    expect([unchanged.status, unchanged.headers.get('Preference-Applied')]).toEqual([304, 'wait=1'])
    const poll = open(address, { headers: { ...known, Prefer: 'wait=60' } })
    await submit(qrCode.payload, { action: 'pay' })
    expect(await (await poll).json()).toEqual({ status: 'PAYED' })
  })

  it('is what the page knows it by', async () => {
    const { qrCode } = await made()
    const etag = (await open(qrCode.payload.replace('?', '/state?'))).headers.get('ETag') ?? ''
    expect(await read(qrCode.payload)).toContain(`data-state="${etag.replaceAll('"', '&quot;')}"`)
  })
})

describe('the sandbox bank', () => {
  it.each([
    ['ru', 'DYNAMIC', /<li>Нажмите «([^»]+)»: /],
    ['ru', 'TOKEN', /<li>Нажмите «([^»]+)»: /],
    ['en', 'DYNAMIC', /<li>Press “([^”]+)”: /],
    ['en', 'TOKEN', /<li>Press “([^”]+)”: /],
  ] as const)(
    'in %s, the page of type %s says which button to press, and no camera',
    async (language, type, step) => {
      const body = qrCodeBody(type === 'TOKEN' ? { tokenizationPurpose: 'Tea' } : { amount }, { type })
      const page = await read((await create(body, {}, sandbox)).qrCode.payload, language)
      const [, button = ''] = step.exec(page) ?? []
      expect(page).toContain(`value="pay">${button}</button>`)
      expect(page).not.toMatch(/камер|camera/i)
    },
  )

  it('pays and declines by the path of the network’s report, and leads back to the page', async () => {
    const made1 = await made()
    const link = made1.qrCode.payload
    for (const [action, status] of [
      ['decline', 'DECLINED'],
      ['decline', 'DECLINED'],
      ['pay', 'PAYED'],
      ['pay', 'PAYED'],
      ['decline', 'PAYED'],
    ] as const) {
      const response = await submit(link, { action })
      expect(response.status).toBe(303)
      expect(new URL(response.headers.get('Location') ?? '', link).href).toBe(link)
      expect(await statusOf(made1)).toBe(status)
    }
    const { events } = strict(EventsAnswer).parse(await (await call(`${item(made1)}/events`)).json())
    expect(events.map(({ by }) => by)).toEqual([
      { actor: 'merchant', keyId: 'test' },
      { actor: 'payer' },
      { actor: 'payer' },
      { actor: 'payer' },
    ])
  })

  it.each(['PAYED', 'EXPIRED', 'CANCELLED'])(
    'does nothing by the buttons of an old page, when the QR code is %s',
    async (status) => {
      const qrCode = await made()
      await INTO[status]?.(qrCode)
      const events = async () => (await call(`${item(qrCode)}/events`)).text()
      const before = await events()
      for (const action of ['pay', 'decline']) {
        expect((await submit(qrCode.qrCode.payload, { action })).status).toBe(303)
      }
      expect(await events()).toBe(before)
    },
  )

  it.each([
    ['pay', 'ACCEPTED', 'CREATED'],
    ['decline', 'DECLINED', 'REJECTED'],
  ])('for an account binding: %s makes it %s', async (action, status, token) => {
    const qrCode = await made({}, { type: 'TOKEN' })
    expect(await read(qrCode.qrCode.payload, 'en')).toMatch(/Simulate consent[\s\S]*Simulate a decline/)
    expect((await submit(qrCode.qrCode.payload, { action })).status).toBe(303)
    expect(await (await call(item(qrCode))).json()).toMatchObject({
      qrCode: { status },
      token: { status: token },
    })
    const { events } = await (await call(`${item(qrCode)}/events`)).json<{ events: { by: object }[] }>()
    expect(events.at(-1)?.by).toEqual({ actor: 'payer' })
  })

  it('rejects a binding 20 times a minute at most', async () => {
    const qrCode = await made({}, { type: 'TOKEN' })
    const reject = () => submit(qrCode.qrCode.payload, { action: 'decline' })
    for (let n = 0; n < 20; n++) expect((await reject()).status).toBe(303)
    expect((await reject()).status).toBe(429)
  })

  it.each([
    [{ remember: 'on' }, 'CREATED'],
    [{}, 'REJECTED'],
  ])('remembers the account where the box is ticked: %j', async (ticked, token) => {
    const qrCode = await made({ flags: ['CREATE_TOKEN'] })
    expect(await read(qrCode.qrCode.payload, 'en')).toMatch(
      /The shop asks to remember your account[\s\S]*type="checkbox" name="remember"> Simulate consent/,
    )
    await submit(qrCode.qrCode.payload, { action: 'pay', ...ticked })
    expect(await (await call(item(qrCode))).json()).toMatchObject({
      qrCode: { status: 'PAYED' },
      token: { status: token },
    })
  })

  it.each(['150', '150,5', '150.50', '1 500,00', '1 500', '0,01', '999999999,99'])(
    'takes the sum %j where the link has none',
    async (typed) => {
      const qrCode = await made({ amount: undefined })
      expect(await read(qrCode.qrCode.payload)).toContain('name="amount"')
      expect((await submit(qrCode.qrCode.payload, { action: 'pay', amount: typed })).status).toBe(303)
      expect(await statusOf(qrCode)).toBe('PAYED')
    },
  )

  it('gives a receipt: the sum, also where the payer typed it, the time and the number of the operation', async () => {
    const qrCode = await made({ amount: undefined })
    await submit(qrCode.qrCode.payload, { action: 'pay', amount: '1234,56' })
    const { payment } = (await (await call(item(qrCode))).json()) as QrCodeAnswer
    const page = (await read(qrCode.qrCode.payload, 'en')).replaceAll(/\s/gu, ' ')
    expect(page).toContain('₽1,234.56')
    expect(page).toContain(`<dt>Payment reference</dt><dd><bdi>${payment?.paymentUid}</bdi></dd>`)
    const [, time] = /T([\d:]{8})/.exec(payment?.dateTime ?? '') ?? []
    expect(page).toMatch(new RegExp(`<dt>Date and time</dt><dd><bdi>\\d+ \\w+ \\d{4}, ${time} \\(UTC\\+3\\)`))
    expect(page).toContain('data-print')
  })

  it('says that it simulates', async () => {
    const { qrCode } = await made()
    expect(await read(qrCode.payload, 'ru')).toMatch(/Имитировать оплату[\s\S]*Имитировать отказ/)
    expect(await read(qrCode.payload, 'en')).toMatch(/Simulate payment[\s\S]*Simulate a decline/)
  })

  it.each(['', '0', '-1', '1,005', '1e3', '1.500,00', 'сто', '1000000000', '"><script>'])(
    'says what a sum is where %j is typed, and keeps it',
    async (typed) => {
      const qrCode = await made({ amount: undefined })
      const response = await submit(qrCode.qrCode.payload, { action: 'pay', amount: typed })
      expect(response.status).toBe(422)
      const page = await response.text()
      expect(page).toContain('Введите сумму от 0,01')
      expect(page).toContain(
        `value="${typed.replace('">', '&quot;&gt;').replace('<script>', '&lt;script&gt;')}"`,
      )
      expect(await statusOf(qrCode)).toBe('CREATED')
    },
  )

  it('asks for no sum where the link has one, and ignores a sum that is sent', async () => {
    const qrCode = await made()
    expect(await read(qrCode.qrCode.payload)).not.toContain('name="amount"')
    await submit(qrCode.qrCode.payload, { action: 'pay', amount: '1' })
    expect(await statusOf(qrCode)).toBe('PAYED')
  })

  it('with a field for the sum is not refreshed, so that what the payer types is not lost', async () => {
    expect(await read((await made({ amount: undefined })).qrCode.payload)).not.toContain('http-equiv')
  })

  it('takes a form of 4 KiB, and refuses one of one byte more', async () => {
    const { qrCode } = await made()
    const rest = 'action=pay&amount='.length
    const ofSize = (bytes: number) =>
      submit(qrCode.payload, { action: 'pay', amount: '1'.repeat(bytes - rest) })
    expect((await ofSize(4097)).status).toBe(413)
    expect((await ofSize(4096)).status).toBe(303)
  })

  it('does not exist outside the sandbox', async () => {
    const qrCode = await made()
    const page = await read(qrCode.qrCode.payload, 'ru', external)
    expect(page).not.toMatch(/<form|Тестовый стенд/)
    expect(page).toContain('>Проверить<')
    expect((await submit(qrCode.qrCode.payload, { action: 'pay' }, external)).status).toBe(405)
    expect(await statusOf(qrCode)).toBe('CREATED')
  })
})

// The payer's page, as a payer without script meets it: over HTTP.
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { parseLink } from '../../src/fps/link.ts'
import { external, INTO, made, open, paymentPurpose, read, statusOf, submit } from '../support/payer.ts'
import { sandbox, serviceWith } from '../support/service.ts'

describe.each([
  ['ru', 'CREATED', 'К оплате', true],
  ['ru', 'DECLINED', 'Вы отменили оплату', true],
  ['ru', 'PAYED', 'Оплачено', false],
  ['ru', 'EXPIRED', 'Время на оплату вышло', false],
  ['ru', 'CANCELLED', 'Магазин отменил оплату', false],
  ['en', 'CREATED', 'Amount due', true],
  ['en', 'DECLINED', 'You cancelled the payment', true],
  ['en', 'PAYED', 'Payment received', false],
  ['en', 'EXPIRED', 'The time to pay is over', false],
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
    ['2026-11-20T12:00:00Z', 60, '+03:00', 'ru', 'Оплатите до 16:00 МСК'],
    ['2026-11-20T12:00:00Z', 150, '+03:00', 'ru', 'Оплатите до 17:30 МСК'],
    ['2026-11-20T12:00:00Z', 150, '-09:30', 'en', 'Pay by 05:00 UTC-9:30'],
    ['2026-11-20T20:00:00Z', 60, '+03:00', 'ru', 'Оплатите до 21 ноября, 00:00 МСК'],
    ['2026-11-20T12:00:00Z', 3 * 1440, '+03:00', 'en', 'Pay by 23 November, 15:00 MSK'],
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
    expect(page.replaceAll(/\s/g, ' ')).toContain('Через <span>10</span> сек. откроется shop.example')
    const stays =
      /<a data-stay href="([^"]+)">Остаться здесь</.exec(page)?.[1]?.replaceAll('&amp;', '&') ?? ''
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

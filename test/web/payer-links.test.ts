// The links of the payer's page: which are good, and where the page is.
import { listDurableObjectIds } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { formatLink, type Link, parseLink } from '../../src/fps/link.ts'
import { makeLinkId } from '../../src/fps/link-id.ts'
import type { Service } from '../../src/gateway/context.ts'
import { qrCodeBody } from '../support/client.ts'
import { amount, made, open, paymentPurpose, read, submit } from '../support/payer.ts'
import { create, ORIGIN, serviceWith } from '../support/service.ts'

describe('a link that is not valid', () => {
  const id = (siteId: string, secret = env.TOKEN_SECRET) =>
    makeLinkId(secret, siteId, 'AD1000', {
      now: Date.now(),
      random: crypto.getRandomValues(new Uint8Array(7)),
    })
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
      ['ru', 'По этой ссылке платить нельзя'],
      ['en-GB', 'Do not pay by this link'],
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
      const known = { 'If-None-Match': first.headers.get('ETag') ?? '', Prefer: 'wait=60' }
      const poll = open(state, { headers: known }, service)
      const paid = await submit(here, { action: 'pay' }, service)
      expect(new URL(paid.headers.get('Location') ?? '', here).href).toBe(here)
      expect(await (await poll).json()).toEqual({ status: type === 'TOKEN' ? 'ACCEPTED' : 'PAYED' })
      const title = type === 'TOKEN' ? 'Счёт привязан' : 'Оплачено'
      expect(await read(here, 'ru', service)).toContain(title)
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

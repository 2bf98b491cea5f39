// The way to the payer's bank: the network's own link, and the list of banks where the deployment has one.
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { qrCodeBody } from '../support/client.ts'
import { call, create, FORM, ORIGIN, serviceWith, tokenOf } from '../support/service.ts'

const ANDROID =
  'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 Chrome/130.0 Mobile Safari/537.36'
const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148 Safari/604.1'
const DESKTOP = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/130.0 Safari/537.36'
const LIST = {
  version: '1.0',
  dictionary: [
    { bankName: 'Второй <b>', schema: 'bank100000000002', package_name: 'ru.second' },
    {
      bankName: 'Первый',
      schema: 'bank100000000001',
      webClientUrl: 'https://first.example/sbp',
      isWebClientActive: 'true',
    },
  ],
}
const served = (list: unknown) => async () => Response.json(list)
const service = (settings: Record<string, unknown> = {}, list: unknown = LIST) =>
  serviceWith({ settings: { BANKS_URL: 'https://list.example/', ...settings }, fetchConnector: served(list) })
type Fetch = ReturnType<typeof service>

const made = async (fetch: Fetch) => {
  const { qrCode, pageUrl } = await create(qrCodeBody({ amount: { value: 1 } }), {}, fetch)
  return { payload: qrCode.payload, page: pageUrl.slice(ORIGIN.length), uid: qrCode }
}
const read = async (path: string, fetch: Fetch, agent = ANDROID) => {
  const response = await call(path, { token: null, headers: { 'User-Agent': agent } }, fetch)
  return { response, page: (await response.text()).replaceAll('&amp;', '&') }
}
const banksOf = (page: string) =>
  Array.from(page.matchAll(/data-bank="([^"]+)" href="([^"]+)">.*?<bdi>([^<]*)</g), ([, ...parts]) => parts)

describe.each([
  ['own links', {}, false],
  ['the network’s links', { LINK_BASE_URL: 'https://qr.nspk.ru' }, true],
])('with %s, outside the sandbox', (_, settings, opens) => {
  it(`${opens ? 'the button opens the payload' : 'no button leads to this very page'}, and a list of banks leads to each bank’s app`, async () => {
    const fetch = service(settings)
    const { page, payload } = await made(fetch)
    const shown = await read(page, fetch)
    const button = `class="button primary" data-bank href="${payload}">Оплатить через СБП<`
    expect(shown.page.includes(button)).toBe(opens)
    expect(shown.page.includes(`href="${payload}"`)).toBe(opens)
    const [, kind, list = ''] = /class="button (\w+)" href="([^"]+)">Выбрать банк</.exec(shown.page) ?? []
    expect(kind).toBe(opens ? 'quiet' : 'primary')
    expect(shown.page).toContain(opens ? '<li>Нажмите «Оплатить через СБП»: ' : '<li>Выберите свой банк')
    expect(shown.page).not.toContain('<details class="code" open>')
    expect(new URL(list, ORIGIN + page).href).toBe(`${ORIGIN}${page.replace('?', '/banks?')}`)
    const address = payload.replace(/^https?:\/\//, '')
    const banks = page.replace('?', '/banks?')
    expect(banksOf((await read(banks, fetch)).page)).toEqual([
      [
        'bank100000000002',
        `intent://${address}#Intent;scheme=bank100000000002;package=ru.second;end;`,
        'Второй &lt;b&gt;',
      ],
      ['bank100000000001', `bank100000000001://${address}`, 'Первый'],
    ])
    expect(banksOf((await read(banks, fetch, IPHONE)).page).map(([, href]) => href)).toEqual([
      `bank100000000002://${address}`,
      `bank100000000001://${address}`,
    ])
    const id = /\/([^/?]+)\?/.exec(payload)?.[1]
    expect(banksOf((await read(banks, fetch, DESKTOP)).page)).toEqual([
      ['bank100000000001', `https://first.example/sbp/${id}`, 'Первый'],
    ])
  })
})

describe('the list of banks', () => {
  it('leads to the QR code where a bank is missing, in the language that was chosen', async () => {
    const fetch = service()
    const { page } = await made(fetch)
    const path = `${page.replace('?', '/banks?')}&lang=en`
    const { page: list } = await read(path, fetch)
    expect(list).toContain('Bank not listed?')
    const [, other = ''] = /class="language" href="([^"]+)"/.exec(list) ?? []
    expect((await read(new URL(other, ORIGIN + path).href.slice(ORIGIN.length), fetch)).page).toContain(
      '<html lang="ru">',
    )
    const [, back = ''] = /href="([^"]+#code)"/.exec(list) ?? []
    expect(new URL(back, ORIGIN + path).href).toBe(`${ORIGIN}${page}&lang=en#code`)
    expect((await read(page, fetch)).page).toContain('<figure id="code">')
  })

  it.each([
    ['no list is set', { BANKS_URL: '' }],
    ['it is a sandbox', { PAYMENT_NETWORK: 'sandbox' }],
  ])('does not exist where %s: its address leads to the page', async (_, settings) => {
    const fetch = service(settings)
    const { page } = await made(fetch)
    expect((await read(page, fetch)).page).not.toMatch(/banks|Выбрать банк/)
    const { response } = await read(page.replace('?', '/banks?'), fetch)
    expect([
      response.status,
      new URL(response.headers.get('Location') ?? '', `${ORIGIN}${page.replace('?', '/banks?')}`).href,
    ]).toEqual([303, ORIGIN + page])
  })

  it('says so where it cannot be read, and then is not offered', async () => {
    const fetch = service({}, 'no list')
    const { page } = await made(fetch)
    const { response, page: list } = await read(page.replace('?', '/banks?'), fetch)
    expect(response.status).toBe(200)
    expect(list).toContain('Список банков сейчас недоступен')
    expect(list).toContain('Показать универсальный QR-код для другого телефона')
    // The link is this page: the QR code is the way that is left.
    const shown = await read(page, fetch)
    expect(shown.page).not.toMatch(/Выбрать банк|Оплатить через СБП/)
    expect(shown.page).toContain('<details class="code" open>')
  })

  it('of a QR code that cannot be paid any more leads to its page', async () => {
    const fetch = service()
    const { page } = await made(fetch)
    await call(
      page,
      {
        token: null,
        body: 'action=pay',
        headers: FORM,
      },
      serviceWith({ settings: { PAYMENT_NETWORK: 'sandbox' } }),
    )
    const { response } = await read(page.replace('?', '/banks?'), fetch)
    expect(response.status).toBe(303)
    expect((await read(page, fetch)).page).not.toMatch(/Выбрать банк|data-bank|<img|Проверить/)
  })

  it('is for a link that this deployment issued', async () => {
    const fetch = service()
    const { page } = await made(fetch)
    expect(
      (await read(page.replace('?', '/banks?').replace('sum=100', 'sum=1'), fetch)).response.status,
    ).toBe(404)
  })
})

describe('a receipt', () => {
  const paidBy = async (fetch: Fetch, bankMemberId: string) => {
    const { page, payload } = await made(fetch)
    const [, id] = /\/([^/?]+)\?/.exec(payload) ?? []
    const body = { status: 'COMPLETED', amount: { value: 1 }, payer: { bankMemberId } }
    const token = await tokenOf({ scope: 'network', jti: 'network' })
    const report = `/network/v1/sites/demo/qrCodes/${id}/payments/${crypto.randomUUID()}`
    expect((await call(report, { method: 'PUT', body, token }, fetch)).status).toBe(200)
    return (await read(page, fetch)).page
  }

  it('names the bank of the payer, where the report has it and the list knows it', async () => {
    const fetch = service()
    expect(await paidBy(fetch, '100000000001')).toContain('<dt>Банк</dt><dd><bdi>Первый</bdi></dd>')
    expect(await paidBy(fetch, '100000000009')).not.toContain('<dt>Банк</dt>')
  })

  it('does not wait for a list that does not come', async () => {
    const fetch = serviceWith({
      settings: { BANKS_URL: 'https://list.example/' },
      fetchConnector: () => new Promise(() => {}),
    })
    expect(await paidBy(fetch, '100000000001')).not.toContain('<dt>Банк</dt>')
  })
})

describe('a logo of a bank', () => {
  it.each([
    ['/banks/bank100000000001-a.png', '../../../banks/bank100000000001-a.png'],
    ['https://qr.nspk.ru/logo.png', undefined],
    ['//evil.example/logo.png', undefined],
    ['/../secret', undefined],
    ['data:image/png;base64,AAAA', undefined],
  ])('at %s is shown from here: %s', async (logoURL, src) => {
    const bank = { bankName: 'Первый', schema: 'bank100000000001', logoURL }
    const fetch = service({}, { dictionary: [bank] })
    const { page } = await made(fetch)
    const list = (await read(page.replace('?', '/banks?'), fetch)).page
    expect(list).toContain('<bdi>Первый</bdi>')
    expect(/<img class="mark" src="([^"]+)"/.exec(list)?.[1]).toBe(src)
  })
})

describe('the picture', () => {
  it.each([
    ['a phone', ANDROID, false],
    ['a phone', IPHONE, false],
    ['a desktop', DESKTOP, true],
  ])('on %s is one tap away, or open: %s', async (_, agent, isOpen) => {
    const fetch = service()
    const { page } = await made(fetch)
    const shown = (await read(page, fetch, agent)).page
    expect(shown.includes('<details class="code" open>')).toBe(isOpen)
    expect(shown).toContain('<img')
  })
})

it('the page of 250 banks has a search and is at most 30 KB compressed', async () => {
  const dictionary = Array.from({ length: 250 }, (_, i) => ({
    bankName: `Банк ${'Развития Северных Территорий'.slice(i % 20)} ${i}`,
    schema: `bank${`${(i * 7_919_113) % 999_983}`.padStart(12, '1')}`,
    logoURL: `/banks/bank${`${(i * 7_919_113) % 999_983}`.padStart(12, '1')}-${((i + 1) * 2_654_435_761).toString(16).slice(-12).padStart(12, 'a')}.png`,
    package_name: `ru.bank${i}.mobile.client`,
    webClientUrl: `https://online.bank${i}.example/sbp/pay`,
    isWebClientActive: 'true',
  }))
  const fetch = service({ LINK_BASE_URL: 'https://qr.nspk.ru' }, { version: '1.0', dictionary })
  const { page } = await made(fetch)
  await read(page, fetch)
  for (const agent of [ANDROID, IPHONE, DESKTOP]) {
    const { page: shown } = await read(page.replace('?', '/banks?'), fetch, agent)
    expect([banksOf(shown).length, shown.includes('type="search"')]).toEqual([250, true])
    const { length } = gzipSync(shown.replaceAll('&', '&amp;'))
    expect(length).toBeGreaterThan(5_000)
    expect(length).toBeLessThanOrEqual(30_000)
  }
})

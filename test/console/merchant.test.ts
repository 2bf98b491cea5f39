// The merchant's pages: what a form that is refused shows, and that it changes nothing (docs/console.md).
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { MAX_PURPOSE } from '../../src/contract/text.ts'
import { freshSite } from '../support/admin.ts'
import { type Browser, browserOf } from '../support/console.ts'
import { merchantServer } from '../support/merchant.ts'
import { notifiedSite } from '../support/notified-site.ts'
import { PICTURES } from '../support/pictures.ts'
import { connected, type RefundingSite, refundingSite } from '../support/refunds.ts'
import { ORIGIN, serviceWith, tokenOf } from '../support/service.ts'

afterEach(() => void vi.useRealTimers())

/** Somebody who is signed in to a site with everything that it needs. */
async function signedIn() {
  const site = refundingSite()
  const browser = browserOf(connected)
  const token = await tokenOf({ sub: site.siteId, scope: 'merchant:admin' })
  await browser.post('/sign-in', { token })
  const page = async (path: string) => (await browser.get(path)).text()
  return { site, browser, page }
}

/** The value of a field of a page. */
const fieldOf = (page: string, name: string) =>
  new RegExp(`name="${name}"[^>]*value="([^"]*)"`).exec(page)?.[1] ?? ''

/** A till of theirs, with its form. */
async function atTill() {
  const of = await signedIn()
  const { linkId } = await of.site.make({ qrCodeUid: 'till', amount: undefined }, { type: 'COUNTER' })
  const send = (fields: Record<string, string>) => of.browser.post('/tills/till', fields)
  return {
    ...of,
    linkId,
    arm: (saleUid: string, amount = '5') => send({ amount, saleUid }),
    cancel: (saleUid: string) => send({ cancel: saleUid }),
    shown: (query = '') => of.page(`/tills/till${query}`),
  }
}

/** The form of the settings: `save` sends it with the version that its page has. */
async function atSettings() {
  const of = await signedIn()
  const etag = async () => fieldOf(await of.page('/settings'), 'etag').replaceAll('&quot;', '"')
  const save = async (fields: Record<string, string>) =>
    of.browser.post('/settings', { etag: await etag(), ...fields })
  const stored = async () => (await of.site.ask('/settings')).json()
  return { ...of, etag, save, stored }
}

/** The same session at another service. */
function sameBrowser({ cookies }: Browser, service: ReturnType<typeof serviceWith>) {
  const other = browserOf(service)
  for (const [name, value] of cookies) other.cookies.set(name, value)
  return other
}

const LOGO = new Uint8Array(PICTURES['image/png']?.(8, 8) ?? [])

/** A refund that the network has carried out. */
async function refunded(site: RefundingSite, paymentUid: string, value: number, refundId = 'refund') {
  await site.refund(paymentUid, value, refundId)
  await site.reportRefund(paymentUid, refundId, { status: 'COMPLETED' })
}

/** A printed code of any amount. */
const sticker = (site: RefundingSite) =>
  site.make({ qrCodeUid: 'sticker', amount: undefined }, { type: 'STATIC', ttl: undefined })

describe('a refund by the console', () => {
  it('is asked about once more, with its amount and what is left: one press sends nothing', async () => {
    const { site, browser, page } = await signedIn()
    const { paymentUid } = await site.paid()
    const address = `/payments/${paymentUid}/refund`
    expect(await page(`/payments/${paymentUid}`)).toMatch(/refund">Вернуть 5,00\s₽ или часть<\/a>/)
    const blank = await page(address)
    expect(blank).toContain('<label>Сумма, ₽<input')
    const form = { amount: '2', comment: 'cup', refundId: fieldOf(blank, 'refundId'), from: '' }
    const asked = await browser.post(address, form)
    const text = await asked.text()
    expect([asked.status, await site.refundsOf(paymentUid)]).toEqual([200, []])
    expect(text).toMatch(/<h1>Вернуть 2,00\s₽ покупателю\?<\/h1>/)
    expect(text).toMatch(/можно будет вернуть ещё 3,00\s₽/)
    expect([...Object.keys(form), 'confirmed'].map((name) => fieldOf(text, name))).toEqual([
      ...Object.values(form),
      'yes',
    ])
  })

  it('of more than is left is 400, keeps what was typed, and changes nothing', async () => {
    const { site, browser, page } = await signedIn()
    const { paymentUid } = await site.paid()
    const address = `/payments/${paymentUid}/refund`
    const refundId = fieldOf(await page(address), 'refundId')
    for (const more of [{}, { confirmed: 'yes' }]) {
      const refused = await browser.post(address, { amount: '5,01', comment: 'too much', refundId, ...more })
      expect(refused.status).toBe(400)
      const text = await refused.text()
      expect(['amount', 'comment', 'refundId'].map((name) => fieldOf(text, name))).toEqual([
        '5,01',
        'too much',
        refundId,
      ])
      expect(text).toMatch(/role="alert"><strong>Проверьте поля<\/strong><\/div>/)
      expect(text.match(/Не больше|Можно вернуть/g)).toEqual(['Не больше'])
      expect(text).toMatch(/aria-invalid="true"/)
    }
    expect(await site.refundsOf(paymentUid)).toEqual([])
  })

  it.each(['x', '', '0', '-1', '1,001'])('of %j is 400, and no question', async (amount) => {
    const { site, browser } = await signedIn()
    const { paymentUid } = await site.paid()
    const refused = await browser.post(`/payments/${paymentUid}/refund`, { amount, refundId: 'r' })
    expect([refused.status, (await refused.text()).includes('name="confirmed"')]).toEqual([400, false])
  })

  it('that is refused keeps its identifier, unless another refund has it', async () => {
    const { site, browser } = await signedIn()
    const { paymentUid } = await site.paid()
    await site.refund(paymentUid, 1, 'other')
    const sent = (amount: string, refundId: string) =>
      browser.post(`/payments/${paymentUid}/refund`, { amount, refundId, confirmed: 'yes' })
    const shownAfter = async (amount: string, refundId: string) => {
      const refused = await sent(amount, refundId)
      return [refused.status, fieldOf(await refused.text(), 'refundId')]
    }
    expect(await shownAfter('100', 'mine')).toEqual([400, 'mine'])
    expect(await shownAfter('2', 'other')).toEqual([409, expect.stringMatching(/^console-/)])
    expect(await (await sent('2', 'other')).text()).toMatch(
      /role="alert"><strong>Этот возврат уже отправлен[^<]*<\/strong><\/div>/,
    )
  })

  it('that is sent twice is one refund; what is left is offered, and then nothing', async () => {
    const { site, browser, page } = await signedIn()
    const { paymentUid, qrCodeUid } = await site.paid()
    const address = `/payments/${paymentUid}/refund`
    const refundId = fieldOf(await page(`${address}?from=${qrCodeUid}`), 'refundId')
    for (let i = 0; i < 2; i++) {
      const sent = await browser.post(address, { amount: '2', refundId, from: qrCodeUid, confirmed: 'yes' })
      expect([sent.status, sent.headers.get('Location')]).toEqual([
        303,
        `../../qr/${qrCodeUid}?done=refund:${refundId}`,
      ])
    }
    expect((await site.refundsOf(paymentUid)).map(({ amount }) => amount.value)).toEqual(['2.00'])
    const again = await page(address)
    expect(fieldOf(again, 'amount')).toBe('3')
    await browser.post(address, { amount: '3', refundId: fieldOf(again, 'refundId'), confirmed: 'yes' })
    expect(await page(`/payments/${paymentUid}`)).not.toContain('/refund"')
    expect(await page(address)).not.toContain('name="refundId"')
  })
})

it.each([
  ['COMPLETED', 'done', /Возвращено 2,00\s₽/],
  ['DECLINED', 'alert', /Банк отклонил возврат 2,00\s₽/],
])(
  'a refund that is asked for is accepted, and once it is %s its page says so',
  async (status, tone, said) => {
    const { site, browser, page } = await signedIn()
    const { paymentUid, qrCodeUid } = await site.paid()
    const address = `/payments/${paymentUid}/refund`
    const form = { amount: '2', refundId: 'refund-1', from: qrCodeUid, confirmed: 'yes' }
    const { headers } = await browser.post(address, form)
    const shown = async () => {
      const [, where = ''] = /(\/qr\/.*)$/.exec(headers.get('Location') ?? '') ?? []
      return /<p class="(\w+)" role="status"><strong>([^<]*)/.exec(await page(where))?.slice(1)
    }
    expect(await shown()).toEqual(['done', expect.stringMatching(/Возврат 2,00\s₽ принят/)])
    await site.reportRefund(paymentUid, 'refund-1', { status })
    expect(await shown()).toEqual([tone, expect.stringMatching(said)])
  },
)

describe('the page of a code', () => {
  it.each([
    ['TOKEN', { amount: undefined, qrCode: { type: 'TOKEN' } }],
    ['with the flag', { flags: ['CREATE_TOKEN'] }],
  ])('that binds an account, %s, says what for', async (_, more) => {
    const { site, page } = await signedIn()
    const { qrCodeUid } = await site.make({ tokenizationPurpose: 'Чай <каждый> месяц', ...more })
    expect(await page(`/qr/${qrCodeUid}`)).toContain(
      '<dt>Для чего привязка</dt><dd><bdi>Чай &lt;каждый&gt; месяц</bdi></dd>',
    )
    const { qrCodeUid: other } = await site.make()
    expect(await page(`/qr/${other}`)).not.toContain('Для чего привязка')
  })

  const HINT = 'Вернуть деньги можно на странице платежа'
  const offers = (text: string) => [/\/refund\?from=/.test(text), text.includes(HINT)]

  it('leads to a refund while one payment succeeded; of two, each page has its own', async () => {
    const { site, page } = await signedIn()
    const { linkId, qrCodeUid } = await site.make()
    await site.pay(linkId, { status: 'DECLINED' })
    expect(offers(await page(`/qr/${qrCodeUid}`))).toEqual([false, false])
    const { paymentUid } = await site.pay(linkId)
    expect(offers(await page(`/qr/${qrCodeUid}`))).toEqual([true, false])
    const second = await site.payAgain(linkId, 7)
    const text = await page(`/qr/${qrCodeUid}`)
    expect(offers(text)).toEqual([false, true])
    for (const [uid, amount] of [
      [paymentUid, '5'],
      [second, '7'],
    ] as const) {
      expect(text).toContain(`href="../payments/${uid}"`)
      expect(fieldOf(await page(`/payments/${uid}/refund`), 'amount')).toBe(amount)
    }
  })

  it('leads to the only payment where the code did not take it', async () => {
    const { site, page } = await signedIn()
    const { qrCodeUid } = await site.paid({ amount: { value: 7 } })
    expect(offers(await page(`/qr/${qrCodeUid}`))).toEqual([false, true])
  })

  it('tells who only reads nothing of refunds', async () => {
    const { site } = await signedIn()
    const { qrCodeUid, linkId } = await site.paid()
    await site.payAgain(linkId, 7)
    const reader = browserOf(connected)
    await reader.signIn({ sub: site.siteId, scope: 'merchant:read' })
    expect(offers(await (await reader.get(`/qr/${qrCodeUid}`)).text())).toEqual([false, false])
  })
})

it('the page of a code that is paid many times begins with its latest payments, and leads to the others', async () => {
  const { site, page } = await signedIn()
  const { linkId } = await sticker(site)
  const uids: string[] = []
  for (let i = 0; i <= 100; i++) uids.push((await site.pay(linkId)).paymentUid)
  const shown = (text: string) => uids.flatMap((uid, i) => (text.includes(`payments/${uid}"`) ? [i] : []))
  const first = await page('/qr/sticker')
  expect(shown(first)).toEqual(Array.from({ length: 100 }, (_, i) => i + 1))
  const [, cursor = ''] = /cursor=([^"&]+)/.exec(first) ?? []
  expect(shown(await page(`/qr/sticker?cursor=${cursor}`))).toEqual([0])
})

it('the history of a code that is paid many times ends with the latest event, and leads to the earlier ones', async () => {
  const { site, page } = await signedIn()
  const { linkId } = await sticker(site)
  for (let value = 1; value <= 21; value++) await site.pay(linkId, { amount: { value } })
  const shown = (text: string) =>
    Array.from(
      text.matchAll(/<li>([^<]+?)\s*(?:<b class="sum">(\d+)|<small)/g),
      ([, name, sum]) => sum ?? name,
    )
  const first = await page('/qr/sticker')
  expect(shown(first)).toEqual(Array.from({ length: 20 }, (_, i) => `${i + 2}`))
  const [, before = ''] = /before=([^"&]+)/.exec(first) ?? []
  expect(shown(await page(`/qr/sticker?before=${before}`))).toEqual(['QR-код создан', '1'])
})

it('the history of a code and the events tell a payment that was not applied from one that was', async () => {
  const { site, page } = await signedIn()
  const { linkId, qrCodeUid } = await site.make()
  await site.pay(linkId, { status: 'DECLINED' })
  await site.pay(linkId)
  await site.payAgain(linkId, 7)
  const namesIn = (text: string, pattern: RegExp) => Array.from(text.matchAll(pattern), ([, name]) => name)
  const names = ['Платёж не прошёл', 'Платёж прошёл', 'Платёж пришёл, но не зачтён']
  expect(namesIn(await page(`/qr/${qrCodeUid}`), /<li>([^<]+?)\s*<b/g)).toEqual(names)
  const events = namesIn(await page('/events'), /<\/small> (Платёж[^<]+)<\/td>/g)
  expect(events).toEqual(names.toReversed())
})

it('a QR code whose identifier is taken is 409, and keeps what was typed', async () => {
  const { site, browser } = await signedIn()
  const { qrCodeUid } = await site.make()
  const form = { qrCodeUid, type: 'DYNAMIC', amount: '12,50', ttl: '10', ttlUnit: '1', paymentPurpose: 'Tea' }
  const refused = await browser.post('/new', form)
  expect(refused.status).toBe(409)
  const text = await refused.text()
  expect([fieldOf(text, 'qrCodeUid'), fieldOf(text, 'amount'), fieldOf(text, 'paymentPurpose')]).toEqual([
    qrCodeUid,
    '12,50',
    'Tea',
  ])
  expect(text).toMatch(/role="alert"><strong>[А-Яа-я: ]+<\/strong><\/div>/)
})

it.each([
  ['/tills', { uid: '..' }, 'Название'],
  ['/payments/{id}/refund', { amount: '1', comment: 'я'.repeat(256) }, 'Комментарий'],
])(
  'a form of %s that breaks a rule of the API says so in the language of the page',
  async (path, form, field) => {
    const { site, browser } = await signedIn()
    const { paymentUid } = await site.paid()
    const refused = await browser.post(path.replace('{id}', paymentUid), { refundId: 'refund', ...form })
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining(`<li>${field}: `)])
  },
)

describe('the preview of a new QR code', () => {
  it.each([
    ['DYNAMIC', '250', '250,00'],
    ['DYNAMIC', '', 'Сумму введёт покупатель'],
    ['COUNTER', '250', 'Сумму выставляет касса'],
  ])('of type %s with the amount %j shows: %s', async (type, amount, shown) => {
    const { browser } = await signedIn()
    const refused = await browser.post('/new', { qrCodeUid: '', type, amount, ttl: '10', ttlUnit: '1' })
    expect(await refused.text()).toContain(`data-shown="amount">${shown}`)
  })

  const shopIn = (page: string) => /<figure class="preview">.*?<strong><bdi>([^<]*)</s.exec(page)?.[1]

  it('has the name and the logo that payers see, also for who may not read the settings', async () => {
    const { site, save } = await atSettings()
    const seller = browserOf(connected)
    await seller.signIn({ sub: site.siteId, scope: 'merchant' })
    expect(shopIn(await (await seller.get('/new')).text())).toBe(site.siteId)
    const settings = { name: 'Чай & Ко', notificationTypes: ['PAYMENT'] }
    await site.ask('/settings', { method: 'PUT', body: settings })
    expect(shopIn(await (await seller.get('/new')).text())).toBe('Чай &amp; Ко')
    expect((await seller.get('/settings')).status).toBe(403)
    await save({ name: 'Чай', logo: LOGO.toBase64() })
    expect(await (await seller.get('/new')).text()).toMatch(/<img class="mark" src="(?:\.\.\/)+logo\//)
  })
})

it.each([
  ['amount', 'abc'],
  ['ttl', '0'],
  ['redirectUrl', 'javascript:alert(1)'],
  ['qrCodeUid', '..'],
  ['paymentPurpose', 'я'.repeat(MAX_PURPOSE + 1)],
])('a new QR code with a wrong %s is 400, and the field says so', async (name, value) => {
  const { browser } = await signedIn()
  const form = {
    qrCodeUid: 'order-1',
    type: 'DYNAMIC',
    amount: '1',
    ttl: '10',
    ttlUnit: '1',
    redirectUrl: '',
    [name]: value,
  }
  const refused = await browser.post('/new', form)
  expect(refused.status).toBe(400)
  const text = await refused.text()
  expect(text).toMatch(new RegExp(`name="${name}"[^>]*aria-invalid`))
  expect(text).toMatch(/<ul><li>[А-Яа-я]/)
})

it.each([
  ['45', '1', 45],
  ['12', '60', 720],
  ['3', '1440', 4320],
])('a new QR code that waits %s of the unit %s has a ttl of %d minutes', async (ttl, ttlUnit, minutes) => {
  const { site, browser } = await signedIn()
  const form = { qrCodeUid: 'order-1', type: 'DYNAMIC', amount: '1', ttl, ttlUnit, redirectUrl: '' }
  expect((await browser.post('/new', form)).status).toBe(303)
  expect(await (await site.ask('/sbp/qrCodes/order-1')).json()).toMatchObject({ qrCode: { ttl: minutes } })
})

it('a till that waits for a payment takes no second sale, and says so', async () => {
  const { browser, page } = await signedIn()
  await browser.post('/tills', { uid: 'till 1' })
  const till = '/tills/till%201'
  const form = { amount: '250', saleUid: fieldOf(await page(till), 'saleUid') }
  expect((await browser.post(till, form)).status).toBe(303)
  const refused = await browser.post(till, { amount: '300', saleUid: 'another' })
  expect(refused.status).toBe(409)
  const text = await refused.text()
  expect(text).toContain('role="alert"')
  expect(text).toMatch(/class="amount">250/)
})

it('a sale that waits can be cancelled on the page of its till, but by nobody who only reads', async () => {
  const { site, arm, shown } = await atTill()
  await arm('sale-1')
  expect(await shown()).toContain('name="cancel" value="sale-1"')
  const reader = browserOf()
  await reader.signIn({ sub: site.siteId, scope: 'merchant:read' })
  const read = await (await reader.get('/tills/till')).text()
  expect([read.includes('till active'), read.includes('name="cancel"')]).toEqual([true, false])
})

it('the page of a printed code offers its sheet, until it is cancelled', async () => {
  const { site, page } = await signedIn()
  const { qrCodeUid } = await site.make({}, { type: 'STATIC' })
  expect(await page(`/qr/${qrCodeUid}`)).toContain('/print?')
  await site.ask(`/sbp/qrCodes/${qrCodeUid}`, { method: 'DELETE' })
  expect(await page(`/qr/${qrCodeUid}`)).not.toContain('/print?')
})

it('a code has its picture as files: an SVG, and a PNG of 800 pixels', async () => {
  const { site, browser } = await signedIn()
  const { qrCodeUid } = await site.make()
  const svg = await browser.get(`/qr/${qrCodeUid}/picture.svg`)
  expect([svg.headers.get('Content-Type'), await svg.text()]).toEqual([
    expect.stringContaining('image/svg+xml'),
    expect.stringContaining('<svg'),
  ])
  const png = await browser.get(`/qr/${qrCodeUid}/picture.png`)
  expect(png.headers.get('Content-Type')).toBe('image/png')
  const bytes = new DataView(await png.arrayBuffer())
  expect([bytes.getUint32(16), bytes.getUint32(20)]).toEqual([800, 800])
})

describe('a till that was armed by a request whose answer was lost', () => {
  /** A service that arms the till and then answers 503, as where the connection to the site breaks. */
  const losing = serviceWith({
    site: (siteId) => {
      const stub = env.SITES.getByName(siteId)
      return new Proxy(stub, {
        get: (target, name) =>
          name === 'armSale'
            ? async (...given: Parameters<typeof stub.armSale>) => {
                await stub.armSale(...given)
                throw new Error('SQLITE_FULL')
              }
            : Reflect.get(target, name),
      })
    },
  })

  async function armed() {
    const { browser, arm, shown } = await atTill()
    const saleUid = fieldOf(await shown(), 'saleUid')
    const first = await sameBrowser(browser, losing).post('/tills/till', { amount: '250', saleUid })
    return { saleUid, first, arm }
  }

  it('shows the sale, and no alert', async () => {
    const { first } = await armed()
    const text = await first.text()
    expect([first.status, text.includes('role="alert"')]).toEqual([200, false])
    expect(text).toMatch(/class="amount">250/)
  })

  it('says of the same form with another amount that an amount is set', async () => {
    const { arm, saleUid } = await armed()
    const refused = await arm(saleUid, '300')
    expect([refused.status, await refused.text()]).toEqual([
      409,
      expect.stringContaining('Сумма уже выставлена'),
    ])
  })
})

it('a till that the service could not arm keeps the sale that it was to arm', async () => {
  const { arm, shown } = await atTill()
  const saleUid = fieldOf(await shown(), 'saleUid')
  expect(fieldOf(await (await arm(saleUid, 'abc')).text(), 'saleUid')).toBe(saleUid)
})

it('a till shows the sale of the moment beside any page of its sales', async () => {
  const { arm, cancel, shown } = await atTill()
  for (let i = 0; i <= 20; i++) {
    await arm(`sale-${i}`)
    if (i < 20) await cancel(`sale-${i}`)
  }
  const [, cursor = ''] = /cursor=([^"&]+)/.exec(await shown()) ?? []
  const second = await shown(`?cursor=${cursor}`)
  expect(second.match(/<tr role="row"><td/g)).toHaveLength(1)
  expect([second.includes('till active'), second.includes('name="amount"')]).toEqual([true, false])
})

it('a sale has its time for a name where the console made its identifier, else the identifier', async () => {
  const { page, arm, cancel, shown } = await atTill()
  const made = fieldOf(await shown(), 'saleUid')
  expect(made).toMatch(/^console-[0-9a-f]{16}$/)
  for (const saleUid of [made, 'console-7', 'order-7']) {
    await arm(saleUid)
    await cancel(saleUid)
  }
  const names = Array.from((await shown()).matchAll(/class="name"[^>]*><bdi>([^<]*)/g), ([, name]) => name)
  expect(names).toEqual(['order-7', 'console-7', expect.stringMatching(/^Продажа \d\d:\d\d$/)])
  expect(await page(`/search?q=${made}`)).toMatch(/>Продажа \d\d:\d\d</)
})

it('a sale of a till has its purpose below its name', async () => {
  const { site, shown } = await atTill()
  const body = { amount: { value: '5' }, paymentPurpose: 'Чай <зелёный>' }
  await site.ask('/sbp/qrCodes/till/sales/order-7', { method: 'PUT', body })
  expect(await shown()).toContain('<bdi>order-7</bdi> <small><bdi>Чай &lt;зелёный&gt;</bdi></small>')
})

it('no page shows an identifier that the console itself made of a refund or a sale', async () => {
  const { site, browser, page } = await signedIn()
  const { paymentUid } = await site.paid()
  const address = `/payments/${paymentUid}/refund`
  const refundId = fieldOf(await page(address), 'refundId')
  expect(refundId).toMatch(/^console-[0-9a-f]{16}$/)
  await browser.post(address, { amount: '2', refundId, confirmed: 'yes' })
  await site.refund(paymentUid, 1, 'order-7')
  for (const path of [`/payments/${paymentUid}`, `/search?q=${refundId}`]) {
    const [, rows = ''] = /<tbody(.*)<\/tbody>/s.exec(await page(path)) ?? []
    expect([path, rows]).toEqual([path, expect.stringMatching(/<bdi>Возврат \d\d:\d\d<\/bdi>/)])
    expect(rows).not.toContain(refundId)
  }
  expect(await page(`/payments/${paymentUid}`)).toContain('<code class="uid">order-7</code>')
})

it('the purpose of a payment is on each list and page that has it', async () => {
  const { site, page } = await signedIn()
  const { paymentUid, qrCodeUid } = await site.paid({}, { paymentPurpose: 'Чай <зелёный>' })
  for (const path of [
    '/qr',
    `/qr/${qrCodeUid}`,
    '/payments',
    `/payments/${paymentUid}`,
    '/search?q=зелёный',
    `/search?q=${paymentUid}`,
  ])
    expect([path, (await page(path)).includes('<bdi>Чай &lt;зелёный&gt;</bdi>')]).toEqual([path, true])
})

it('a payment of which a part was returned says how much, and what is left', async () => {
  const { site, page } = await signedIn()
  const { paymentUid } = await site.paid()
  for (const [value, refundId, said] of [
    [2, 'refund-1', /Возвращено 2,00\s₽, осталось 3,00\s₽/],
    [3, 'refund-2', /Возвращать больше нечего/],
  ] as const) {
    await refunded(site, paymentUid, value, refundId)
    expect(await page(`/payments/${paymentUid}`)).toMatch(said)
  }
})

it('a search that is not over says since when it has searched, and goes on earlier', async () => {
  const { site, page } = await signedIn()
  await site.make({ qrCodeUid: 'order-old' })
  expect(await page('/search?q=er-old')).not.toContain('Искать раньше')
  await runInDurableObject(site.stub, (_, { storage }) =>
    storage.sql.exec(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30000)
       INSERT INTO qr_codes (number, qr_code_uid, type, ttl, create_token, link_base, link_id, status, version, created_at)
         SELECT 100 + i, 'filler-' || i, 'DYNAMIC', 10, 0, link_base, 'L' || i, 'CANCELLED', 1, created_at + i
         FROM n, qr_codes WHERE qr_codes.number = 1`,
    ),
  )
  const first = await page('/search?q=er-old')
  const [, next = ''] = /href="(\?[^"]*)">Искать раньше</.exec(first) ?? []
  expect(first).not.toContain('order-old</bdi>')
  expect(await page(`/search${next.replaceAll('&amp;', '&')}`)).toContain('<bdi>order-old</bdi>')
})

it('a code that is made in the console has its day as the beginning of its number', async () => {
  const { page } = await signedIn()
  expect(fieldOf(await page('/new'), 'qrCodeUid')).toMatch(/^\d{4}-\d\d-\d\d-[0-9a-f]{6}$/)
})

it('the sales of a till have their own identifiers and states: paid, returned in part, returned, cancelled', async () => {
  const { site, linkId, arm, cancel, shown } = await atTill()
  let last = ''
  for (const value of [0, 2, 5]) {
    await arm(`sale-${value}`)
    const { paymentUid } = await site.pay(linkId, { saleUid: `sale-${value}` })
    last = paymentUid
    if (value === 0) continue
    await refunded(site, paymentUid, value)
  }
  await arm('sale-9')
  await cancel('sale-9')
  const text = await shown()
  const names = Array.from(text.matchAll(/<td[^>]*class="name"[^>]*>.*?<bdi>([^<]*)/g), ([, name]) => name)
  expect(names).toEqual(['sale-9', 'sale-5', 'sale-2', 'sale-0'])
  expect(text).toContain(`href="../payments/${last}"><bdi>sale-5<`)
  const states = Array.from(text.matchAll(/class="badge ([^"]*)">([^<]+)/g), ([, ...parts]) =>
    parts.join(' '),
  )
  expect(states).toEqual([
    'off Отменена',
    'returned Возвращена',
    'returned Возвращена частично',
    'good Оплачена',
  ])
  expect(text.match(/class="struck"/g)).toHaveLength(1)
})

it('a till says that its latest sale was paid, until it is armed again or the money is returned', async () => {
  const { site, linkId, arm, cancel, shown } = await atTill()
  const said = async (query = '') =>
    /<div data-live role="status"><section[^>]*><p class="amount"><strong>([^<]*)</.exec(
      await shown(query),
    )?.[1]
  expect(await said()).toBeUndefined()
  await arm('sale-1')
  expect(await said()).toBeUndefined()
  const first = await site.pay(linkId, { saleUid: 'sale-1' })
  expect(await said()).toMatch(/^Оплачено 5,00\s₽$/)
  // To be compared with the customer's receipt, and to be printed.
  const slip = /<section class="done slip">.*?<\/section>/s.exec(await shown())?.[0]
  expect(slip).toContain('Номер операции: <a href="../payments/')
  for (const text of [`<bdi>${first.paymentUid}</bdi></a>`, 'data-print>Распечатать<'])
    expect(slip).toContain(text)
  expect(await said('?lang=en')).toMatch(/^Paid .*5\.00/)
  await arm('sale-2')
  expect(await said()).toBeUndefined()
  const { headers } = await cancel('sale-2')
  expect(await said()).toBeUndefined()
  // Not in the green of a payment: a cashier hands over goods for it.
  expect(await shown(`${headers.get('Location')}`)).toContain(
    '<p class="over" role="status"><strong>Cancelled',
  )
  await arm('sale-3')
  const { paymentUid } = await site.pay(linkId, { saleUid: 'sale-3' })
  expect(await said('?lang=ru')).toContain('Оплачено')
  await refunded(site, paymentUid, 5)
  expect(await said()).toBeUndefined()
})

it('a till shows money that no sale took, with its reason, until it is returned', async () => {
  const { site, linkId, arm, shown } = await atTill()
  const warned = async () => /<p class="warn">(.*?)<\/p>/s.exec(await shown())?.[1]
  await arm('sale-1')
  expect(await warned()).toBeUndefined()
  const pay = async (value: number) =>
    (await site.pay(linkId, { amount: { value }, saleUid: 'sale-1' })).paymentUid
  const other = await pay(50)
  const mismatch = await warned()
  expect(mismatch).toContain(`href="../payments/${other}"`)
  expect(mismatch).toMatch(/Пришло 50,00\s₽, но продаже не подходит.*Заплатили другую сумму/)
  expect(mismatch).not.toContain('Требуют решения')
  await pay(5)
  const second = await pay(5)
  expect(await warned()).toMatch(
    new RegExp(`payments/${second}".*Пришло 5,00.*уже был оплачен.*<a href="../qr/till">Требуют решения: 2<`),
  )
  await refunded(site, second, 5)
  expect(await warned()).toContain(`payments/${other}"`)
  await refunded(site, other, 50)
  expect(await warned()).toBeUndefined()
})

it.each([
  ['DYNAMIC', false],
  ['STATIC', true],
  ['COUNTER', true],
] as const)(
  'who is to cancel a %s code reads that a printed one stops for good: %j',
  async (type, isPrinted) => {
    const { site, page } = await signedIn()
    const { qrCodeUid } = await site.make(
      { amount: undefined },
      { type, ttl: type === 'DYNAMIC' ? 60 : undefined },
    )
    const text = await page(`/qr/${qrCodeUid}`)
    expect(text).toContain('<summary>Отменить QR-код<')
    expect(text.includes('Напечатанный код перестанет работать навсегда')).toBe(isPrinted)
  },
)

it('a till names what it leads to: the page of its code', async () => {
  const { shown } = await atTill()
  expect(await shown()).toContain('<a href="../qr/till">История и платежи этого кода →')
})

describe('settings', () => {
  it('that somebody else changed meanwhile are 412, and the page has the present ones', async () => {
    const { site, save, etag, stored } = await atSettings()
    const before = await etag()
    const other = { name: 'By another', notificationTypes: ['PAYMENT'] }
    await site.ask('/settings', { method: 'PUT', body: other })
    const refused = await save({ etag: before, name: 'Mine' })
    expect([refused.status, fieldOf(await refused.text(), 'name')]).toEqual([412, 'By another'])
    expect(await stored()).toEqual(other)
  })

  it('are saved as they were typed; an empty field has its default', async () => {
    const { save, stored } = await atSettings()
    const form = { name: ' Чай & Ко ', color: '#0f6b3c', callbackUrl: '', notificationTypes: 'REFUND' }
    expect((await save(form)).status).toBe(303)
    expect(await stored()).toEqual({ name: 'Чай & Ко', color: '#0f6b3c', notificationTypes: ['REFUND'] })
  })

  it('keep an uploaded logo, whose address the form does not have, and say who sells', async () => {
    const { site, save, page } = await atSettings()
    await save({ logo: LOGO.toBase64() })
    const seller = { legalName: 'ООО «Чай»', taxId: '7707083893' }
    const wrong = await save({ ...seller, taxId: '7707083894', logoUrl: '' })
    expect([wrong.status, fieldOf(await wrong.text(), 'legalName')]).toEqual([400, seller.legalName])
    expect((await save({ ...seller, logoUrl: '', notificationTypes: 'REFUND' })).status).toBe(303)
    const saved = await site.ask('/settings')
    expect(saved.headers.get('Link')).toMatch(/rel="icon"/)
    expect(await saved.json()).toMatchObject(seller)
    const shown = await page('/settings')
    expect(fieldOf(shown, 'taxId')).toBe(seller.taxId)
    expect(shown).toContain('Продавец: ООО «Чай», ИНН 7707083893</p>')
  })

  it('have the logo that the form carries in Base64, and lose it by the same form', async () => {
    const { site, save, page } = await atSettings()
    const logo = LOGO.toBase64()
    expect((await save({ name: 'Чай', logo })).status).toBe(303)
    const shown = await page('/settings')
    const [, path = ''] =
      /<img class="mark" src="(?:\.\.\/)+(logo\/[^"]+)"[^>]*alt="Логотип магазина сейчас"/.exec(shown) ?? []
    const picture = await connected(new Request(`${ORIGIN}/${path}`))
    expect(new Uint8Array(await picture.arrayBuffer()).toBase64()).toBe(logo)
    expect((await save({ name: 'Чай', logo: '', removeLogo: 'yes' })).status).toBe(303)
    expect((await site.ask('/settings')).headers.get('Link')).toBeNull()
  })

  it('and the logo that the form carries are one change, with one event', async () => {
    const { site, save, stored } = await atSettings()
    const seen = async () => {
      const events = await (await site.ask('/events')).text()
      return [events.match(/"settings\.changed"/g)?.length, await stored()]
    }
    await save({ name: 'Чай', logo: LOGO.toBase64() })
    const before = await seen()
    expect(before).toMatchObject([1, { name: 'Чай' }])
    expect((await save({ name: 'Кофе', logo: btoa('GIF89a') })).status).toBe(400)
    expect(await seen()).toEqual(before)
  })

  it.each([
    ['logo', 'no picture!', 'Логотип — картинка PNG, JPEG или WebP'],
    ['logo', btoa('GIF89a'), 'Логотип — картинка PNG, JPEG или WebP'],
    ['taxId', '7707083894', 'Такого ИНН нет'],
    ['color', '#ffff00', 'не слишком светлый'],
    ['name', 'я'.repeat(61), 'До 60 символов'],
    ['callbackUrl', 'ftp://shop.example', 'Адрес начинается с https://'],
    ['logoUrl', 'ftp://shop.example', 'Логотип по этому адресу не подошёл'],
  ])('whose %s is %s are refused with the rule, and nothing is stored', async (name, value, rule) => {
    const { save, stored } = await atSettings()
    const before = await stored()
    const refused = await save({ legalName: 'ООО «Чай»', [name]: value })
    const text = await refused.text()
    expect([refused.status, text.match(/aria-invalid="true"/g)?.length]).toEqual([400, 1])
    expect(text.split(rule).length).toBe(3)
    expect(await stored()).toEqual(before)
  })
})

it.each([
  ['COUNTER', 'Сумму выставляет касса'],
  ['STATIC', 'Сумму введёт покупатель'],
  ['TOKEN', 'Привязка счёта'],
])('the page of a %s code without an amount says: %s', async (type, text) => {
  const { site, page } = await signedIn()
  const tokens =
    type === 'TOKEN' ? { tokenizationPurpose: 'Tea club', tokenizationAccount: 'customer-7' } : {}
  await site.ask('/sbp/qrCodes', { body: { qrCodeUid: 'code-1', qrCode: { type }, ...tokens } })
  expect(await page('/qr/code-1')).toContain(`<p class="amount">${text}</p>`)
})

it('a time that is less than three days away is in two days, not on a day of the calendar', async () => {
  const { site, page } = await signedIn()
  await site.make({ qrCodeUid: 'code-1' }, { ttl: 4319 })
  expect(await page('/qr/code-1')).toContain('<small>через 2 дн.</small>')
})

it.each([
  [{ legalName: 'ООО «Чай»' }, 'ООО «Чай»'],
  [{ legalName: 'ООО «Чай»', taxId: '7707083893' }, 'ООО «Чай», ИНН 7707083893'],
])('the preview of the payer’s page with %j names the seller: %s', async (settings, seller) => {
  const { site, page } = await signedIn()
  await site.ask('/settings', { method: 'PATCH', claims: { scope: 'merchant:admin' }, body: settings })
  const [, shown] = /data-shown="seller"[^>]*>[^:<]*: ([^<]*)</.exec(await page('/settings')) ?? []
  expect(shown).toBe(seller)
})

it('a notification leads to its code', async () => {
  merchantServer()
  const site = await notifiedSite()
  const browser = browserOf()
  await browser.signIn({ sub: site.siteId, scope: 'merchant:admin' })
  const { qrCodeUid, linkId } = await site.make()
  await site.pay(linkId)
  const page = await (await browser.get('/notifications')).text()
  expect(page).toMatch(new RegExp(`<a href="[^"]*qr/${qrCodeUid}">${qrCodeUid}</a>`))
})

describe('a test of notifications', () => {
  afterEach(() => void vi.restoreAllMocks())
  const tester = async () => {
    const site = await notifiedSite()
    const browser = browserOf()
    await browser.signIn({ sub: site.siteId, scope: 'merchant:admin' })
    return browser
  }

  it.each([
    ['is taken', 204, 'done', /Тестовое уведомление: 204, \d+ мс/],
    ['is refused', 500, 'alert', /Тестовое уведомление: 500, \d+ мс/],
    ['finds no server', undefined, 'alert', /Тестовое уведомление: нет соединения, \d+ мс/],
  ])('that %s is sent once, however often its page is loaded again', async (_, status, tone, said) => {
    const shop = merchantServer(() => {
      if (status === undefined) throw new TypeError('no connection')
      return new Response(null, { status })
    })
    const browser = await tester()
    const sent = await browser.post('/notifications')
    const location = sent.headers.get('Location') ?? ''
    expect([sent.status, location]).toEqual([303, expect.stringMatching(/^\?done=tested/)])
    for (let loaded = 0; loaded < 2; loaded++) {
      const page = await (await browser.get(`/notifications${location}`)).text()
      const [, shown, text] = /<p class="(\w+)" role="status"><strong>([^<]*)/.exec(page) ?? []
      expect([shown, text]).toEqual([tone, expect.stringMatching(said)])
    }
    expect(shop.received).toHaveLength(1)
  })

  it('whose result somebody made up is not shown', async () => {
    merchantServer()
    const browser = await tester()
    for (const made of ['tested:you have won:1', 'tested:999:1', 'tested:constructor:1', 'tested:204:x']) {
      const page = await (await browser.get(`/notifications?done=${encodeURIComponent(made)}`)).text()
      expect([made, page.includes('role="status"><strong>')]).toEqual([made, false])
    }
  })
})

describe('the payments as a file', () => {
  /** The address of a file that the page leads to. */
  const linkIn = (page: string, file: string) =>
    new RegExp(`href="(${file}[^"]*)"`).exec(page)?.[1]?.replaceAll('&amp;', '&') ?? 'none'
  const uidsIn = (csv: string) =>
    csv.split('\r\n').flatMap((line, i) => (i > 0 && line ? [line.split(';')[0] ?? ''] : []))

  it('are the report of the API, of the days of the filter', async () => {
    const { site, browser, page } = await signedIn()
    const { paymentUid } = await site.paid()
    const from = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)
    const to = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)
    const address = linkIn(await page(`/payments?from=${from}&to=${to}`), 'report.csv')
    expect(address).toBe(`report.csv?from=${from}&to=${to}`)
    const csv = await browser.get(`/${address}`)
    expect([csv.headers.get('Content-Type'), csv.headers.get('Content-Disposition')]).toEqual([
      'text/csv; charset=utf-8; header=present',
      `attachment; filename="report-${site.siteId}-${from}-${to}.csv"`,
    ])
    expect(await csv.text()).toContain(`;${paymentUid};`)
    const english = await browser.get(`/${address}&lang=en`)
    expect(await english.text()).toContain(`,${paymentUid},`)
  })

  it('have the report for a Russian spreadsheet: commas in sums, days first, Russian words, no formula', async () => {
    const { site, browser } = await signedIn()
    const { paymentUid } = await site.paid(
      { amount: { value: 337.5 }, method: 'digitalRouble' },
      { amount: { value: 337.5 }, qrCodeUid: '=1+1', paymentPurpose: 'Чай; «Да Хун Пао»' },
    )
    await refunded(site, paymentUid, 100, 'refund-1')
    const day = new Date(Date.now() + 3 * 3_600_000).toISOString().slice(0, 10)
    const bytes = new Uint8Array(
      await (await browser.get(`/report.csv?from=${day}&to=${day}&lang=ru`)).arrayBuffer(),
    )
    expect(Array.from(bytes.slice(0, 3))).toEqual([0xef, 0xbb, 0xbf])
    const [head, payment = '', refund = '', end] = new TextDecoder().decode(bytes).split('\r\n')
    expect(head).toBe(
      'Операция;Время;Время банка;Сумма;Валюта;Платёж;Возврат;QR-код;Продажа;Зачтён;Банк покупателя;Номер в платёжной сети;Назначение;Номер чека;Дата чека;ФН;ФД;ФПД;Способ',
    )
    const time = '\\d\\d\\.\\d\\d\\.\\d{4} \\d\\d:\\d\\d:\\d\\d'
    expect(payment).toMatch(
      new RegExp(
        `^Платёж;${time};${time};"337,50";RUB;${paymentUid};;'=1\\+1;;да;;;"Чай; «Да Хун Пао»";;;;;;Цифровой рубль$`,
      ),
    )
    expect(refund).toMatch(new RegExp(`^Возврат;${time};;"-100,00";RUB;${paymentUid};refund-1;`))
    expect(end).toBe('')
  })

  it('are what the filters of the page show, on all pages', async () => {
    const { site, browser, page } = await signedIn()
    const { linkId, paymentUid } = await site.paid()
    const again = await site.payAgain(linkId, 7)
    await site.refund(again, 1, 'refund-7')
    const declined: string[] = []
    const { linkId: other } = await site.make()
    for (let i = 0; i <= 100; i++) declined.push((await site.pay(other, { status: 'DECLINED' })).paymentUid)
    const fileOf = async (query: string) => {
      const address = linkIn(await page(`/payments?${query}`), 'payments.csv')
      const file = await browser.get(`/${address}`)
      expect([file.status, file.headers.get('Content-Type')]).toEqual([
        200,
        'text/csv; charset=utf-8; header=present',
      ])
      return file.text()
    }
    const uidsOf = async (query: string) => uidsIn(await fileOf(query)).toSorted()
    expect(await uidsOf('status=DECLINED')).toEqual(declined.toSorted())
    expect(await uidsOf('status=COMPLETED')).toEqual([again, paymentUid].toSorted())
    expect(await uidsOf('which=notApplied')).toEqual([again])
    expect(await uidsOf('to=2020-01-01')).toEqual([])
    const [head, line] = (await fileOf('which=notApplied')).split('\r\n')
    expect(head).toBe(
      'Платёж;Время;Статус;Причина;Зачтён;Почему не зачтён;Сумма;Возвращено;Валюта;QR-код;Продажа;Назначение;Решение;Заметка;Номер чека;Дата чека;ФН;ФД;ФПД;Способ',
    )
    expect(line).toMatch(
      /^[^;]+;[^;]+;Не зачтён;;нет;"QR-код уже был оплачен: это второй платёж[^;"]*";"7,00";"0,00";RUB;/,
    )
  })

  it('have in Russian the statuses and the local times of the pages, in English those of the API', async () => {
    const { site, browser } = await signedIn()
    const { linkId } = await site.paid()
    await site.payAgain(linkId, 7)
    await site.pay((await site.make()).linkId, { status: 'DECLINED', reason: 'NO_FUNDS' })
    const linesOf = async (language: string, separator: string) => {
      const [, ...lines] = (await (await browser.get(`/payments.csv?lang=${language}`)).text()).split('\r\n')
      return lines.slice(0, -1).map((line) => line.split(separator).slice(1, 6))
    }
    const [ru, en] = [await linesOf('ru', ';'), await linesOf('en', ',')]
    const statesOf = (lines: string[][]) => lines.map(([, ...states]) => states.join('|')).toSorted()
    expect(statesOf(ru)).toEqual([
      expect.stringMatching('^Не зачтён\\|\\|нет\\|"QR-код уже был оплачен'),
      'Отказ|NO_FUNDS||',
      'Прошёл||да|',
    ])
    expect(statesOf(en)).toEqual([
      'COMPLETED||false|ALREADY_PAYED',
      'COMPLETED||true|',
      'DECLINED|NO_FUNDS|true|',
    ])
    const timesOf = (lines: string[][]) => lines.map(([time]) => time)
    for (const time of timesOf(en)) expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+03:00$/)
    const local = (time = '') => time.replace(/^(\d{4})-(\d\d)-(\d\d)T(.{8}).*$/, '$3.$2.$1 $4')
    expect(timesOf(ru)).toEqual(timesOf(en).map(local))
  })

  it('have the purpose, and what was decided about a payment that is not applied, behind the other columns', async () => {
    const { site, browser } = await signedIn()
    const { linkId } = await site.paid({}, { paymentPurpose: 'Чай; «Да Хун Пао»' })
    const again = await site.payAgain(linkId, 7)
    const decision = { value: 'DELIVERED', note: '=1' }
    await site.ask(`/payments/${again}/decision`, { method: 'PUT', body: decision })
    const endsOf = async (language: string) =>
      (await (await browser.get(`/payments.csv?lang=${language}`)).text())
        .split('\r\n')
        .slice(0, 3)
        .map((line) => line.split(language === 'ru' ? /;(?! )/ : ',').slice(11, 14))
        .toSorted()
    expect(await endsOf('ru')).toEqual([
      ['"Чай; «Да Хун Пао»"', '', ''],
      ['"Чай; «Да Хун Пао»"', 'Товар отдан', "'=1"],
      ['Назначение', 'Решение', 'Заметка'],
    ])
    expect(await endsOf('en')).toEqual([
      ['"Чай; «Да Хун Пао»"', '', ''],
      ['"Чай; «Да Хун Пао»"', 'DELIVERED', "'=1"],
      ['paymentPurpose', 'decision', 'decisionNote'],
    ])
  })

  it('have no text that a spreadsheet would run', async () => {
    const { site, browser } = await signedIn()
    await site.paid({}, { qrCodeUid: '=1+1,"a;b"' })
    for (const [language, separator] of [
      ['ru', ';'],
      ['en', ','],
    ])
      expect(await (await browser.get(`/payments.csv?lang=${language}`)).text()).toContain(
        `${separator}"'=1+1,""a;b"""${separator}`,
      )
  })

  it('are in English as RFC 4180 has it, and in every language in UTF-8 that Excel knows', async () => {
    const { site, browser } = await signedIn()
    const { qrCodeUid } = await site.paid({}, { qrCodeUid: 'чай' })
    for (const language of ['ru', 'en']) {
      const bytes = new Uint8Array(await (await browser.get(`/payments.csv?lang=${language}`)).arrayBuffer())
      expect([language, Array.from(bytes.slice(0, 3))]).toEqual([language, [0xef, 0xbb, 0xbf]])
      expect(new TextDecoder().decode(bytes)).toContain(qrCodeUid)
    }
    const [head, line] = (await (await browser.get('/payments.csv?lang=en')).text()).split('\r\n')
    expect(head).toBe(
      'paymentUid,dateTime,status,reason,applied,notAppliedReason,amount,refundedAmount,currency,qrCodeUid,saleUid,paymentPurpose,decision,decisionNote,receiptNumber,receiptDateTime,fn,fd,fpd,method',
    )
    expect(line).toMatch(/^[^,]+,[^,]+,COMPLETED,,true,,5.00,0.00,RUB,чай,,,,,,,,,,$/)
  })

  it('are one request for the rate limit, whatever their number', async () => {
    const { site, browser } = await signedIn()
    const { linkId } = await site.make()
    for (let i = 0; i <= 100; i++) await site.pay(linkId, { status: 'DECLINED' })
    const keys: string[] = []
    const limiter = { limit: async ({ key }: { key: string }) => ({ success: keys.push(key) <= 1 }) }
    const limited = sameBrowser(browser, serviceWith({ limiter }))
    expect(uidsIn(await (await limited.get('/payments.csv')).text())).toHaveLength(101)
    expect(keys).toEqual([`key:${site.siteId}:test`])
    const refused = await limited.get('/payments.csv?lang=en')
    expect([refused.status, await refused.text()]).toEqual([
      429,
      expect.stringContaining('Too many requests'),
    ])
  })

  it('are a download that fails where a later page fails: not a part that looks whole', async () => {
    const { site, browser } = await signedIn()
    const { linkId } = await site.make()
    for (let i = 0; i <= 100; i++) await site.pay(linkId, { status: 'DECLINED' })
    let pages = 0
    const stub = env.SITES.getByName(site.siteId)
    const failing = new Proxy(stub, {
      get: (target, name) => {
        if (name === 'listPayments' && pages++ > 0) throw new Error('SQLITE_FULL')
        return Reflect.get(target, name)
      },
    })
    const file = await sameBrowser(browser, serviceWith({ site: () => failing })).get('/payments.csv')
    expect(file.status).toBe(200)
    await expect(file.text()).rejects.toThrow()
  })

  it.each([
    'from=0000-01-01',
    'to=0000-01-01',
    'from=9999-12-31',
    'to=9999-12-31',
    'from=2026-02-28&to=2026-02-28',
  ])('are offered beside the filter %s, and answered', async (query) => {
    const { browser } = await signedIn()
    const shown = await browser.get(`/payments?${query}`)
    const text = await shown.text()
    const addresses = ['payments.csv', 'report.csv'].map((file) => `/${linkIn(text, file)}`)
    const files = addresses.map(async (address) => (await browser.get(address)).status)
    expect([shown.status, ...(await Promise.all(files))]).toEqual([200, 200, 200])
  })

  it.each([
    ['from=2026-02-31', 'from', 'Такого дня нет'],
    ['to=x&lang=en', 'to', 'There is no such day'],
    ['from=275760-09-13', 'from', 'Такого дня нет'],
    ['to=-271821-04-20', 'to', 'Такого дня нет'],
    ['from=2026-11-02&to=2026-11-01', 'to', 'Этот день раньше, чем «С даты»'],
    ['from=2026-11-02&to=2026-11-01&lang=en', 'to', 'This day is before “From”'],
  ])('of ?%s are refused by their page, which says what is wrong with %s', async (query, field, fault) => {
    const { site, browser } = await signedIn()
    const { paymentUid, qrCodeUid } = await site.paid()
    for (const list of ['payments', 'qr']) {
      const refused = await browser.get(`/${list}?${query}`)
      const text = await refused.text()
      expect([list, refused.status]).toEqual([list, 400])
      expect(text).toContain(`<small id="${field}-hint">${fault}</small>`)
      for (const absent of [paymentUid, qrCodeUid, '.csv']) expect(text).not.toContain(absent)
    }
    for (const file of ['payments.csv', 'report.csv']) {
      const sent = await browser.get(`/${file}?${query}&status=DECLINED`)
      const location = sent.headers.get('Location') ?? ''
      const [days = ''] = query.split('&lang')
      expect([sent.status, location]).toEqual([303, expect.stringContaining('status=DECLINED')])
      expect(location).toContain(days)
      expect((await browser.get(`/${location}`)).status).toBe(400)
    }
  })
})

it.each(['275760-09-13', '0000-01-01', '9999-12-31', '2026-02-31', 'x'])(
  'the figures of the day %s are a page, or a refusal',
  async (day) => {
    const { browser } = await signedIn()
    expect([200, 400]).toContain((await browser.get(`/?date=${day}`)).status)
  },
)

it.each(['nothing', '%%', '../../x', 'яя', 'a'.repeat(64)])(
  'a search for %j finds nothing, and is no error',
  async (q) => {
    const { browser } = await signedIn()
    const answer = await browser.get(`/search?q=${encodeURIComponent(q)}`)
    expect([answer.status, (await answer.text()).includes('class="empty"')]).toEqual([200, true])
  },
)

it('the conversion of the day is that of the codes for one payment: others are never paid', async () => {
  const { site, page } = await signedIn()
  await site.paid()
  await site.make()
  await sticker(site)
  expect(await page('/')).toMatch(/<dd>50 %<small>оплачено 1 из 2<\/small>/)
})

it('a site that nobody wrote to has all its pages', async () => {
  const site = freshSite()
  const browser = browserOf()
  await browser.post('/sign-in', { token: await tokenOf({ sub: site.siteId, scope: 'merchant:admin' }) })
  for (const path of ['/', '/qr', '/new', '/payments', '/tills', '/notifications', '/events', '/settings'])
    expect([path, (await browser.get(path)).status]).toEqual([path, 200])
})

// What people read of how a payment was made: its payer, and who is signed in to the console.
import { describe, expect, it } from 'vitest'
import { PAYMENT_METHODS, type PaymentMethod } from '../../src/contract/payment.ts'
import { linkIdOf, siteClient } from '../support/client.ts'
import { browserOf } from '../support/console.ts'
import { external, made, open, read } from '../support/payer.ts'
import { connected, refundingSite } from '../support/refunds.ts'
import { inProcess, tokenOf } from '../support/service.ts'
import { tokenSite } from '../support/tokens.ts'

const LANGUAGES = ['ru', 'en'] as const
const WORDS = {
  ru: {
    ...{ sbp: 'СБП', digitalRouble: 'Цифровой рубль', other: 'Другой способ' },
    ...{ ofPayer: 'Способ оплаты', ofConsole: 'Способ', byToken: 'Списание с привязанного счёта' },
  },
  en: {
    ...{ sbp: 'SBP', digitalRouble: 'Digital rouble', other: 'Another method' },
    ...{ ofPayer: 'Payment method', ofConsole: 'Method', byToken: 'Charge of a linked account' },
  },
} as const
const EACH = LANGUAGES.flatMap((language) =>
  [...PAYMENT_METHODS, undefined].map((method) => [language, method] as const),
)

const said = (method: PaymentMethod | undefined) => (method ? { method } : {})

/** What a page has beside a term; undefined where it does not have the term. */
const beside = (page: string, term: string) =>
  new RegExp(`<dt>${term}</dt><dd><bdi>([^<]*)</bdi></dd>`).exec(page)?.[1]

describe('the payer’s receipt', () => {
  const site = siteClient('demo', inProcess('demo'))

  it.each(EACH)('in %s has the method %s', async (language, method) => {
    const words = WORDS[language]
    const { qrCode } = await made()
    await site.report(linkIdOf(qrCode.payload), crypto.randomUUID(), {
      amount: { value: 1500.5 },
      ...said(method),
    })
    const page = await read(qrCode.payload, language, external)
    expect(page).toContain('data-status="PAYED"')
    expect(beside(page, words.ofPayer)).toBe(method && words[method])
  })

  it('of a sale has the method of its payment, and no other sale’s', async () => {
    const { qrCode, qrCodeUid } = await made({ amount: undefined }, { type: 'COUNTER' })
    const sales: [saleUid: string, method: PaymentMethod][] = [
      ['s-1', 'digitalRouble'],
      ['s-2', 'sbp'],
    ]
    for (const [saleUid, method] of sales) {
      const path = `/sbp/qrCodes/${qrCodeUid}/sales/${saleUid}`
      await site.ask(path, { method: 'PUT', body: { amount: { value: 5 } } })
      const page = await read(qrCode.payload, 'ru', external)
      const mark = /data-sale="([^"]+)"/.exec(page)?.[1] ?? ''
      await site.report(linkIdOf(qrCode.payload), crypto.randomUUID(), { saleUid, method })
      const paid = await open(qrCode.payload, { headers: { 'Followed-Sale': mark } }, external)
      expect(beside(await paid.text(), WORDS.ru.ofPayer)).toBe(WORDS.ru[method])
    }
  })
})

describe('the console', () => {
  async function signedIn(siteId: string) {
    const browser = browserOf(connected)
    await browser.post('/sign-in', { token: await tokenOf({ sub: siteId, scope: 'merchant' }) })
    return async (path: string) => (await browser.get(path)).text()
  }

  it.each(EACH)(
    'in %s has the method %s on the payment’s page, in the list and in the file',
    async (language, method) => {
      const words = WORDS[language]
      const site = refundingSite()
      const { paymentUid, qrCodeUid } = await site.paid(said(method))
      const page = await signedIn(site.siteId)
      const at = (path: string) => page(`${path}?lang=${language}`)
      expect(beside(await at(`/payments/${paymentUid}`), words.ofConsole)).toBe(method && words[method])
      for (const path of ['/payments', `/qr/${qrCodeUid}`]) {
        const [, state = ''] = /<td role="cell" class="state"[^>]*>(.*?)<\/td>/s.exec(await at(path)) ?? []
        expect(state).toContain('class="badge')
        expect([...state.matchAll(/<small>([^<]*)<\/small>/g)].map(([, text]) => text)).toEqual(
          method ? [words[method]] : [],
        )
      }
      const line = (await at('/payments.csv')).split('\r\n')[1] ?? ''
      const cell = method && language === 'ru' ? words[method] : (method ?? '')
      expect(line.split(language === 'ru' ? ';' : ',').at(-1)).toBe(cell)
    },
  )

  it.each([
    [undefined, WORDS.ru.byToken],
    ['sbp', `${WORDS.ru.byToken}, СБП`],
  ] as const)('says that a charge with the method %s is one', async (method, shown) => {
    const site = tokenSite()
    await site.rest()
    const { value } = await site.bound()
    const { qrCodeUid, linkId } = await site.make()
    await site.charge(qrCodeUid, value)
    const { paymentUid = '' } = (await site.read(qrCodeUid)).payment ?? {}
    await site.report(linkId, paymentUid, said(method))
    const page = await signedIn(site.siteId)
    expect(beside(await page(`/payments/${paymentUid}?lang=ru`), WORDS.ru.ofConsole)).toBe(shown)
  })

  it('has on a till’s slip how the sale was paid', async () => {
    const site = refundingSite()
    const { qrCodeUid, linkId } = await site.make({ amount: undefined }, { type: 'COUNTER' })
    const page = await signedIn(site.siteId)
    for (const [saleUid, method] of [
      ['s-1', undefined],
      ['s-2', 'digitalRouble'],
    ] as const) {
      const path = `/sbp/qrCodes/${qrCodeUid}/sales/${saleUid}`
      await site.ask(path, { method: 'PUT', body: { amount: { value: 5 } } })
      await site.pay(linkId, { saleUid, ...said(method) })
      const [slip = ''] =
        /<section class="done slip">.*?<\/section>/s.exec(await page(`/tills/${qrCodeUid}`)) ?? []
      expect(slip).toContain('Номер операции')
      expect(slip.includes('Цифровой рубль')).toBe(method !== undefined)
    }
  })
})

// The receipt (54-FZ) on the payer's page: where it goes, and its link; only to the payer of a DYNAMIC code or of a followed sale.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { typedContact } from '../../src/contract/receipts/payer-receipt.ts'
import { linkIdOf } from '../support/client.ts'
import { FISCAL, fiscalSite, ITEMS, TEN } from '../support/fiscal-site.ts'
import { open, submit } from '../support/payer.ts'
import { item } from '../support/receipts.ts'
import { connected } from '../support/refunds.ts'

const EMAIL = 'ivan.petrov@mail.example'
const MASKED = { email: 'i…@mail.example' }
const plain = (text: string) => text.replaceAll(/\s+/g, ' ')

/** A site whose pages ask for a contact, and a code of it. @param of what its receipt has besides the items */
async function asking(
  more: Record<string, unknown> = {},
  of: Record<string, unknown> = { contact: undefined },
) {
  const site = await fiscalSite()
  await site.set({ askContact: true, vat: 'none', taxation: 'usnIncome' })
  const { answer, linkId } = await site.sell(more, of)
  const link = answer.qrCode.payload
  const see = async (headers: Record<string, string> = {}) =>
    plain(await (await open(link, { headers: { 'Accept-Language': 'ru', ...headers } }, connected)).text())
  const give = (contact: string, fields: Record<string, string> = {}) =>
    submit(link, { action: 'contact', contact, ...fields }, connected)
  const pay = async () => (await site.pay(linkId, TEN)).paymentUid
  return { site, link, linkId, see, give, pay }
}

const FIELD = 'name="contact"'
const GIVEN = 'Чек придёт туда, куда вы указали'

describe('the page of a DYNAMIC code', () => {
  it('asks for a contact, takes it without showing it, and lets it be corrected before the payment', async () => {
    const { site, see, give, pay } = await asking()
    expect(await see()).toContain('Почта или телефон для чека (не обязательно)')
    const given = await give(EMAIL)
    expect(given.status).toBe(303)
    for (const text of [await see(), given.headers.get('Location') ?? ''])
      expect(text).not.toMatch(/ivan|mail\.example/)
    expect(await see()).toContain(GIVEN)
    expect((await give(' 8 (900) 123-45-67 ')).status).toBe(303)
    const paymentUid = await pay()
    expect(await site.latestOf(paymentUid)).toMatchObject({
      contact: { phone: '+7 900 ***-**-67' },
      state: 'WAITING',
    })
    expect(await site.instructed()).toMatchObject([{ contact: { phone: '+79001234567' } }])
  })

  it('asks after the payment too, and the receipt goes at once', async () => {
    const { site, see, give, pay } = await asking()
    const paymentUid = await pay()
    expect([(await see()).includes(FIELD), await site.instructed()]).toEqual([true, []])
    await give(EMAIL)
    expect(await site.latestOf(paymentUid)).toMatchObject({ contact: MASKED })
    expect(await site.instructed()).toHaveLength(1)
    // It is on its way: nothing can be corrected any more.
    const page = await see()
    expect([page.includes(FIELD), page.includes('Чек готовится')]).toEqual([false, true])
    expect((await give('other@mail.example')).status).toBe(303)
    expect(await site.latestOf(paymentUid)).toMatchObject({ contact: MASKED })
  })

  it('has the link once the receipt is registered, for the printout too', async () => {
    const { site, see, give, pay } = await asking()
    await give(EMAIL)
    const paymentUid = await pay()
    expect(await see()).toContain('data-pending')
    await site.register((await site.latestOf(paymentUid)).receiptUid)
    const page = await see()
    expect(page).toContain(`href="${FISCAL.url}" target="_blank" rel="noopener noreferrer">Чек</a>`)
    for (const absent of ['data-pending', FIELD, 'ivan']) expect(page).not.toContain(absent)
  })

  it.each(['ivan', 'ivan@mail', '123', '+7 900', '<b>@x', 'a b@c.de', '8 900 123-45-6789'])(
    'refuses %j with an example, and does not show it again',
    async (typed) => {
      const { site, see, give, pay } = await asking()
      const refused = await give(typed)
      const page = plain(await refused.text())
      expect([refused.status, page.includes('Это не похоже на почту или телефон')]).toEqual([422, true])
      expect(page).not.toContain(`value="${typed}"`)
      expect(page).toContain('aria-invalid="true"')
      expect(await see()).not.toContain(GIVEN)
      const paymentUid = await pay()
      expect(await site.latestOf(paymentUid)).toMatchObject({ waitsFor: 'contact' })
    },
  )

  it('knows of the contact that the merchant stated, and asks nothing where the settings do not say so', async () => {
    const stated = await asking({}, {})
    expect(await stated.see()).toContain(GIVEN)
    const site = await fiscalSite()
    const silent = await site.sell({}, { contact: undefined })
    const page = await (await open(silent.answer.qrCode.payload, {}, connected)).text()
    expect(page).not.toContain(FIELD)
    const sent = await submit(silent.answer.qrCode.payload, { action: 'contact', contact: EMAIL }, connected)
    expect(sent.status).toBe(303)
    const paymentUid = (await site.pay(linkIdOf(silent.answer.qrCode.payload), TEN)).paymentUid
    expect(await site.latestOf(paymentUid)).not.toHaveProperty('contact')
  })

  it('takes a form of no other site', async () => {
    const { link, see } = await asking()
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded', Origin: 'https://other.example' }
    const sent = await open(link, { body: `action=contact&contact=${EMAIL}`, headers }, connected)
    expect([sent.status, (await see()).includes(GIVEN)]).toEqual([403, false])
  })
})

describe('the page of a COUNTER code', () => {
  async function counter() {
    const site = await fiscalSite()
    await site.set({ askContact: true, vat: 'none', taxation: 'usnIncome', default: true })
    const { answer, linkId, qrCodeUid } = await site.make({ amount: undefined }, { type: 'COUNTER' })
    const arm = (saleUid: string) =>
      site.ask(`/sbp/qrCodes/${qrCodeUid}/sales/${saleUid}`, {
        method: 'PUT',
        body: { ...TEN, receipt: undefined },
      })
    const link = answer.qrCode.payload
    const see = async (mark = '') =>
      plain(
        await (
          await open(
            link,
            { headers: { 'Accept-Language': 'ru', ...(mark && { 'Followed-Sale': mark }) } },
            connected,
          )
        ).text(),
      )
    const give = (contact: string, sale: string) =>
      submit(link, { action: 'contact', contact, sale }, connected)
    const pay = async (saleUid: string) => (await site.pay(linkId, { ...TEN, saleUid })).paymentUid
    return { site, arm, see, give, pay }
  }
  const markIn = (page: string) => /name="sale" value="(\w+)"/.exec(page)?.[1] ?? ''

  it('asks for the sale that it shows, and has the link for the browser that followed it alone', async () => {
    const { site, arm, see, give, pay } = await counter()
    await arm('s-1')
    const mark = markIn(await see())
    await give(EMAIL, mark)
    expect(await see()).toContain(GIVEN)
    const paymentUid = await pay('s-1')
    await site.register((await site.latestOf(paymentUid)).receiptUid)
    expect(await see(mark)).toContain(`href="${FISCAL.url}"`)
    await arm('s-2')
    for (const other of [await see(), await see('0'.repeat(24))]) {
      expect(other).not.toContain(FISCAL.url)
      expect(other).toContain(FIELD)
      expect(other).not.toContain(GIVEN)
    }
  })

  it('takes a contact for a paid sale by its mark, and for no sale without one', async () => {
    const { site, arm, see, give, pay } = await counter()
    await arm('s-1')
    const mark = markIn(await see())
    const paymentUid = await pay('s-1')
    await arm('s-2')
    for (const wrong of ['', '0'.repeat(24), `${mark}0`]) await give('other@mail.example', wrong)
    expect(await site.latestOf(paymentUid)).toMatchObject({ waitsFor: 'contact' })
    expect(await see()).not.toContain(GIVEN)
    await give(EMAIL, mark)
    expect(await site.latestOf(paymentUid)).toMatchObject({ contact: MASKED })
  })
})

it('the page of a STATIC code shows no receipt, and asks for nothing', async () => {
  const site = await fiscalSite()
  await site.set({ askContact: true, vat: 'none', taxation: 'usnIncome', default: true })
  const { answer, linkId } = await site.make(
    { ...TEN, receipt: { items: [item({ price: '10.00' })] } },
    { type: 'STATIC' },
  )
  const { paymentUid } = await site.pay(linkId, TEN)
  await submit(answer.qrCode.payload, { action: 'contact', contact: EMAIL }, connected)
  expect(await site.latestOf(paymentUid)).not.toHaveProperty('contact')
  const page = await (await open(answer.qrCode.payload, {}, connected)).text()
  for (const absent of [FIELD, 'class="fiscal"']) expect(page).not.toContain(absent)
})

describe('a contact as a person types it', () => {
  const BOTH = ['email', 'phone'] as const
  it.each([
    ['ivan@mail.example', { email: 'ivan@mail.example' }],
    [' ivan@mail.example ', { email: 'ivan@mail.example' }],
    ['8 900 123-45-67', { phone: '+79001234567' }],
    ['+7 (900) 123-45-67', { phone: '+79001234567' }],
    ['7 900 123 45 67', { phone: '+79001234567' }],
    ['9001234567', { phone: '+79001234567' }],
    ['+49 30 1234567', { phone: '+49301234567' }],
  ])('%j is %j', (text, contact) => expect(typedContact(text, BOTH)).toEqual(contact))

  it('of a kind that the register does not take is none', () => {
    expect(typedContact('8 900 123-45-67', ['email'])).toBeUndefined()
    expect(typedContact('ivan@mail.example', ['phone'])).toBeUndefined()
  })

  it('is the same number however its digits are grouped', () =>
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(' ', '-', '(', ')', '.', ''), { minLength: 11, maxLength: 11 }),
        (gaps) => {
          const text = [...'79001234567'].map((digit, i) => `${digit}${gaps[i]}`).join('')
          expect(typedContact(text, BOTH)).toEqual({ phone: '+79001234567' })
          expect(typedContact(`+${text}`, BOTH)).toEqual({ phone: '+79001234567' })
        },
      ),
    ))
})

it('items of the receipt are no part of the payer’s page', async () => {
  const { see, pay } = await asking({}, {})
  await pay()
  for (const { name } of ITEMS) expect(await see()).not.toContain(`>${name}<`)
})

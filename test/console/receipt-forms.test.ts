// The console's forms of receipts (54-FZ): another attempt, the closing of a prepayment, the settings with their preview.
import { describe, expect, it } from 'vitest'
import { PaymentReceiptsAnswer } from '../../src/contract/receipts/list.ts'
import { ITEMS, TEN } from '../support/fiscal-site.ts'
import { plain, signedInToReceipts } from '../support/receipt-console.ts'

describe('a receipt that failed', () => {
  async function failed(scope = 'merchant', of: Record<string, unknown> = {}) {
    const shop = await signedInToReceipts(scope)
    const { paymentUid } = await shop.site.sold({}, of)
    const { receiptUid } = await shop.site.latestOf(paymentUid)
    await shop.site.fail(receiptUid)
    const send = (fields: Record<string, string>) =>
      shop.browser.post(`/receipts/${receiptUid}/retry`, fields)
    return { ...shop, paymentUid, receiptUid, send }
  }

  it('says why, and is sent again as it is by one press', async () => {
    const { site, page, paymentUid, receiptUid, send } = await failed('merchant:admin')
    const form = await page(`/receipts/${receiptUid}/retry`)
    for (const text of [
      'Касса отказала',
      'the shift is closed',
      'Сейчас m…@shop.example',
      'receipts/settings',
    ])
      expect(form).toContain(text)
    const sent = await send({ contact: '', taxation: '', vat: '' })
    expect(sent.headers.get('Location')).toBe(`../../payments/${paymentUid}?done=retried#receipts`)
    const [first, second] = await site.receiptsOf(paymentUid)
    expect([first?.state, second?.state]).toEqual(['FAILED', 'WAITING'])
    expect(second?.items).toEqual(first?.items)
    const shown = await page(`/payments/${paymentUid}?done=retried`)
    for (const text of [
      '<strong>Чек отправлен ещё раз</strong>',
      'Прежние попытки: 1',
      'Отправляется в кассу',
    ])
      expect(shown).toContain(text)
    // The same form again, of an old page.
    expect((await send({})).status).toBe(409)
  })

  it.each<[string, Record<string, string>, object]>([
    ['the contact', { contact: 'ivan@mail.example' }, { contact: { email: 'i…@mail.example' } }],
    ['the taxation', { taxation: 'patent' }, { taxation: 'patent' }],
    ['the VAT of all items', { vat: '10' }, { items: ITEMS.map(({ name }) => ({ name, vat: '10' })) }],
    [
      'one item',
      { 'name.1': 'Кружка', 'object.1': 'service' },
      {
        items: [
          { name: 'Tea' },
          { name: 'Кружка', object: 'service', vat: '22' },
          { name: 'Bag', vat: 'none' },
        ],
      },
    ],
  ])('is sent again with %s corrected', async (_, fields, changed) => {
    const { site, paymentUid, send } = await failed()
    expect((await send(fields)).status).toBe(303)
    expect(await site.latestOf(paymentUid)).toMatchObject({ state: 'WAITING', ...changed })
  })

  it('keeps nothing of a contact that is refused, and names the field', async () => {
    const { site, paymentUid, send } = await failed()
    const refused = await send({ contact: 'ivan at mail' })
    const text = plain(await refused.text())
    expect([refused.status, text.includes('Укажите почту')]).toEqual([400, true])
    expect(text).not.toContain('ivan at mail')
    expect(await site.receiptsOf(paymentUid)).toHaveLength(1)
  })

  it('is no page of a text that can be no receipt', async () => {
    const { browser } = await failed()
    for (const id of ['none', 'A'.repeat(32), '%FF'])
      expect([id, (await browser.get(`/receipts/${id}/retry`)).status]).toEqual([id, 404])
  })
})

describe('a prepayment', () => {
  const prepaid = (items: object[]) => ({ items })
  const METHOD = { method: 'fullPrepayment' }

  it('is closed in parts, by what is ticked, until nothing is left', async () => {
    const { site, browser, page } = await signedInToReceipts('merchant')
    const { paymentUid } = await site.registered({}, prepaid(ITEMS.map((each) => ({ ...each, ...METHOD }))))
    expect(await page(`/payments/${paymentUid}`)).toContain(
      `payments/${paymentUid}/closing">Закрыть предоплату`,
    )
    const address = `/payments/${paymentUid}/closing`
    const form = await page(address)
    expect(form).toContain('Осталось зачесть 10,00 ₽')
    const closingUid = /name="closingUid" value="([^"]+)"/.exec(form)?.[1] ?? ''
    const none = await browser.post(address, { closingUid })
    expect([none.status, (await none.text()).includes('Отметьте, что передано')]).toEqual([400, true])
    const closed = await browser.post(address, { closingUid, delivered: '1' })
    expect(closed.headers.get('Location')).toBe(`../../payments/${paymentUid}?done=closed#receipts`)
    expect(await site.latestOf(paymentUid)).toMatchObject({
      kind: 'closing',
      amount: { value: '3.99' },
      items: [{ name: 'Cup', method: 'fullPayment', vat: '22' }],
    })
    // The same form that is sent twice makes one receipt.
    await browser.post(address, { closingUid, delivered: '1' })
    expect(await site.receiptsOf(paymentUid)).toHaveLength(2)
    expect(await page(address)).toContain('Осталось зачесть 6,01 ₽')
    const all = new URLSearchParams({ closingUid: 'rest' })
    for (const each of ['0', '1']) all.append('delivered', each)
    expect((await browser.post(address, all)).status).toBe(303)
    expect(await page(address)).toContain('Вся предоплата уже зачтена')
    expect(await page(`/payments/${paymentUid}`)).not.toContain('Закрыть предоплату')
  })

  it.each([
    ['waits', false],
    ['is completed', true],
  ])('is what the service says that remains of it, while a refund in shares %s', async (_, isCompleted) => {
    const { site, browser, page } = await signedInToReceipts('merchant')
    const sale = prepaid([
      { name: 'Sold', price: '5.00', vat: '22' },
      { name: 'Ordered', price: '5.00', vat: '22', ...METHOD },
    ])
    const { paymentUid } = await site.registered({}, sale)
    if (isCompleted) await site.refunded(paymentUid, 5)
    else expect((await site.refund(paymentUid, 5, 'waits')).status).toBe(200)
    const remains = async () =>
      PaymentReceiptsAnswer.parse(await (await site.ask(`/payments/${paymentUid}/receipts`)).json())
    expect((await remains()).prepayment).toEqual([
      {
        ...{ name: 'Ordered', price: '2.50', quantity: '1', amount: '2.50', vat: '22/122' },
        ...{ method: 'fullPrepayment', object: 'commodity', unit: 0 },
      },
    ])
    const address = `/payments/${paymentUid}/closing`
    const form = await page(address)
    expect(form).toContain('Осталось зачесть 2,50 ₽')
    expect(
      (await site.close(paymentUid, 'by-items', { items: [{ name: 'Ordered', price: '2.51' }] })).status,
    ).toBe(400)
    expect((await browser.post(address, { closingUid: 'c-1', delivered: '0' })).status).toBe(303)
    expect(await site.latestOf(paymentUid)).toMatchObject({ kind: 'closing', amount: { value: '2.50' } })
    expect(await remains()).not.toHaveProperty('prepayment')
    expect(await page(address)).toContain('Вся предоплата уже зачтена')
  })

  it('can be closed by some of the parts that a refund in shares has left', async () => {
    const { site, browser, page } = await signedInToReceipts('merchant')
    const { paymentUid } = await site.registered({}, prepaid(ITEMS.map((each) => ({ ...each, ...METHOD }))))
    await site.refunded(paymentUid, 5)
    const address = `/payments/${paymentUid}/closing`
    expect(await page(address)).toContain('Осталось зачесть 5,00 ₽')
    expect((await browser.post(address, { closingUid: 'c-1', delivered: '1' })).status).toBe(303)
    expect(await site.latestOf(paymentUid)).toMatchObject({ kind: 'closing', items: [{ name: 'Cup' }] })
  })

  it('that is an advance is closed by what was sold for it', async () => {
    const { site, browser, page } = await signedInToReceipts('merchant')
    const advance = prepaid([{ name: 'Аванс', price: '10.00', vat: '22', method: 'advance' }])
    const { paymentUid } = await site.registered({}, advance)
    const address = `/payments/${paymentUid}/closing`
    expect(await page(address)).toContain('name="name"')
    const more = await browser.post(address, { closingUid: 'c-1', name: 'Шкаф', sum: '10,01' })
    expect([more.status, (await more.text()).includes('value="10,01"')]).toEqual([400, true])
    expect((await browser.post(address, { closingUid: 'c-1', name: 'Шкаф', sum: '4,50' })).status).toBe(303)
    expect(await site.latestOf(paymentUid)).toMatchObject({ items: [{ name: 'Шкаф', price: '4.50' }] })
    expect(await page(address)).toContain('Осталось зачесть 5,50 ₽')
  })
})

describe('the settings of receipts', () => {
  const FIELDS = {
    ...{ taxation: 'osn', vat: '22', object: 'service', method: 'fullPayment' },
    default: 'yes',
  }
  const SHOP = { place: 'https://shop.example', email: 'shop@shop.example' }

  async function form() {
    const shop = await signedInToReceipts()
    const address = '/receipts/settings'
    const etag = /name="etag" value="&quot;([^&]+)&quot;"/.exec(await shop.page(address))?.[1] ?? ''
    const save = (fields: Record<string, string>) =>
      shop.browser.post(address, { etag: `"${etag}"`, ...SHOP, ...fields })
    const stored = async () =>
      (await (await shop.site.ask('/settings')).json<{ receipts?: object }>()).receipts
    return { ...shop, save, stored }
  }

  it('are saved, and hold for the next receipt', async () => {
    const { site, save, stored } = await form()
    expect((await save({ ...FIELDS, itemName: 'Доставка', askContact: 'yes' })).headers.get('Location')).toBe(
      '?done=saved',
    )
    expect(await stored()).toEqual({
      ...{ taxation: 'osn', vat: '22', object: 'service', itemName: 'Доставка', ...SHOP },
      ...{ method: 'fullPayment', askContact: true, default: true },
    })
    const { linkId } = await site.make(TEN)
    const { paymentUid } = await site.pay(linkId, TEN)
    expect(await site.latestOf(paymentUid)).toMatchObject({
      taxation: 'osn',
      waitsFor: 'contact',
      items: [{ name: 'Доставка', price: '10.00', vat: '22', object: 'service' }],
    })
  })

  it('show the receipt that is typed, which is not saved', async () => {
    const { save, stored } = await form()
    const before = await stored()
    const shown = plain(await (await save({ ...FIELDS, itemName: 'Доставка', preview: 'yes' })).text())
    const sample = shown.split('class="sample')[1] ?? ''
    for (const text of [
      'Доставка',
      'в т. ч. НДС 22 %',
      '270,49 ₽',
      'Услуга',
      'ОСН',
      'Образец',
      'i…@example.ru',
    ])
      expect(sample, text).toContain(text)
    expect(shown).toContain('value="Доставка"')
    expect(await stored()).toEqual(before)
    const none = plain(await (await save({ ...FIELDS, vat: '', preview: 'yes' })).text())
    expect(none).toContain('НДС не указан')
  })

  it.each<[Record<string, string>, string]>([
    [{ place: 'shop' }, 'Адрес начинается с https://'],
    [{ email: 'shop' }, 'Почта до 64 символов'],
    [{ itemName: 'я'.repeat(129) }, 'Название: от 1 до 128 символов'],
  ])('refuse %j at its field, keep what is typed, and save nothing', async (wrong, rule) => {
    const { save, stored } = await form()
    const before = await stored()
    const refused = await save({ ...FIELDS, ...wrong })
    const text = plain(await refused.text())
    expect([refused.status, text.includes(rule)]).toEqual([400, true])
    expect(text).toContain(`value="${Object.values(wrong)[0]}"`)
    expect(await stored()).toEqual(before)
  })

  it('that somebody else changed meanwhile are shown as they are now', async () => {
    const { site, save } = await form()
    await site.set({ itemName: 'Чай' })
    const stale = await save({ ...FIELDS, itemName: 'Кофе' })
    const text = await stale.text()
    expect([stale.status, text.includes('value="Чай"'), text.includes('value="Кофе"')]).toEqual([
      412,
      true,
      false,
    ])
  })

  it('do not ask the payer at a register that takes the contact with the code', async () => {
    const { page } = await signedInToReceipts('merchant:admin', { kind: 'tbank', ffd: '1.2' })
    const shown = await page('/receipts/settings')
    expect([shown.includes('касса Т-Банка'), shown.includes('name="askContact"')]).toEqual([true, false])
  })
})

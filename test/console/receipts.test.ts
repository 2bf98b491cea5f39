// The console's pages of receipts (54-FZ): the list, the receipts of a payment, and the files.
import { describe, expect, it } from 'vitest'
import { browserOf } from '../support/console.ts'
import { FISCAL } from '../support/fiscal-site.ts'
import { operator } from '../support/operator.ts'
import { plain, signedInToReceipts, visitor } from '../support/receipt-console.ts'
import { connected } from '../support/refunds.ts'

/** The rows of a part of the list, as the texts of their cells. */
const part = (page: string, title: string) => page.split(`<h2>${title}</h2>`)[1]?.split('<h2>')[0] ?? ''

describe('the list of receipts', () => {
  it('has what failed first, with what to do; then what waits; then all', async () => {
    const { site, page } = await signedInToReceipts()
    expect(await page('/receipts')).toContain('включите чеки для всех платежей')
    const refused = await site.sold({ qrCodeUid: 'order-1045' })
    const refusedUid = (await site.latestOf(refused.paymentUid)).receiptUid
    await site.fail(refusedUid)
    const final = await site.sold({ qrCodeUid: 'order-1046' })
    await site.fail((await site.latestOf(final.paymentUid)).receiptUid, {
      canRetry: false,
      reason: 'no such tag',
    })
    await site.sold({ qrCodeUid: 'order-1047' })
    await site.registered({ qrCodeUid: 'order-1048' })
    const list = await page('/receipts')
    const failed = part(list, 'Не прошли')
    for (const text of [
      'Касса отказала</strong>',
      'the shift is closed',
      'исправьте настройку или сам чек',
      `receipts/${refusedUid}/retry`,
      'Касса отказала, и повторить нельзя</strong>',
      'no such tag',
      'Сначала посмотрите в кабинете своей кассы. Если чека там нет, сделайте там чек коррекции',
      `payments/${refused.paymentUid}#receipts`,
    ])
      expect(failed, text).toContain(text)
    for (const absent of ['order-1047', 'order-1048']) expect(failed).not.toContain(absent)
    // A failure for good cannot be sent again.
    expect(failed.match(/\/retry"/g)).toHaveLength(1)
    expect(part(list, 'Ждут').match(/order-\d+/g)).toEqual(['order-1047'])
    expect(part(list, 'Все чеки').match(/order-\d+/g)).toEqual(
      [1048, 1047, 1046, 1045].map((n) => `order-${n}`),
    )
    // The section is marked on every page, and a failure that is sent again is not.
    expect(await page('/')).toContain('есть те, что не прошли')
    await site.retry(refusedUid)
    expect(part(await page('/receipts'), 'Не прошли').match(/order-\d+/g)).toEqual(['order-1046'])
  })

  it('has what failed and nobody has retried, however many retries there were since', async () => {
    const { site, page } = await signedInToReceipts('merchant')
    const fails = async (qrCodeUid: string) => {
      const { receiptUid } = await site.latestOf((await site.sold({ qrCodeUid })).paymentUid)
      await site.fail(receiptUid)
      return receiptUid
    }
    await fails('order-1')
    for (let i = 2; i <= 22; i++) expect((await site.retry(await fails(`order-${i}`))).status).toBe(202)
    expect(part(await page('/receipts'), 'Не прошли').match(/order-\d+/g)).toEqual(['order-1'])
  })

  it('has what waits, oldest first, with a way to all of it', async () => {
    const { site, page } = await signedInToReceipts('merchant')
    for (let i = 1; i <= 20; i++) await site.sold({ qrCodeUid: `order-${i}` })
    const orders = (shown: string) => shown.match(/order-\d+/g)
    const expected = Array.from({ length: 21 }, (_, i) => `order-${i + 1}`)
    const twenty = part(await page('/receipts'), 'Ждут')
    expect([orders(twenty), twenty.includes('Все, что ждут')]).toEqual([expected.slice(0, 20), false])
    await site.sold({ qrCodeUid: 'order-21' })
    const more = part(await page('/receipts'), 'Ждут')
    expect(orders(more)).toEqual(expected.slice(0, 20))
    expect(more).toContain('<a href="?state=WAITING,SENT">Все, что ждут</a>')
    const all = await page('/receipts?state=WAITING,SENT')
    const next = /href="(\?[^"]*cursor=[^"]*)"/.exec(all)?.[1]?.replaceAll('&amp;', '&') ?? ''
    expect([...(orders(all) ?? []), ...(orders(await page(`/receipts${next}`)) ?? [])]).toEqual(expected)
  })

  it('is filtered by state, kind and day, and says that it found nothing', async () => {
    const { site, page } = await signedInToReceipts()
    const { paymentUid } = await site.registered({ qrCodeUid: 'order-1' })
    await site.refunded(paymentUid, 4)
    const names = async (query: string) =>
      (await page(`/receipts?${query}`)).match(/Чек (?:продажи|возврата)(?=<\/small>)/g) ?? []
    expect(await names('state=REGISTERED')).toEqual(['Чек продажи'])
    expect(await names('kind=refund')).toEqual(['Чек возврата'])
    expect(await names('from=2020-01-01&to=2020-01-02')).toEqual([])
    expect(await page('/receipts?state=FAILED')).toContain('Ничего не нашлось')
    const { browser } = await visitor(site, 'merchant')
    expect((await browser.get('/receipts?from=2026-02-02&to=2026-01-01')).status).toBe(400)
  })

  it('is absent from the navigation of a site without a cash register', async () => {
    const { page } = await signedInToReceipts('merchant')
    expect(await page('/')).toContain('href="./receipts"')
    const other = browserOf(connected)
    await other.signIn({ sub: `none-${crypto.randomUUID()}`, scope: 'merchant' })
    expect(await (await other.get('/')).text()).not.toContain('receipts')
  })

  it('stays in it where the cash register was removed, and there are documents', async () => {
    const { site, page } = await signedInToReceipts('merchant')
    const { paymentUid } = await site.sold()
    await site.fail((await site.latestOf(paymentUid)).receiptUid)
    const removed = await operator(`/${site.siteId}/cashRegister`, { method: 'DELETE' }, connected)
    expect(removed.status).toBe(200)
    expect(await page('/')).toContain('href="./receipts"')
    expect(part(await page('/receipts'), 'Не прошли')).toContain('the shift is closed')
  })
})

describe('the receipts of a payment', () => {
  it('have their state in words, their numbers, their items and the link, and the contact masked', async () => {
    const { site, page } = await signedInToReceipts('merchant:read')
    const { paymentUid } = await site.registered()
    await site.refunded(paymentUid, 4)
    const shown = await page(`/payments/${paymentUid}`)
    for (const text of [
      'Чек продажи</h3>',
      '>Готов</span>',
      'href="https://ofd.example/1"',
      `${FISCAL.fn} / ${FISCAL.fd} / ${FISCAL.fpd}`,
      'm…@shop.example',
      'НДС 22 %',
      '2 шт. × 3,00 ₽',
      'Чек возврата</h3>',
      'Отправляется в кассу',
    ])
      expect(shown, text).toContain(text)
    expect(shown).not.toContain('mary@')
    // Who only reads finds no way to change anything.
    for (const way of ['/retry', '/closing', '/receipt"']) expect(shown).not.toContain(way)
  })

  it('are not shown to a cashier, and no page of receipts is', async () => {
    const { site } = await signedInToReceipts()
    const { paymentUid, receiptUid } = await site.registered()
    const { browser } = await visitor(site, 'merchant:till')
    for (const path of [
      `/payments/${paymentUid}`,
      '/receipts',
      '/receipts.csv',
      `/receipts/${receiptUid}/retry`,
    ])
      expect([path, (await browser.get(path)).status]).toEqual([path, 403])
  })

  it('are none of a refund whose payment has none, which is said', async () => {
    const { site, page } = await signedInToReceipts('merchant')
    const { linkId } = await site.sold()
    const again = (await site.pay(linkId, { amount: { value: 7 } })).paymentUid
    await site.refunded(again, 7)
    expect(await page(`/payments/${again}`)).toContain(
      'У платежа нет чека, поэтому не будет чека и у возврата',
    )
  })

  it('can be made of a payment that no code took', async () => {
    const { site, browser, page } = await signedInToReceipts('merchant')
    const { linkId, paymentUid } = await site.sold()
    const again = (await site.pay(linkId, { amount: { value: 7 } })).paymentUid
    expect(await page(`/payments/${again}`)).toContain(`payments/${again}/receipt">Сделать чек`)
    expect(await page(`/payments/${paymentUid}`)).not.toContain('Сделать чек')
    const refused = await browser.post(`/payments/${again}/receipt`, {
      name: 'Чай',
      contact: 'mary',
      vat: '22',
    })
    const shown = plain(await refused.text())
    expect([refused.status, shown.includes('value="Чай"')]).toEqual([400, true])
    expect(shown).toContain('Укажите почту, например ivan@example.ru, или телефон')
    const fields = { name: 'Чай', contact: '8 900 123-45-67', vat: '22', taxation: 'osn' }
    const made = await browser.post(`/payments/${again}/receipt`, fields)
    expect([made.status, made.headers.get('Location')]).toEqual([
      303,
      `../../payments/${again}?done=requested#receipts`,
    ])
    const [document] = await site.receiptsOf(again)
    expect(document).toMatchObject({
      taxation: 'osn',
      contact: { phone: '+7 900 ***-**-67' },
      items: [{ name: 'Чай', price: '7.00', vat: '22' }],
    })
  })
})

describe('what a receipt needs', () => {
  it('is said where the register gave no clear answer, and nothing can be sent again', async () => {
    const { site, page } = await signedInToReceipts('merchant')
    const { paymentUid } = await site.sold()
    const { receiptUid } = await site.latestOf(paymentUid)
    await site.reportReceipt(receiptUid, { state: 'SENT', isHeld: true, reason: 'no answer' })
    const shown = await page(`/payments/${paymentUid}`)
    for (const text of ['>Проверяет оператор</span>', 'Касса ответила неясно', 'no answer'])
      expect(shown).toContain(text)
    expect(shown).not.toContain('/retry')
  })

  describe('after a day', () => {
    const LOOK = 'Чека нет больше суток. Сначала посмотрите в кабинете своей кассы. Если чека там нет, '
    const CORRECT = `${LOOK}сделайте там чек коррекции`
    const CLOSE = `${LOOK}попросите оператора сервиса закрыть его здесь, и только потом сделайте чек коррекции`
    const MANY =
      'Некоторых чеков нет больше суток. Каждый сначала посмотрите в кабинете своей кассы. Если его там нет, попросите оператора'
    const DAY = 86_400

    it.each([
      ['that failed', { state: 'FAILED', reason: 'no paper', canRetry: true }, CORRECT],
      ['that is held', { state: 'SENT', isHeld: true, reason: 'no answer' }, CLOSE],
      ['that is at the register', { state: 'SENT' }, CLOSE],
      ['that is on its way', undefined, CLOSE],
    ])(
      'of one %s it is a look into the register’s console, and nothing is sent again',
      async (_, report, todo) => {
        const { site, page } = await signedInToReceipts('merchant')
        const { paymentUid } = await site.sold()
        const { receiptUid } = await site.latestOf(paymentUid)
        if (report) await site.reportReceipt(receiptUid, report)
        const before = await page(`/payments/${paymentUid}`)
        expect([before.includes(LOOK), before.includes('/retry')]).toEqual([
          false,
          report?.state === 'FAILED',
        ])
        expect(await page('/receipts')).not.toContain('больше суток')
        const later = await visitor(site, 'merchant', (DAY + 60) * 1000)
        for (const path of [`/payments/${paymentUid}`, '/receipts']) {
          const shown = await later.page(path)
          expect(shown, path).toContain(path === '/receipts' && todo === CLOSE ? MANY : todo)
          for (const way of ['/retry', 'отправьте чек ещё раз', 'отправьте его ещё раз'])
            expect(shown, path).not.toContain(way)
        }
        const form = plain(await (await later.browser.get(`/receipts/${receiptUid}/retry`)).text())
        expect([form.includes('name="contact"'), form.includes(todo)]).toEqual([false, true])
      },
    )

    it('of one that was made it is nothing', async () => {
      const { site } = await signedInToReceipts('merchant')
      const { paymentUid } = await site.registered()
      const later = await visitor(site, 'merchant', (DAY + 60) * 1000)
      expect(await later.page(`/payments/${paymentUid}`)).not.toContain('больше суток')
    })
  })

  it('follows the receipt of the sale, where that one failed', async () => {
    const { site, page } = await signedInToReceipts('merchant')
    const { paymentUid } = await site.sold()
    await site.fail((await site.latestOf(paymentUid)).receiptUid)
    await site.refunded(paymentUid, 4)
    expect(await page(`/payments/${paymentUid}`)).toContain('Ждёт чека продажи, а тот не прошёл')
  })
})

describe('the files', () => {
  it('have each document without the contact, and digits that a spreadsheet keeps', async () => {
    const { site, browser } = await signedInToReceipts('merchant:read')
    const { paymentUid } = await site.registered({ qrCodeUid: 'order-1045' })
    const document = await site.refunded(paymentUid, 4, undefined, 'r-1')
    await site.fail(document?.receiptUid ?? '')
    const file = await browser.get('/receipts.csv?lang=ru')
    expect(file.headers.get('Content-Disposition')).toMatch(/filename="receipts-[^"]+\.csv"/)
    const [head, refund, sale, end] = (await file.text()).split('\r\n')
    expect(head).toMatch(/^\uFEFF?Чек;Состояние;Создан;Дата чека;Сумма;Валюта;Заказ;Платёж;Возврат;/)
    expect(refund).toMatch(
      new RegExp(
        `^Чек возврата;Не прошёл;[^;]+;;"-4,00";RUB;order-1045;${paymentUid};r-1;.*;УСН «доходы»;Касса отказала: the shift is closed$`,
      ),
    )
    expect(sale).toContain(`;"=""${FISCAL.fn}""";`)
    expect(end).toBe('')
    const english = await (await browser.get('/receipts.csv?lang=en&kind=sale')).text()
    expect(english).toContain(`,${FISCAL.fn},${FISCAL.fd},${FISCAL.fpd},`)
    expect(english).not.toContain('\nrefund,')
    for (const text of [await (await browser.get('/receipts.csv?lang=ru')).text(), english])
      for (const secret of ['mary', 'shop.example', 'ofd.example']) expect(text).not.toContain(secret)
  })

  it('of payments and for the accountant have the receipt of each', async () => {
    const { site, browser } = await signedInToReceipts('merchant:read')
    const { paymentUid } = await site.registered()
    const list = await (await browser.get('/payments.csv?lang=en')).text()
    expect(list.split('\r\n').find((line) => line.startsWith(paymentUid))).toMatch(
      new RegExp(`,${FISCAL.fn},${FISCAL.fd},${FISCAL.fpd},$`),
    )
    const day = new Date(Date.now() + 3 * 3_600_000).toISOString().slice(0, 10)
    const report = await (await browser.get(`/report.csv?from=${day}&to=${day}&lang=ru`)).text()
    expect(report.split('\r\n').find((line) => line.includes(paymentUid))).toContain(`"=""${FISCAL.fn}"""`)
  })
})

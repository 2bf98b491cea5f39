// A month of settlement in the console: what does not match, its operations, the payment’s page, its files.
import { beforeAll, describe, expect, it } from 'vitest'
import type { Browser } from '../support/console.ts'
import { accountant, newSite, read, upload } from '../support/settlement/console.ts'
import { encode } from '../support/settlement/files.ts'
import { FORMULA, SEEDED, type SeededMonth, seededMonth } from '../support/settlement/seeded-month.ts'
import { tbankLine, tbankText } from '../support/settlement/tbank.ts'
import { rowsOf } from '../support/xlsx.ts'

const RUSSIAN = { 'Accept-Language': 'ru' }
const ENGLISH = { 'Accept-Language': 'en' }

const bytesOf = (text: string) => new Uint8Array(encode(text, 'windows-1251'))
const ONE = bytesOf(tbankText([tbankLine({})]))

describe('a month with three faults', () => {
  const site = newSite()
  let seeded: SeededMonth
  let browser: Browser
  let address: string
  /** Where the upload has led to. */
  let uploaded: string

  beforeAll(async () => {
    seeded = await seededMonth(site)
    browser = await accountant(site.siteId)
    address = `/settlement?month=${seeded.month}`
    const answer = await upload(browser, seeded.file)
    expect(answer.status).toBe(303)
    uploaded = `/${answer.headers.get('Location')?.replace('../', '')}`
    expect(uploaded).toContain(`/settlement?month=${seeded.month}&done=imported`)
  })

  const page = async (path: string, headers = RUSSIAN) => read(await browser.get(path, headers))

  it('begins with exactly these, each with what to do', async () => {
    const text = await page(address)
    const section = text.slice(text.indexOf(' Не сходится '), text.indexOf('Суммы по файлам'))
    expect(section).toContain('Нет у банка: 1')
    expect(section).toMatch(
      /дольше 7 дней: загрузите недостающий файл или спросите о них банк .*order-1005.*можно спрашивать банк с/,
    )
    expect(section).toContain('Расходится: 1')
    expect(section).toMatch(/сверьте оба значения.*order-1003.*у нас 300,00 ₽, у банка 310,00 ₽/)
    expect(section).toContain('Только у банка: 1')
    expect(section).toMatch(
      /через другую программу, либо платёж, потерянный при восстановлении из копии\. +Что проверить .*700000099/,
    )
    expect(section.match(/order-100\d/g)).toEqual(['order-1005', 'order-1003'])
  })

  it('says the same in English', async () => {
    const text = await page(address, ENGLISH)
    expect(text).toMatch(
      /Missing at the bank: 1.*upload the file that is missing, or ask the bank about them.*order-1005/,
    )
    expect(text).toMatch(/Differs: 1.*ours ₽300.00, the bank’s ₽310.00/)
    expect(text).toMatch(/Only at the bank: 1.*lost in a restore from a backup\. +What to check/)
  })

  it('has the sums that the file makes, and says what the bank does not state', async () => {
    const text = await page(address)
    expect(text).toMatch(
      /К выплате +1 663,67 ₽ +Оплачено +1 725,75 ₽ +операций: 5 +Возвращено +-50,00 ₽ +операций: 1/,
    )
    expect(text).toMatch(/Комиссия банка +-12,08 ₽ +в том числе НДС: банк не указал/)
  })

  it('has the sum of a day of payout, with that of the cards', async () => {
    expect(await page(address)).toMatch(/нет в выписках +1 673,47 ₽/)
  })

  it.each([
    ['state=EXPECTED', ['order-1005']],
    ['state=MISMATCHED', ['order-1003']],
    ['state=UNKNOWN', ['700000099']],
    ['kind=refund', ['order-1002']],
  ])('its operations with %s are %j', async (query, found) => {
    const text = await page(`${address}&${query}`)
    const list = text.slice(text.lastIndexOf('Показать'))
    expect(list.match(/order-100\d|700000099/g)).toEqual(found)
  })

  it('what is only at the bank leads to the steps of the merchant', async () => {
    for (const [headers, guide] of [
      [RUSSIAN, 'docs/ru/guides/settlement/#только-у-банка'],
      [ENGLISH, 'docs/guides/settlement/#only-at-the-bank'],
    ] as const)
      expect(await (await browser.get(address, headers)).text()).toContain(`${guide}"`)
  })

  it('a month without operations has neither such a section nor days of payout', async () => {
    const text = await page('/settlement?month=2026-01')
    expect(text).toContain('За этот месяц ничего нет')
    expect(text).not.toContain('Не сходится')
    expect(text).not.toContain('Дни выплаты')
  })

  it('a payment’s page has its entry, and its difference', async () => {
    const text = await page(`/payments/${seeded.payments['order-1003']}`)
    expect(text).toMatch(/В файлах банка .*строка 3 .*Расходится .*у нас 300,00 ₽, у банка 310,00 ₽/)
  })

  it('a payment that is missing says on its page what the month says', async () => {
    const text = await page(`/payments/${seeded.payments['order-1005']}`)
    expect(text).toMatch(/В файлах банка .*загрузите недостающий файл.*Нет у банка +можно спрашивать банк с/)
    expect(text).not.toContain('Ни в одном загруженном файле')
  })

  it('a payment whose bank is not known is in no file, and not missing', async () => {
    const { linkId } = await site.make({ qrCodeUid: 'order-1006' })
    await site.report(linkId, 'p-without-bank', { networkUid: '700000006' })
    const text = await page('/payments/p-without-bank')
    expect(text).toContain(
      'Ни в одном загруженном файле банка этого платежа ещё нет. Если его банк известен, через 7 дней он будет среди недостающих',
    )
    expect(text).not.toContain('Нет у банка')
  })

  it('the upload led to how many match, and to the file', async () => {
    const answer = await browser.get(uploaded, RUSSIAN)
    const html = await answer.text()
    const said = html.slice(
      html.indexOf('role="status"'),
      html.indexOf('</p>', html.indexOf('role="status"')),
    )
    expect(said).toContain('Файл загружен')
    expect(said).toContain(`settlement/files/${encodeURIComponent('реестр.csv · abcdef')}"`)
    expect(said).toContain('. Сошлось: 4, Расходится: 1, Только у банка: 1')
  })

  it('the same notice stands without counts where the file is gone', async () => {
    const text = await page(`${address}&done=imported&file=gone`)
    expect(text).toMatch(/Файл загружен +←/)
  })

  it('what is only at the bank has its number and its order', async () => {
    expect(await page(`${address}&state=UNKNOWN`)).toMatch(/700000099 +Платёж, заказ by-hand, .*строка 6/)
  })

  it('the amount, the fee and what is left follow each other', async () => {
    expect(await page(address)).toMatch(/Операции.* День выплаты +Сумма +Комиссия +К выплате +order-100/)
  })

  it('operations of one second are in the order of the file', async () => {
    const text = await page(address)
    const list = text.slice(text.lastIndexOf('Показать'))
    expect(Array.from(list.matchAll(/строка (\d)/g), ([, line]) => line)).toEqual([...'123456'])
  })

  it('the downloads say what they leave out', async () => {
    expect(await page(address)).toContain('без тех, которых нет у банка, и без выплат')
  })

  it('the events name the file, and how many do not match', async () => {
    const text = await page('/events')
    expect(text).toMatch(
      /Файл банка загружен +реестр\.csv · abcdef +Учтено: 6, Расходится: 1, Только у банка: 1/,
    )
    expect(await page('/events', ENGLISH)).toMatch(
      /File of the bank uploaded .*Differs: 1, Only at the bank: 1/,
    )
  })

  it('the same file under another name is refused with a link to the first', async () => {
    const answer = await upload(browser, seeded.file, { uid: 'console-fedcba9876543210' })
    expect(answer.status).toBe(409)
    const text = await answer.text()
    expect(text).toContain('Этот файл уже загружен')
    expect(text).toContain(`settlement/files/${encodeURIComponent('реестр.csv · abcdef')}"`)
  })

  it('the same form again changes nothing', async () => {
    const answer = await upload(browser, seeded.file)
    expect(answer.headers.get('Location')).toContain(`../settlement?month=${seeded.month}&done=same&file=`)
  })

  describe('as a file', () => {
    it.each([
      ['windows-1251', '&encoding=windows-1251', ''],
      ['utf-8', '', '\uFEFF'],
    ])('in %s has a line for each operation of the bank, in Russian', async (encoding, query, mark) => {
      const answer = await browser.get(`/settlement.csv?month=${seeded.month}${query}`, RUSSIAN)
      expect(answer.headers.get('Content-Type')).toContain(`charset=${encoding}`)
      const text = new TextDecoder(encoding, { fatal: false, ignoreBOM: true }).decode(
        await answer.arrayBuffer(),
      )
      const [head = '', ...lines] = text.trimEnd().split('\r\n')
      expect(head.startsWith(`${mark}Операция;Сверка;Время;День выплаты;Сумма;Комиссия;`)).toBe(true)
      expect(lines).toHaveLength(SEEDED.operations)
      expect(text).toContain('"310,00";"-2,17"')
      expect(text).toContain('у нас 300,00, у банка 310,00')
      // A spreadsheet of any separator runs no cell.
      expect(text).toContain(`"'${FORMULA.replaceAll('"', '""')}"`)
    })

    it('in English has the separators of RFC 4180', async () => {
      const answer = await browser.get(`/settlement.csv?month=${seeded.month}`, ENGLISH)
      expect(await answer.text()).toMatch(/Operation,Match,Time,.*\r\n.*,-2\.17,/s)
    })

    it('as a spreadsheet has numbers, days and texts, whose sums are those of the page', async () => {
      const answer = await browser.get(`/settlement.xlsx?month=${seeded.month}`, RUSSIAN)
      expect(answer.headers.get('Content-Disposition')).toMatch(/filename="settlement-.*\.xlsx"$/)
      const [head = [], ...rows] = rowsOf(new Uint8Array(await answer.arrayBuffer()))
      const column = (name: string) => {
        const index = head.findIndex(({ value }) => value === name)
        return rows.map((row) => row[index])
      }
      const sumOf = (name: string) =>
        Math.round(column(name).reduce((sum, cell) => sum + 100 * Number(cell?.value), 0))
      expect([sumOf('Сумма'), sumOf('Комиссия')]).toEqual([SEEDED.gross + SEEDED.refunded, SEEDED.fee])
      expect(sumOf('К выплате')).toBe(SEEDED.gross + SEEDED.refunded + SEEDED.fee)
      expect(new Set(column('Сумма').map((cell) => cell?.format))).toEqual(new Set([4]))
      expect(new Set(column('День выплаты').map((cell) => cell?.format))).toEqual(new Set([14]))
      expect(column('Назначение')).toContainEqual({ type: 'inlineStr', format: 49, value: `'${FORMULA}` })
      expect(column('Номер документа').map((cell) => cell?.value)).toContain('order-1001')
    })
  })
})

it('the document of a payment at a till is its sale', async () => {
  const site = newSite()
  const till = await site.make({ qrCodeUid: 'till-1', amount: undefined }, { type: 'COUNTER' })
  await site.ask('/sbp/qrCodes/till-1/sales/sale-7', { method: 'PUT', body: { amount: { value: 100 } } })
  await site.report(till.linkId, 'p-1', {
    amount: { value: 100 },
    saleUid: 'sale-7',
    networkUid: '700000001',
  })
  const browser = await accountant(site.siteId)
  await upload(browser, ONE)
  const report = await browser.get('/settlement.csv?month=2026-11', ENGLISH)
  expect(await report.text()).toMatch(/,RUB,sale-7,.*,p-1,,till-1,/)
})

it('the file of a month has the operations of all pages, each once', async () => {
  const browser = await accountant(newSite().siteId)
  const lines = Array.from({ length: 2500 }, (_, i) =>
    tbankLine({ number: `${i + 1}`, paymentId: `${i + 1}` }),
  )
  await upload(browser, bytesOf(tbankText(lines)))
  const report = await browser.get('/settlement.csv?month=2026-11', ENGLISH)
  const numbers = Array.from((await report.text()).matchAll(/,(\d+)\r\n/g), ([, line]) => Number(line))
  expect(numbers.toSorted((a, b) => a - b)).toEqual(Array.from(lines, (_, i) => i + 1))
})

it('pages of operations follow each other', async () => {
  const browser = await accountant(newSite().siteId)
  const lines = Array.from({ length: 120 }, (_, i) =>
    tbankLine({ number: `${i + 1}`, paymentId: `${i + 1}` }),
  )
  await upload(browser, bytesOf(tbankText(lines)))
  const seen: number[] = []
  let counts = 0
  for (let query: string | undefined = 'month=2026-11'; query; counts++) {
    const page = await (await browser.get(`/settlement?${query}`, RUSSIAN)).text()
    expect(page).toContain('Все: 120')
    const list = page.slice(page.lastIndexOf('Показать'))
    seen.push(...Array.from(list.matchAll(/строка\u00a0(\d+)/g), ([, line]) => Number(line)))
    query = /href="\?(cursor=[^"]*)">Дальше/.exec(page)?.[1]?.replaceAll('&amp;', '&')
  }
  expect(counts).toBe(3)
  expect(seen.toSorted((a, b) => a - b)).toEqual(Array.from(lines, (_, i) => i + 1))
})

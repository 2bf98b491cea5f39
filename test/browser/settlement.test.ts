// An accountant and a month with three faults: the upload, what does not match, the exports, the deletion.
import { readFileSync } from 'node:fs'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { barriers, DEVICES, launch, SCREENSHOTS, visit } from '../support/browser.ts'
import { csvRows } from '../support/csv-rows.ts'
import { SEEDED } from '../support/settlement/seeded-month.ts'
import { type Story, tenDaysLater } from '../support/settlement/story.ts'
import { rowsOf } from '../support/xlsx.ts'

let browser: Browser

beforeAll(async () => {
  browser = await launch()
})
afterAll(() => browser?.close())

const LOOKS = [
  ['phone-ru', { ...DEVICES.phone, locale: 'ru-RU', colorScheme: 'light' }],
  ['desktop-ru', { ...DEVICES.desktop, locale: 'ru-RU', colorScheme: 'dark' }],
  ['phone-en', { ...DEVICES.phone, locale: 'en-GB', colorScheme: 'dark' }],
  ['desktop-en', { ...DEVICES.desktop, locale: 'en-GB', colorScheme: 'light' }],
] as const satisfies [string, BrowserContextOptions][]

const WORDS = {
  ru: {
    upload: 'Загрузить файл',
    send: 'Загрузить',
    remove: 'Удалить файл',
    confirm: 'Удалить',
    title: 'Выплаты банка',
  },
  en: {
    upload: 'Upload a file',
    send: 'Upload',
    remove: 'Delete the file',
    confirm: 'Delete',
    title: 'Settlement',
  },
}

/** Columns of the files, by their Russian names. */
const COLUMNS = {
  ru: { Сумма: 'Сумма', Комиссия: 'Комиссия', 'К выплате': 'К выплате' },
  en: { Сумма: 'Amount', Комиссия: 'Fee', 'К выплате': 'To be paid out' },
}

/** Keeps a picture of the page, which has no barrier, and is not wider than the screen. */
async function seen(page: Page, name: string): Promise<void> {
  await page.waitForLoadState()
  await page.screenshot({ path: `${SCREENSHOTS}/settlement-${name}.png`, fullPage: true })
  expect(await barriers(page)).toEqual([])
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0)
}

/** What is read there, with spaces between the cells of a table. */
const textOf = async (page: Page, selector: string): Promise<string> =>
  (await page.locator(selector).allInnerTexts()).join(' ').replaceAll(/\s+/g, ' ')

async function download(page: Page, link: string): Promise<Uint8Array> {
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: link }).click(),
  ])
  return readFileSync(await file.path())
}

/** The kopecks of columns of a file, by the names of its first row. */
function sumsIn([head = [], ...rows]: readonly (readonly string[])[], names: readonly string[]): number[] {
  return names.map((name) => {
    const index = head.indexOf(name)
    return rows.reduce(
      (sum, row) => sum + Math.round(100 * Number(row[index]?.replace(',', '.') ?? Number.NaN)),
      0,
    )
  })
}

describe.each(LOOKS)('on %s', (look, options) => {
  const language = look.endsWith('ru') ? 'ru' : 'en'
  const words = WORDS[language]
  let story: Story
  let page: Page
  let faults: string[]
  let base: string

  beforeAll(async () => {
    story = await tenDaysLater(inject('build'))
    const { service, siteId, token } = story
    base = `${service.address}/console/sites/${siteId}/`
    ;({ page, faults } = await visit(browser, `${service.address}/console/sign-in`, options))
    if (!(await page.locator('[name=token]').isVisible())) await page.locator('summary').click()
    await page.locator('[name=token]').fill(token)
    await page.getByRole('button', { name: /^(Войти|Sign in)$/ }).click()
    await page.waitForURL(base)
  })
  afterAll(() => story?.dispose())

  async function send(bytes: Uint8Array, name: string): Promise<void> {
    await page.goto(`${base}settlement`)
    await page.getByRole('link', { name: words.upload, exact: true }).click()
    await page
      .locator('[name=file]')
      .setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(bytes) })
    await page.getByRole('button', { name: words.send, exact: true }).click()
    await page.waitForLoadState()
  }

  it('the navigation leads there, and an empty page says what to do', async () => {
    const more = page.getByRole('button', { name: /^(Ещё|More)/ })
    if (await more.isVisible()) await more.click()
    await page.getByRole('link', { name: words.title }).click()
    await page.getByRole('heading', { level: 1, name: words.title }).waitFor()
    await seen(page, `${look}-empty`)
  })

  it('a file that cannot be read shows its faults by line and column', async () => {
    const bytes = Uint8Array.from(story.seeded.file)
    bytes[bytes.indexOf('M'.charCodeAt(0))] = 'X'.charCodeAt(0)
    await send(bytes, 'broken.csv')
    expect(await textOf(page, 'main')).toMatch(
      language === 'ru'
        ? /Файл не загружен, ничего не изменилось.*Строка 1 .*7 \(zone\).*«XSK», должно быть MSK/
        : /The file was not uploaded, nothing changed.*Line 1 .*7 \(zone\).*is XSK, must be MSK/,
    )
    await seen(page, `${look}-faults`)
    // The browser itself reports an answer of 400.
    faults.length = 0
  })

  it('a month with three faults begins with exactly these', async () => {
    await send(story.seeded.file, 'registry.csv')
    await page.waitForURL('**/settlement?month=*')
    const section = await textOf(page, 'section:has(> .cause)')
    const order = [SEEDED.expected.order, SEEDED.mismatched.order, SEEDED.unknown.paymentId]
    expect(section.match(/order-\d+|\b7000\d+/g)).toEqual(order)
    expect(section).toMatch(/300[,.]00.*310[,.]00/)
    await seen(page, `${look}-month`)
  })

  it('the exports have the sums of the page', async () => {
    const net = SEEDED.gross + SEEDED.refunded + SEEDED.fee
    const shown = (await textOf(page, '.tiles')).replaceAll(/[^\d,.]/g, '').replaceAll(',', '.')
    expect(shown).toContain((net / 100).toFixed(2).slice(1))
    const { Сумма, Комиссия, 'К выплате': left } = COLUMNS[language]
    const wanted = [SEEDED.gross + SEEDED.refunded, SEEDED.fee, net]
    const sums = (rows: readonly (readonly string[])[]) => sumsIn(rows, [Сумма, Комиссия, left])
    const xlsx = rowsOf(await download(page, 'XLSX')).map((row) => row.map(({ value }) => value))
    expect(sums(xlsx)).toEqual(wanted)
    const utf8 = new TextDecoder().decode(await download(page, 'UTF-8'))
    expect(sums(csvRows(utf8, language === 'ru' ? ';' : ','))).toEqual(wanted)
    if (language === 'ru') {
      const bytes = await download(page, 'windows-1251')
      expect(sums(csvRows(new TextDecoder('windows-1251').decode(bytes), ';'))).toEqual(wanted)
    }
  })

  it('the payment’s page has its entry', async () => {
    await page.getByRole('link', { name: SEEDED.mismatched.order }).first().click()
    await page.waitForLoadState()
    expect(await textOf(page, '#settlement')).toMatch(/300[,.]00.*310[,.]00/)
    await seen(page, `${look}-payment`)
  })

  it('a file is deleted after a question', async () => {
    await page.goto(`${base}settlement/files`)
    await seen(page, `${look}-files`)
    await page.getByRole('link', { name: /^registry\.csv/ }).click()
    await page.getByRole('link', { name: words.remove }).click()
    await seen(page, `${look}-question`)
    await page.getByRole('button', { name: words.confirm, exact: true }).click()
    await page.waitForURL('**/settlement/files?done=removed')
    expect(await page.getByRole('link', { name: /^registry\.csv/ }).count()).toBe(0)
    expect(faults).toEqual([])
  })
})

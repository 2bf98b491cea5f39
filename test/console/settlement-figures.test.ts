// The figures of a month on its page: what banks do not state, days of payout by registry and statement, and from when to ask.
import { expect, it } from 'vitest'
import { monthsOf } from '../../src/console/settlement/file-states.ts'
import { accountant, newSite, read, upload } from '../support/settlement/console.ts'
import { encode } from '../support/settlement/files.ts'
import { raiffeisenLine, raiffeisenText } from '../support/settlement/raiffeisen.ts'
import { seededMonth } from '../support/settlement/seeded-month.ts'
import { account, BANK_ACCOUNT, credit, statementText } from '../support/settlement/statement.ts'
import { tbankCard, tbankLine, tbankText } from '../support/settlement/tbank.ts'

const RUSSIAN = { 'Accept-Language': 'ru' }
const MONTH = '/settlement?month=2026-11'
const bytesOf = (text: string) => new Uint8Array(encode(text, 'windows-1251'))
const TBANK = bytesOf(tbankText([tbankLine({})]))

it('a registry without net sums and VAT says so, in place of 0', async () => {
  const browser = await accountant(newSite().siteId)
  const text = raiffeisenText([raiffeisenLine()], ['100.00', '0.40'])
  expect((await upload(browser, bytesOf(text), { bank: 'raiffeisen' })).status).toBe(303)
  const page = await read(await browser.get(MONTH, RUSSIAN))
  expect(page).toMatch(/К выплате +банк не указал +Оплачено +100,00 ₽/)
  expect(page).toMatch(/Комиссия банка +-0,40 ₽ +в том числе НДС: банк не указал/)
  expect(page).toContain('Банк не указал дней выплаты, и выписки с выплатами нет')
})

it('where one bank states the net sum and another does not, the sum says of which it is', async () => {
  const browser = await accountant(newSite().siteId)
  await upload(browser, TBANK)
  const text = raiffeisenText([raiffeisenLine()], ['100.00', '0.40'])
  await upload(browser, bytesOf(text), { bank: 'raiffeisen', uid: 'console-1111111111111111' })
  expect(await read(await browser.get(MONTH, RUSSIAN))).toMatch(
    /К выплате +99,30 ₽ +по операциям, у которых она указана +Оплачено +200,00 ₽/,
  )
})

/** A statement of 21 November with one payout. */
const statementOf = (sum: string) =>
  bytesOf(
    statementText([credit({ Сумма: sum, НазначениеПлатежа: 'Возмещение' })], {
      accounts: [account({ ВсегоПоступило: sum })],
    }),
  )
const STATEMENT = { format: 'statement', name: 'выписка.txt', uid: 'console-2222222222222222' }
const FILE = `/settlement/files/${encodeURIComponent('выписка.txt · 222222')}`

it.each([
  ['99.30', 'Сошлось', /выписка\.txt · 222222 +Т-Банк, Выписка[^)]*\) +Сошлось /],
  ['98.30', 'Расходится', /выписка\.txt · 222222 +Т-Банк, Выписка[^)]*\) +Расходится: 1 /],
])(
  'a payout of %s by the statement, of 99.30 by the registry: %s, also of the file',
  async (sum, state, listed) => {
    const site = newSite()
    await site.ask('/settings', { method: 'PATCH', body: { payoutAccounts: [BANK_ACCOUNT] } })
    const browser = await accountant(site.siteId)
    await upload(browser, TBANK)
    expect((await upload(browser, statementOf(sum), STATEMENT)).status).toBe(303)
    const page = await read(await browser.get(MONTH, RUSSIAN))
    expect(page).toMatch(new RegExp(`21 ноября +${state} +${sum.replace('.', ',')} ₽ +99,30 ₽`))
    const differs = `Расходится +по выписке ${sum.replace('.', ',')} ₽, по реестру 99,30 ₽`
    expect(new RegExp(differs).test(page)).toBe(state === 'Расходится')
    expect(await read(await browser.get('/settlement/files', RUSSIAN))).toMatch(listed)
    expect(await read(await browser.get(FILE, RUSSIAN))).toMatch(new RegExp(` ${state} +1 `))
  },
)

it('a file with nothing to compare is not said to match', async () => {
  const site = newSite()
  await site.ask('/settings', { method: 'PATCH', body: { payoutAccounts: [BANK_ACCOUNT] } })
  const browser = await accountant(site.siteId)
  await upload(browser, statementOf('99.30'), STATEMENT)
  await upload(browser, new Uint8Array(), { uid: 'console-3333333333333333' })
  for (const path of [
    '/settlement/files',
    FILE,
    `/settlement/files/${encodeURIComponent('реестр.csv · 333333')}`,
  ])
    expect(await read(await browser.get(path, RUSSIAN))).not.toContain('Сошлось')
  const said = `/settlement?month=2026-11&done=imported&file=${encodeURIComponent('выписка.txt · 222222')}`
  expect(await read(await browser.get(said, RUSSIAN))).toContain('Сверять нечего')
  expect(await read(await browser.get(MONTH, RUSSIAN))).toMatch(/21 ноября +99,30 ₽ +по реестрам не известно/)
})

it('a day of payout whose file is of several sites says why nothing compares it', async () => {
  const site = newSite()
  await site.ask('/settings', { method: 'PATCH', body: { payoutAccounts: [BANK_ACCOUNT] } })
  const browser = await accountant(site.siteId)
  await upload(browser, statementOf('99.30'), STATEMENT)
  const put = { method: 'PUT', body: TBANK, headers: { 'Content-Type': 'text/csv' } }
  const part = await site.ask('/settlements/part?bank=tbank&format=registry&part=true', put)
  expect(part.status).toBe(201)
  expect(await read(await browser.get(MONTH, RUSSIAN))).toMatch(
    /21 ноября +не сверяется: файл на несколько магазинов, здесь его часть +99,30 ₽ +99,30 ₽/,
  )
})

it('the long name of a file is shortened in a list, and whole on its page', async () => {
  const site = newSite()
  const uid = `file-${'0123456789abcdef'.repeat(4)}`
  const put = { method: 'PUT', body: TBANK, headers: { 'Content-Type': 'text/csv' } }
  expect((await site.ask(`/settlements/${uid}?bank=tbank&format=registry`, put)).status).toBe(201)
  const browser = await accountant(site.siteId)
  const list = await (await browser.get('/settlement/files', RUSSIAN)).text()
  expect(list).toContain(`<bdi title="${uid}">file-0123456789…89abcdef</bdi>`)
  expect(await read(await browser.get(`/settlement/files/${uid}`, RUSSIAN))).toContain(` ${uid} `)
})

it('a day that differs is written as people write it', async () => {
  const site = newSite()
  const { linkId } = await site.make({ qrCodeUid: 'order-1' })
  await site.report(linkId, 'p-1', {
    ...{ networkUid: '700000001', bank: 'tbank', dateTime: '2026-11-17T09:05:30+03:00' },
  })
  const browser = await accountant(site.siteId)
  await upload(browser, TBANK)
  expect(await read(await browser.get(MONTH, RUSSIAN))).toContain('день: у нас 17 нояб., у банка 20 нояб.')
  expect(await (await browser.get('/settlement.csv?month=2026-11', RUSSIAN)).text()).toContain(
    'день: у нас 2026-11-17, у банка 2026-11-20',
  )
})

it('a payment that is missing has the day from which the bank can be asked', async () => {
  const site = newSite()
  const { month, file } = await seededMonth(site)
  const browser = await accountant(site.siteId)
  await upload(browser, file)
  // SETTLEMENT_DAYS after the day of the payment in Moscow.
  const moscow = Date.now() + 3 * 3_600_000 + 7 * 86_400_000
  const day = new Intl.DateTimeFormat('ru', { day: 'numeric', month: 'short', timeZone: 'UTC' }).format(
    moscow,
  )
  const page = await read(await browser.get(`/settlement?month=${month}&state=EXPECTED`, RUSSIAN))
  expect(page).toContain(`можно спрашивать банк с ${day}`)
})

it('the days of payout have the sums of the month, cards included, and say which of them lack one', async () => {
  const site = newSite()
  await site.ask('/settings', { method: 'PATCH', body: { payoutAccounts: [BANK_ACCOUNT] } })
  const browser = await accountant(site.siteId)
  const card = { number: '2', amount: '500.00', fee: '12.50', toBePaid: '487.50', paymentId: '700000004' }
  const next = { number: '3', paymentId: '700000003', paidOn: '22.11.2026' }
  await upload(browser, bytesOf(tbankText([tbankLine({}), tbankCard(card), tbankLine(next)])))
  await upload(browser, statementOf('586.80'), STATEMENT)
  expect(await read(await browser.get(MONTH, RUSSIAN))).toMatch(
    /За месяц +586,80 ₽ +без дней, где её нет: 1 +686,10 ₽/,
  )
})

it('a statement up to a day that is far off is asked for the months until now', () => {
  const visit = { config: { utcOffset: '+03:00' }, now: Date.parse('2026-11-30T12:00:00Z') / 1000 }
  expect(monthsOf({ from: '2026-10-31', to: '2999-12-31' }, visit)).toEqual(['2026-10', '2026-11'])
})

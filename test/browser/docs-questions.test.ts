// The search of the documentation answers what a shop asks: the first result is the page, and its first section the answer.
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { launch, visit } from '../support/browser.ts'

interface Question {
  en: string
  ru: string
  /** The page of the answer, below the language. */
  page: string
  /** The ids of its heading; absent where the whole page is the answer. */
  sections?: { en: string; ru: string }
}

const QUESTIONS = 'guides/questions'

/** Nine that were asked: each in the language in which it was, and in the other. */
const ASKED: readonly Question[] = [
  {
    ...{ en: 'what if the customer pays twice', ru: 'что если покупатель заплатит дважды' },
    ...{
      page: QUESTIONS,
      sections: { en: 'what-if-a-customer-pays-twice', ru: 'что-если-клиент-заплатил-дважды' },
    },
  },
  {
    ...{ en: 'how long does a code live', ru: 'сколько живёт код' },
    ...{ page: QUESTIONS, sections: { en: 'how-long-does-a-qr-code-live', ru: 'сколько-живёт-qr-код' } },
  },
  {
    ...{ en: 'change amount', ru: 'изменить сумму' },
    ...{
      page: QUESTIONS,
      sections: { en: 'can-i-change-the-amount-of-a-qr-code', ru: 'можно-ли-изменить-сумму-qr-кода' },
    },
  },
  {
    ...{ en: 'qr code expired but paid', ru: 'код истёк, но оплачен' },
    ...{
      page: QUESTIONS,
      sections: { en: 'what-if-a-qr-code-has-expired-but-was-paid', ru: 'что-если-qr-код-истёк-но-оплачен' },
    },
  },
  {
    ...{ en: 'customer paid twice', ru: 'клиент заплатил дважды' },
    ...{
      page: QUESTIONS,
      sections: { en: 'what-if-a-customer-pays-twice', ru: 'что-если-клиент-заплатил-дважды' },
    },
  },
  {
    ...{ en: 'cancel a qr code', ru: 'отменить QR-код' },
    ...{ page: QUESTIONS, sections: { en: 'how-do-i-cancel-a-qr-code', ru: 'как-отменить-qr-код' } },
  },
  {
    ...{ en: 'commission', ru: 'комиссия' },
    ...{ page: QUESTIONS, sections: { en: 'what-is-the-commission', ru: 'какая-комиссия' } },
  },
  {
    ...{ en: '54-fz receipt', ru: 'чек 54-ФЗ', page: 'guides/receipts' },
  },
  {
    ...{ en: 'export for the accountant', ru: 'выгрузка для бухгалтера' },
    ...{
      page: QUESTIONS,
      sections: { en: 'what-can-i-export-for-the-accountant', ru: 'какая-есть-выгрузка-для-бухгалтера' },
    },
  },
]

/** Twenty more, written before the words of the search were chosen. */
const MORE: readonly Question[] = [
  { en: 'refund part of a payment', ru: 'вернуть часть суммы', page: 'guides/refunds' },
  {
    ...{ en: 'webhook not received', ru: 'не приходят уведомления', page: 'guides/notifications' },
    sections: {
      en: 'if-notifications-are-not-received-or-come-again',
      ru: 'если-уведомления-не-приходят-или-повторяются',
    },
  },
  {
    ...{ en: 'verify webhook signature', ru: 'проверить подпись уведомления', page: 'guides/notifications' },
    sections: { en: '2-receive-and-verify-the-signature', ru: '2-принимайте-и-проверяйте-подпись' },
  },
  { en: 'test a payment without a bank', ru: 'тестовый платёж без банка', page: 'guides/testing' },
  {
    ...{ en: 'which banks are supported', ru: 'какие банки поддерживаются' },
    ...{ page: QUESTIONS, sections: { en: 'which-banks-are-supported', ru: 'какие-банки-поддерживаются' } },
  },
  {
    ...{ en: 'restore from a backup', ru: 'восстановить из резервной копии', page: 'guides/self-hosting' },
    sections: { en: 'back-up-and-restore', ru: 'резервная-копия-и-восстановление' },
  },
  {
    ...{ en: 'too many requests 429', ru: 'слишком много запросов 429', page: 'errors' },
    sections: { en: 'httptoomanyrequests', ru: 'httptoomanyrequests' },
  },
  {
    ...{ en: 'retry a request after a timeout', ru: 'повторить запрос после таймаута', page: 'errors' },
    sections: { en: 'which-requests-to-repeat', ru: 'какие-запросы-повторять' },
  },
  {
    ...{ en: 'qr sticker on a table', ru: 'наклейка с QR на стол', page: 'guides/counter-and-static' },
    sections: { en: 'a-static-code', ru: 'постоянный-код' },
  },
  {
    ...{ en: 'cancel a subscription', ru: 'отменить подписку' },
    ...{
      page: QUESTIONS,
      sections: { en: 'how-does-a-customer-cancel-a-subscription', ru: 'как-покупатель-отменяет-подписку' },
    },
  },
  {
    ...{ en: 'charge a saved account', ru: 'списать с привязанного счёта', page: 'guides/tokens' },
    sections: { en: '3-charge-the-saved-account', ru: '3-спишите-с-привязанного-счёта' },
  },
  {
    ...{ en: 'get an api key', ru: 'получить ключ API', page: QUESTIONS },
    sections: { en: 'how-do-i-get-an-api-key', ru: 'как-получить-ключ-api' },
  },
  {
    ...{ en: 'where is the data stored', ru: 'где хранятся данные' },
    ...{ page: QUESTIONS, sections: { en: 'where-are-the-data-stored', ru: 'где-хранятся-данные' } },
  },
  {
    ...{ en: 'how much does it cost', ru: 'сколько стоит' },
    ...{ page: QUESTIONS, sections: { en: 'how-much-does-it-cost', ru: 'сколько-это-стоит' } },
  },
  {
    ...{ en: 'logo in the qr code', ru: 'логотип на QR-коде' },
    ...{
      page: QUESTIONS,
      sections: { en: 'can-the-qr-code-have-a-logo', ru: 'может-ли-в-qr-коде-быть-логотип' },
    },
  },
  {
    ...{ en: 'pay by card', ru: 'оплата картой' },
    ...{ page: QUESTIONS, sections: { en: 'can-a-customer-pay-by-card', ru: 'можно-ли-платить-картой' } },
  },
  {
    ...{ en: 'brand color of the payment page', ru: 'цвет страницы оплаты' },
    ...{
      page: QUESTIONS,
      sections: {
        en: 'how-do-i-change-the-color-of-the-payment-page',
        ru: 'как-изменить-цвет-страницы-оплаты',
      },
    },
  },
  {
    ...{ en: 'api key leaked', ru: 'утёк ключ API' },
    ...{ page: QUESTIONS, sections: { en: 'what-if-an-api-key-has-leaked', ru: 'что-если-утёк-ключ-api' } },
  },
  {
    ...{ en: 'delete customer data', ru: 'удалить данные покупателя' },
    ...{
      page: QUESTIONS,
      sections: { en: 'how-do-i-delete-a-customers-data', ru: 'как-удалить-данные-покупателя' },
    },
  },
  {
    ...{ en: 'cash register integration', ru: 'подключить кассу' },
    ...{
      page: QUESTIONS,
      sections: { en: 'can-i-integrate-a-cash-register', ru: 'можно-ли-подключить-кассу' },
    },
  },
]

let browser: Browser
let page: Page
beforeAll(async () => {
  browser = await launch()
  ;({ page } = await visit(browser, `${inject('sandbox').address}/docs/`))
})
afterAll(() => browser?.close())

/** What a question finds first: the page below /docs/, and the section that the search box shows first below it. */
const firstOf = (question: string): Promise<{ page: string; section: string } | undefined> =>
  page.evaluate(`(async () => {
    const { search } = await import('/docs/search.js')
    const [first] = (await search(${JSON.stringify(question)})).results
    const data = await first?.data()
    return data && {
      page: data.url.replace(/^.*\\/docs\\//, '').replace(/\\.html.*$/, ''),
      section: decodeURIComponent((data.sub_results[0]?.url ?? '').replace(/^[^#]*#?/, '')),
    }
  })()`)

describe.each(['en', 'ru'] as const)('in %s', (language) => {
  const prefix = language === 'ru' ? 'ru/' : ''
  const rows = [...ASKED, ...MORE].map((each) => ({ ...each, question: each[language] }))

  it.each(rows)(
    '"$question" finds its answer first, on $page',
    async ({ question, page: wanted, sections }) => {
      const found = await firstOf(question)
      const section = sections ? sections[language] : found?.section
      expect(found).toEqual({ page: prefix + wanted, section })
    },
  )
})

it.for([
  ['/docs/', 'Search', 'what if the customer pays twice', 'What if a customer pays twice?'],
  ['/docs/ru', 'Поиск', 'код истёк, но оплачен', 'Что если QR-код истёк, но оплачен?'],
])(
  'at %s the search box shows the section of the answer first',
  async ([path = '', label = '', ...words]) => {
    const [question = '', heading = ''] = words
    const { page: shown, faults } = await visit(browser, `${inject('sandbox').address}${path}`, {
      locale: 'en-GB',
    })
    await shown.getByRole('button', { name: label }).click()
    await shown.locator('#starlight__search input').fill(question)
    const first = shown.locator('.pagefind-ui__result').first()
    const section = first.locator('.pagefind-ui__result-nested .pagefind-ui__result-link').first()
    await expect.poll(() => section.textContent()).toBe(heading)
    await section.click()
    await shown.getByRole('heading', { level: 2, name: heading, exact: true }).waitFor()
    expect(faults).toEqual([])
  },
)

// What the payer's page says while an account is bound, and while a token is charged.
import { expect, it } from 'vitest'
import { bankTokenSite } from '../support/bank-tokens.ts'
import { call, ORIGIN } from '../support/service.ts'
import { tokenSite } from '../support/tokens.ts'

const site = tokenSite()

async function pageOf(
  qrCodeUid: string,
  language = 'en',
  of: Pick<typeof site, 'ask'> = site,
): Promise<string> {
  const { pageUrl } = await (await of.ask(`/sbp/qrCodes/${qrCodeUid}`)).json<{ pageUrl: string }>()
  const page = await call(pageUrl.slice(ORIGIN.length), {
    token: null,
    headers: { 'Accept-Language': language },
  })
  expect(page.status).toBe(200)
  return page.text()
}

it.each([
  ['CREATED', 'Account linked', false],
  ['REJECTED', 'Your account was not linked', true],
])('a binding that is %s: "%s", and the picture is there: %j', async (status, title, isOpen) => {
  const { qrCodeUid, linkId } = await site.tokenCode()
  const first = await pageOf(qrCodeUid)
  expect(first).toMatch(/>Link your account<[\s\S]*>Check the status<[\s\S]*<img/)
  expect(first).not.toMatch(/Check the payment|have paid|your payment|No payment/)
  await site.bind(linkId, { status })
  const page = await pageOf(qrCodeUid)
  expect(page).toContain(`>${title}<`)
  for (const text of ['<img', 'data-check', 'role="timer"']) expect(page.includes(text), text).toBe(isOpen)
})

it.each([
  ['en', 'You chose not to link your account', 'You cancelled the payment'],
  ['ru', 'Вы не стали привязывать счёт', 'Вы отменили оплату'],
])('what the customer refused is in %s the customer’s own decision', async (language, binding, payment) => {
  const { qrCodeUid, linkId } = await site.tokenCode()
  await site.bind(linkId, { status: 'REJECTED', reason: 'CUSTOMER_REFUSED' })
  expect(await pageOf(qrCodeUid, language)).toContain(
    `<div class="alert neutral" role="status"><strong>${binding}<`,
  )
  const made = await site.make()
  await site.pay(made.linkId, { status: 'DECLINED', reason: 'CUSTOMER_REFUSED' })
  expect(await pageOf(made.qrCodeUid, language)).toContain(`<strong>${payment}<`)
  // The next attempt is another one.
  await site.pay(made.linkId, { status: 'DECLINED', reason: 'no money' })
  const page = await pageOf(made.qrCodeUid, language)
  expect(page).not.toContain(payment)
  expect(page).not.toMatch(/no money|Банк отклонил|bank declined/i)
})

it.each([
  ['en', 'The shop cannot charge your account. You can try again'],
  ['ru', 'Магазин не может списывать деньги с вашего счёта. Можно попробовать ещё раз'],
])(
  'a refusal of the customer or of the bank says in %s the same, and blames nobody',
  async (language, advice) => {
    for (const report of [{}, { reason: 'refused by the customer' }, { reason: 'the account is closed' }]) {
      const { qrCodeUid, linkId } = await site.tokenCode()
      await site.bind(linkId, { status: 'REJECTED', ...report })
      const page = await pageOf(qrCodeUid, language)
      expect(page).toContain(`<p>${advice}</p>`)
      expect(page).not.toMatch(/Банк отклонил|bank declined/i)
    }
  },
)

const DAY = 86_400_000

it.each([
  [
    'TOKEN',
    'en',
    'What you allow',
    'can charge any amount to this account without asking you again',
    'How to end it',
  ],
  [
    'TOKEN',
    'ru',
    'Что вы разрешаете',
    'сможет списывать с этого счёта любую сумму, не спрашивая вас каждый раз',
    'Как отменить',
  ],
  [
    'DYNAMIC',
    'en',
    'The shop asks to remember your account',
    'can charge any amount to this account without asking you again',
    'How to end it',
  ],
  [
    'DYNAMIC',
    'ru',
    'Магазин хочет запомнить ваш счёт',
    'сможет списывать с этого счёта любую сумму, не спрашивая вас каждый раз',
    'Как отменить',
  ],
])(
  'a %s code says in %s before the consent what it allows, until when, and how it is ended',
  async (type, language, title, allows, end) => {
    await site.ask('/settings', { method: 'PUT', body: { name: 'Tea <b>' } })
    const until = new Intl.DateTimeFormat(language === 'en' ? 'en-GB' : 'ru', {
      dateStyle: 'long',
      timeZone: 'Europe/Moscow',
    }).format(Date.now() + 365 * DAY)
    const request = type === 'TOKEN' ? { qrCode: { type }, amount: undefined } : { flags: ['CREATE_TOKEN'] }
    const consentOf = async (more: object) => {
      const { qrCodeUid } = await site.make({ ...request, ...more })
      return /<section class="consent">.*?<\/section>/s.exec(await pageOf(qrCodeUid, language))?.[0]
    }
    const consent = await consentOf({ tokenizationPurpose: 'Подписка' })
    for (const text of [title, allows, `<bdi>Tea &lt;b&gt;</bdi>`, '<dd><bdi>Подписка</bdi>', until, end]) {
      expect(consent).toContain(text)
    }
    // As the bank is told where the merchant gives no purpose.
    expect(await consentOf({})).toContain('<dd><bdi>Tea &lt;b&gt;</bdi>')
  },
)

it.each([
  ['ru', 'Кофейня «У Марии»', '«<bdi>Кофейня „У Марии“</bdi>»'],
  ['ru', '«Чай» и «Кофе»', '«<bdi>„Чай“ и „Кофе“</bdi>»'],
  ['en', 'Кофейня «У Марии»', '<bdi>Кофейня «У Марии»</bdi>'],
])('a name with quotation marks in %s, %s, stands in the consent as %s', async (language, name, shown) => {
  await site.ask('/settings', { method: 'PUT', body: { name } })
  const { qrCodeUid } = await site.make({ flags: ['CREATE_TOKEN'] })
  const page = await pageOf(qrCodeUid, language)
  expect(/<section class="consent">.*?<\/section>/s.exec(page)?.[0]).toContain(shown)
  // Above the page the name stands alone, as the shop wrote it.
  expect(page).toContain(`<bdi>${name}</bdi></p>`)
})

it('a code that requests no token, or has its answer, asks for no consent', async () => {
  const { qrCodeUid } = await site.make()
  expect(await pageOf(qrCodeUid)).not.toContain('class="consent"')
  const bound = await site.bound()
  expect(await pageOf(bound.qrCodeUid)).not.toContain('class="consent"')
})

it('a consent that comes after the end of the code: "Account linked"', async () => {
  const { qrCodeUid, linkId } = await site.tokenCode()
  await site.ask(`/sbp/qrCodes/${qrCodeUid}`, { method: 'DELETE' })
  expect(await pageOf(qrCodeUid)).toContain('>The shop cancelled the request<')
  await site.bind(linkId)
  expect(await pageOf(qrCodeUid)).toContain('>Account linked<')
})

it.each([
  ['en', 'This link can no longer be paid', 'Pay with your bank app'],
  ['ru', 'По этой ссылке платить больше нельзя', 'Оплатить через СБП'],
])(
  'a code whose link was cancelled for a declined charge cannot be paid, in %s',
  async (language, title, button) => {
    const bank = bankTokenSite()
    const paymentUid = await bank.charged('order', await bank.bound('t'))
    await bank.report('order', paymentUid, { status: 'DECLINED', linkCancelled: true })
    const page = await pageOf('order', language, bank)
    expect(page).toContain(`>${title}<`)
    for (const text of [button, '<img class="qr"', 'role="timer"']) expect(page).not.toContain(text)
  },
)

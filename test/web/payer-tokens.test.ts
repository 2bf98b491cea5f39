// What the payer's page says while an account is bound, and while a token is charged.
import { expect, it } from 'vitest'
import { call, ORIGIN } from '../support/service.ts'
import { tokenSite } from '../support/tokens.ts'

const site = tokenSite()

async function pageOf(qrCodeUid: string, language = 'en'): Promise<string> {
  const { pageUrl } = await (await site.ask(`/sbp/qrCodes/${qrCodeUid}`)).json<{ pageUrl: string }>()
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

// What the payer's page says while an account is bound, and while a token is charged.
import { expect, it } from 'vitest'
import { call, ORIGIN } from '../support/service.ts'
import { tokenSite } from '../support/tokens.ts'

const site = tokenSite()

async function pageOf(qrCodeUid: string): Promise<string> {
  const { pageUrl } = await (await site.ask(`/sbp/qrCodes/${qrCodeUid}`)).json<{ pageUrl: string }>()
  const page = await call(pageUrl.slice(ORIGIN.length), { token: null, headers: { 'Accept-Language': 'en' } })
  expect(page.status).toBe(200)
  return page.text()
}

it.each([
  ['CREATED', 'Account linked', false],
  ['REJECTED', 'Your account was not linked', true],
])('a binding that is %s: "%s", and the picture is there: %j', async (status, title, isOpen) => {
  const { qrCodeUid, linkId } = await site.tokenCode()
  const first = await pageOf(qrCodeUid)
  expect(first).toMatch(/>Link your account<[\s\S]*aria-label="Check the status">Check<[\s\S]*<img/)
  expect(first).not.toMatch(/Check the payment|have paid|your payment|No payment/)
  await site.bind(linkId, { status })
  const page = await pageOf(qrCodeUid)
  expect(page).toContain(`>${title}<`)
  for (const text of ['<img', 'data-check', 'role="timer"']) expect(page.includes(text), text).toBe(isOpen)
})

// The accounts from which a bank pays out, in the settings of the console.
import { expect, it } from 'vitest'
import { browserOf } from '../support/console.ts'
import { connected, refundingSite } from '../support/refunds.ts'

const [FIRST, SECOND] = ['30232810100000000001', '40702810700001234567']

async function admin() {
  const site = refundingSite()
  const browser = browserOf(connected)
  await browser.signIn({ sub: site.siteId, scope: 'merchant:admin' })
  const shown = async () => (await browser.get('/settings?lang=ru')).text()
  const save = async (fields: Record<string, string>) => {
    const etag = /name="etag" value="&quot;(\w+)&quot;"/.exec(await shown())?.[1] ?? ''
    return browser.post('/settings', { etag: `"${etag}"`, notificationTypes: 'PAYMENT', ...fields })
  }
  const stored = async () =>
    (await (await site.ask('/settings')).json<{ payoutAccounts?: string[] }>()).payoutAccounts
  return { shown, save, stored }
}

it('are typed in one field, shown as they are stored, and removed by an empty field', async () => {
  const { shown, save, stored } = await admin()
  expect((await save({ payoutAccounts: ` ${SECOND}, ${FIRST} ` })).status).toBe(303)
  expect(await stored()).toEqual([FIRST, SECOND])
  expect(await shown()).toContain(`value="${FIRST} ${SECOND}"`)
  expect((await save({ payoutAccounts: '' })).status).toBe(303)
  expect(await stored()).toBeUndefined()
})

it('stay as they are with a form of an earlier build, which lacks the field', async () => {
  const { save, stored } = await admin()
  await save({ payoutAccounts: FIRST })
  expect((await save({ name: 'Чайная лавка' })).status).toBe(303)
  expect(await stored()).toEqual([FIRST])
})

it.each([
  ['4070281070000123456', 'Счёт «4070281070000123456»: нужно 20 цифр'],
  [Array.from({ length: 11 }, (_, i) => `407028107000012345${i + 10}`).join(' '), 'До десяти через пробел'],
])('%s is refused: %s', async (payoutAccounts, rule) => {
  const { save, stored } = await admin()
  const refused = await save({ payoutAccounts })
  expect(refused.status).toBe(400)
  expect(await refused.text()).toContain(`<small id="payoutAccounts-hint">${rule}`)
  expect(await stored()).toBeUndefined()
})

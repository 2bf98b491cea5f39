// The form of the settings: which refunds people confirm, whether a token signs in, and how codes can be paid (docs/console.md).
import { describe, expect, it } from 'vitest'
import { SettingsAnswer } from '../../src/contract/settings.ts'
import { freshSite } from '../support/admin.ts'
import { browserOf } from '../support/console.ts'

async function owner(language = 'ru') {
  const site = freshSite()
  const browser = browserOf()
  await browser.signIn({ sub: site.siteId, scope: 'merchant:admin' })
  const shown = async () => (await browser.get(`/settings?lang=${language}`)).text()
  const save = async (fields: Record<string, string>) => {
    const etag = /name="etag" value="&quot;(\w+)&quot;"/.exec(await shown())?.[1] ?? ''
    return browser.post('/settings', { etag: `"${etag}"`, notificationTypes: 'PAYMENT', ...fields })
  }
  return {
    shown,
    save,
    stored: async () => SettingsAnswer.parse(await (await site.ask('/settings')).json()),
  }
}

describe('the form of the settings', () => {
  it.each([
    ['5 000,50', '5000.50', '5000,50'],
    ['0', '0.00', '0'],
    ['0,00', '0.00', '0'],
  ])('takes %s as the sum above which refunds are confirmed', async (text, value, again) => {
    const { save, stored, shown } = await owner()
    expect((await save({ confirmAbove: text, confirmCurrency: 'RUB' })).status).toBe(303)
    expect((await stored()).confirmRefundsAbove).toEqual({ value, currency: 'RUB' })
    expect(await shown()).toContain(`name="confirmAbove" type="text" value="${again}"`)
    expect((await save({ confirmAbove: '', confirmCurrency: 'RUB' })).status).toBe(303)
    expect(await stored()).not.toHaveProperty('confirmRefundsAbove')
  })

  it.each([
    ['ru', 'Введите сумму, например 5000 или 0'],
    ['en', 'Type an amount, such as 5000 or 0'],
  ])('in %s says what a sum must be', async (language, rule) => {
    const { save, shown, stored } = await owner(language)
    await shown()
    const refused = await save({ confirmAbove: 'many', confirmCurrency: 'RUB' })
    const page = await refused.text()
    expect(refused.status).toBe(400)
    expect(page).toContain(`<small id="confirmAbove-hint">${rule}`)
    expect(page).toContain('value="many"')
    expect(await stored()).not.toHaveProperty('confirmRefundsAbove')
  })

  it('closes the sign-in by token, and opens it; a form of an earlier build leaves both as they are', async () => {
    const { save, shown, stored } = await owner()
    await save({ confirmAbove: '5', confirmCurrency: 'RUB', tokenSignIn: 'no' })
    expect(await shown()).toContain('<option value="no" selected>')
    expect((await save({})).status).toBe(303)
    expect(await stored()).toMatchObject({ tokenSignIn: false, confirmRefundsAbove: { value: '5.00' } })
    await save({ tokenSignIn: 'yes' })
    expect(await stored()).not.toHaveProperty('tokenSignIn')
  })

  it('says that digital roubles are taken, and that they are not; a form of an earlier build leaves that as it is', async () => {
    const { save, shown, stored } = await owner()
    const chosen = async () => /<select name="digitalRouble">.*?selected>([^<]*)/.exec(await shown())?.[1]
    expect(await chosen()).toBe('СБП')
    expect((await save({ digitalRouble: 'yes' })).status).toBe(303)
    expect([await stored(), await chosen()]).toMatchObject([{ digitalRouble: true }, 'СБП и цифровые рубли'])
    await save({})
    expect(await stored()).toMatchObject({ digitalRouble: true })
    await save({ digitalRouble: 'no' })
    expect(await stored()).not.toHaveProperty('digitalRouble')
  })
})

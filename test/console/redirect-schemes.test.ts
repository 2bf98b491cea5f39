// Addresses in the shop's own app by the console: its settings, and the return address of a new code (docs/console.md).
import { describe, expect, it } from 'vitest'
import { browserOf } from '../support/console.ts'
import { connected, refundingSite } from '../support/refunds.ts'
import { REFUSED_ROWS } from '../support/refused-redirects.ts'

/** Somebody who is signed in to a site, and the forms that they send. */
async function merchant(language = 'ru') {
  const site = refundingSite()
  const browser = browserOf(connected)
  await browser.signIn({ sub: site.siteId, scope: 'merchant:admin' })
  const shown = async () => (await browser.get(`/settings?lang=${language}`)).text()
  const save = async (redirectSchemes: string) => {
    const etag = /name="etag" value="&quot;(\w+)&quot;"/.exec(await shown())?.[1] ?? ''
    return browser.post('/settings', { etag: `"${etag}"`, redirectSchemes, notificationTypes: 'PAYMENT' })
  }
  return {
    site,
    shown,
    save,
    stored: async () => (await site.ask('/settings')).json<{ redirectSchemes?: string[] }>(),
    create: (redirectUrl: string, qrCodeUid = 'order-1') =>
      browser.post('/new', { qrCodeUid, type: 'DYNAMIC', amount: '5', ttl: '1', ttlUnit: '60', redirectUrl }),
  }
}

describe('the schemes of the shop’s app', () => {
  it('are typed in one field, with spaces or commas between, shown as they are stored, and removed by an empty field', async () => {
    const { shown, save, stored } = await merchant()
    expect((await save(' teashop, com.example.tea ')).status).toBe(303)
    expect((await stored()).redirectSchemes).toEqual(['com.example.tea', 'teashop'])
    expect(await shown()).toMatch(/name="redirectSchemes"[^>]* value="com\.example\.tea teashop"/)
    expect((await save('')).status).toBe(303)
    expect(await stored()).not.toHaveProperty('redirectSchemes')
  })

  it.each([
    ['ru', 'teashop javascript intent', 'Схема javascript не подходит'],
    ['en', 'teashop javascript intent', 'The scheme javascript will not do'],
    ['ru', 'a1b a2b a3b a4b a5b a6b', 'До пяти через пробел'],
  ])(
    'in %s that break a rule, %s, are refused with it, and stay as they were typed',
    async (language, typed, rule) => {
      const { save, shown, stored } = await merchant(language)
      await shown()
      const refused = await save(typed)
      const page = await refused.text()
      expect([refused.status, page.match(/aria-invalid="true"/g)?.length]).toEqual([400, 1])
      expect(page).toContain(`<small id="redirectSchemes-hint">${rule}`)
      expect(page).toContain(`value="${typed}"`)
      expect(await stored()).not.toHaveProperty('redirectSchemes')
    },
  )
})

describe('the return address of a new code', () => {
  it('can be in an app of the settings', async () => {
    const { save, create } = await merchant()
    await save('teashop')
    expect((await create('teashop://orders/1')).status).toBe(303)
  })

  it('cannot be one of 60 and more texts: the page says so, and nothing is created', async () => {
    const { site, save, create } = await merchant()
    await save('teashop')
    // The console cuts what is around a text.
    for (const [why, text] of REFUSED_ROWS.filter(([, text]) => text === text.trim())) {
      const refused = await create(text)
      const page = await refused.text()
      expect(
        [refused.status, page.includes('или схемы вашего приложения из настроек')],
        `${why}: ${text}`,
      ).toEqual([400, true])
    }
    expect((await site.ask('/sbp/qrCodes/order-1')).status).toBe(404)
  })
})

// Two sites in one browser: the switcher, and tabs that each act on their own site.
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { mintToken } from '../../bin/mint-token.ts'
import { barriers, DEVICES, launch, picture } from '../support/browser.ts'
import { pressByKeyboard, signIn } from '../support/console-browser.ts'
import { openShop } from '../support/shop.ts'

const service = inject('sandbox')
let browser: Browser
beforeAll(async () => {
  browser = await launch()
})
afterAll(() => browser?.close())

const TEXTS = {
  'ru-RU': { another: 'Войти в другой магазин', signOut: 'Выйти', signIn: 'Войти', refund: 'Вернуть' },
  'en-GB': { another: 'Sign in to another site', signOut: 'Sign out', signIn: 'Sign in', refund: 'Refund' },
} as const

describe.each([
  ['phone', 'ru-RU', 'light'],
  ['phone', 'en-GB', 'dark'],
  ['desktop', 'ru-RU', 'dark'],
  ['desktop', 'en-GB', 'light'],
] as const)('on a %s in %s, %s', (device, locale, colorScheme) => {
  const texts = TEXTS[locale]

  it('the owner of two cafés refunds in the second one while a tab of the first is open', async () => {
    const [first, second] = [
      await openShop(service, { name: 'Кофейня на Садовой' }),
      await openShop(service, { name: 'Кофейня на Тверской' }),
    ]
    const paid = await second.report(await second.make(), 'COMPLETED')
    const foreign = await first.report(await first.make(), 'COMPLETED')
    const {
      page: tab,
      faults,
      open,
    } = await signIn(browser, service, first.siteId, {
      ...DEVICES[device],
      locale,
      colorScheme,
    })
    await open(`payments/${foreign}`)
    expect(await tab.locator('[popovertarget=sites]').count()).toBe(0)

    const other = await tab.context().newPage()
    await other.goto(`${service.address}/console/sign-in`)
    const token = await mintToken(service.secret, { siteId: second.siteId, scope: 'merchant:admin', days: 1 })
    await other.locator('[name=token]').fill(token)
    await other.getByRole('button', { name: texts.signIn }).click()
    await other.waitForURL(`**/console/sites/${second.siteId}/`)
    const present = other.locator('.sites [aria-current]')
    await pressByKeyboard(other, 'button', 'Кофейня на Тверской')
    expect(await present.textContent()).toContain(second.siteId)
    await other.getByRole('link', { name: texts.another }).waitFor()
    await picture(other, `console-sites-${device}-${locale}-${colorScheme}`)
    expect(await barriers(other)).toEqual([])

    await other.goto(`${service.address}/console/sites/${second.siteId}/payments/${paid}/refund`)
    // The form, and then the question.
    for (const name of [/Продолжить|Continue|Дальше|Next/, /Вернуть|Refund/])
      await other.locator('main form[method=post]').getByRole('button', { name }).click()
    await other.waitForURL('**done=*')
    // The tab of the first site still shows and acts on its own.
    await tab.reload()
    await tab.locator('[popovertarget=sites]').click()
    expect(await tab.locator('.sites [aria-current]').textContent()).toContain(first.siteId)
    const refunds = async (shop: typeof first) =>
      (await (await shop.ask('/events')).text()).match(/"refund\.\w+"/g)?.length ?? 0
    expect([await refunds(first), (await refunds(second)) > 0]).toEqual([0, true])

    await tab.locator('.sites a').filter({ hasText: second.siteId }).click()
    await tab.waitForURL(`**/console/sites/${second.siteId}/`)
    await tab.getByRole('button', { name: texts.signOut }).click()
    await tab.waitForURL(`**/console/sites/${first.siteId}/`)
    expect(await tab.locator('[popovertarget=sites]').count()).toBe(0)
    expect(faults).toEqual([])
  })
})

// The second confirmation in a browser: what the page shows, that the passkey confirms it, and that without one nothing is done.
import { mkdirSync } from 'node:fs'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, describe, expect, inject, it } from 'vitest'
import { barriers, DEVICES, launch, SCREENSHOTS, visit } from '../support/browser.ts'
import { openShop, type Shop } from '../support/shop.ts'
import { virtualAuthenticator } from '../support/virtual-authenticator.ts'

const browser = await launch()
afterAll(() => browser.close())
const service = inject('sandbox')
/** The host with passkeys: an IP address has none. */
const local = (url: string) => url.replace('127.0.0.1', 'localhost')
mkdirSync(SCREENSHOTS, { recursive: true })

const photo = (page: Page, name: string) =>
  page.screenshot({ path: `${SCREENSHOTS}/confirmation-${name}.png`, fullPage: true })

/** A person of the shop who has joined by a passkey in this browser. */
async function person(shop: Shop, role: string, options: BrowserContextOptions) {
  const body = { id: `${role}-1`, name: 'Анна Петрова', role }
  const { invitation } = (await (await shop.ask('/people', { method: 'POST', body })).json()) as {
    invitation: { url: string }
  }
  const { page, faults } = await visit(browser, 'about:blank', options)
  const authenticator = await virtualAuthenticator(page)
  await page.goto(local(invitation.url))
  await page
    .getByRole('button', { name: /^(Создать ключ доступа и войти|Make a passkey and sign in)$/ })
    .click()
  await page.waitForURL((url) => !url.pathname.endsWith('/join'))
  const open = (path: string) => page.goto(`${local(service.address)}/console/${path}`)
  return { page, faults, authenticator, open }
}

const CONFIRM = /^(Подтвердить|Confirm)$/

const LOOKS = [
  ['phone-ru', { ...DEVICES.phone, locale: 'ru-RU' }],
  ['desktop-en-dark', { ...DEVICES.desktop, locale: 'en-GB', colorScheme: 'dark' }],
] as const satisfies [string, BrowserContextOptions][]

describe.each(LOOKS)('on %s', (look, options) => {
  it('a refund names its sum and its order, is cancelled without the passkey, and made with it', async () => {
    const shop = await openShop(service, { confirmRefundsAbove: { value: '1000.00' } })
    const made = await shop.make()
    const paymentUid = await shop.report(made, 'COMPLETED')
    const { page, authenticator, open } = await person(shop, 'manager', options)
    const refunds = async () =>
      ((await (await shop.ask(`/payments/${paymentUid}/refunds`)).json()) as unknown[]).length
    await open(`payments/${paymentUid}/refund`)
    await page.getByRole('button', { name: /^(Дальше|Next)/ }).click()
    await photo(page, `question-${look}`)
    await page.getByRole('button', { name: /1[\s,]?500[.,]50/ }).click()
    const confirm = page.getByRole('button', { name: CONFIRM })
    await confirm.waitFor()
    await photo(page, `refund-${look}`)
    expect(await page.locator('main').textContent()).toContain(made.uid)
    expect(await page.locator('h2').first().textContent()).toMatch(/1[\s ,]?500[.,]50/)
    expect(await barriers(page)).toEqual([])
    await authenticator.recognises(false)
    await confirm.click()
    await page.locator('[data-failed]').waitFor()
    await photo(page, `refund-failed-${look}`)
    expect(await refunds()).toBe(0)
    await authenticator.recognises(true)
    await confirm.click()
    await page.waitForURL(/done=refund/)
    expect(await refunds()).toBe(1)
  })

  it('the settings show what is new, and are saved with the passkey', async () => {
    const shop = await openShop(service)
    const { page, open } = await person(shop, 'owner', options)
    await open('settings')
    await photo(page, `settings-${look}`)
    await page.locator('[name=name]').fill('Чайная на Садовой')
    await page.locator('[name=confirmAbove]').fill('5000')
    await page.locator('[name=tokenSignIn]').selectOption('no')
    await page.locator('form[data-settings] button.primary').click()
    const confirm = page.getByRole('button', { name: CONFIRM })
    await confirm.waitFor()
    await photo(page, `settings-asked-${look}`)
    expect(await page.locator('main').textContent()).toContain('Чайная на Садовой')
    await confirm.click()
    await page.waitForURL(/done=saved/)
    expect(await (await shop.ask('/settings')).json()).toMatchObject({
      name: 'Чайная на Садовой',
      confirmRefundsAbove: { value: '5000.00' },
      tokenSignIn: false,
    })
  })
})

it('without JavaScript the page says that a passkey needs it, and has no button', async () => {
  const shop = await openShop(service)
  const { page, open } = await person(shop, 'owner', DEVICES.desktop)
  await open('keys')
  const cookies = await page.context().cookies()
  const plain = await browser.newContext({ ...DEVICES.desktop, locale: 'ru-RU', javaScriptEnabled: false })
  await plain.addCookies(cookies)
  const without = await plain.newPage()
  await without.goto(`${local(service.address)}/console/keys`)
  await without.locator('[name=label]').fill('Касса')
  await without.getByRole('button', { name: 'Создать ключ' }).click()
  await without.locator('noscript .warn').waitFor()
  await photo(without, 'no-script')
  expect(await without.getByRole('button', { name: CONFIRM }).isVisible()).toBe(false)
  await plain.close()
})

// What people of a shop do in the console, each task from a new site, on a phone and a desktop.
import { readFile } from 'node:fs/promises'
import type { BrowserContextOptions, Locator, Page } from 'playwright-core'
import { afterAll, describe, expect, inject, it } from 'vitest'
import { barriers, DEVICES, launch, SCREENSHOTS } from '../support/browser.ts'
import {
  confirm,
  guest,
  inviteByApi,
  inviteByForm,
  join,
  joined,
  linkIn,
  local,
} from '../support/console-people.ts'
import { openShop, type Shop } from '../support/shop.ts'
import { virtualAuthenticator } from '../support/virtual-authenticator.ts'

const service = inject('external')
/** Refunds are made in the sandbox. */
const sandbox = inject('sandbox')
const browser = await launch()
afterAll(() => browser.close())

/** Keeps a picture of the page, which has no barrier. */
async function seen(page: Page, name: string): Promise<void> {
  await page.waitForLoadState()
  await page.screenshot({ path: `${SCREENSHOTS}/task-${name}.png`, fullPage: true })
  expect(await barriers(page)).toEqual([])
}

/** A site of a café whose owner has joined. */
async function café(options: BrowserContextOptions, at = service) {
  const shop = await openShop(at, { name: 'Кофейня на Садовой' })
  const link = await inviteByApi(shop, { id: 'anna', name: 'Анна Петрова', role: 'owner' })
  return { shop, owner: await joined(browser, link, options) }
}

/** A till without a form: the network's report of a payment names it. */
const till = (shop: Shop, qrCodeUid: string) =>
  shop.make({ qrCodeUid, amount: undefined, paymentPurpose: undefined }, { type: 'COUNTER', ttl: undefined })

const LOOKS = [
  ['phone-ru', { ...DEVICES.phone, locale: 'ru-RU', colorScheme: 'light' }],
  ['desktop-en', { ...DEVICES.desktop, locale: 'en-GB', colorScheme: 'dark' }],
] as const satisfies [string, BrowserContextOptions][]

/** The addresses of the links that can be seen, below that of the site. */
const links = (page: Page): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll('a[href]')].map((each) => each.href)
    .filter((href) => href.includes('/console/')).map((href) => href.replace(/.*\\/sites\\/[^/]+\\//, ''))`)

describe.each(LOOKS)('on %s', (look, options) => {
  it('the owner invites a cashier, who sells for 350 roubles and finds no way to refund', async () => {
    const { shop, owner } = await café(options)
    const made = await till(shop, 'till-1')
    await owner.open('people')
    await seen(owner.page, `people-${look}`)
    const link = await inviteByForm(owner.page, 'Борис', 'cashier')
    await seen(owner.page, `invitation-${look}`)

    const { page, faults, open } = await guest(browser, link, options)
    await seen(page, `join-${look}`)
    await join(page)
    expect(new URL(page.url()).pathname).toBe(`/console/sites/${shop.siteId}/tills/till-1`)
    await seen(page, `till-free-${look}`)
    await page.locator('[name=amount]').fill('350')
    await page.locator('form.till button').click()
    await page.locator('.till.active').waitFor()
    await seen(page, `till-active-${look}`)
    const saleUid = (await page.locator('[name=cancel]').getAttribute('value')) ?? ''
    const amount = { value: 350, currency: 'RUB' }
    const paymentUid = await shop.report(made, 'COMPLETED', { saleUid, amount })
    // The page shows it by itself.
    await page.locator('.done.slip').waitFor()
    expect(await page.locator('.done .amount').textContent()).toContain('350')
    await seen(page, `till-paid-${look}`)

    // A menu of one entry is none.
    expect(await page.locator('[popovertarget=more]').count()).toBe(0)
    const found = new Set<string>()
    for (const path of ['tills/till-1', 'tills', 'me']) {
      await open(path)
      if (path !== 'tills/till-1') await seen(page, `cashier-${path}-${look}`)
      for (const each of await links(page)) found.add(each.replace(/[?#].*/, ''))
      expect(await page.getByRole('button', { name: /Вернуть|Refund/i }).count()).toBe(0)
      expect(await page.getByRole('search').count()).toBe(0)
    }
    const pictures = ['qr/till-1/picture.png', 'qr/till-1/picture.svg']
    expect([...found].sort()).toEqual(['me', ...pictures, 'tills', 'tills/till-1'])
    for (const path of pictures) {
      const answer = await page.request.get(`${service.address}/console/sites/${shop.siteId}/${path}`)
      expect([path, answer.status()]).toEqual([path, 200])
    }
    expect(faults).toEqual([])
    for (const path of [`payments/${paymentUid}`, `payments/${paymentUid}/refund`, 'payments', 'qr/till-1']) {
      const answer = await page.goto(`${service.address}/console/sites/${shop.siteId}/${path}`)
      expect([path, answer?.status()]).toEqual([path, 403])
    }
    await owner.open('people')
    await owner.page.getByRole('link', { name: 'Борис' }).click()
    await seen(owner.page, `person-${look}`)
    // The question of the passkey has this status.
    expect(owner.faults).toEqual([expect.stringContaining('403')])
  })

  it('a cashier of two tills chooses one of them, and the third does not exist', async () => {
    const { shop } = await café(options)
    const [made] = [await till(shop, 'till-1'), await till(shop, 'till-2'), await till(shop, 'till-3')]
    // A sale of somebody else was paid.
    const amount = { value: 90 }
    await shop.ask('/sbp/qrCodes/till-1/sales/s-1', { method: 'PUT', body: { amount } })
    await shop.report(made, 'COMPLETED', { saleUid: 's-1', amount })
    const tills = ['till-1', 'till-2']
    const link = await inviteByApi(shop, { id: 'boris', name: 'Борис', role: 'cashier', tills })
    const { page, faults, open } = await joined(browser, link, options)
    expect(new URL(page.url()).pathname).toBe(`/console/sites/${shop.siteId}/tills`)
    await seen(page, `tills-of-two-${look}`)
    expect((await page.locator('main a').allTextContents()).sort()).toEqual(tills)
    // Whether others were paid is not said, and not denied.
    expect(await page.locator('main').textContent()).not.toMatch(/ещё не было|none yet/)
    await page.getByRole('link', { name: 'till-2' }).click()
    await page.locator('[name=amount]').fill('350')
    await page.locator('form.till button').click()
    await page.locator('.till.active button').click()
    await page.waitForURL(/done=cancelled/)
    await seen(page, `till-cancelled-${look}`)
    expect(faults).toEqual([])
    await open('tills/till-3')
    expect(faults).toEqual([expect.stringContaining('404')])
  })

  it('the accountant downloads October, and finds no button that changes anything', async () => {
    const { shop, owner } = await café(options)
    const paymentUid = await shop.report(await shop.make(), 'COMPLETED')
    await owner.open('people')
    const link = await inviteByForm(owner.page, 'Вера', 'accountant')
    const { page, faults, open } = await joined(browser, link, options)
    await seen(page, `accountant-today-${look}`)
    await open('payments')
    const report = page.getByRole('link', { name: /^(Отчёт для бухгалтера|The accountant’s report)$/ })
    expect(await downloaded(page, report)).toMatch(/1500[.,]50/)
    if (!(await page.locator('[name=from]').isVisible())) await page.locator('main summary').first().click()
    await page.locator('[name=from]').fill('2026-10-01')
    await page.locator('[name=to]').fill('2026-10-31')
    await page.locator('main form:has([name=from]) button').first().click()
    await page.waitForURL(/2026-10-31/)
    await seen(page, `accountant-october-${look}`)
    expect((await downloaded(page, report, '2026-10-01-2026-10-31.csv')).trim().split('\n')).toHaveLength(1)

    const found = new Set<string>([`payments/${paymentUid}`])
    for (const each of await links(page)) found.add(each.replace(/[?#].*/, ''))
    for (const path of found) {
      if (path === 'me' || path.endsWith('.csv')) continue
      await open(path)
      expect([path, await page.locator('main form[method=post]').count()]).toEqual([path, 0])
    }
    expect(found).not.toContain('people')
    expect(faults).toEqual([])
  })

  it('an employee leaves: the sessions end at once, and the keys that they made are listed', async () => {
    const { owner } = await café(options)
    await owner.open('people')
    const boris = await joined(browser, await inviteByForm(owner.page, 'Борис', 'owner'), options)
    await boris.open('keys')
    await boris.page.locator('[name=label]').fill('Касса 3')
    await boris.page.locator('#new .primary').click()
    await seen(boris.page, `key-asked-${look}`)
    await confirm(boris.page)
    await boris.page.locator('textarea.secret').waitFor()

    await owner.open('people')
    await owner.page.getByRole('link', { name: 'Борис' }).click()
    await owner.page.locator('a.danger').click()
    await owner.page.getByRole('link', { name: 'Касса 3' }).waitFor()
    await seen(owner.page, `remove-${look}`)
    await owner.page.locator('main button.danger').click()
    await confirm(owner.page)
    await owner.page.waitForURL(/done=removed/)
    await seen(owner.page, `removed-${look}`)
    await boris.page.goto(boris.page.url())
    await boris.page.waitForURL(/sign-in/)
    await seen(boris.page, `leaver-${look}`)
    // The passkey is of nobody any more.
    await boris.page.locator('form[data-passkey] button').click()
    await boris.page.locator('[role=alert]:visible').waitFor()
    await seen(boris.page, `leaver-refused-${look}`)
    expect(boris.page.url()).toContain('sign-in')
  })

  it('the owner of two cafés refunds in the second one while a tab of the first is open', async () => {
    const { shop: first, owner } = await café(options, sandbox)
    const second = await openShop(sandbox, {
      name: 'Кофейня на Тверской',
      confirmRefundsAbove: { value: '0.00' },
    })
    const [foreign, paid] = [
      await first.report(await first.make(), 'COMPLETED'),
      await second.report(await second.make(), 'COMPLETED'),
    ]
    await owner.open(`payments/${foreign}`)
    const tab = await owner.page.context().newPage()
    await tab.goto(await inviteByApi(second, { id: 'anna', name: 'Анна Петрова', role: 'owner' }))
    await virtualAuthenticator(tab)
    await join(tab)
    await tab.goto(`${local(sandbox.address)}/console/sites/${second.siteId}/payments/${paid}/refund`)
    for (const name of [/Продолжить|Continue|Дальше|Next/, /Вернуть|Refund/])
      await tab.locator('main form[method=post]').getByRole('button', { name }).click()
    await seen(tab, `two-asked-${look}`)
    await confirm(tab)
    await tab.waitForURL(/done=refund/)
    const refunds = async (shop: Shop, uid: string) =>
      ((await (await shop.ask(`/payments/${uid}/refunds`)).json()) as unknown[]).length
    expect([await refunds(first, foreign), await refunds(second, paid)]).toEqual([0, 1])
    await owner.page.reload()
    expect(await owner.page.locator('header').textContent()).toContain('Кофейня на Садовой')
    await owner.page.locator('[popovertarget=sites]').click()
    await seen(owner.page, `two-switcher-${look}`)
    expect(owner.faults).toEqual([])
  })

  it('the owner’s phone is lost: another owner removes its passkey and invites again', async () => {
    const { owner } = await café(options)
    await owner.open('people')
    const anna = await joined(browser, await inviteByForm(owner.page, 'Вера', 'owner'), options)
    await anna.authenticator.remove()
    await owner.open('people')
    await owner.page.getByRole('link', { name: 'Вера' }).click()
    await owner.page.locator('form[action*="/passkeys/"] button').click()
    await confirm(owner.page)
    await owner.page.waitForURL(/done=passkeyRemoved/)
    await seen(owner.page, `lost-removed-${look}`)
    await anna.page.reload()
    await anna.page.waitForURL(/sign-in/)
    await owner.page.locator('form[action$="/invite"] button').click()
    await confirm(owner.page)
    const again = await joined(browser, await linkIn(owner.page), options)
    await again.open('people')
    await again.page.getByRole('link', { name: 'Вера' }).waitFor()
    expect(again.faults).toEqual([])
  })

  it('who has a second passkey goes on with it when the first one is lost', async () => {
    const { owner } = await café(options)
    const { page, authenticator } = owner
    await owner.open('me')
    await seen(page, `me-${look}`)
    const [{ id: lost } = { id: '' }] = await authenticator.credentials()
    const key = await virtualAuthenticator(page, 'usb')
    // The phone, which has one already, is not the device that is added.
    await authenticator.isTouched(false)
    await page.locator('form[data-passkey=create] button').click()
    await page.locator('form[data-passkey=get]').waitFor()
    await seen(page, `me-asked-${look}`)
    await key.isTouched(false)
    await authenticator.isTouched(true)
    await confirm(page)
    await page.waitForURL(/done=passkeyAdded/)
    await seen(page, `me-two-${look}`)
    expect(await key.credentials()).toHaveLength(1)

    await authenticator.remove()
    await key.isTouched(true)
    await page
      .locator('header')
      .getByRole('button', { name: /^(Выйти|Sign out)$/ })
      .click()
    await page.waitForURL(/sign-in/)
    await seen(page, `sign-in-${look}`)
    await page.locator('form[data-passkey=get] button').click()
    await page.waitForURL((url) => !url.pathname.includes('sign-in'))
    await owner.page.goto(`${service.address}/console/me`)
    await page.locator(`form:has([value="${lost}"]) button`).click()
    await confirm(page)
    await page.waitForURL(/done=passkeyRemoved/)
    await seen(page, `me-second-${look}`)
    expect(await page.locator('form[action$="me/passkeys/remove"]').count()).toBe(1)
  })
})

/** Follows a link to a file. @returns its text */
async function downloaded(page: Page, link: Locator, name = ''): Promise<string> {
  const [file] = await Promise.all([page.waitForEvent('download'), link.click()])
  expect(file.suggestedFilename()).toContain(name)
  return readFile(await file.path(), 'utf8')
}

// Every page of the console in every state that a test can make: no barrier, no fault, no scroll to the side.
// In two views, which have each device, language and light once. The Russian texts are the longer ones: they are on the phone.
// Not here: a restored site, and an instruction that is overdue.
import { createServer } from 'node:http'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest'
import { mintToken } from '../../bin/mint-token.ts'
import { consoleLink } from '../../bin/start/console-link.ts'
import { ROUTES } from '../../src/console/console.ts'
import { OPERATOR } from '../../src/contract/access-token.ts'
import { OperatorKeysAnswer } from '../../src/contract/operator-key.ts'
import { PaymentReceiptsAnswer } from '../../src/contract/receipts/list.ts'
import { barriers, DEVICES, launch, picture, type Visit, visit } from '../support/browser.ts'
import { signIn } from '../support/console-browser.ts'
import { inviteByApi, joined, local } from '../support/console-people.ts'
import { type FurnishedShop, furnishedShop } from '../support/furnished-shop.ts'
import { portOf } from '../support/ports.ts'
import { encode } from '../support/settlement/files.ts'
import { tbankLine, tbankText } from '../support/settlement/tbank.ts'
import { openShop } from '../support/shop.ts'

const service = inject('sandbox')
const { address, secret } = service
const receiver = createServer((_, response) => response.writeHead(410).end())
let browser: Browser
let full: FurnishedShop

beforeAll(async () => {
  const callbackUrl = `http://127.0.0.1:${await portOf(receiver)}/`
  ;[browser, full] = await Promise.all([launch(), furnishedShop(service, callbackUrl)])
})
afterAll(async () => {
  await browser?.close()
  receiver.close()
})

/** Who opens a page: an administrator of the furnished shop unless said otherwise. */
type Who = 'admin' | 'person' | 'reader' | 'newcomer' | 'keyless' | 'formerly' | 'operator' | 'nobody'

interface State {
  name: string
  who?: Who
  /** Below /console/. */
  path: string | (() => string | Promise<string>)
  /** What is done on the page. */
  act?(page: Page): Promise<unknown>
  /** Of the last response; 200 unless said otherwise. */
  status?: number
}

/** Sends a form with values that the browser itself would not send, and waits for the answer. */
const send =
  (values: Record<string, string>, form = 'main form[method=post]') =>
  async (page: Page) => {
    const found = page.locator(form).last()
    await openDetails(page)
    await page.evaluate('for (const each of document.forms) each.noValidate = true')
    for (const [name, value] of Object.entries(values)) await found.locator(`[name=${name}]`).fill(value)
    // Of the page before the answer, the line of a status can be in view as well.
    const answered = page.waitForResponse((response) => response.request().method() === 'POST')
    await found.locator('button').last().click()
    await answered
    await page.locator('[role=alert]:visible, [role=status]:visible').first().waitFor()
  }

const openDetails = (page: Page): Promise<void> =>
  page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")

const codeOf = (name: keyof FurnishedShop['codes']) => () => `qr/${full.codes[name].uid}`
const paymentOf = (name: keyof FurnishedShop['payments']) => () => `payments/${full.payments[name]}`
const personOf = (path: string) => async () => {
  const person = { id: 'anna', name: 'Анна Петрова', role: 'owner' }
  await full.shop.ask('/people', { method: 'POST', body: person })
  return path
}
/** The receipt of a payment that the network reported, with one item: `fail` fails. */
async function receiptOf(name: string, method?: string) {
  const items = [{ name, price: '1500.50', vat: 'none', method }]
  const contact = { email: 'mary@shop.example' }
  const made = await full.shop.make({ receipt: { taxation: 'osn', contact, items } })
  const paymentUid = await full.shop.report(made, 'COMPLETED')
  return vi.waitFor(async () => {
    const answer = await full.shop.ask(`/payments/${paymentUid}/receipts`)
    const [receipt] = PaymentReceiptsAnswer.parse(await answer.json()).receipts
    if (receipt?.state !== 'FAILED' && receipt?.state !== 'REGISTERED')
      throw new Error('it is not registered')
    return receipt
  }, 30_000)
}
/** A page of the shop, which has a file of a bank. */
async function imported(path: string): Promise<string> {
  const body = new Uint8Array(encode(tbankText([tbankLine({})]), 'windows-1251'))
  const headers = { 'Content-Type': 'text/csv' }
  const query = 'bank=tbank&format=registry'
  await full.shop.ask(`/settlements/november?${query}`, { method: 'PUT', body, headers })
  return path
}
const siteOf = () => `operator/sites/${full.shop.siteId}`

/** The states of each page, by its path in the table of routes. */
const PAGES: Record<string, readonly State[]> = {
  '/': [
    { name: 'today', path: '' },
    { name: 'today-empty', who: 'newcomer', path: '' },
    { name: 'today-past', path: '?date=2026-01-31' },
    { name: 'today-week', path: '?period=week' },
    { name: 'today-month', path: '?period=month&date=2026-01-31' },
  ],
  '/qr': [
    { name: 'codes', path: 'qr' },
    { name: 'codes-empty', who: 'newcomer', path: 'qr' },
    { name: 'codes-not-found', path: 'qr?status=ACCEPTED' },
  ],
  '/search': [
    { name: 'search', path: () => `search?q=${encodeURIComponent('кружки')}` },
    { name: 'search-not-found', path: 'search?q=none' },
    { name: 'search-refused', path: 'search?q=x', status: 400 },
  ],
  '/new': [
    { name: 'new', path: 'new' },
    { name: 'new-refused', path: 'new', act: send({ amount: 'x', ttl: '0' }), status: 400 },
  ],
  '/qr/:uid': (['paid', 'returned', 'declined', 'cancelled', 'open', 'static'] as const).map((name) => ({
    name: `code-${name}`,
    path: codeOf(name),
  })),
  '/payments': [
    { name: 'payments', path: 'payments' },
    { name: 'payments-empty', who: 'newcomer', path: 'payments' },
    { name: 'payments-not-applied', path: 'payments?which=open' },
    { name: 'payments-refused', path: 'payments?from=2026-11-02&to=2026-11-01', status: 400 },
  ],
  '/payments/:id': [
    { name: 'payment', path: paymentOf('applied') },
    { name: 'payment-not-applied', path: paymentOf('second') },
    { name: 'payment-returned', path: paymentOf('returned') },
  ],
  '/payments/:id/decision': [{ name: 'decision', path: () => `payments/${full.payments.second}/decision` }],
  '/payments/:id/refund': [
    { name: 'refund', path: () => `payments/${full.payments.applied}/refund` },
    {
      name: 'refund-refused',
      path: () => `payments/${full.payments.applied}/refund`,
      act: send({ amount: '9999' }),
      status: 400,
    },
    {
      name: 'refund-question',
      path: () => `payments/${full.payments.applied}/refund`,
      act: async (page) => {
        await page.locator('main form .primary').click()
        await page.locator('[name=confirmed]').waitFor({ state: 'attached' })
      },
    },
    { name: 'refund-nothing-left', path: () => `payments/${full.payments.returned}/refund` },
  ],
  '/receipts': [
    { name: 'receipts', path: 'receipts' },
    { name: 'receipts-empty', who: 'newcomer', path: 'receipts' },
    { name: 'receipts-not-found', path: 'receipts?kind=closing' },
    { name: 'receipts-refused', path: 'receipts?from=2026-11-02&to=2026-11-01', status: 400 },
  ],
  '/receipts/settings': [
    { name: 'receipt-settings', path: 'receipts/settings' },
    {
      name: 'receipt-settings-refused',
      path: 'receipts/settings',
      act: send({ place: 'shop', email: 'shop' }),
      status: 400,
    },
  ],
  '/receipts/:id/retry': [
    {
      name: 'receipt-retry',
      path: async () => `receipts/${(await receiptOf('fail-retry')).receiptUid}/retry`,
    },
    {
      name: 'receipt-retry-final',
      path: async () => `receipts/${(await receiptOf('fail')).receiptUid}/retry`,
    },
    {
      name: 'receipt-retry-refused',
      path: async () => `receipts/${(await receiptOf('fail-retry')).receiptUid}/retry`,
      act: send({ contact: 'nobody' }),
      status: 400,
    },
    { name: 'receipt-retry-none', path: 'receipts/none/retry', status: 404 },
  ],
  '/payments/:id/receipt': [
    { name: 'receipt-make', path: () => `payments/${full.payments.second}/receipt` },
    {
      name: 'receipt-make-refused',
      path: () => `payments/${full.payments.second}/receipt`,
      act: send({ contact: 'nobody' }),
      status: 400,
    },
  ],
  '/payments/:id/closing': [
    {
      name: 'closing',
      path: async () => `payments/${(await receiptOf('Чай', 'fullPrepayment')).paymentId}/closing`,
    },
    {
      name: 'closing-advance',
      path: async () => `payments/${(await receiptOf('Чай', 'advance')).paymentId}/closing`,
    },
    { name: 'closing-nothing', path: () => `payments/${full.payments.applied}/closing` },
  ],
  '/settlement': [
    { name: 'settlement', path: () => imported('settlement?month=2026-11') },
    { name: 'settlement-empty', who: 'newcomer', path: 'settlement' },
    { name: 'settlement-not-found', path: () => imported('settlement?month=2026-11&kind=payout') },
  ],
  '/settlement/upload': [
    { name: 'settlement-upload', path: 'settlement/upload' },
    {
      name: 'settlement-upload-refused',
      path: 'settlement/upload',
      act: async (page) => {
        const buffer = Buffer.from(tbankText([tbankLine({ payer: '', description: '', amount: '1,5' })]))
        await page
          .locator('[name=file]')
          .setInputFiles({ name: 'registry.csv', mimeType: 'text/csv', buffer })
        await page.locator('main form .primary').click()
        await page.locator('[role=alert]').waitFor()
      },
      status: 400,
    },
  ],
  '/settlement/files': [
    { name: 'settlement-files', path: () => imported('settlement/files') },
    { name: 'settlement-files-empty', who: 'newcomer', path: 'settlement/files' },
  ],
  '/settlement/files/:id': [
    { name: 'settlement-file', path: () => imported('settlement/files/november') },
    { name: 'settlement-file-none', path: 'settlement/files/none', status: 404 },
  ],
  '/settlement/files/:id/delete': [
    { name: 'settlement-file-delete', path: () => imported('settlement/files/november/delete') },
  ],
  '/accounts': [
    { name: 'accounts-empty', path: 'accounts' },
    { name: 'accounts-not-found', path: 'accounts?customer=nobody' },
  ],
  '/tills': [
    { name: 'tills', path: 'tills' },
    { name: 'tills-empty', who: 'newcomer', path: 'tills' },
    { name: 'tills-refused', path: 'tills', act: send({ uid: 'till-3' }), status: 409 },
  ],
  '/tills/:uid': [
    { name: 'till-armed', path: 'tills/till-1' },
    { name: 'till-free', path: 'tills/till-2' },
    { name: 'till-refused', path: 'tills/till-2', act: send({ amount: 'x' }), status: 400 },
    { name: 'till-cancelled', path: 'tills/till-3' },
  ],
  '/notifications': [
    { name: 'notifications-no-key', who: 'keyless', path: 'notifications' },
    { name: 'notifications', path: 'notifications' },
    { name: 'notifications-empty', who: 'newcomer', path: 'notifications' },
    { name: 'notifications-not-found', path: 'notifications?status=DELIVERED' },
    { name: 'notifications-test', path: 'notifications', act: send({}) },
    { name: 'notifications-refused', who: 'newcomer', path: 'notifications', act: send({}), status: 409 },
  ],
  '/notifications/:id': [{ name: 'notification', path: () => `notifications/${full.failed[0]}` }],
  '/events': [
    { name: 'events', path: 'events' },
    { name: 'events-empty', who: 'newcomer', path: 'events' },
  ],
  '/settings': [
    { name: 'settings', path: 'settings' },
    { name: 'settings-refused', path: 'settings', act: send({ color: 'red' }), status: 400 },
  ],
  '/addresses': [
    { name: 'address-new', path: 'addresses' },
    { name: 'address-new-refused', path: 'addresses', act: send({ url: 'shop', id: 'Shop' }), status: 400 },
  ],
  '/addresses/:id': [{ name: 'address', path: 'addresses/shop-2' }],
  '/addresses/:id/remove': [{ name: 'address-remove', path: 'addresses/shop-2/remove' }],
  '/addresses/:callback/keys': [
    { name: 'address-keys', path: 'addresses/shop-2/keys' },
    { name: 'address-keys-not-found', path: 'addresses/none/keys', status: 404 },
  ],
  '/keys': [
    { name: 'keys', path: 'keys' },
    { name: 'key-made', path: 'keys', act: send({ label: 'Касса 3' }) },
    { name: 'keys-refused', path: 'keys', act: send({ label: 'Касса', days: '0' }), status: 400 },
  ],
  '/keys/:id/revoke': [
    {
      name: 'key-revoke',
      path: 'keys',
      act: async (page) => {
        await page.locator('.rows a.button').last().click()
        await page.locator('main .danger').waitFor()
      },
    },
  ],
  '/notification-keys': [
    { name: 'signing-keys', path: 'notification-keys' },
    { name: 'signing-keys-empty', who: 'newcomer', path: 'notification-keys' },
    { name: 'signing-key-made', who: 'newcomer', path: 'notification-keys', act: send({}) },
  ],
  '/people': [
    { name: 'people', path: 'people' },
    { name: 'people-empty', who: 'newcomer', path: 'people' },
    {
      name: 'person-invited',
      path: 'people',
      act: async (page) => {
        await page.locator('[name=name]').fill('Борис')
        await page.locator('#new .primary').click()
        await page.locator('textarea.secret').waitFor()
      },
    },
  ],
  '/people/:id': [
    { name: 'person', path: personOf('people/anna') },
    { name: 'person-none', path: 'people/none', status: 404 },
  ],
  '/people/:id/remove': [{ name: 'person-remove', path: personOf('people/anna/remove') }],
  '/me': [
    { name: 'devices', who: 'person', path: 'me' },
    { name: 'devices-of-a-token', path: 'me', status: 403 },
  ],
  '/operator/sites': [
    { name: 'operator-sites', who: 'operator', path: 'operator/sites' },
    { name: 'operator-sites-not-found', who: 'operator', path: 'operator/sites?q=none' },
  ],
  '/operator/stuck': [{ name: 'operator-stuck', who: 'operator', path: 'operator/stuck' }],
  '/operator/sites/:siteId': [
    { name: 'operator-site', who: 'operator', path: siteOf },
    {
      name: 'operator-delete-refused',
      who: 'operator',
      path: siteOf,
      act: send({ siteId: 'other' }),
      status: 400,
    },
    {
      name: 'operator-site-deleted',
      who: 'operator',
      path: async () => {
        const { siteId } = await openShop(service)
        await deleteSite(siteId)
        return `operator/sites/${siteId}`
      },
    },
  ],
  '/operator/keys': [{ name: 'operator-keys', who: 'operator', path: 'operator/keys' }],
  '/operator/keys/:id/revoke': [
    {
      name: 'operator-key-revoke',
      who: 'operator',
      path: async () => `operator/keys/${await usedKey()}/revoke`,
    },
  ],
  '/operator/people': [{ name: 'operator-people', who: 'operator', path: 'operator/people' }],
  '/operator/people/:id': [
    { name: 'operator-person', who: 'operator', path: () => operatorPerson('operator/people/olga') },
    { name: 'operator-person-none', who: 'operator', path: 'operator/people/none', status: 404 },
  ],
  '/operator/people/:id/remove': [
    {
      name: 'operator-person-remove',
      who: 'operator',
      path: () => operatorPerson('operator/people/olga/remove'),
    },
  ],
  '/operator/me': [
    { name: 'operator-devices-of-a-token', who: 'operator', path: 'operator/me', status: 403 },
  ],
  '/operator/new-site': [
    { name: 'operator-new-site', who: 'operator', path: 'operator/new-site' },
    {
      name: 'operator-new-site-refused',
      who: 'operator',
      path: 'operator/new-site',
      act: send({ siteId: 'cafe', name: ' ' }),
      status: 400,
    },
  ],
  '/operator/settlement': [{ name: 'operator-settlement', who: 'operator', path: 'operator/settlement' }],
  '/operator/audit': [
    { name: 'operator-audit', who: 'operator', path: 'operator/audit' },
    { name: 'operator-audit-not-found', who: 'operator', path: 'operator/audit?siteId=none' },
  ],
}

/** What is served as a file, or to the script. */
const NO_PAGES = [
  '/report.csv',
  '/feed',
  '/tills/:uid/changes',
  '/payments.csv',
  '/receipts.csv',
  '/settlement.csv',
  '/settlement.xlsx',
  '/qr/:uid/:file{picture\\.(png|svg)}',
  '/operator/sites/:siteId/export',
]

/** Pages that are of no route of a signed-in user. */
const OTHERS: readonly State[] = [
  { name: 'sign-in', who: 'nobody', path: 'sign-in' },
  {
    name: 'sign-in-refused',
    who: 'nobody',
    path: 'sign-in',
    act: send({ token: 'none' }, 'main form'),
    status: 401,
  },
  {
    name: 'sign-in-link',
    who: 'nobody',
    path: async () =>
      (await consoleLink(address, secret, 'demo', { role: 'owner', label: 'anna' })).split('/console/')[1] ??
      '',
  },
  { name: 'sign-in-link-used', who: 'nobody', path: 'sign-in?link=used', status: 401 },
  { name: 'error-403', who: 'reader', path: 'settings', status: 403 },
  { name: 'error-404', path: 'nothing', status: 404 },
  { name: 'error-404-code', path: 'qr/none', status: 404 },
  { name: 'error-410', who: 'formerly', path: '', status: 410 },
]

it('every page of the table of routes has a state here', () => {
  const paths = ROUTES.filter(({ method }) => method === 'get').map(({ path }) => path)
  expect([...Object.keys(PAGES), ...NO_PAGES].sort()).toEqual(paths.sort())
})

const VIEWS = [
  ['phone', 'ru-RU', 'light'],
  ['desktop', 'en-GB', 'dark'],
] as const

describe.each(VIEWS)('on a %s in %s, %s', (device, locale, colorScheme) => {
  const options = { ...DEVICES[device], locale, colorScheme }
  const enter: Record<Who, () => Promise<Visit>> = {
    admin: () => signIn(browser, service, full.shop.siteId, options),
    person: async () => {
      const shop = await openShop(service)
      return joined(
        browser,
        await inviteByApi(shop, { id: 'anna', name: 'Анна Петрова', role: 'owner' }),
        options,
      )
    },
    reader: () => signIn(browser, service, full.shop.siteId, { ...options, scope: 'merchant:read' }),
    newcomer: async () => signIn(browser, service, (await openShop(service, {})).siteId, options),
    keyless: async () => {
      const shop = await openShop(service, { callbackUrl: 'http://127.0.0.1:9/' })
      await shop.report(await shop.make(), 'COMPLETED')
      return signIn(browser, service, shop.siteId, options)
    },
    operator: () => signIn(browser, service, OPERATOR, options),
    nobody: () => visit(browser, `${address}/console/sign-in`, options),
    formerly: async () => {
      const { siteId } = await openShop(service)
      const entered = await signIn(browser, service, siteId, options)
      // A page that does not follow the feed: one that does shows by itself that the site is gone.
      await entered.open('settings')
      await deleteSite(siteId)
      return entered
    },
  }
  const visits = new Map<string, Visit>()
  beforeAll(async () => {
    for (const [who, open] of Object.entries(enter)) visits.set(who, await open())
  })
  afterAll(() => Promise.all(Array.from(visits.values(), ({ page }) => page.context().close())))
  const visitOf = (who: Who): Visit => {
    const found = visits.get(who)
    if (!found) throw new Error(`${who} has opened no page`)
    return found
  }

  it.each([...Object.values(PAGES), OTHERS].flat())(
    '$name',
    async ({ name, who = 'admin', path, act, status }) => {
      const { page, faults } = visitOf(who)
      faults.length = 0
      // A person's session is of the host with passkeys.
      const at = who === 'person' ? local(address) : address
      await page.goto(`${at}/console/${typeof path === 'string' ? path : await path()}`)
      await act?.(page)
      // With its style sheet.
      await page.waitForLoadState()
      await openDetails(page)
      expect(await page.locator('html').getAttribute('lang')).toBe(locale.slice(0, 2))
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(DEVICES[device].viewport.width)
      await picture(page, `console-${name}-${device}-${colorScheme}`)
      expect(await barriers(page)).toEqual([])
      // The browser itself notes a status that is an error.
      expect(faults).toEqual(status ? [expect.stringContaining(`status of ${status}`)] : [])
    },
  )
})

const operatorToken = (): Promise<string> =>
  mintToken(secret, { siteId: OPERATOR, scope: 'operator', days: 1, label: 'anna' })

/** A page about a person of the deployment. */
async function operatorPerson(path: string): Promise<string> {
  await fetch(`${address}/operator/v1/people`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${await operatorToken()}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ id: 'olga', name: 'Ольга', role: 'operator' }),
  })
  return path
}

/** The id of a key of an operator that was used. */
async function usedKey(): Promise<string> {
  const headers = { Authorization: `Bearer ${await operatorToken()}` }
  const { keys } = OperatorKeysAnswer.parse(
    await (await fetch(`${address}/operator/v1/keys`, { headers })).json(),
  )
  return keys.at(-1)?.id ?? ''
}

async function deleteSite(siteId: string): Promise<void> {
  const token = await operatorToken()
  const deleted = await fetch(`${address}/operator/v1/sites/${siteId}`, {
    method: 'DELETE',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ siteId }),
  })
  if (!deleted.ok) throw new Error(await deleted.text())
}

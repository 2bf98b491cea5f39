// The console in a browser: signing in, keys, a notification that fails, and the operator who finds it.
import { createServer } from 'node:http'
import type { Browser, BrowserContextOptions } from 'playwright-core'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { mintToken } from '../../bin/mint-token.ts'
import { consoleLink } from '../../bin/start/console-link.ts'
import { launch, type Visit, visit } from '../support/browser.ts'
import { openByKeyboard, pressByKeyboard, tabTo, typeByKeyboard } from '../support/console-browser.ts'
import { portOf } from '../support/ports.ts'
import { openShop } from '../support/shop.ts'
import { siteAt } from '../support/site-at.ts'

const { address, secret } = inject('sandbox')
let browser: Browser

/** A merchant's server, which answers what the test says. */
let status = 500
const received: string[] = []
const server = createServer((request, response) => {
  received.push(`${request.headers['webhook-id']}`)
  response.writeHead(status).end()
})
let callbackUrl: string

beforeAll(async () => {
  callbackUrl = `http://127.0.0.1:${await portOf(server)}/`
  browser = await launch()
})
afterAll(async () => {
  await browser?.close()
  server.close()
})

const newSite = () => `console-${crypto.randomUUID().slice(0, 8)}`
const tokenOf = (siteId: string, scope: string) => mintToken(secret, { siteId, scope, days: 1 })

/** A browser that signs in by the form. */
async function signedIn(token: string, options: BrowserContextOptions = {}): Promise<Visit> {
  const opened = await visit(browser, `${address}/console/`, { locale: 'en-GB', ...options })
  await opened.page.getByLabel('Access token').fill(token)
  await opened.page.getByRole('button', { name: 'Sign in' }).click()
  await opened.page.getByRole('button', { name: 'Sign out' }).waitFor()
  return opened
}

const operatorOf = async (options?: BrowserContextOptions) =>
  signedIn(await tokenOf('*', 'operator'), options)

/** A site with a notification that its merchant's server refuses. */
async function siteWithRefusal() {
  const site = siteAt(() => address, secret, newSite())
  status = 500
  const body = { name: 'Tea shop', callbackUrl, notificationTypes: ['QR_CODE'] }
  await site.ask('/settings', { method: 'PUT', body })
  await site.ask('/settings/notificationKeys', { method: 'POST' })
  await site.create('order-1')
  const before = received.length
  await site.ask('/sbp/qrCodes/order-1', { method: 'DELETE' })
  await expect.poll(() => received.length).toBeGreaterThan(before)
  await expect.poll(async () => (await site.ask('/notifications')).text).toContain('"httpStatus":500')
  return site
}

it('a notification that failed is redelivered, and the page says that it came', async () => {
  const { siteId } = await siteWithRefusal()
  const { page, faults } = await signedIn(await tokenOf(siteId, 'merchant'))
  await page.goto(`${address}/console/notifications`)
  await page.locator('table').getByRole('link').first().click()
  await page.getByText('500').first().waitFor()
  status = 204
  await page.getByRole('button', { name: 'Deliver again' }).click()
  await page.getByRole('status').getByText('Delivered').waitFor()
  await page.getByText('204').first().waitFor()
  expect(new Set(received.slice(-2)).size).toBe(1)
  expect(faults).toEqual([])
})

it('a key is made, signs an employee in, and is revoked: the employee is signed out', async () => {
  const siteId = newSite()
  const admin = await signedIn(await tokenOf(siteId, 'merchant:admin'))
  const { page } = admin
  await page.goto(`${address}/console/keys`)
  await page.getByLabel('A name by which you recognise the key').fill('Clerk')
  await page.getByLabel('Scope').selectOption('merchant:read')
  await page.getByRole('button', { name: 'Create the key' }).click()
  const token = await page.getByLabel('Token').inputValue()
  const clerk = await signedIn(token)
  await page.getByRole('link', { name: 'Back to the keys' }).click()
  await page.getByRole('row', { name: /Clerk/ }).getByRole('link', { name: 'Revoke' }).click()
  await page.getByRole('button', { name: 'Revoke' }).click()
  await page.getByRole('status').getByText('The key is revoked').waitFor()
  // The poll of the employee's page is refused, and the page asks to sign in.
  await clerk.page.getByLabel('Access token').waitFor()
  const polled = clerk.faults.filter((fault) => !fault.includes('401'))
  expect([...admin.faults, ...polled]).toEqual([])
})

it('a page that is open asks to sign in after somebody has signed out in another one', async () => {
  const siteId = newSite()
  const token = await tokenOf(siteId, 'merchant')
  const { page, faults } = await signedIn(token)
  const other = await page.context().newPage()
  await other.goto(`${address}/console/new`)
  await other.getByRole('button', { name: 'Sign out' }).click()
  await other.getByLabel('Access token').waitFor()
  // What happens on the site ends the poll of the page.
  await fetch(`${address}/payin/v1/sites/${siteId}/sbp/qrCodes`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ qrCodeUid: 'a', qrCode: { type: 'DYNAMIC' } }),
  })
  await page.bringToFront()
  await page.getByLabel('Access token').waitFor()
  expect(faults).toEqual([])
})

it('a one-time link asks first, and works once', async () => {
  const siteId = newSite()
  const link = await consoleLink(address, secret, siteId, { role: 'owner', label: 'anna' })
  const first = await visit(browser, link, { locale: 'en-GB' })
  await first.page.getByText(siteId).first().waitFor()
  await first.page.getByRole('button', { name: 'Sign in with the link' }).click()
  await first.page.getByRole('button', { name: 'Sign out' }).waitFor()
  expect(first.page.url()).toBe(`${address}/console/sites/${siteId}/`)
  const second = await visit(browser, link, { locale: 'en-GB' })
  await second.page.getByRole('button', { name: 'Sign in with the link' }).click()
  await second.page.getByText('The link was used already').waitFor()
  expect(first.faults).toEqual([])
})

it('the operator finds a notification that is stuck, by the site’s name and without a script', async () => {
  const { siteId } = await siteWithRefusal()
  const { page, faults } = await operatorOf({ javaScriptEnabled: false })
  const headers = { Authorization: `Bearer ${await tokenOf('*', 'operator')}` }
  await expect
    .poll(async () => (await fetch(`${address}/operator/v1/sites?q=${siteId}`, { headers })).text())
    .toContain(siteId)
  await page.getByLabel('The site begins with').fill(siteId)
  await page.getByRole('button', { name: 'Apply' }).click()
  await page.getByRole('link', { name: siteId }).click()
  await page.getByRole('heading', { name: siteId }).waitFor()
  await page.getByText('Notifications that wait').waitFor()
  await page.getByText('The oldest waits since').first().waitFor()
  expect(faults).toEqual([])
})

it('the keyboard alone finds a site and deletes it', async () => {
  const { siteId } = await openShop(inject('sandbox'))
  const { page, faults } = await operatorOf()
  await tabTo(page, 'a', 'To the content')
  await openByKeyboard(page, 'Stuck')
  await openByKeyboard(page, 'Sites')
  await typeByKeyboard(page, 'The site begins with', siteId)
  await page.keyboard.press('Enter')
  await page.waitForURL(`**/sites?q=${siteId}&deleted=`)
  await openByKeyboard(page, siteId)
  await typeByKeyboard(page, 'To confirm, type', siteId)
  await pressByKeyboard(page, 'button', 'Delete the site')
  await page.getByRole('status').getByText('The site is deleted').waitFor()
  expect(faults).toEqual([])
})

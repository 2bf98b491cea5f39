// Two shops of one site each hear of their own payments, while the server of one is down: set up and watched in the console.
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Browser } from 'playwright-core'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, expect, inject, it, onTestFinished, vi } from 'vitest'
import * as z from 'zod'
import { barriers, DEVICES, launch, picture } from '../support/browser.ts'
import { signIn } from '../support/console-browser.ts'
import { portOf } from '../support/ports.ts'
import { openShop, type Shop } from '../support/shop.ts'

const service = inject('sandbox')
let browser: Browser
beforeAll(async () => {
  browser = await launch()
})
afterAll(() => browser?.close())

/** A test payment has no code. */
const Paid = z.object({ payment: z.object({ qrCodeUid: z.optional(z.string()) }) })

/** A shop's own server, which can be down; it keeps which codes it was told of, if their signature is good. */
async function shopServer() {
  const state = { isDown: false, key: '', told: [] as string[] }
  const server = createServer(async (request, response) => {
    const body = await text(request)
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, `${value}`]),
    )
    const isTaken = !state.isDown && new Webhook(state.key).verify(body, headers) !== undefined
    const uid = isTaken ? Paid.parse(JSON.parse(body)).payment.qrCodeUid : undefined
    if (uid !== undefined) state.told.push(uid)
    response.writeHead(isTaken ? 204 : 500).end()
  })
  const url = `http://127.0.0.1:${await portOf(server)}/notifications`
  onTestFinished(() => void server.close())
  return Object.assign(state, { url })
}

/** Pays a code of the shop whose address is given. @returns its uid */
async function paid(shop: Shop, callbackUrl: string): Promise<string> {
  const made = await shop.make({ callbackUrl })
  await shop.report(made, 'COMPLETED')
  return made.uid
}

const NAMES = {
  ru: {
    add: 'Добавить адрес',
    name: 'Название',
    url: 'Адрес вашего сервера',
    id: 'Имя для API',
    make: 'Создать ключ',
    keys: 'Ключи подписи уведомлений',
    log: 'Уведомления этого адреса',
    test: 'Отправить тестовое',
    remove: 'Убрать адрес',
    removed: 'Адрес убран',
    error: 'В вашем сервере ошибка',
  },
  en: {
    add: 'Add an address',
    name: 'Name',
    url: 'Address of your server',
    id: 'Identifier for the API',
    make: 'Create a key',
    keys: 'Keys that sign notifications',
    log: 'Notifications to this address',
    test: 'Send a test',
    remove: 'Remove the address',
    removed: 'The address is removed',
    error: 'Your server has an error',
  },
}

it.each([
  ['phone', 'ru', 'light', true],
  ['phone', 'ru', 'dark', false],
  ['desktop', 'en', 'dark', true],
] as const)(
  'two shops of one site each hear of their own payments, while the server of one is down: %s, %s, %s, JavaScript: %s',
  async (device, language, colorScheme, javaScriptEnabled) => {
    const texts = NAMES[language]
    const [first, second] = await Promise.all([shopServer(), shopServer()])
    const shop = await openShop(service, { name: 'Чайная', callbackUrl: first.url })
    const made = await shop.ask('/settings/notificationKeys', { method: 'POST' })
    first.key = z.object({ key: z.string() }).parse(await made.json()).key

    const locale = language === 'ru' ? 'ru-RU' : 'en-GB'
    const options = { ...DEVICES[device], locale, colorScheme, javaScriptEnabled }
    const { page, faults, open } = await signIn(browser, service, shop.siteId, options)
    const shot = (name: string) => picture(page, `addresses-${name}-${device}-${language}-${colorScheme}`)
    // Where scripts run, axe does.
    const check = async (name: string) => {
      await shot(name)
      if (javaScriptEnabled) expect([name, await barriers(page)]).toEqual([name, []])
    }
    const main = page.locator('main')
    await open('settings')
    await check('settings')
    await main.getByRole('link', { name: texts.add }).click()
    await main.getByLabel(texts.name, { exact: false }).first().fill('Чайная на Садовой')
    await main.getByLabel(texts.url).fill('second')
    await main.locator('[name=id]').fill('sadovaya')
    await main.getByRole('button', { name: texts.add }).click()
    await main.locator('[role=alert]').waitFor()
    await check('refused')
    await main.getByLabel(texts.url).fill(second.url)
    await main.getByRole('button', { name: texts.add }).click()
    await main.locator('.warn').waitFor()
    await check('keyless')
    await main.getByRole('link', { name: texts.keys }).click()
    await main.getByRole('button', { name: texts.make }).click()
    second.key = await main.locator('textarea').inputValue()
    await check('key')

    first.isDown = true
    const own = [await paid(shop, first.url), await paid(shop, first.url)]
    const others = [await paid(shop, second.url), await paid(shop, second.url)]
    await vi.waitFor(() => expect(second.told.toSorted()).toEqual(others.toSorted()), 30_000)
    await vi.waitFor(async () => {
      await open('notifications')
      expect(await main.getByText(texts.error).count()).toBe(1)
    }, 30_000)
    expect(first.told).toEqual([])
    await check('down')
    await open('addresses/sadovaya')
    await main.getByRole('button', { name: texts.test }).click()
    await main.locator('.done[role=status], .alert').first().waitFor()
    await check('address')
    await main.getByRole('link', { name: texts.log }).click()
    await page.waitForURL('**/notifications?callback=sadovaya')
    expect(await main.locator('tbody tr').count()).toBe(2)
    await check('log')

    first.isDown = false
    await vi.waitFor(() => expect(first.told.toSorted()).toEqual(own.toSorted()), 60_000)
    expect(second.told.toSorted()).toEqual(others.toSorted())

    await open('addresses/sadovaya')
    await main.getByRole('link', { name: texts.remove }).click()
    await check('remove')
    await main.getByRole('button', { name: texts.remove }).click()
    await main.getByText(texts.removed).waitFor()
    await check('removed')
    expect(await shop.ask('/settings/callbacks').then((response) => response.json())).toMatchObject({
      callbacks: [{ id: 'default' }],
    })
    // The form that was refused.
    expect(faults.filter((fault) => !fault.includes('status of 400'))).toEqual([])
  },
  120_000,
)

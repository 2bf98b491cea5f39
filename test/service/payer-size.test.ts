// What a payer's phone loads to pay: the page with its picture, and every file that it names, compressed each as a proxy does.
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { bareWorkerd } from '../support/bare-workerd.ts'
import { qrCodeOf, siteAt } from '../support/site-at.ts'

/** Bytes, by gzip -6, without headers. */
const MOST = 14_000

const service = bareWorkerd()
let address: string
beforeAll(async () => {
  address = `http://127.0.0.1:${await service.start()}`
})
afterAll(() => service.dispose())

const load = async (url: string | URL): Promise<string> => {
  const response = await fetch(url)
  expect([`${url}`, response.status]).toEqual([`${url}`, 200])
  return response.text()
}

it.each([
  ['en', {}],
  ['ru', { paymentPurpose: 'Чай «Да Хун Пао», 100 г, и доставка до двери' }],
])(`the payer’s page in %s has at most ${MOST} bytes with its files`, async (language, more) => {
  const site = siteAt(() => address, service.secret, 'demo')
  const { pageUrl } = qrCodeOf(await site.create(`size-${language}`, { amount: { value: 337.5 }, ...more }))
  const { pathname, search } = new URL(pageUrl)
  const url = `${address}${pathname}${search}&lang=${language}`
  const page = await load(url)
  const tags = page.matchAll(/<(?:link|script|img)\b[^>]*?\s(?:href|src)="([^"]+)"[^>]*>/g)
  const names = Array.from(tags, ([tag, name = '']) => (/rel="(alternate|canonical)"/.test(tag) ? '' : name))
  const files = [...new Set(names.filter((name) => name !== '' && !name.startsWith('data:')))]
  expect(files).toEqual(
    expect.arrayContaining([expect.stringMatching(/payer\.css$/), expect.stringMatching(/page\.js$/)]),
  )
  const texts = [
    page,
    ...(await Promise.all(files.map((name) => load(new URL(name.replaceAll('&amp;', '&'), url))))),
  ]
  const bytes = texts.map((text) => gzipSync(text, { level: 6 }).length)
  console.log(['page', ...files].map((name, i) => `${name} ${bytes[i]}`).join(', '))
  expect(bytes.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(MOST)
})

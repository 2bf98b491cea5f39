// Why the logo at an address is refused, as the settings say it in Russian (contract, section 12).
import { expect, it } from 'vitest'
import { freshSite } from '../support/admin.ts'
import { browserOf } from '../support/console.ts'
import { PICTURES } from '../support/pictures.ts'
import { serviceWith } from '../support/service.ts'

const png = (width: number) => new Response(Uint8Array.from(PICTURES['image/png']?.(width, 1) ?? []))

it.each<[string, () => Response | Promise<Response>]>([
  ['сервер ответил 404', () => new Response('', { status: 404 })],
  ['файл больше 256 КБ', () => new Response(new Uint8Array(256 * 1024 + 1))],
  ['это не PNG, JPEG или WebP', () => new Response('GIF89a')],
  ['в картинке 1025 × 1 пикселей', () => png(1025)],
  ['сервер не ответил за 10 секунд', () => Promise.reject(new DOMException('late', 'TimeoutError'))],
  ['нет соединения с сервером', () => Promise.reject(new Error('refused'))],
])('the settings say %s', async (reason, answer) => {
  const browser = browserOf(serviceWith({ fetch: async () => answer() }))
  await browser.signIn({ sub: freshSite().siteId, scope: 'merchant:admin' })
  const page = await (await browser.get('/settings')).text()
  const [, etag = ''] = /name="etag" value="([^"]*)"/.exec(page) ?? []
  const form = { etag: etag.replaceAll('&quot;', '"'), logoUrl: 'https://shop.example/logo.png' }
  const refused = await browser.post('/settings', form)
  expect(refused.status).toBe(400)
  expect(await refused.text()).toContain(`Логотип по этому адресу не подошёл: ${reason}<`)
})

// The shop on the payer's page: its name and how to reach it, as the site's settings say (contract, section 12).
import { describe, expect, it } from 'vitest'
import { type FreshSite, freshSite } from '../support/admin.ts'
import { qrCodeBody } from '../support/client.ts'
import { call, FORM, ORIGIN, sandbox } from '../support/service.ts'

async function linkOf({ ask }: FreshSite, body: Record<string, unknown> = { amount: { value: 5 } }) {
  const answer = await ask('/sbp/qrCodes', { body: qrCodeBody(body) }, sandbox)
  const { pageUrl } = await answer.json<{ pageUrl: string }>()
  return pageUrl.slice(ORIGIN.length)
}
const set = ({ ask }: FreshSite, settings: Record<string, unknown>) =>
  ask('/settings', { method: 'PUT', body: settings })
const read = async (link: string, language = 'en') =>
  (await call(link, { token: null, headers: { 'Accept-Language': language } }, sandbox)).text()
const submit = (link: string, form: string) => call(link, { token: null, body: form, headers: FORM }, sandbox)

describe('the payer’s page', () => {
  it('shows the siteId and no contact before the site has settings', async () => {
    const site = freshSite()
    const page = await read(await linkOf(site))
    expect(page).toContain(`<bdi>${site.siteId}</bdi>`)
    expect(page).not.toContain('Contact the shop')
  })

  it.each([
    ['ru', 'Связь с магазином'],
    ['en', 'Contact the shop'],
  ])('in %s shows the name instead of the siteId, and the contact', async (language, term) => {
    const site = freshSite()
    const link = await linkOf(site)
    await set(site, { name: 'Чайная', supportContact: '+7 800 555-01-00' })
    for (const action of ['decline', 'pay']) {
      const page = await read(link, language)
      const [, title] = /<title>(.*)<\/title>/.exec(page) ?? []
      expect(title).toMatch(/ · Чайная$/)
      expect(page).toContain('<bdi>Чайная</bdi></p>')
      expect(page).toContain(
        `<dt>${term}</dt><dd><bdi><a href="tel:+78005550100" rel="noopener noreferrer">+7 800 555-01-00</a></bdi></dd>`,
      )
      expect(page).not.toContain(`<bdi>${site.siteId}`)
      await submit(link, `action=${action}`)
    }
    const page = await read(link, language)
    expect(page).toContain('data-status="PAYED"')
    expect(page).toContain('<bdi>Чайная</bdi></p>')
    expect(page).toContain(
      `<dt>${term}</dt><dd><bdi><a href="tel:+78005550100" rel="noopener noreferrer">+7 800 555-01-00</a></bdi></dd>`,
    )
  })

  it.each([
    [
      { legalName: 'ООО «Чай & Ко»', taxId: '7707083893' },
      'Продавец: <bdi>ООО «Чай &amp; Ко», ИНН 7707083893</bdi>',
    ],
    [{ legalName: 'ИП Петров' }, 'Продавец: <bdi>ИП Петров</bdi>'],
    [{ taxId: '7707083893' }, 'Продавец: <bdi>ИНН 7707083893</bdi>'],
    [{}, undefined],
  ])('says who the seller is in law, where the shop has said so: %j', async (settings, line) => {
    const site = freshSite()
    const link = await linkOf(site)
    await set(site, { name: 'Чайная', ...settings })
    for (const action of ['decline', 'pay']) {
      const [, foot] = /<footer class="foot">(.*)<\/footer>/s.exec(await read(link, 'ru')) ?? []
      if (line) expect(foot).toContain(line)
      else expect(foot).not.toContain('Продавец')
      await submit(link, `action=${action}`)
    }
  })

  it('shows them beside an amount that is none', async () => {
    const site = freshSite()
    const link = await linkOf(site, {})
    await set(site, { name: 'Tea', supportContact: 'tea@shop.example' })
    const response = await submit(link, 'action=pay&amount=nothing')
    expect(response.status).toBe(422)
    const page = await response.text()
    expect(page).toContain('<bdi>Tea</bdi>')
    expect(page).toContain('<a href="mailto:tea@shop.example" rel="noopener noreferrer">tea@shop.example</a>')
  })

  it.each([
    ['markup', '<script>alert(1)</script>', '&lt;script&gt;alert(1)&lt;/script&gt;'],
    ['an attribute', '"><img src=x onerror=alert(1)>', '&quot;&gt;&lt;img src=x onerror=alert(1)&gt;'],
    ['a closing element', '</title></bdi></p>', '&lt;/title&gt;&lt;/bdi&gt;&lt;/p&gt;'],
    ['a character reference', '&lt;b&gt;', '&amp;lt;b&amp;gt;'],
    ['a right-to-left override', '\u202eelpmaxe', '\u202eelpmaxe'],
    ['an end of isolation', '\u2069\u202eevil', '\u2069\u202eevil'],
    ['Arabic', 'متجر الشاي', 'متجر الشاي'],
  ])('shows a name and a contact with %s as text, isolated in their own block', async (_, text, escaped) => {
    const site = freshSite()
    const link = await linkOf(site)
    await set(site, { name: text, supportContact: text })
    const page = await read(link)
    expect(page).toContain(`<bdi>${escaped}</bdi></p>`)
    expect(page).toContain(`<dd><bdi>${escaped}</bdi></dd>`)
    // At the end of the title, where it reorders nothing after it.
    expect(page).toContain(` · ${escaped}</title>`)
    if (escaped !== text) expect(page).not.toContain(text)
  })

  it.each([
    ['8 (800) 555-01-00', 'tel:88005550100'],
    ['tea@shop.example', 'mailto:tea@shop.example'],
    ['https://shop.example/help?a=1', 'https://shop.example/help?a=1'],
    ['javascript:alert(1)', undefined],
    ['data:text/html,x', undefined],
    ['https://', undefined],
    ['tea@shop.example, 9–18', undefined],
    ['в чате на сайте', undefined],
  ])('makes of the contact %s the link %s', async (supportContact, href) => {
    const site = freshSite()
    const link = await linkOf(site)
    await set(site, { supportContact })
    const [, row = ''] = /Contact the shop<\/dt><dd>(.*?)<\/dd>/.exec(await read(link)) ?? []
    expect(row).toContain(supportContact)
    expect(/href="([^"]*)"/.exec(row)?.[1]).toBe(href)
  })

  it('never shows the callback URL', async () => {
    const site = freshSite()
    const link = await linkOf(site)
    await set(site, { name: 'Tea', callbackUrl: 'https://shop.example/secret' })
    expect(await read(link)).not.toContain('shop.example/secret')
  })

  it('has the state of the QR code alone: new settings do not change its ETag', async () => {
    const site = freshSite()
    const link = await linkOf(site)
    const state = async () => {
      const answer = await call(link.replace('?', '/state?'), { token: null }, sandbox)
      return answer.headers.get('ETag')
    }
    const etag = await state()
    await set(site, { name: 'Tea' })
    expect(await state()).toBe(etag)
    expect(await read(link)).toContain(`data-state="${etag?.replaceAll('"', '&quot;')}"`)
  })
})

// The demonstration on the home page.
import { describe, expect, it } from 'vitest'
import { formatLink, parseLink } from '../../src/fps/link.ts'
import { call, create, ORIGIN, qrCodeBody, serviceWith } from '../support/service.ts'

const sandbox = serviceWith({ settings: { PAYMENT_NETWORK: 'sandbox' } })
const Accept = 'text/html'

const homePage = async (search = '', service = sandbox) =>
  (await call(`/${search}`, { token: null, headers: { Accept } }, service)).text()
const submit = (fields: Record<string, string>, service = sandbox) =>
  call(
    '/',
    {
      token: null,
      body: new URLSearchParams(fields).toString(),
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    },
    service,
  )
const search = (link: string) => `?link=${encodeURIComponent(link)}`

describe('the demonstration', () => {
  it('creates a QR code of site demo and shows its picture and its link, whose page opens', async () => {
    const response = await submit({ amount: '12.50', purpose: 'Tea & cake' })
    expect(response.status).toBe(303)
    const location = response.headers.get('Location') ?? ''
    const link = new URL(location, ORIGIN).searchParams.get('link') ?? ''
    expect(parseLink(link)?.amount).toEqual({ minorUnits: 1250, currency: 'RUB' })
    const page = await homePage(location.slice(1))
    expect(page).toContain(`<a href="${link.replaceAll('&', '&amp;')}">`)
    expect(page).toContain('src="data:image/svg+xml;base64,')
    const payers = await call(link.slice(ORIGIN.length), { token: null }, sandbox)
    expect(await payers.text()).toContain('Tea &amp; cake')
  })

  it('leads to the payer’s page where links point to the network', async () => {
    const settings = { PAYMENT_NETWORK: 'sandbox', LINK_BASE_URL: 'https://qr.nspk.ru' }
    const service = serviceWith({ settings })
    const location = (await submit({ amount: '1', purpose: 'Tea' }, service)).headers.get('Location') ?? ''
    const link = new URL(location, ORIGIN).searchParams.get('link') ?? ''
    expect(link).toMatch(/^https:\/\/qr\.nspk\.ru\//)
    const [, href = ''] = /<a href="([^"]+)"><img/.exec(await homePage(location.slice(1), service)) ?? []
    const url = href.replaceAll('&amp;', '&')
    expect(url).toBe(link.replace('https://qr.nspk.ru', `${ORIGIN}/pay/demo`))
    const page = await call(url.slice(ORIGIN.length), { token: null }, service)
    expect(await page.text()).toContain('>Tea<')
  })

  it('creates a QR code without a sum where none is typed', async () => {
    const location = (await submit({ amount: '', purpose: '' })).headers.get('Location') ?? ''
    expect(parseLink(new URL(location, ORIGIN).searchParams.get('link') ?? '')?.amount).toBeUndefined()
  })

  it('refuses what the API refuses', async () => {
    expect((await submit({ amount: '0' })).status).toBe(400)
    expect((await submit({ purpose: 'x'.repeat(141) })).status).toBe(400)
  })

  it('shows no link that this deployment did not make for it', async () => {
    const { qrCode } = await create(qrCodeBody(), {}, sandbox)
    expect(await homePage(search(qrCode.payload))).toContain('<img')
    const parts = parseLink(qrCode.payload)
    if (!parts) throw new Error('no link')
    for (const link of [
      'https://evil.example/',
      'javascript:alert(1)',
      formatLink({ ...parts, base: 'https://evil.example' }),
      formatLink({ ...parts, id: `${parts.id.slice(0, -2)}00` }),
      `${qrCode.payload}"><script>`,
    ]) {
      const page = await homePage(search(link))
      expect(page).toContain('<form')
      expect(page).not.toMatch(/<img|evil|<script/)
    }
  })

  it('is in the sandbox only', async () => {
    const external = serviceWith({})
    expect(await homePage('', external)).not.toContain('<form')
    expect((await submit({ amount: '1' }, external)).status).toBe(405)
  })
})

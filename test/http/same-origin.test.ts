// Forms, which a page of another site can make a browser send (CSRF).
import { describe, expect, it, vi } from 'vitest'
import type { Platform } from '../../src/gateway/context.ts'
import { type Call, qrCodeBody } from '../support/client.ts'
import { call, create, errorOf, ORIGIN, sandbox, serviceWith } from '../support/service.ts'

const PUBLIC = 'https://qr.example/base'
const settings = { PAYMENT_NETWORK: 'sandbox' }
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' }

const ACCEPTED: Record<string, string>[] = [
  { 'Sec-Fetch-Site': 'same-origin' },
  { 'Sec-Fetch-Site': 'none' },
  { 'Sec-Fetch-Site': 'same-origin', Origin: 'null' },
  { Origin: ORIGIN },
]
const REFUSED: Record<string, string>[] = [
  {},
  { Origin: '' },
  { 'Sec-Fetch-Site': '' },
  { 'Sec-Fetch-Site': 'cross-site' },
  { 'Sec-Fetch-Site': 'same-site' },
  { 'Sec-Fetch-Site': 'cross-site', Origin: ORIGIN },
  { 'Sec-Fetch-Site': 'anything' },
  { Origin: 'https://evil.example' },
  { Origin: 'null' },
  { Origin: `${ORIGIN}:8080` },
  { Origin: ORIGIN.replace('http:', 'https:') },
]

/** Sends the form of the home page, or that of a QR code's page. */
const forms: Record<string, (headers: Call['headers'], service?: typeof sandbox) => Promise<Response>> = {
  '/': (headers, service = sandbox) =>
    call('/', { token: null, body: 'amount=1', headers: { ...FORM, ...headers } }, service),
  '/pay': async (headers, service = sandbox) => {
    const { qrCode } = await create(qrCodeBody({ amount: { value: 1 } }))
    const path = qrCode.payload.slice(ORIGIN.length)
    return call(path, { token: null, body: 'action=pay', headers: { ...FORM, ...headers } }, service)
  },
}

describe.each(Object.entries(forms))('the form at %s', (path, submit) => {
  it.each(ACCEPTED)('is accepted with %j', async (headers) =>
    expect((await submit(headers)).status).toBe(303),
  )

  it.each(REFUSED)('is refused with %j, and no site is called', async (headers) => {
    const site = vi.fn<Platform['site']>()
    const response = await submit(headers, serviceWith({ settings, site }))
    expect(response.status).toBe(403)
    expect(site).not.toHaveBeenCalled()
    if (path === '/') expect((await errorOf(response)).errorCode).toBe('auth.forbidden')
    else expect(response.headers.get('Content-Type')).toMatch(/^text\/html/)
  })
})

it('a form is accepted from the origin of PUBLIC_URL, behind a proxy of another origin', async () => {
  const behind = serviceWith({ settings: { ...settings, PUBLIC_URL: PUBLIC } })
  expect((await forms['/']?.({ Origin: new URL(PUBLIC).origin }, behind))?.status).toBe(303)
  expect((await forms['/']?.({ Origin: 'https://evil.example' }, behind))?.status).toBe(403)
})

it('a page with a form lets the browser send its origin, and no other site sees its URL', async () => {
  const front = await call('/', { token: null, headers: { Accept: 'text/html' } }, sandbox)
  const { qrCode } = await create(qrCodeBody())
  const payers = await call(qrCode.payload.slice(ORIGIN.length), { token: null }, sandbox)
  for (const { headers } of [front, payers]) expect(headers.get('Referrer-Policy')).toBe('same-origin')
})

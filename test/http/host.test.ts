// Which Host the service answers to: links point to it, where PUBLIC_URL is unset.

import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { qrCodeRequest, specOf } from '../../src/contract/qr-code.ts'
import { formatLink } from '../../src/fps/link.ts'
import type { Platform } from '../../src/gateway/context.ts'
import { newLink } from '../../src/gateway/links.ts'
import { draw } from '../../src/gateway/render.ts'
import { qrCodeBody } from '../support/client.ts'
import { COLLECTION, call, errorOf, serviceWith } from '../support/service.ts'

const sandbox = { PAYMENT_NETWORK: 'sandbox' }
const limited = serviceWith({ settings: { ...sandbox, ALLOWED_HOSTS: 'qr.example,Second.Example:80,[::1]' } })
const open = serviceWith({ settings: sandbox })

const INVALID = ['user@qr.example', 'qr.example/path', 'qr.example, evil.example', 'a'.repeat(3000), '[::zz]']
const FOREIGN = ['evil.example', 'qr.example.evil.example', 'evilqr.example', 'qr.test', '127.0.0.1']
const OWN = ['qr.example', 'QR.EXAMPLE', 'qr.example:8443', 'second.example', '[::1]:8787', '[0:0::1]']

const PATHS = [
  '/',
  '/docs',
  '/openapi.json',
  '/nothing',
  COLLECTION,
  '/pay/demo/x',
  '/pay/demo/x/state',
  '/pay',
]

/** A request of an unauthenticated client to a Host. */
const at = (Host: string, path: string, service = limited) =>
  call(path, { token: null, headers: { Host } }, service)

describe('a Host that the deployment does not accept', () => {
  it.each([...INVALID, ...FOREIGN])(
    '%s: 421 on every path but the health check, before 401',
    async (host) => {
      for (const path of PATHS) expect([path, (await at(host, path)).status]).toEqual([path, 421])
      expect((await at(host, '/healthz')).status).toBe(200)
    },
  )

  it.each([
    [
      `${'a'.repeat(60)}.evil.example`,
      `"${'a'.repeat(40)}…", must be a host name of this service (ALLOWED_HOSTS)`,
    ],
    ['a.example/b', '"a.example/b", must be a valid host name'],
  ])('%s is quoted in the answer, which says what it must be', async (host, fault) => {
    const error = await errorOf(await at(host, COLLECTION))
    expect(error).toMatchObject({ errorCode: 'http.misdirected.request', description: `Host is ${fault}` })
  })

  it('is refused with a page where there would be one', async () => {
    const response = await at('evil.example', '/pay/demo/x')
    expect([response.status, response.headers.get('Content-Type')]).toEqual([421, 'text/html; charset=utf-8'])
  })

  it.each(OWN)('%s is accepted', async (host) => {
    expect((await at(host, '/openapi.json')).status).toBe(200)
    expect((await at(host, COLLECTION)).status).toBe(401)
  })
})

describe('without ALLOWED_HOSTS', () => {
  it.each([...FOREIGN, ...OWN])('%s is accepted', async (host) =>
    expect((await at(host, COLLECTION, open)).status).toBe(401),
  )

  it.each(INVALID)('%s, which is not valid, is refused and creates nothing', async (Host) => {
    const site = vi.fn<Platform['site']>()
    const response = await call(COLLECTION, { body: qrCodeBody(), headers: { Host } }, serviceWith({ site }))
    expect(response.status).toBe(421)
    expect(site).not.toHaveBeenCalled()
  })
})

it.each([
  ['the longest Host', {}, `https://${'a'.repeat(253)}:65535`],
  ['the longest PUBLIC_URL', { PUBLIC_URL: `https://qr.example/${'a'.repeat(181)}` }, 'https://qr.example'],
  [
    'the longest LINK_BASE_URL',
    { LINK_BASE_URL: `https://qr.example/${'a'.repeat(181)}` },
    'https://qr.example',
  ],
])('the longest link of %s is drawn at the smallest size', (_, settings, origin) => {
  const read = readConfig({ ...env, ...settings })
  if (!read.ok) throw new Error(read.problems.join('; '))
  const service = { config: read.config, now: Date.now, random: (bytes: number) => new Uint8Array(bytes) }
  const most = specOf(qrCodeRequest(['RUB']).parse(qrCodeBody({ amount: { value: 999_999_999.99 } })))
  const link = formatLink({ ...most, ...newLink(service, 's'.repeat(64), most, origin) })
  for (const mediaType of ['image/png', 'image/svg+xml'] as const)
    expect(draw({ mediaType, width: 100, height: 100 }, link).length).toBeGreaterThan(0)
})

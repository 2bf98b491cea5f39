// Which of several faults of a request is answered (contract, section 2).
import { expect, it } from 'vitest'
import { COLLECTION, call, errorOf, serviceWith, siteThat, tokenOf } from '../support/service.ts'

const service = serviceWith({
  settings: { ALLOWED_HOSTS: 'qr.test' },
  site: () => siteThat(() => Promise.reject(new Error('a site was called'))),
})

interface Attempt {
  host: string
  token: string | null
  path: string
  method: string
  headers: Record<string, string>
  body: string
}

/** Everything is wrong with it. */
const worst: Attempt = {
  host: 'evil.example',
  token: null,
  path: '/payin/v1/sites/a%20b/sbp/nothing',
  method: 'PATCH',
  headers: { Accept: 'text/html', 'Content-Type': 'text/plain', 'Content-Encoding': 'gzip' },
  body: 'x'.repeat(65_537),
}

/** What is corrected, one after the other, and how the request is refused before that. */
const steps: [refusal: string, correction: Partial<Attempt>][] = [
  ['421 http.misdirected.request', { host: 'qr.test' }],
  ['401 auth.unauthorized', { token: await tokenOf({ sub: 'other', scope: 'merchant:read' }) }],
  ['404 http.url.not.found', { path: '/payin/v1/sites/demo/sbp/nothing' }],
  ['403 auth.forbidden', { token: await tokenOf({ scope: 'merchant:read' }) }],
  ['404 http.url.not.found', { path: COLLECTION }],
  ['405 http.method.not.supported', { method: 'POST' }],
  ['403 auth.forbidden', { token: await tokenOf() }],
  [
    '406 http.media.type.not.acceptable',
    { headers: { 'Content-Type': 'text/plain', 'Content-Encoding': 'gzip' } },
  ],
  ['415 http.media.type.not.supported', { headers: { 'Content-Encoding': 'gzip' } }],
  ['415 http.media.type.not.supported', { headers: {} }],
  ['413 http.message.too.large', { body: '{' }],
  ['400 http.message.conversion.failed', { body: '{}' }],
  ['400 validation.error', { body: '{"qrCodeUid":"x","qrCode":{"type":"DYNAMIC"}}' }],
  ['500 internal.error', {}],
]

it.each(
  steps.map(([refusal], index) => {
    const attempt = Object.assign(
      {},
      worst,
      ...steps.slice(0, index).map(([, correction]) => correction),
    ) as Attempt
    return [index + 1, refusal, attempt] as const
  }),
)('%i: %s comes before all that else is wrong', async (_, refusal, { host, path, headers, ...more }) => {
  const response = await call(path, { ...more, headers: { ...headers, Host: host } }, service)
  expect(`${response.status} ${(await errorOf(response)).errorCode}`).toBe(refusal)
})

// deploy/nginx.conf in Debian's nginx: whom it limits, what its answers are, and what it passes on.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, describe, expect, it } from 'vitest'
import { mintToken } from '../../bin/mint-token.ts'
import { ErrorAnswer } from '../../src/contract/error-answer.ts'
import { QrCodeAnswer } from '../../src/contract/qr-code-answer.ts'
import { type Answered, type Client, type Nginx, startNginx } from '../support/nginx.ts'
import { SECRET } from '../support/secret.ts'
import { EXTERNAL, type Served, siteOf, started, temporaryDirectory } from '../support/serve.ts'

const QR_CODES = '/payin/v1/sites/demo/sbp/qrCodes'

let served: Served
let nginx: Nginx
let bearer: Record<string, string>
let admin: Record<string, string>
beforeEach(async () => {
  served = await started(join(temporaryDirectory(), 'data'))
  nginx = await startNginx(served)
  const bearerOf = async (scope: string) => ({
    Authorization: `Bearer ${await mintToken(SECRET, { siteId: 'demo', scope, days: 1 })}`,
  })
  bearer = await bearerOf('merchant')
  admin = await bearerOf('merchant:admin')
})

/** Sends from ten connections until the work is done, which sees the answers. */
async function flood(
  client: Client,
  path: string,
  work: (answers: readonly Answered[]) => Promise<void>,
): Promise<Answered[]> {
  let isDone = false
  const answers: Answered[] = []
  const connections = Array.from({ length: 10 }, async () => {
    while (!isDone) answers.push(await client.ask(path))
  })
  await work(answers)
  isDone = true
  await Promise.all(connections)
  return answers
}

const isRefused = ({ status }: Answered) => status === 429
const untilRefused = async (answers: readonly Answered[]) => {
  while (!answers.some(isRefused)) await sleep(20)
}

it('a payer’s browser that is limited gets a page', async () => {
  const client = nginx.client('127.0.0.2')
  const headers = { Accept: 'text/html,*/*;q=0.8', 'Accept-Language': 'en' }
  const browser: Client = { ask: (path) => client.ask(path, { headers }) }
  const refused = (await flood(browser, '/demo/a', untilRefused)).find(isRefused)
  expect(refused?.headers).toMatchObject({
    ...{ 'content-type': 'text/html; charset=utf-8', 'retry-after': '10', 'cache-control': 'no-store' },
    'x-trace-id': expect.stringMatching(/^[0-9a-f]{16}$/),
  })
  expect(refused?.text).toContain('<p>The service is temporarily unavailable. Please try again later</p>')
})

const LOGO = '/payin/v1/sites/demo/settings/logo'

it.each([
  [256, 'validation.error', 'must be a still PNG'],
  [257, 'http.message.too.large', 'must be at most 262144 bytes'],
])('a logo of %i KiB reaches the service: %s', async (kib, errorCode, words) => {
  const { text } = await nginx.client('127.0.0.3').ask(LOGO, {
    ...{ method: 'PUT', headers: { ...admin, 'Content-Type': 'image/png' } },
    body: Buffer.alloc(kib * 1024),
  })
  expect(ErrorAnswer.parse(JSON.parse(text)).errorCode).toBe(errorCode)
  expect(text).toContain(words)
})

it.each([
  [31, 'settlement.unreadable', 'file is HTML'],
  [33, 'http.message.too.large', 'must be at most 33554432 bytes'],
])('a settlement file of %i MiB reaches the service: %s', async (mib, errorCode, words) => {
  const file = Buffer.alloc(mib * 1024 * 1024 - 1, ' ')
  file.write('<!DOCTYPE html>\n')
  const path = '/partner/payin/v1/sites/demo/settlements/a?bank=tbank&format=registry'
  const { text } = await nginx.client('127.0.0.3').ask(path, {
    ...{ method: 'PUT', headers: { ...admin, 'Content-Type': 'text/csv' } },
    body: file,
  })
  expect(ErrorAnswer.parse(JSON.parse(text)).errorCode).toBe(errorCode)
  expect(text).toContain(words)
})

it('a body that the proxy does not pass on gets 413, the error object of the contract', async () => {
  // nginx answers before a body comes.
  const headers = { ...admin, 'Content-Type': 'image/png', 'Content-Length': 2 * 1024 * 1024 + 1 }
  const answer = await nginx.client('127.0.0.3').ask(LOGO, { method: 'PUT', headers })
  expect(answer.status).toBe(413)
  expect(ErrorAnswer.parse(JSON.parse(answer.text))).toMatchObject({
    errorCode: 'http.message.too.large',
    traceId: answer.headers['x-trace-id'],
  })
})

describe('a client that floods the address of a merchant without a token', () => {
  it('gets 429, the error object of the contract, and the merchant’s requests succeed', async () => {
    const merchant = nginx.client('127.0.0.3')
    const statuses: number[] = []
    const answers = await flood(nginx.client('127.0.0.2'), QR_CODES, async (sofar) => {
      await untilRefused(sofar)
      for (let i = 0; i < 100; i++) {
        const { status } = await merchant.ask(QR_CODES, { headers: bearer })
        statuses.push(status)
      }
    })
    expect(new Set(statuses)).toEqual(new Set([200]))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401, 429]))
    const refused = answers.find(isRefused)
    expect(refused?.headers).toMatchObject({
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'retry-after': '10',
      'strict-transport-security': 'max-age=31536000',
      'x-content-type-options': 'nosniff',
    })
    const error = ErrorAnswer.parse(JSON.parse(refused?.text ?? ''))
    expect(error).toMatchObject({
      errorCode: 'http.too.many.requests',
      userMessage: 'Сервис временно недоступен. Повторите попытку позже',
      traceId: refused?.headers['x-trace-id'],
    })
  })

  it('gets it in English, if it prefers that', async () => {
    const client = nginx.client('127.0.0.2')
    const headers = { 'Accept-Language': 'en-GB,en;q=0.9,ru;q=0.5' }
    const english: Client = { ask: (path) => client.ask(path, { headers }) }
    const answers = await flood(english, QR_CODES, untilRefused)
    const refused = answers.find(isRefused)
    expect(ErrorAnswer.parse(JSON.parse(refused?.text ?? '')).userMessage).toBe(
      'The service is temporarily unavailable. Please try again later',
    )
  })
})

it('a merchant’s own flood is limited too, at its address', async () => {
  const client = nginx.client('127.0.0.3')
  const own: Client = { ask: (path) => client.ask(path, { headers: bearer }) }
  const answers = await flood(own, QR_CODES, untilRefused)
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 429]))
})

it('reports of the payment network are never refused for their number', async () => {
  const path = '/network/v1/sites/demo/qrCodes/a/payments/b'
  const answers = await flood(nginx.client('127.0.0.2'), path, async (sofar) => {
    while (sofar.length < 1000) await sleep(20)
  })
  expect(answers.some(isRefused)).toBe(false)
})

it.each([
  ['2001:db8:1:2::3', '2001:db8:1:2:ffff::1', '2001:db8:1:3::3'],
  ['2001:db8::3', '2001:db8::ffff:0:0:1', '2001:db9::3'],
  ['203.0.113.1', '203.0.113.1', '203.0.113.2'],
])(
  'behind another proxy, the client %s shares its limit with %s, and not with %s',
  async (flooding, near, far) => {
    const behind = await startNginx(served, true)
    const client = behind.client('127.0.0.2')
    const from = (address: string): Client => ({
      ask: (path) => client.ask(path, { headers: { 'X-Forwarded-For': address } }),
    })
    const statuses: number[] = []
    await flood(from(flooding), QR_CODES, async (sofar) => {
      await untilRefused(sofar)
      for (const address of [near, far]) {
        for (let i = 0; i < 20; i++) statuses.push((await from(address).ask(QR_CODES)).status)
      }
    })
    expect(statuses.slice(0, 20)).toContain(429)
    expect(statuses.slice(20)).not.toContain(429)
  },
)

describe('the port of HTTP', () => {
  it('answers the challenges of ACME, and redirects all else', async () => {
    mkdirSync(join(nginx.webroot, '.well-known/acme-challenge'), { recursive: true })
    writeFileSync(join(nginx.webroot, '.well-known/acme-challenge/token'), 'proof')
    const ask = (path: string) => fetch(`http://127.0.0.1:${nginx.http}${path}`, { redirect: 'manual' })
    const challenge = await ask('/.well-known/acme-challenge/token')
    expect([challenge.status, await challenge.text()]).toEqual([200, 'proof'])
    expect((await ask('/.well-known/acme-challenge/none')).status).toBe(404)
    const other = await ask('/docs?a=b')
    expect([other.status, other.headers.get('Location')]).toEqual([308, 'https://127.0.0.1/docs?a=b'])
  })
})

describe('while the service does not answer', () => {
  it('a program gets 503, the error object of the contract, and a browser a page', async () => {
    await served.stop()
    const client = nginx.client('127.0.0.3')
    const answer = await client.ask(QR_CODES, { headers: bearer })
    expect([answer.status, answer.headers['retry-after']]).toEqual([503, '5'])
    expect(ErrorAnswer.parse(JSON.parse(answer.text))).toMatchObject({
      errorCode: 'service.unavailable',
      traceId: answer.headers['x-trace-id'],
    })
    const page = await client.ask('/demo/a', { headers: { Accept: 'text/html,*/*;q=0.8' } })
    expect([page.status, page.headers['content-type']]).toEqual([503, 'text/html; charset=utf-8'])
    expect(page.text).toContain('Сервис временно недоступен')
  })
})

it('the console is open to every address, and so are the banks that the service has itself', async () => {
  const behind = await startNginx(served, true)
  const ask = (path: string) =>
    behind.client('127.0.0.2').ask(path, { headers: { 'X-Forwarded-For': '203.0.113.1' } })
  for (const path of ['/console', '/banks.json', '/banks/a.png'])
    expect([path, (await ask(path)).text]).toEqual([path, expect.not.stringContaining('allow-list')])
  expect((await ask('/console')).status).not.toBe(404)
})

describe('the list of banks that the timer writes', () => {
  beforeEach(() => {
    const bank = { bankName: 'Первый', schema: 'bank100000000001', logoURL: '/banks/a.png' }
    writeFileSync(join(nginx.banks, 'banks.json'), JSON.stringify({ version: '1.0', dictionary: [bank] }))
    mkdirSync(join(nginx.banks, 'banks'))
    writeFileSync(join(nginx.banks, 'banks/a.png'), 'a logo')
  })

  it('and its logos are at the address of the service', async () => {
    const { ask } = nginx.client('127.0.0.2')
    expect((await ask('/banks.json')).text).toContain('Первый')
    const logo = await ask('/banks/a.png')
    expect([logo.text, logo.headers['x-content-type-options']]).toEqual(['a logo', 'nosniff'])
  })

  it('is read by the service at a port of loopback, which has nothing else, and shown to payers', async () => {
    const url = `http://127.0.0.1:${nginx.banksPort}`
    expect((await fetch(`${url}/banks/a.png`)).status).toBe(404)
    const settings = { ...EXTERNAL, BANKS_URL: `${url}/banks.json` }
    const external = await started(join(temporaryDirectory(), 'data'), { settings })
    const { pageUrl } = QrCodeAnswer.parse(JSON.parse((await siteOf(external).create('a')).text))
    const { pathname, search } = new URL(pageUrl)
    const list = await fetch(`${external.address}${pathname}/banks${search}`, {
      headers: { 'User-Agent': 'Mozilla/5.0 (Linux; Android 15) Chrome/131.0 Mobile' },
    })
    expect(await list.text()).toMatch(/src="[./]*banks\/a\.png".*<bdi>Первый<\/bdi>/)
  })
})

it.each(['/operator/v1/sites', '/network/v1/sites/demo/bindings'])(
  '%s is answered to addresses on the allow-list alone',
  async (path) => {
    const behind = await startNginx(served, true)
    const ask = (from: string) =>
      behind.client('127.0.0.2').ask(path, { headers: { 'X-Forwarded-For': from } })
    const refused = await ask('203.0.113.1')
    expect(refused.status).toBe(404)
    expect(ErrorAnswer.parse(JSON.parse(refused.text))).toMatchObject({
      errorCode: 'http.url.not.found',
      description: 'this address is not on the allow-list of the proxy',
    })
    expect((await ask('127.0.0.9')).text).not.toContain('allow-list')
  },
)

it.each([
  [`${QR_CODES}/order-4711/payments/p`, `${QR_CODES}/-/payments/p`],
  ['/console/qr/order-4711', '/console/qr/-'],
  ['/console/qr/order-4711/picture.png?size=300', '/console/qr/-/picture.png'],
  ['/console/tills/order-4711', '/console/tills/-'],
  ['/console/sites/demo/qr/order-4711', '/console/sites/demo/qr/-'],
  ['/console/sites/qr/qr/order-4711/picture.png', '/console/sites/qr/qr/-/picture.png'],
  ['/console/sites/demo/tills/order-4711', '/console/sites/demo/tills/-'],
])('the access log has no qrCodeUid: %s', async (path, logged) => {
  await nginx.client('127.0.0.3').ask(path, { headers: bearer })
  const entries = () => nginx.accessLog().map((line): Record<string, unknown> => JSON.parse(line))
  await expect.poll(() => entries().map(({ uri }) => uri)).toContain(logged)
  expect(nginx.accessLog().join()).not.toContain('order-4711')
})

it('no log has the qrCodeUid of a request that is redirected, limited, or not answered by the service', async () => {
  const path = `${QR_CODES}/order-4711`
  await fetch(`http://127.0.0.1:${nginx.http}${path}`, { redirect: 'manual' })
  await flood(nginx.client('127.0.0.2'), path, untilRefused)
  await served.stop()
  expect((await nginx.client('127.0.0.3').ask(path)).status).toBe(503)
  const statuses = () => nginx.accessLog().map((line): unknown => JSON.parse(line).status)
  await expect.poll(statuses).toEqual(expect.arrayContaining(['308', '429', '503']))
  expect(nginx.logs()).not.toContain('order-4711')
})

it('the access log has a line for each request, with its trace id and without what is private', async () => {
  const merchant = nginx.client('127.0.0.3')
  const { headers, text, status } = await merchant.ask(`${QR_CODES}?limit=1`, { headers: bearer })
  const entries = () => nginx.accessLog().map((line): Record<string, unknown> => JSON.parse(line))
  await expect.poll(() => entries().filter(({ uri }) => uri === QR_CODES)).toHaveLength(1)
  expect(entries().find(({ uri }) => uri === QR_CODES)).toEqual({
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/),
    client: '127.0.0.3',
    method: 'GET',
    uri: QR_CODES,
    status: `${status}`,
    bytes: Buffer.byteLength(text),
    seconds: expect.any(Number),
    upstreamSeconds: expect.stringMatching(/^\d+\.\d+$/),
    traceId: headers['x-trace-id'],
  })
  expect(headers['x-trace-id']).toMatch(/^[0-9a-f]{16}$/)
  expect(nginx.accessLog().join()).not.toMatch(/limit=1|Bearer/)
})

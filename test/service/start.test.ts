// npm start: what it opens, what it writes, and how it ends.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeAll, describe, expect, inject, it, vi } from 'vitest'
import * as z from 'zod'
import { reachableHost } from '../../bin/start/addresses.ts'
import { merchantReceiver } from '../support/merchant-receiver.ts'
import { type NpmStart, npmStarts, READY, workerdOf } from '../support/npm-start.ts'
import { SECRET } from '../support/secret.ts'
import { serviceSite } from '../support/service-site.ts'

const { directory, start } = npmStarts()
afterEach(() => {
  vi.unstubAllEnvs()
})

const LogLine = z.looseObject({ route: z.string().optional() })

const isAlive = (pid: number) =>
  /^[^Z]/.test(spawnSync('ps', ['-o', 'stat=', '-p', `${pid}`]).stdout.toString())
async function whileAlive(pid: number): Promise<void> {
  while (isAlive(pid)) await sleep(20)
}

const CONNECTOR_SECRET = `whsec_${Buffer.alloc(32, 9).toString('base64')}`
const SECRET_DIGITS = CONNECTOR_SECRET.slice('whsec_'.length)

describe('npm start with a connector, whose secret the environment has', () => {
  const { npmStart } = npmStarts('describe')
  let service: NpmStart
  const documentWritten = () => statSync('public/api.json').mtimeMs
  let documentBefore = 0
  beforeAll(async () => {
    documentBefore = documentWritten()
    vi.stubEnv('NETWORK_SECRET', CONNECTOR_SECRET)
    const network = ['--var', 'PAYMENT_NETWORK:external', '--var', 'NETWORK_URL:http://127.0.0.1:9/']
    service = await npmStart(...network)
    await service.writes(READY)
  })

  it('builds the Worker and serves it', async () => {
    const response = await fetch(`http://127.0.0.1:${service.port}/healthz`)
    expect([response.status, await response.text()]).toEqual([200, '{"status":"ok"}'])
  })

  it('writes the OpenAPI document of its sources before it serves it', async () => {
    expect(documentWritten()).toBeGreaterThan(documentBefore)
    expect((await fetch(`http://127.0.0.1:${service.port}/openapi.json`)).status).toBe(200)
  })

  it('has the secret in no output, npm’s own included', () => {
    expect(service.output()).toContain('node --disable-warning')
    expect(service.output()).not.toContain(SECRET_DIGITS)
  })
})

describe('a start without settings', () => {
  const shared = npmStarts('describe')
  let service: NpmStart
  let address: string
  /** An IP address has no passkeys. */
  let named: string
  beforeAll(async () => {
    // Without a connector it is not read.
    vi.stubEnv('NETWORK_SECRET', 'not a secret')
    vi.stubEnv('LINK_BASE_URL', 'https://elsewhere.example')
    service = await shared.start()
    address = `http://127.0.0.1:${service.port}`
    named = `http://localhost:${service.port}`
    await service.writes(READY)
  })

  it('says that the sandbox bank pays', () => {
    expect(service.output()).toContain('the sandbox bank pays it')
  })

  it('prints a link to the console at localhost, where there are passkeys, which signs in once', async () => {
    const [link = ''] = /http:\S+\/console\/sign-in\?link=\S+/.exec(service.output()) ?? []
    expect(link).toContain(`${named}/console/`)
    const body = new URLSearchParams({ link: new URL(link).searchParams.get('link') ?? '' })
    const headers = { Origin: named }
    const signIn = () =>
      fetch(`${named}/console/sign-in`, { method: 'POST', body, headers, redirect: 'manual' })
    const [cookie = ''] = (await signIn()).headers.getSetCookie()
    const page = await fetch(`${named}/console/sites/demo/keys`, {
      headers: { Cookie: cookie.replace(/;.*/, '') },
    })
    expect([page.status, (await signIn()).status]).toEqual([200, 401])
    expect(await page.text()).toContain('<bdi>npm start</bdi>')
  })

  it('has no setting of its environment', () => {
    expect(service.output()).toContain(`\n${named}/pay/demo/`)
    expect(service.output()).not.toContain('elsewhere.example')
  })

  it('has a runtime without endpoints of its own: the service answers every path, and headers do not change its address', async () => {
    for (const path of [
      '/cdn-cgi/explorer',
      '/cdn-cgi/explorer/api/local/workers',
      '/cdn-cgi/local/explorer',
      '/cdn-cgi/mf/scheduled',
      '/cdn-cgi/local/scheduled',
      '/cdn-cgi/handler/scheduled',
      '/cdn-cgi/handler/email?from=a@b.example&to=c@d.example',
      '/cdn-cgi/local/email?from=a@b.example&to=c@d.example',
      '/cdn-cgi/local/r2/s3',
      '/cdn-cgi/mf/stream',
      '/cdn-cgi/live-reload',
      '/__scheduled',
      '/__cf_local/stream',
      '/json',
    ]) {
      for (const method of ['GET', 'POST']) {
        const response = await fetch(address + path, { method, ...(method === 'POST' && { body: 'a' }) })
        expect([method, path, response.status, await response.text()]).toEqual([
          method,
          path,
          404,
          expect.stringContaining('"errorCode":"http.url.not.found"'),
        ])
      }
    }
    const proxy = await fetch(`${address}/cdn-cgi/local/platform-proxy`, {
      headers: { 'MF-Op': 'GET', 'MF-Op-Secret': '00'.repeat(16), 'MF-Op-Target': 'env' },
    })
    expect(proxy.status).toBeGreaterThanOrEqual(400)
    const override = await fetch(address, { headers: { 'MF-Route-Override': 'core:entry' } })
    expect(override.status).toBe(200)
    const created = await fetch(address, {
      method: 'POST',
      headers: { 'MF-Original-URL': 'http://elsewhere.example/', Origin: address },
      body: new URLSearchParams({ amount: '1' }),
      redirect: 'manual',
    })
    expect(created.headers.get('Location')).toContain(encodeURIComponent(`${named}/pay/demo/`))

    const workerd = workerdOf(shared.directory())
    const command = spawnSync('ps', ['-o', 'args=', '-p', `${workerd}`]).stdout.toString()
    expect(command.match(/-addr=\S+|--debug-port/g)).toEqual([`-addr=http=127.0.0.1:${service.port}`])
  })

  it('delivers notifications to this machine', async () => {
    const receiver = await merchantReceiver()
    const site = await serviceSite({ secret: SECRET, start: async () => service.port })
    await site.start()
    await site.notify(receiver)
    await site.pay('notified')
    await receiver.until(() => receiver.deliveries.length > 0)
    receiver.close()
    expect(receiver.deliveries.map(({ paymentId }) => paymentId)).toEqual(['payment-notified'])
  })

  it('serves the documentation and the other static files', async () => {
    // The site can be built while the service runs.
    const folder = join(inject('build'), 'public/docs/late')
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'page.html'), 'a page')
    const page = await fetch(`${address}/docs/late/page`)
    expect([page.status, await page.text()]).toEqual([200, 'a page'])
    expect(page.headers.get('Content-Type')).toBe('text/html; charset=utf-8')
    expect(page.headers.get('Content-Security-Policy')).toMatch(
      /script-src 'self' 'wasm-unsafe-eval'; style-src 'self';/,
    )
    const headers = { 'If-None-Match': page.headers.get('ETag') ?? '' }
    expect((await fetch(`${address}/docs/late/page`, { headers })).status).toBe(304)
    const slash = await fetch(`${address}/docs/late/page/`)
    expect([slash.url, slash.status]).toEqual([`${address}/docs/late/page`, 200])
    for (const path of ['/docs/late/other', '/docs/late', '/docs/..%2fstyle.css', '/docs/%2e%2e/page.js/x'])
      expect((await fetch(address + path)).status).toBe(404)
    expect((await fetch(`${address}/style.css`)).status).toBe(200)
  })

  it.each([
    ['while it is built', undefined, '2', 'The documentation is being built'],
    ['when its build has failed', 'failed.txt', null, 'The documentation could not be built'],
  ])('says of the documentation %s what there is to do', async (_, file, refresh, text) => {
    const build = join(shared.directory(), `build-${file}`)
    cpSync(inject('build'), build, { recursive: true })
    rmSync(join(build, 'public/docs'), { recursive: true, force: true })
    mkdirSync(join(build, 'public/docs'))
    if (file) writeFileSync(join(build, 'public/docs', file), '')
    const other = await shared.start('--build', build, '--persist-to', join(build, 'state'))
    await other.writes(READY)
    const answer = await fetch(`http://127.0.0.1:${other.port}/docs/`)
    expect([answer.status, answer.headers.get('Refresh')]).toEqual([503, refresh])
    const page = await answer.text()
    expect(page).toContain(text)
    expect(page).toContain('<a href="../">Start page</a>')
  })

  it('logs one line of JSON for a request, without its path', async () => {
    const [, token = ''] = /TOKEN=([\w.-]+)/.exec(service.output()) ?? []
    const url = `${address}/payin/v1/sites/demo/sbp/qrCodes/private-uid`
    for (let n = 0; n < 3; n++) await fetch(url, { headers: { Authorization: `Bearer ${token}` } })
    // Its line is the last one.
    await fetch(address, { method: 'DELETE' })
    const [, log = ''] = (await service.writes('"method":"DELETE"')).split(/&crc=\w+\n\n/)
    const lines = log.split('\n').slice(0, -1)
    const parsed = lines.map((line) => LogLine.parse(JSON.parse(line)))
    expect(parsed.filter(({ route }) => route?.endsWith('/qrCodes/:qrCodeUid'))).toMatchObject(
      Array.from({ length: 3 }, () => ({ method: 'GET', status: 404 })),
    )
    expect(service.output()).not.toContain('private-uid')
  })

  it('prints the address of the page last, and the token once, in requests that can be sent again', async () => {
    const text = service.output()
    const page = /^http\S+$/m.exec(text.slice(text.indexOf('/docs\n')))?.[0] ?? ''
    expect(new URL(page).pathname).toMatch(/^\/pay\/demo\//)
    expect((await fetch(page)).status).toBe(200)
    const [, after = ''] = text.split(`${page}\n`)
    expect(after.split('\n').filter((line) => line !== '' && !line.startsWith('{'))).toEqual([])
    expect(text.match(/(?<!link=)eyJ[\w-]+\.[\w-]+\.[\w-]+/g)).toHaveLength(1)

    const [token = ''] = /^TOKEN=.+$/m.exec(text) ?? []
    const commands = Array.from(text.matchAll(/^curl (?:.*\\\n)*.*$/gm), ([command]) => command)
    const [created, read] = commands.map((command) =>
      spawnSync('sh', ['-c', `${token}\n${command}`]).stdout.toString(),
    )
    expect(created).toContain('"qrCodeUid":"demo-')
    expect(read).toBe(created)
  })
})

it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
  '%s ends it with status 0, and workerd with it',
  async (signal) => {
    const service = await start()
    await service.writes(READY)
    const workerd = workerdOf(directory())
    expect(isAlive(workerd)).toBe(true)
    service.process.kill(signal)
    expect(await service.ended).toBe(0)
    await whileAlive(workerd)
  },
)

describe('with --ip 0.0.0.0', () => {
  it('it prints the address and a link that another machine can open', async () => {
    const service = await start('--ip', '0.0.0.0')
    const text = await service.writes(READY)
    const address = `http://${reachableHost('0.0.0.0', networkInterfaces())}:${service.port}`
    expect(text).toContain(`\n${address}\n`)
    const [link = ''] = text.match(/^http\S+\/pay\/\S+$/m) ?? []
    expect(link.startsWith(`${address.replace('127.0.0.1', 'localhost')}/pay/demo/`)).toBe(true)
    expect(text.includes('A phone cannot open it')).toBe(address.startsWith('http://127.0.0.1:'))
    expect((await fetch(link)).status).toBe(200)
    expect((await fetch(`http://127.0.0.1:${service.port}/healthz`)).status).toBe(200)
  })
})

it('with PAYMENT_NETWORK external there is no sandbox bank; where CURRENCIES lacks RUB, the QR code that it creates has the first of them', async () => {
  const service = await start('--var', 'PAYMENT_NETWORK:external', '--var', 'CURRENCIES:BYN,AMD')
  const text = await service.writes(READY)
  expect(text).not.toContain('the sandbox bank pays it')
  expect(text).toContain('A QR code for 1.00 BYN')
  expect(text).toContain('For a phone in the same network: npm start -- --ip 0.0.0.0')
})

it('with a connector whose secret is an option: the secret is in no output', async () => {
  const secret = ['--var', `NETWORK_SECRET:${CONNECTOR_SECRET}`]
  const missing = await start(...secret)
  expect(await missing.ended).toBe(1)
  expect(missing.output()).toContain('NETWORK_SECRET and NETWORK_URL must be set together')
  expect(missing.output()).not.toContain(SECRET_DIGITS)
  const service = await start(
    ...['--var', 'PAYMENT_NETWORK:external', '--var', 'NETWORK_URL:http://127.0.0.1:9/instructions?a=b:c'],
    ...secret,
  )
  expect(await service.writes(READY)).not.toContain(SECRET_DIGITS)
})

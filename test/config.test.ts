import { describe, expect, it } from 'vitest'
import { misconfigured } from '../src/api/misconfigured.ts'
import { readConfig } from '../src/config.ts'
import { errorOf } from './support/service.ts'

const TOKEN_SECRET = 'a secret that must never be shown, long enough'
const good = { TOKEN_SECRET }

const NETWORK_SECRET = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8='
const keyOf = (bytes: number) => `whsec_${Buffer.alloc(bytes).toString('base64')}`

describe('the settings', () => {
  it('have defaults for all but the secret', () => {
    expect(readConfig(good)).toEqual({
      ok: true,
      config: {
        anyCallbackHost: false,
        secrets: [TOKEN_SECRET],
        revokedKeys: new Set(),
        currencies: ['RUB'],
        homeCurrency: 'RUB',
        utcOffset: '+03:00',
        bankMemberId: '100000000000',
        publicUrl: undefined,
        passkeyHost: 'localhost',
        allowedHosts: undefined,
        adminHosts: new Set(),
        network: {
          network: 'external',
          connector: undefined,
          takesLinks: false,
          linkBaseUrl: undefined,
          linkTokenBaseUrl: undefined,
          isTest: false,
          isServed: true,
        },
        testNetwork: {
          network: 'sandbox',
          connector: undefined,
          takesLinks: false,
          linkBaseUrl: undefined,
          linkTokenBaseUrl: undefined,
          isTest: true,
          isServed: false,
        },
        hasSandbox: false,
        settlementDays: 7,
        siteRate: 500,
        banksUrl: undefined,
        tokenDays: 365,
        retentionDays: undefined,
        deletionDays: 7,
      },
    })
  })

  it('treat an empty var as unset, and drop the trailing slash of a base address', () => {
    const read = readConfig({
      ...good,
      PUBLIC_URL: '',
      ALLOWED_HOSTS: '',
      ADMIN_HOSTS: '',
      TOKEN_SECRET_PREVIOUS: '',
      REVOKED_KEYS: '',
      BANKS_URL: '',
      LINK_BASE_URL: 'https://qr.nspk.ru/',
    })
    expect(read).toMatchObject({
      ok: true,
      config: {
        publicUrl: undefined,
        allowedHosts: undefined,
        adminHosts: new Set(),
        banksUrl: undefined,
        secrets: [TOKEN_SECRET],
        network: { linkBaseUrl: 'https://qr.nspk.ru' },
      },
    })
  })

  it.each([24, 25, 26, 32, 63, 64])('accept a NETWORK_SECRET of %i bytes', (bytes) => {
    const connector = { url: 'https://connector.example/', secret: keyOf(bytes) }
    const vars = { NETWORK_URL: connector.url, NETWORK_SECRET: connector.secret }
    expect(readConfig({ ...good, ...vars })).toMatchObject({ ok: true, config: { network: { connector } } })
  })

  it.each([
    [{}, undefined, false],
    [{ TEST_SITES: 'off' }, undefined, false],
    [{ TEST_SITES: 'on' }, true, true],
    [{ PAYMENT_NETWORK: 'sandbox' }, undefined, true],
    [{ PAYMENT_NETWORK: 'sandbox', TEST_SITES: 'on' }, true, true],
  ])('%j: test sites are served: %s; some sites are of the sandbox: %s', (vars, served, hasSandbox) => {
    const read = readConfig({ ...good, ...vars })
    if (!read.ok) throw new Error(read.problems.join())
    const { testNetwork } = read.config
    expect([testNetwork?.isServed || undefined, read.config.hasSandbox]).toEqual([served, hasSandbox])
    // Only a deployment that is a sandbox as a whole has no reserved siteIds.
    expect(testNetwork === undefined).toBe(read.config.network.network === 'sandbox' && !served)
  })

  it('accept host names in any case, and drop their ports', () => {
    const read = readConfig({ ...good, ALLOWED_HOSTS: 'QR.example:8443,127.0.0.1,[0::1]' })
    expect(read).toMatchObject({ config: { allowedHosts: new Set(['qr.example', '127.0.0.1', '[::1]']) } })
  })

  it.each([
    [{}, 'localhost'],
    [{ PASSKEY_HOST: '' }, 'localhost'],
    [{ PASSKEY_HOST: 'localhost' }, 'localhost'],
    [{ PUBLIC_URL: 'https://QR.acquirer.example:8443/fps' }, 'qr.acquirer.example'],
    [
      { PUBLIC_URL: 'https://qr.acquirer.example', PASSKEY_HOST: 'qr.acquirer.example' },
      'qr.acquirer.example',
    ],
    [{ PUBLIC_URL: 'https://qr.acquirer.example', PASSKEY_HOST: 'Acquirer.example' }, 'acquirer.example'],
    [{ PUBLIC_URL: 'https://a.qr.acquirer.example', PASSKEY_HOST: 'acquirer.example' }, 'acquirer.example'],
    [{ PUBLIC_URL: 'https://qr', PASSKEY_HOST: 'qr' }, 'qr'],
    // Passkeys are off there, and the service starts.
    [{ PUBLIC_URL: 'http://127.0.0.1:8787' }, '127.0.0.1'],
    [{ PUBLIC_URL: 'https://[::1]', PASSKEY_HOST: '[::1]' }, '[::1]'],
    [{ PUBLIC_URL: 'http://qr.acquirer.example', PASSKEY_HOST: 'acquirer.example' }, 'acquirer.example'],
  ])('%j: passkeys are of the host %s', (vars, passkeyHost) =>
    expect(readConfig({ ...good, ...vars })).toMatchObject({ ok: true, config: { passkeyHost } }),
  )

  it.each([
    [{ TOKEN_SECRET: undefined }, 'TOKEN_SECRET is not set'],
    [{ TOKEN_SECRET: '' }, 'TOKEN_SECRET must have at least 32 characters'],
    [{ TOKEN_SECRET: 'short' }, 'TOKEN_SECRET must have at least 32 characters'],
    [{ TOKEN_SECRET_PREVIOUS: 'short' }, 'TOKEN_SECRET_PREVIOUS must have at least 32 characters'],
    [{ CALLBACK_HOSTS: 'all' }, 'CALLBACK_HOSTS must be public or any'],
    [{ CURRENCIES: 'rub' }, 'CURRENCIES must be three-letter codes'],
    [{ CURRENCIES: 'RUB, USD' }, 'CURRENCIES must be three-letter codes'],
    [{ UTC_OFFSET: 'Moscow' }, 'UTC_OFFSET must be an offset in quarters of an hour, such as +03:00'],
    [{ UTC_OFFSET: '-03:31' }, 'UTC_OFFSET must be an offset in quarters of an hour, such as +03:00'],
    [{ BANK_MEMBER_ID: '1' }, 'BANK_MEMBER_ID must be 12 digits'],
    [{ TOKEN_DAYS: '0' }, 'TOKEN_DAYS must be a whole number of days from 1 to 3650'],
    [{ TOKEN_DAYS: '3651' }, 'TOKEN_DAYS must be a whole number of days from 1 to 3650'],
    [{ TOKEN_DAYS: '1.5' }, 'TOKEN_DAYS must be a whole number of days from 1 to 3650'],
    [{ TOKEN_DAYS: 'x' }, 'TOKEN_DAYS must be a whole number of days from 1 to 3650'],
    [{ TOKEN_DAYS: 30 }, 'TOKEN_DAYS must be a string'],
    [{ RETENTION_DAYS: '29' }, 'RETENTION_DAYS must be a whole number of days from 30 to 3650'],
    [{ RETENTION_DAYS: '3651' }, 'RETENTION_DAYS must be a whole number of days from 30 to 3650'],
    [{ RETENTION_DAYS: 'x' }, 'RETENTION_DAYS must be a whole number of days from 30 to 3650'],
    [{ DELETION_DAYS: '-1' }, 'DELETION_DAYS must be a whole number of days from 0 to 3650'],
    [{ DELETION_DAYS: '3651' }, 'DELETION_DAYS must be a whole number of days from 0 to 3650'],
    [{ CURRENCIES: ['RUB'] }, 'CURRENCIES must be a string'],
    [{ SELF_HOSTED: 'false' }, 'SELF_HOSTED must be true'],
    [{ PUBLIC_URL: 'qr.example' }, 'PUBLIC_URL must be an http or https URL'],
    ...[
      'https://qr.example',
      'qr.example, localhost',
      'qr.example,',
      '::1',
      '*.example',
      'a'.repeat(254),
    ].flatMap((hosts): [object, string][] => [
      [{ ALLOWED_HOSTS: hosts }, 'ALLOWED_HOSTS must be host names'],
      [{ ADMIN_HOSTS: hosts }, 'ADMIN_HOSTS must be host names'],
    ]),
    ...[
      ['https://qr.acquirer.example', 'example'],
      ['https://qr.acquirer.example', 'qr.acquirer.example:443'],
      ['https://qr.acquirer.example', 'https://qr.acquirer.example'],
      ['https://qr.acquirer.example', '.acquirer.example'],
      ['https://qr.acquirer.example', '*.acquirer.example'],
      ['https://qr.acquirer.example', 'acquirer.example.'],
      ['https://qr.acquirer.example', '.'],
      ['qr.acquirer.example', 'acquirer.example'],
      ['https://qr.acquirer.example.', 'example.'],
      ['https://qr.acquirer.example', 'a.qr.acquirer.example'],
      ['https://qr.acquirer.example', 'r.acquirer.example'],
      ['https://qr.acquirer.example', 'acquirer.other'],
      ['https://qr.acquirer.example', 'localhost'],
      ['https://10.0.0.7', '0.0.7'],
      ['https://10.0.0.7', '10.0.0.8'],
      ['https://10.0.0.7', 'acquirer.example'],
      ['', 'acquirer.example'],
      ['', '127.0.0.1'],
    ].map(([url, host]): [object, string] => [
      { PUBLIC_URL: url, PASSKEY_HOST: host },
      'PASSKEY_HOST must be the host of PUBLIC_URL, or a domain above it with a dot',
    ]),
    ...[',', 'a,', 'a,,b'].map((keys): [object, string] => [
      { REVOKED_KEYS: keys },
      'REVOKED_KEYS must be ids of keys',
    ]),
    [{ NETWORK_URL: 'http://connector.internal/' }, 'NETWORK_SECRET and NETWORK_URL must be set together'],
    [{ LINKS: 'bank' }, 'LINKS must be own or connector'],
    [{ LINKS: 'connector' }, 'LINKS is connector, which needs PAYMENT_NETWORK=external and NETWORK_URL'],
    [
      { LINKS: 'connector', PAYMENT_NETWORK: 'sandbox', NETWORK_URL: 'https://connector/', NETWORK_SECRET },
      'LINKS is connector, which needs PAYMENT_NETWORK=external and NETWORK_URL',
    ],
    [{ NETWORK_SECRET }, 'NETWORK_SECRET and NETWORK_URL must be set together'],
    ...['ftp://connector/', 'connector', 'https://user@connector/', 'https://connector/#a'].map(
      (NETWORK_URL): [object, string] => [{ NETWORK_URL, NETWORK_SECRET }, 'NETWORK_URL must'],
    ),
    ...[
      'whsec_short',
      NETWORK_SECRET.replace('whsec_', ''),
      `${NETWORK_SECRET}!`,
      keyOf(23),
      keyOf(65),
      // Not valid base64: one character too many, or padding that is missing or wrong.
      `${keyOf(24)}A`,
      keyOf(32).replace('=', ''),
      keyOf(25).replace('==', '='),
      `${keyOf(24)}=`,
    ].map((secret): [object, string] => [
      { NETWORK_URL: 'https://connector.example/', NETWORK_SECRET: secret },
      'NETWORK_SECRET must be whsec_ and 24 to 64 bytes in base64 with its padding',
    ]),
    [{ LINK_BASE_URL: 'https://qr.example/?a=1' }, 'LINK_BASE_URL must have no query'],
    ...[
      'banks.json',
      'ftp://list.example/',
      'https://',
      '/a b',
      `https://list.example/${'a'.repeat(500)}`,
    ].map((url): [object, string] => [{ BANKS_URL: url }, 'BANKS_URL must']),
    [{ PAYMENT_NETWORK: 'test' }, 'PAYMENT_NETWORK must be external or sandbox'],
    ...['0', '1.5', '-1', '1000001', '5e2', ''].map((rate): [object, string] => [
      { SITE_RATE: rate },
      'SITE_RATE must be a whole number from 1 to 1000000',
    ]),
    ...['2', '61', '7.5', '-7', ''].map((count): [object, string] => [
      { SETTLEMENT_DAYS: count },
      'SETTLEMENT_DAYS must be a whole number of days from 3 to 60',
    ]),
    [{ TEST_SITES: 'yes' }, 'TEST_SITES must be on or off'],
    [{ LINK_BASE_URL: 'https://qr.пример.рф' }, 'LINK_BASE_URL must be of ASCII characters'],
    [{ LINK_BASE_URL: 'https://qr.example/a b' }, 'LINK_BASE_URL must be of ASCII characters'],
    [{ LINK_BASE_URL: 'https://qr.example\\b' }, 'LINK_BASE_URL must have no query'],
    [{ LINK_TOKEN_BASE_URL: 'ftp://qr.example' }, 'LINK_TOKEN_BASE_URL must be an http or https URL'],
  ])('that are invalid (%j) are named, and no value is shown', (wrong, problem) => {
    const read = readConfig({ ...good, ...wrong })
    const problems = read.ok ? '' : read.problems.join('; ')
    expect(problems).toContain(problem)
    expect(problems).not.toContain(TOKEN_SECRET)
    expect(problems).not.toMatch(/short|AAECAwQ/)
  })
})

it('a deployment with invalid settings refuses every request, and names them', async () => {
  const lines: string[] = []
  const app = misconfigured(
    { now: Date.now, random: (bytes) => new Uint8Array(bytes), log: (line) => lines.push(line) },
    ['TOKEN_SECRET is not set'],
  )
  for (const path of ['/healthz', '/payin/v1/sites/demo/sbp/qrCodes', '/']) {
    const response = await app.request(path, { method: path === '/' ? 'GET' : 'POST' })
    expect(response.status).toBe(503)
    expect((await errorOf(response)).description).toBe(
      'the deployment is not configured: TOKEN_SECRET is not set',
    )
  }
  expect(lines).toHaveLength(3)
})

it.each(['/', '/pay/demo/x?type=02', '/docs'])(
  'a deployment with invalid settings shows a person who opens %s a page, without the settings',
  async (path) => {
    const app = misconfigured({ now: Date.now, random: (bytes) => new Uint8Array(bytes), log: () => {} }, [
      'TOKEN_SECRET is not set',
    ])
    const response = await app.request(path, { headers: { Accept: 'text/html', 'Accept-Language': 'en' } })
    expect([response.status, response.headers.get('Content-Type')]).toEqual([503, 'text/html; charset=utf-8'])
    const page = await response.text()
    expect(page).toContain('The service is temporarily unavailable')
    expect(page).not.toContain('TOKEN_SECRET')
  },
)

describe('the settings of a self-hosted service', () => {
  const selfHosted = { ...good, SELF_HOSTED: 'true', PUBLIC_URL: 'https://QR.acquirer.example:8443/fps' }

  it('accept the host of PUBLIC_URL and this machine, or those of ALLOWED_HOSTS', () => {
    expect(readConfig(selfHosted)).toMatchObject({
      config: { allowedHosts: new Set(['qr.acquirer.example', 'localhost', '127.0.0.1', '[::1]']) },
    })
    expect(readConfig({ ...selfHosted, ALLOWED_HOSTS: 'other.example' })).toMatchObject({
      config: { allowedHosts: new Set(['other.example']) },
    })
  })

  it('accept no foreign host on the admin socket, or those of ADMIN_HOSTS', () => {
    expect(readConfig(selfHosted)).toMatchObject({ config: { adminHosts: new Set() } })
    expect(readConfig({ ...selfHosted, ADMIN_HOSTS: 'FPS-QR:9090,10.0.0.7' })).toMatchObject({
      config: { adminHosts: new Set(['fps-qr', '10.0.0.7']) },
    })
  })

  it('must have PUBLIC_URL; all that is wrong is named', () => {
    expect(readConfig({ SELF_HOSTED: 'true', PUBLIC_URL: '', UTC_OFFSET: 'x' })).toEqual({
      ok: false,
      problems: [
        'TOKEN_SECRET is not set: make one with `openssl rand -base64 48`',
        'UTC_OFFSET must be an offset in quarters of an hour, such as +03:00',
        'PUBLIC_URL is not set, must be the address that clients use',
      ],
    })
  })

  it('that the environment lacks are null, which is unset', () => {
    expect(readConfig({ ...good, CURRENCIES: null, PUBLIC_URL: null, PAYMENT_NETWORK: null })).toEqual(
      readConfig(good),
    )
  })
})

// The configuration: every fault is named, all of them at once, and never a secret.
import { describe, expect, it } from 'vitest'
import { BANKS } from '../../connector/banks/banks.ts'
import { ConfigFaults, readConfig } from '../../connector/config/config.ts'
import { FakeTochka } from '../support/banks/tochka.ts'
import { FakeTochkaPay } from '../support/banks/tochka-pay.ts'
import { tokenOf } from '../support/network-service.ts'
import { configuration } from './harness.ts'

const URLS = {
  service: 'http://127.0.0.1:8787',
  tochka: 'http://127.0.0.1:1',
  tbank: 'http://127.0.0.1:2',
  raiffeisen: 'http://127.0.0.1:3',
  tochkaPay: 'http://127.0.0.1:4',
}
const { config: GOOD, env: ENV } = configuration(URLS, new FakeTochka(), new FakeTochkaPay())

const REGISTER = {
  ...{ kind: 'atol', login: { env: 'RAIF_KEY' }, password: { env: 'RAIF_KEY' }, group: 'shop-1' },
  ...{ inn: '7707083893', email: 'shop@shop.example', place: 'https://shop.example' },
}

type Json = { [name: string]: unknown }
/** The good configuration with one value changed; undefined removes it. */
function changed(path: string, value: unknown): Json {
  const copy: Json = { ...structuredClone(GOOD), cashRegisters: { 'atol-main': { ...REGISTER } } }
  const names = path.split('/')
  const last = names.pop() ?? ''
  let at: Json = copy
  for (const name of names) at = at[name] as Json
  at[last] = value
  return copy
}

const read = (config: unknown, env: Record<string, string | undefined> = ENV) =>
  readConfig(typeof config === 'string' ? config : JSON.stringify(config), BANKS, {
    env,
    now: Date.now,
    readFile: (path) => {
      if (path === '/run/secrets/jwt') return 'from-a-file\n'
      if (path === '/run/secrets/empty') return '\n'
      throw new Error('ENOENT')
    },
  })

function faultsOf(config: unknown, env?: Record<string, string | undefined>): readonly string[] {
  try {
    read(config, env)
    return []
  } catch (error) {
    if (error instanceof ConfigFaults) return error.faults
    throw error
  }
}

describe('a good configuration', () => {
  it('is read, with its secrets from the environment or from a file', () => {
    const config = read(changed('banks/tochka-main/jwt', { file: '/run/secrets/jwt' }))
    expect(config.service).toBe('http://127.0.0.1:8787')
    expect(config.banks.map(({ name, baseUrl }) => [name, baseUrl])).toEqual([
      ['tochka-main', 'http://127.0.0.1:1/uapi'],
      ['tbank-cafe', 'http://127.0.0.1:2'],
      ['raif-farm', 'http://127.0.0.1:3/api'],
      ['pay-club', 'http://127.0.0.1:4/uapi'],
    ])
    expect(config.sites.map(({ siteId, bank, name }) => [siteId, bank, name])).toEqual([
      ['tea', 'tochka-main', 'tea'],
      ['cafe', 'tbank-cafe', 'cafe'],
      ['farm', 'raif-farm', 'farm'],
      ['club', 'pay-club', 'club'],
    ])
  })

  it('has the banks’ production addresses by default', () => {
    const copy = structuredClone(GOOD)
    for (const bank of Object.values(copy.banks)) Reflect.deleteProperty(bank, 'baseUrl')
    expect(read(copy).banks.map(({ baseUrl }) => baseUrl)).toEqual([
      'https://enter.tochka.com/uapi',
      'https://securepay.tinkoff.ru',
      'https://e-commerce.raiffeisen.ru/api',
      'https://enter.tochka.com/uapi',
    ])
  })

  it('takes two network secrets while one replaces the other', () => {
    const secret = ENV.NETWORK_SECRET
    expect(read(GOOD, { ...ENV, NETWORK_SECRET: `${secret}, ${secret}` }).networkSecrets).toEqual([
      secret,
      secret,
    ])
  })

  it('can have no site: that of a connector before its first merchant, and after its last one', () => {
    expect(read({ ...GOOD, sites: {} })).toMatchObject({ sites: [], banks: [{}, {}, {}, {}] })
    expect(read({ ...GOOD, sites: {}, banks: {} })).toMatchObject({ sites: [], banks: [] })
  })

  it('has the cash register of a site, at its production address by default', () => {
    const { cashRegisters, sites } = read(changed('sites/tea/cashRegister', 'atol-main'))
    expect(cashRegisters.map(({ name, kind, baseUrl }) => [name, kind, baseUrl])).toEqual([
      ['atol-main', 'atol', 'https://online.atol.ru/possystem/v5'],
    ])
    expect(sites.map(({ cashRegister }) => cashRegister)).toEqual([
      ...['atol-main', undefined, undefined, undefined],
    ])
  })

  it('lets several sites share one set of credentials', () => {
    const second = { ...GOOD.sites.cafe, token: { env: 'TEA_TOKEN' } }
    const { tea: _, ...sites } = GOOD.sites
    expect(read({ ...GOOD, sites: { ...sites, tea: second } }).sites.map(({ bank }) => bank)).toEqual([
      ...['tbank-cafe', 'raif-farm', 'pay-club', 'tbank-cafe'],
    ])
  })
})

const SECRET_RULE =
  'must be {"env": "NAME"} or {"file": "PATH"}: a secret does not belong into the configuration'

it.each<[string, unknown, RegExp]>([
  ['service', undefined, /^service: must be a URL$/],
  ['service', 'https://example.com/path', /^service: must be the origin/],
  ['publicUrl', 'http://pay.example', /^publicUrl: must be an https URL/],
  ['publicUrl', 'https://user:pw@pay.example', /^publicUrl: must be an https URL/],
  ['networkSecret', 'whsec_abc', /^networkSecret: must be \{"env"/],
  ['networkSecret', { env: 'TEA_TOKEN' }, /^networkSecret\.0: must be whsec_ and base64$/],
  ['networkSecret', { env: 'NOT_SET' }, /^networkSecret: NOT_SET is not set in the environment$/],
  ['networkSecret', { file: '/missing' }, /^networkSecret: the file cannot be read: ENOENT$/],
  ['networkSecret', { file: '/run/secrets/empty' }, /^networkSecret: the file is empty$/],
  ['networkSecret', { env: 'A', file: 'B' }, /^networkSecret: must be \{"env"/],
  ['extra', 1, /^the configuration: extra is unknown$/],
  [
    'banks/tochka-main/bank',
    'sber',
    /^banks\.tochka-main\.bank: must be one of tochka, tbank, raiffeisen, tochka-pay$/,
  ],
  ['banks/tochka-main/customerCode', '12', /^banks\.tochka-main\.customerCode: must be 9 digits$/],
  [
    'banks/tochka-main/baseUrl',
    'http://enter.tochka.com',
    /^banks\.tochka-main\.baseUrl: must be an https URL/,
  ],
  ['banks/tochka-main/password', { env: 'X' }, /^banks\.tochka-main: password is unknown$/],
  ['banks/tbank-cafe/password', 'usaf8fw8fsw21g', /^banks\.tbank-cafe\.password: must be \{"env"/],
  ['banks/tbank-cafe/terminalKey', '', /^banks\.tbank-cafe\.terminalKey: /],
  ['banks/raif-farm/sbpMerchantId', 'MA1', /^banks\.raif-farm\.sbpMerchantId: must be 12 characters, MA…$/],
  ['banks/Tochka', { bank: 'tochka' }, /^banks\.Tochka: must be 1 to 40 of a-z 0-9 -$/],
  ['cashRegisters/atol-main/kind', 'other', /^cashRegisters\.atol-main\.kind: must be one of atol/],
  ['cashRegisters/atol-main/inn', '123', /^cashRegisters\.atol-main\.inn: must be 10 or 12 digits$/],
  ['cashRegisters/atol-main/group', 'a/b', /^cashRegisters\.atol-main\.group: must be the code of the group/],
  ['cashRegisters/atol-main/email', 'shop', /^cashRegisters\.atol-main\.email: must be an e-mail$/],
  ['cashRegisters/atol-main/password', 'plain', /^cashRegisters\.atol-main\.password: must be \{"env"/],
  ['cashRegisters/atol-main/token', 'x', /^cashRegisters\.atol-main: token is unknown$/],
  ['cashRegisters/Atol', { ...REGISTER }, /^cashRegisters\.Atol: must be 1 to 40 of a-z 0-9 -$/],
  ['sites/tea/cashRegister', 'none', /^sites\.tea\.cashRegister: none is not one of cashRegisters$/],
  ['sites/tea/bank', 'tochka-2', /^sites\.tea\.bank: tochka-2 is not one of banks$/],
  ['sites/tea/accountId', '407', /^sites\.tea\.accountId: must be the account, a slash and the BIC/],
  ['sites/tea/merchantId', undefined, /^sites\.tea\.merchantId: /],
  ['sites/cafe/merchantId', 'MF1', /^sites\.cafe: merchantId is unknown$/],
  [
    'sites/tea/token',
    { env: 'CAFE_TOKEN' },
    /^sites\.tea\.token: is an access token of cafe, must be of tea$/,
  ],
  ['sites/tea/token', { env: 'MERCHANT' }, /^sites\.tea\.token: must have the scope network$/],
  ['sites/tea/token', { env: 'RAIF_KEY' }, /^sites\.tea\.token: must be an access token/],
])('%s as %j is a fault', (path, value, expected) => {
  const faults = faultsOf(changed(path, value), { ...ENV, MERCHANT: tokenOf('tea', 'merchant') })
  expect(
    faults.some((fault) => expected.test(fault)),
    faults.join('\n'),
  ).toBe(true)
})

it('names all faults at once, each with its path', () => {
  const { service: _, ...config } = changed('banks/tochka-main/customerCode', 'x')
  const faults = faultsOf(
    { ...config, sites: { tea: { bank: 'none' } } },
    { ...ENV, TBANK_PASSWORD: undefined },
  )
  expect(faults).toEqual([
    'service: must be a URL',
    'banks.tochka-main.customerCode: must be 9 digits',
    'banks.tbank-cafe.password: TBANK_PASSWORD is not set in the environment',
    `sites.tea.token: ${SECRET_RULE}`,
  ])
})

it.each(['TOCHKA_JWT', 'RAIF_KEY', 'PAY_JWT'])(
  '%s with a line break inside is a fault, and is not shown: the error of the runtime would show it',
  (name) => {
    const faults = faultsOf(GOOD, { ...ENV, [name]: 'the-first-line\nthe-second' })
    expect(faults).toEqual([expect.stringMatching(/: must be a token without spaces and line breaks/)])
    expect(faults.join()).not.toContain('the-')
  },
)

it('an environment in which no certificate is verified is a fault', () => {
  expect(faultsOf(GOOD, { ...ENV, NODE_TLS_REJECT_UNAUTHORIZED: '1' })).toEqual([])
  expect(faultsOf(GOOD, { ...ENV, NODE_TLS_REJECT_UNAUTHORIZED: '0' })).toEqual([
    expect.stringMatching(/^NODE_TLS_REJECT_UNAUTHORIZED is 0 in the environment, must not be set/),
  ])
})

it.each(['', '{', '[]', 'null', '1'])('%j is refused, and not by a defect', (text) => {
  expect(faultsOf(text).length).toBeGreaterThan(0)
})

it.each(['banks', 'cashRegisters', 'sites'])(
  '%s with the name __proto__, which an object does not keep, are refused',
  (part) => {
    const text = JSON.stringify({ cashRegisters: {}, ...GOOD })
      .replace(`"${part}":{`, '$&"__proto__":{},')
      .replace('},}', '}}')
    expect(faultsOf(text)).toEqual([`${part}.__proto__: must be another name`])
  },
)

it('never shows a secret', () => {
  const config = changed('banks/tbank-cafe/password', 'usaf8fw8fsw21g')
  Object.assign(config, { networkSecret: ENV.NETWORK_SECRET })
  const text = faultsOf(config, { ...ENV, TEA_TOKEN: 'a.b.c' }).join('\n')
  for (const secret of ['usaf8fw8fsw21g', ENV.NETWORK_SECRET, 'a.b.c']) expect(text).not.toContain(secret)
})

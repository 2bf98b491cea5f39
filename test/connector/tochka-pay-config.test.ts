// The configuration of Tochka Pay Gateway: each fault of a key, an id or a field is named by its rule, and never a secret.
import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { BANKS } from '../../connector/banks/banks.ts'
import { ConfigFaults, readConfig } from '../../connector/config/config.ts'
import { SOURCES } from '../../connector/config/fields.ts'
import { FakeTochka } from '../support/banks/tochka.ts'
import { FakeTochkaPay } from '../support/banks/tochka-pay.ts'
import { configuration } from './harness.ts'

const PAY = new FakeTochkaPay()
const URLS = { service: 'http://127.0.0.1:8787', tochka: 'http://127.0.0.1:1', tbank: 'http://127.0.0.1:2' }
const { config: GOOD, env: ENV } = configuration(
  { ...URLS, raiffeisen: 'http://127.0.0.1:3', tochkaPay: 'http://127.0.0.1:4' },
  new FakeTochka(),
  PAY,
)

/** The faults of the configuration with these fields of the credentials, of the site, and these secrets. */
function faultsOf({ bank = {}, site = {}, env = {} }: { bank?: object; site?: object; env?: object }) {
  const config = structuredClone(GOOD)
  Object.assign(config.banks['pay-club'], bank)
  Object.assign(config.sites.club, site)
  try {
    readConfig(JSON.stringify(config), BANKS, { ...SOURCES, env: { ...ENV, ...env } })
    return []
  } catch (error) {
    if (error instanceof ConfigFaults) return error.faults
    throw error
  }
}

const rsa = (modulusLength: number, type: 'pkcs1' | 'pkcs8' = 'pkcs8') =>
  String(generateKeyPairSync('rsa', { modulusLength }).privateKey.export({ type, format: 'pem' }))
const ENCRYPTED = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
}).privateKey
const EC = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const PSS = String(
  generateKeyPairSync('rsa-pss', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' }),
)
const PUBLIC_PEM = String(
  generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ type: 'spki', format: 'pem' }),
)

const PRIVATE_KEY =
  'banks.pay-club.privateKey: must be an RSA key of 2048 bits as PEM of PKCS#8 (-----BEGIN PRIVATE KEY-----)'
const WEBHOOK_KEY =
  'banks.pay-club.webhookKey: must be the bank’s public key as a JWK: kty RSA, n of at least 2048 bits, and e'
const SITE_UID = 'banks.pay-club.siteUid: must be 1 to 64 of 0-9 A-Z a-z - _'
const QRC_ID = 'must be 32 of 0-9 A-Z a-z -, as the bank has reserved it'
const ID = 'AS10000000000000000000000000000A'

it('a good one has no fault, also with both fields of a site and for tests', () => {
  expect(faultsOf({})).toEqual([])
  const site = { digitalRouble: true, cashRegisterQrcIds: [ID, `TEST-${ID.slice(5)}`] }
  expect(faultsOf({ bank: { test: true }, site })).toEqual([])
})

describe('the private key', () => {
  it.each([
    ['of 1024 bits', rsa(1024)],
    ['of 4096 bits', rsa(4096)],
    ['as PKCS#1', rsa(2048, 'pkcs1')],
    ['that is encrypted', ENCRYPTED],
    ['of an elliptic curve', String(EC.privateKey.export({ type: 'pkcs8', format: 'pem' }))],
    ['of RSA-PSS alone', PSS],
    ['that is public', PUBLIC_PEM],
    ['with another one behind it', `${PAY.privateKey}${PAY.privateKey}`],
    ['whose text is cut', PAY.privateKey.replace(/\n[^\n]+\n-----END/, '\n-----END')],
    ['that is no PEM', 'key'],
  ])('%s is refused, and not shown', (_, PAY_KEY) => {
    expect(faultsOf({ env: { PAY_KEY } })).toEqual([PRIVATE_KEY])
  })

  it('can have the line ends of Windows', () => {
    expect(faultsOf({ env: { PAY_KEY: PAY.privateKey.replaceAll('\n', '\r\n') } })).toEqual([])
  })
})

describe('the key of webhooks', () => {
  const { n, ...withoutN } = PAY.webhookKey
  const small = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({ format: 'jwk' })
  it.each<[string, unknown]>([
    ['without n', withoutN],
    ['without e', { kty: 'RSA', n }],
    ['with an n that is no base64url', { ...PAY.webhookKey, n: `${n}==` }],
    ['with an empty n', { ...PAY.webhookKey, n: '' }],
    ['of 1024 bits', small],
    ['of an elliptic curve', EC.publicKey.export({ format: 'jwk' })],
    ['of a secret', { kty: 'oct', k: 'c2VjcmV0' }],
    ['in a list', { keys: [PAY.webhookKey] }],
    ['that is null', null],
  ])('%s is refused', (_, key) => {
    expect(faultsOf({ env: { PAY_WEBHOOK_KEY: JSON.stringify(key) } })).toEqual([WEBHOOK_KEY])
  })

  it('that is no JSON is refused', () => {
    expect(faultsOf({ env: { PAY_WEBHOOK_KEY: PUBLIC_PEM } })).toEqual([WEBHOOK_KEY])
  })
})

describe('a field', () => {
  it.each<[string, object, readonly string[]]>([
    ['siteUid with a slash', { bank: { siteUid: 'a/b' } }, [SITE_UID]],
    ['siteUid that leaves the path', { bank: { siteUid: '..' } }, [SITE_UID]],
    ['an empty siteUid', { bank: { siteUid: '' } }, [SITE_UID]],
    ['siteUid of 65 characters', { bank: { siteUid: 'a'.repeat(65) } }, [SITE_UID]],
    ['test that is no boolean', { bank: { test: 'yes' } }, ['banks.pay-club.test: must be true or false']],
    ['a field that is unknown', { bank: { clientId: 'x' } }, ['banks.pay-club: clientId is unknown']],
    [
      'a secret in the file',
      { bank: { jwt: 'x' } },
      [
        'banks.pay-club.jwt: must be {"env": "NAME"} or {"file": "PATH"}: a secret does not belong into the configuration',
      ],
    ],
    [
      'digitalRouble that is no boolean',
      { site: { digitalRouble: 1 } },
      ['sites.club.digitalRouble: must be true or false'],
    ],
    [
      'a reserved id of 31 characters',
      { site: { cashRegisterQrcIds: [ID, ID.slice(1)] } },
      [`sites.club.cashRegisterQrcIds.1: ${QRC_ID}`],
    ],
    [
      'a reserved id with a slash',
      { site: { cashRegisterQrcIds: [`${ID.slice(1)}/`] } },
      [`sites.club.cashRegisterQrcIds.0: ${QRC_ID}`],
    ],
    [
      'a reserved id twice',
      { site: { cashRegisterQrcIds: [ID, ID] } },
      ['sites.club.cashRegisterQrcIds: must have each id once'],
    ],
    [
      'merchantId, which another bank has',
      { site: { merchantId: 'MF0000000001' } },
      ['sites.club: merchantId is unknown'],
    ],
  ])('%s is named', (_, changes, faults) => {
    expect(faultsOf(changes)).toEqual(faults)
  })
})

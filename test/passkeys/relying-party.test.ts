import { expect, it } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { relyingParty } from '../../src/passkeys/relying-party.ts'

const TOKEN_SECRET = 'a secret for the relying party, of 32 characters'

/** @param requested the origin of the request */
function partyOf(vars: object, requested = 'http://127.0.0.1:8080') {
  const read = readConfig({ TOKEN_SECRET, ...vars })
  if (!read.ok) throw new Error(read.problems.join())
  return relyingParty(read.config, requested)
}

it.each([
  ['https://qr.acquirer.example', undefined, 'qr.acquirer.example', 'https://qr.acquirer.example'],
  [
    'https://QR.acquirer.example:8443/fps',
    undefined,
    'qr.acquirer.example',
    'https://qr.acquirer.example:8443',
  ],
  ['https://qr.acquirer.example/', 'acquirer.example', 'acquirer.example', 'https://qr.acquirer.example'],
  ['https://qr', undefined, 'qr', 'https://qr'],
  ['http://localhost:8787', undefined, 'localhost', 'http://localhost:8787'],
  ['https://localhost:8787', undefined, 'localhost', 'https://localhost:8787'],
])('with PUBLIC_URL=%s and PASSKEY_HOST=%s passkeys are of %s, on pages of %s', (url, host, id, origin) =>
  expect(partyOf({ PUBLIC_URL: url, PASSKEY_HOST: host })).toEqual({ id, origin }),
)

it.each([
  'http://qr.acquirer.example',
  'http://a.localhost',
  'http://127.0.0.1:8787',
  'https://10.0.0.7',
  'https://[::1]:8443',
  'https://0x7f.1',
])('with PUBLIC_URL=%s passkeys are off', (url) =>
  expect(partyOf({ PUBLIC_URL: url }, 'http://localhost:8787')).toBeUndefined(),
)

it.each([
  ['http://localhost:8787', { id: 'localhost', origin: 'http://localhost:8787' }],
  ['https://localhost', { id: 'localhost', origin: 'https://localhost' }],
  ['http://127.0.0.1:8787', undefined],
  ['http://a.localhost', undefined],
  ['https://a.localhost', undefined],
  ['https://qr.acquirer.example', undefined],
])('without PUBLIC_URL a request to %s has %j', (requested, party) =>
  expect(partyOf({}, requested)).toEqual(party),
)

import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { passkeys } from '../../src/console/passkeys.ts'
import CHROMIUM from '../fixtures/chromium-passkeys.json'
import {
  type AlgorithmName,
  base64url,
  bytesOf,
  type CborValue,
  cbor,
  coseKey,
  FLAGS,
  joined,
  type Spoiled,
  softAuthenticator,
} from '../support/authenticator.ts'

const { claimedPasskey, creationOptions, requestOptions, verifyAssertion, verifyRegistration } =
  await passkeys()

const NOW = 1_800_000_000
const SECRET = 'a secret that signs challenges, of 32 characters'
const relyingParty = { id: 'acquirer.example', origin: 'https://qr.acquirer.example' }
const { origin } = relyingParty
const HANDLE = base64url(new Uint8Array(16).fill(7))
const ID = new Uint8Array(16).fill(5)

const USE = { purpose: 'join', bound: 'invitation 1', now: NOW } as const
const asked = { secret: SECRET, id: ID, ...USE }
const expected = { secrets: [SECRET], ...USE }
const USED = { id: '05'.repeat(16), exp: NOW + 300 }

const creation = await creationOptions({
  relyingParty,
  challenge: asked,
  shop: 'Café',
  person: { handle: HANDLE, name: 'Anna' },
})
const request = await requestOptions({ relyingParty, challenge: asked })
const register = (response: unknown, challenge = expected) =>
  verifyRegistration({ relyingParty, challenge, response })

/** An authenticator with a passkey of the relying party, as it is stored. */
async function registered(algorithm: AlgorithmName = 'ES256', counts = false) {
  const authenticator = await softAuthenticator({ algorithm, counts })
  const verified = await register(await authenticator.create(creation, relyingParty.origin))
  if (!verified.ok) throw new Error(verified.refusal)
  return { authenticator, passkey: { ...verified.value, handle: HANDLE } }
}
const { authenticator, passkey } = await registered()
/** A valid key of Ed25519. */
const ed25519 = bytesOf((await registered('EdDSA')).passkey.publicKey).slice(-32)
const assert = (response: unknown, challenge = expected, of = passkey) =>
  verifyAssertion({ relyingParty, challenge, response, passkey: of })

describe('the options', () => {
  it('of a new passkey ask for one that signs in by itself, by a person who is verified', async () => {
    const options = await creationOptions({
      relyingParty,
      challenge: asked,
      shop: 'Café',
      person: { handle: HANDLE, name: 'Anna' },
      passkeys: ['AQID'],
    })
    expect(options).toEqual({
      rp: { id: 'acquirer.example', name: 'Café' },
      user: { id: HANDLE, name: 'Anna', displayName: 'Anna' },
      challenge: creation.challenge,
      pubKeyCredParams: [
        { type: 'public-key', alg: -7 },
        { type: 'public-key', alg: -257 },
        { type: 'public-key', alg: -8 },
      ],
      timeout: 300_000,
      excludeCredentials: [{ type: 'public-key', id: 'AQID' }],
      authenticatorSelection: {
        residentKey: 'required',
        requireResidentKey: true,
        userVerification: 'required',
      },
      attestation: 'none',
    })
  })

  it('of a use name the passkeys that count, or none', async () => {
    expect(await requestOptions({ relyingParty, challenge: asked, passkeys: ['AQID'] })).toEqual({
      rpId: 'acquirer.example',
      challenge: creation.challenge,
      timeout: 300_000,
      allowCredentials: [{ type: 'public-key', id: 'AQID' }],
      userVerification: 'required',
    })
    expect(request.allowCredentials).toEqual([])
  })

  it('have a challenge that does not show what it is bound to', () =>
    expect(Buffer.from(creation.challenge, 'base64url').toString('latin1')).not.toMatch(/join|invitation/))
})

describe.each(['ES256', 'RS256', 'EdDSA'] as const)('a passkey of %s', (algorithm) => {
  it('is registered, and signs in', async () => {
    const own = await softAuthenticator({ algorithm })
    expect(await register(await own.create(creation, relyingParty.origin))).toEqual({
      ok: true,
      value: { id: own.id, publicKey: own.publicKey, counter: 0, challenge: USED },
    })
    const response = await own.get(request, relyingParty.origin)
    expect(claimedPasskey(response)).toEqual({ id: own.id, handle: HANDLE })
    const stored = { id: own.id, publicKey: own.publicKey, counter: 0, handle: HANDLE, challenge: USED }
    expect(await assert(response, expected, stored)).toEqual({
      ok: true,
      value: { counter: 0, challenge: USED },
    })
  })

  it('is registered with the attestation of its own key, and of no other', async () => {
    const own = await softAuthenticator({ algorithm })
    const answer = async (spoiled: Spoiled) =>
      register(await own.create(creation, origin, { isSelfAttested: true, ...spoiled }))
    expect((await answer({})).ok).toBe(true)
    const refused = { ok: false, refusal: 'attestation' }
    expect(await answer({ signature: (bytes) => changed(bytes, -1) })).toEqual(refused)
    expect(await answer({ attestation: { fmt: 'tpm' } })).toEqual(refused)
    expect(await answer({ statement: { x5c: [] } })).toEqual(refused)
    expect(await answer({ statement: { alg: -35 } })).toEqual(refused)
  })

  it('does not accept a changed signature', async () => {
    const { authenticator: own, passkey: stored } = await registered(algorithm)
    for (const at of [0, 5, 20, -1]) {
      const signature = (bytes: Uint8Array) => changed(bytes, at)
      const response = await own.get(request, relyingParty.origin, { signature })
      expect(await assert(response, expected, stored)).toEqual({ ok: false, refusal: 'signature' })
    }
  })
})

const changed = (bytes: Uint8Array, at: number, bits = 1): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(bytes, (byte, index) => (index === at || index === bytes.length + at ? byte ^ bits : byte))
/** A signature of ES256 whose first number has a zero byte more, or lacks the one that makes it positive. */
function respelled(der: Uint8Array): Uint8Array<ArrayBuffer> {
  const [, length = 0, , first = 0] = der
  return first === 33
    ? joined(Uint8Array.of(0x30, length - 1, 2, 32), der.slice(5))
    : joined(Uint8Array.of(0x30, length + 1, 2, first + 1, 0), der.slice(4))
}
const bothFlags = FLAGS.present | FLAGS.verified

/** What registrations and assertions are refused alike. */
const HOSTILE: [string, Spoiled, string, string?][] = [
  ['another origin', {}, 'origin', 'https://evil.example'],
  ['the origin of a subdomain', {}, 'origin', 'https://a.qr.acquirer.example'],
  ['the origin of the RP ID', {}, 'origin', 'https://acquirer.example'],
  ['another port', {}, 'origin', 'https://qr.acquirer.example:8443'],
  ['another scheme', {}, 'origin', 'http://qr.acquirer.example'],
  ['an origin with a slash', {}, 'origin', 'https://qr.acquirer.example/'],
  ['another RP ID', { rpId: 'evil.example' }, 'relying-party'],
  ['the origin as the RP ID', { rpId: 'qr.acquirer.example' }, 'relying-party'],
  ['the type of a payment', { client: { type: 'payment.get' } }, 'type'],
  ['a frame of another origin', { client: { crossOrigin: true } }, 'cross-origin'],
  [
    'a frame of another origin that is named',
    { client: { crossOrigin: true, topOrigin: 'https://evil.example' } },
    'cross-origin',
  ],
  ['a top origin alone', { client: { topOrigin: relyingParty.origin } }, 'cross-origin'],
  ['a cross-origin that is a text', { client: { crossOrigin: 'true' } }, 'malformed'],
  ['no cross-origin', { client: { crossOrigin: undefined, origin: undefined } }, 'malformed'],
  ['no challenge', { client: { challenge: undefined } }, 'malformed'],
  ['an empty challenge', { client: { challenge: '' } }, 'challenge'],
  ['a challenge of its own', { client: { challenge: base64url(new Uint8Array(52)) } }, 'challenge'],
  ['a challenge with padding', { client: { challenge: `${creation.challenge}==` } }, 'challenge'],
  ['a longer challenge', { client: { challenge: `${creation.challenge}AAAA` } }, 'challenge'],
  ['a challenge with a later end', { client: { challenge: ended(NOW + 9000) } }, 'challenge'],
  ['client data that is not JSON', { clientText: '{' }, 'malformed'],
  ['client data that is a list', { clientText: '[]' }, 'malformed'],
  ['client data that is null', { clientText: 'null' }, 'malformed'],
  ['client data of 4 KB', { client: { more: 'x'.repeat(4000) } }, 'malformed'],
  ['authenticator data that is short', { data: (bytes) => bytes.slice(0, 36) }, 'malformed'],
  [
    'authenticator data with bytes behind it',
    { data: (bytes) => joined(bytes, Uint8Array.of(0)) },
    'malformed',
  ],
  ['extensions that are missing', { flags: 0xc5 }, 'malformed'],
  ['another type of credential', { credential: { type: 'password' } }, 'malformed'],
  ['ids that differ', { credential: { rawId: 'AQID' } }, 'malformed'],
  ['no id', { credential: { id: undefined } }, 'malformed'],
  ['an id of 3 KB', { credential: { id: 'A'.repeat(3000), rawId: 'A'.repeat(3000) } }, 'malformed'],
  ['no response', { credential: { response: null } }, 'malformed'],
  ['client data that is a number', { response: { clientDataJSON: 1 } }, 'malformed'],
  ['client data that is not base64url', { response: { clientDataJSON: 'e30=' } }, 'malformed'],
  ['20 KB', { response: { more: 'x'.repeat(20_000) } }, 'malformed'],
]

/** The challenge with another end. */
function ended(exp: number): string {
  const bytes = bytesOf(creation.challenge)
  new DataView(bytes.buffer).setUint32(16, exp)
  return base64url(bytes)
}

const NOT_JSON: [string, unknown][] = [
  ['undefined', undefined],
  ['a number', 1],
  ['an object', {}],
  ['nothing', ''],
  ['no JSON', 'x'],
  ['null', 'null'],
  ['a list', '[]'],
  ['a text', '"x"'],
  ['a deep list', '['.repeat(9000)],
  ['1 MB', 'x'.repeat(1_000_000)],
  ['fields of other types', '{"id":1,"rawId":1,"type":1,"response":1}'],
]

describe('a registration is refused with', () => {
  it.each(HOSTILE)('%s', async (_, spoiled, refusal, from = origin) => {
    const response = await (await softAuthenticator()).create(creation, from, spoiled)
    expect(await register(response)).toEqual({ ok: false, refusal })
  })
  it.each(NOT_JSON)('%s', async (_, response) =>
    expect(await register(response)).toEqual({ ok: false, refusal: 'malformed' }),
  )

  it.each<[string, Spoiled, string]>([
    ['the type of a use', { client: { type: 'webauthn.get' } }, 'type'],
    ['nobody present', { flags: FLAGS.attested | FLAGS.verified }, 'user-presence'],
    ['nobody verified', { flags: FLAGS.attested | FLAGS.present }, 'user-verification'],
    ['a backup of what has none', { flags: FLAGS.attested | bothFlags | FLAGS.backedUp }, 'malformed'],
    ['no public key', { flags: bothFlags, data: (bytes) => bytes.slice(0, 37) }, 'malformed'],
    ['another id than that of the authenticator', { credential: { id: 'AQID', rawId: 'AQID' } }, 'passkey'],
    ['bytes behind the attestation', { trailing: Uint8Array.of(0) }, 'malformed'],
    ['an attestation that is a list', { response: { attestationObject: base64url(cbor([])) } }, 'malformed'],
    ['an attestation that is cut off', { response: { attestationObject: 'o2M' } }, 'malformed'],
    ['an attestation of 20 KB', { response: { attestationObject: 'A'.repeat(20_000) } }, 'malformed'],
    ['authenticator data that is a text', { attestation: { authData: 'x' } }, 'malformed'],
    ['a statement in no attestation', { attestation: { attStmt: new Map([['x', 1]]) } }, 'attestation'],
    ['no statement', { attestation: { attStmt: null } }, 'attestation'],
    ['a statement of an unknown format', { attestation: { fmt: 'tpm' } }, 'attestation'],
    ['the attestation of a maker', { attestation: { fmt: 'fido-u2f' } }, 'attestation'],
  ])('%s', async (_, spoiled, refusal) => {
    const response = await (await softAuthenticator()).create(creation, origin, spoiled)
    expect(await register(response)).toEqual({ ok: false, refusal })
  })

  // The numbers of valid keys, by their place in what softAuthenticator writes.
  const [X, Y] = [bytesOf(passkey.publicKey).slice(10, 42), bytesOf(passkey.publicKey).slice(45)]
  const P256 = { 1: 2, 3: -7, [-1]: 1, [-2]: X, [-3]: Y }
  const RSA = { 1: 3, 3: -257, [-1]: new Uint8Array(256).fill(0xff), [-2]: Uint8Array.of(1, 0, 1) }
  const ED = { 1: 1, 3: -8, [-1]: 6, [-2]: ed25519 }
  it.each<[string, Record<string, CborValue>]>([
    ['a key of ES384', { ...P256, 3: -35 }],
    ['a key of ES256 on another curve', { ...P256, [-1]: 3 }],
    ['a key of ES256 of another type', { ...P256, 1: 1 }],
    ['a point that is not on the curve', { ...P256, [-3]: X }],
    ['a point with a short number', { ...P256, [-2]: X.slice(1) }],
    ['a point with a long number', { ...P256, [-2]: joined(Uint8Array.of(0), X) }],
    ['a point with a text', { ...P256, [-2]: 'x' }],
    ['a point without y', { 1: 2, 3: -7, [-1]: 1, [-2]: X }],
    ['a key of RS1', { ...RSA, 3: -65_535 }],
    ['a key of PS256', { ...RSA, 3: -37 }],
    ['a key of RS256 with 1024 bits', { ...RSA, [-1]: new Uint8Array(128).fill(0xff) }],
    ['a key of RS256 with 8192 bits', { ...RSA, [-1]: new Uint8Array(1024).fill(0xff) }],
    ['a key of RS256 with the exponent 1', { ...RSA, [-2]: Uint8Array.of(1) }],
    ['a key of RS256 without a modulus', { ...RSA, [-1]: 1 }],
    ['a key of EdDSA on Ed448', { ...ED, [-1]: 7 }],
    ['a key of EdDSA that is short', { ...ED, [-2]: ed25519.slice(1) }],
    ['a symmetric key', { 1: 4, 3: 5, [-1]: X }],
    ['a key without an algorithm', { ...P256, 3: null }],
  ])('%s', async (_, key) => {
    const spoiled = { publicKey: cbor(coseKey(key)) }
    const response = await (await softAuthenticator()).create(creation, origin, spoiled)
    expect(await register(response)).toEqual({ ok: false, refusal: 'algorithm' })
  })

  it.each([
    ['a key that is a number', cbor(1), 'algorithm'],
    ['a key that is not CBOR', Uint8Array.of(0xff), 'malformed'],
  ])('%s', async (_, publicKey, refusal) => {
    const response = await (await softAuthenticator()).create(creation, origin, { publicKey })
    expect(await register(response)).toEqual({ ok: false, refusal })
  })

  it.each([
    ['ES256', P256],
    ['RS256', RSA],
    ['EdDSA', ED],
  ])('nothing, if the key of %s is as above and not spoiled', async (_, key) => {
    const spoiled = { publicKey: cbor(coseKey(key)) }
    const response = await (await softAuthenticator()).create(creation, origin, spoiled)
    expect((await register(response)).ok).toBe(true)
  })
})

describe('an assertion is refused with', () => {
  it.each(HOSTILE)('%s', async (_, spoiled, refusal, from = origin) => {
    const stored = {
      ...passkey,
      ...(typeof spoiled.credential?.id === 'string' && { id: spoiled.credential.id }),
    }
    expect(await assert(await authenticator.get(request, from, spoiled), expected, stored)).toEqual({
      ok: false,
      refusal,
    })
  })
  it.each(NOT_JSON)('%s', async (_, response) => {
    expect(await assert(response)).toEqual({ ok: false, refusal: 'malformed' })
    expect(claimedPasskey(response)).toBeUndefined()
  })

  it.each<[string, Spoiled, string]>([
    ['the type of a registration', { client: { type: 'webauthn.create' } }, 'type'],
    ['nobody present', { flags: FLAGS.verified }, 'user-presence'],
    ['nobody verified', { flags: FLAGS.present }, 'user-verification'],
    ['a backup of what has none', { flags: bothFlags | FLAGS.backedUp }, 'malformed'],
    [
      'a flag of verification that is not signed',
      { flags: FLAGS.present, data: (bytes) => changed(bytes, 32, FLAGS.verified) },
      'signature',
    ],
    ['a counter that is not signed', { data: (bytes) => changed(bytes, 36) }, 'signature'],
    ['another passkey', { credential: { id: 'AQID', rawId: 'AQID' } }, 'passkey'],
    [
      'the user handle of another person',
      { response: { userHandle: base64url(new Uint8Array(16)) } },
      'passkey',
    ],
    ['an empty user handle', { response: { userHandle: '' } }, 'malformed'],
    ['a user handle of 65 bytes', { response: { userHandle: 'A'.repeat(87) } }, 'malformed'],
    ['no signature', { response: { signature: undefined } }, 'malformed'],
    ['an empty signature', { response: { signature: '' } }, 'signature'],
    ['a signature of 2 KB', { response: { signature: 'A'.repeat(2000) } }, 'malformed'],
    ['zeros as a signature', { signature: () => Uint8Array.of(0x30, 6, 2, 1, 0, 2, 1, 0) }, 'signature'],
    [
      'a number of 33 bytes in the signature',
      { signature: () => Uint8Array.of(0x30, 38, 2, 33, ...new Uint8Array(33).fill(1), 2, 1, 1) },
      'signature',
    ],
    ['a number of the signature in another spelling', { signature: respelled }, 'signature'],
    ['bytes behind the signature', { signature: (bytes) => joined(bytes, Uint8Array.of(0)) }, 'signature'],
    [
      'bytes within the signature',
      {
        signature: (bytes) =>
          changed(joined(bytes, Uint8Array.of(0)), 1, (bytes[1] ?? 0) ^ (bytes.length - 1)),
      },
      'signature',
    ],
  ])('%s', async (_, spoiled, refusal) =>
    expect(await assert(await authenticator.get(request, origin, spoiled))).toEqual({ ok: false, refusal }),
  )

  it('the signature of another key', async () => {
    const other = await registered()
    const response = await authenticator.get(request, origin)
    const stored = { ...passkey, publicKey: other.passkey.publicKey }
    expect(await assert(response, expected, stored)).toEqual({ ok: false, refusal: 'signature' })
  })

  it.each([
    '',
    'AQID',
    '%',
    'A'.repeat(5000),
    base64url(joined(bytesOf(passkey.publicKey), Uint8Array.of(0))),
  ])('a stored key that is none: %s', async (publicKey) =>
    expect(
      await assert(await authenticator.get(request, origin), expected, { ...passkey, publicKey }),
    ).toEqual({
      ok: false,
      refusal: 'algorithm',
    }),
  )
})

it('a use without a user handle counts where the passkey is known, and names nobody', async () => {
  for (const userHandle of [undefined, null]) {
    const response = await authenticator.get(request, origin, { response: { userHandle } })
    expect((await assert(response)).ok).toBe(true)
    expect(claimedPasskey(response)).toBeUndefined()
  }
})

it('extensions are read over', async () => {
  const flags = bothFlags | FLAGS.extended
  const data = (bytes: Uint8Array) => joined(bytes, cbor(new Map([['credProps', true]])))
  const own = await softAuthenticator()
  const response = await own.create(creation, origin, { flags: flags | FLAGS.attested, data })
  expect((await register(response)).ok).toBe(true)
  const list = (bytes: Uint8Array) => joined(bytes, cbor([1]))
  expect(await assert(await authenticator.get(request, origin, { flags, data: list }))).toEqual({
    ok: false,
    refusal: 'malformed',
  })
})

describe('a challenge', () => {
  const answers = async (challenge: typeof expected | object) => {
    const given = { ...expected, ...challenge }
    const created = await register(await (await softAuthenticator()).create(creation, origin), given)
    const used = await assert(await authenticator.get(request, origin), given)
    return [created, used].map((verified) => (verified.ok ? verified.value.challenge : verified.refusal))
  }

  it.each([
    ['of another purpose', { purpose: 'sign-in' }, 'challenge'],
    ['of another invitation', { bound: 'invitation 2' }, 'challenge'],
    ['of an invitation with a longer id', { bound: 'invitation 11' }, 'challenge'],
    ['of nothing', { bound: '' }, 'challenge'],
    ['of another deployment', { secrets: ['another secret of 32 characters or more'] }, 'challenge'],
    ['of five minutes ago', { now: NOW + 300 }, 'expired'],
    ['of a day ago', { now: NOW + 86_400 }, 'expired'],
    ['of another purpose, a day ago', { purpose: 'confirm', now: NOW + 86_400 }, 'challenge'],
  ])('%s does not count', async (_, challenge, refusal) =>
    expect(await answers(challenge)).toEqual([refusal, refusal]),
  )

  it('counts until its five minutes are over, and through a rotation of the secret', async () => {
    const given = { now: NOW + 299, secrets: ['another secret of 32 characters or more', SECRET] }
    expect(await answers(given)).toEqual([USED, USED])
  })
})

// What Chromium 156 answered with its virtual authenticator to a page of this origin, for this challenge.
it.each(CHROMIUM)('a passkey of Chromium with $algorithm is accepted', async ({ created, used }) => {
  const verified = await register(JSON.stringify(created))
  if (!verified.ok) throw new Error(verified.refusal)
  expect(verified.value).toMatchObject({ id: created.id, counter: 1, challenge: USED })
  const stored = { ...verified.value, handle: HANDLE }
  expect(await assert(JSON.stringify(used), expected, stored)).toEqual({
    ok: true,
    value: { counter: 2, challenge: USED },
  })
})

describe('the counter', () => {
  it.each([
    [0, 0, true],
    [0, 1, true],
    [1, 2, true],
    [1, 4_294_967_295, true],
    [1, 1, false],
    [2, 1, false],
    [1, 0, false],
    [4_294_967_295, 0, false],
  ])('%i, then %i: is accepted: %s', async (counter, next, isAccepted) => {
    const response = await authenticator.get(request, origin, { counter: next })
    expect(await assert(response, expected, { ...passkey, counter })).toEqual(
      isAccepted
        ? { ok: true, value: { counter: next, challenge: USED } }
        : { ok: false, refusal: 'counter' },
    )
  })

  it('of a signature that is wrong is not looked at', async () => {
    const response = await authenticator.get(request, origin, { signature: (bytes) => changed(bytes, -1) })
    expect(await assert(response, expected, { ...passkey, counter: 9 })).toEqual({
      ok: false,
      refusal: 'signature',
    })
  })

  it('of a registration is where it begins', async () =>
    expect((await registered('ES256', true)).passkey.counter).toBe(1))
})

describe('of bytes that were changed', () => {
  const REFUSAL = /^\{"ok":false,"refusal":"[a-z-]+"\}$/
  const FIELDS = ['clientDataJSON', 'authenticatorData', 'signature', 'userHandle'] as const
  /** What a mutation does to the bytes of a field. */
  const mutation = fc.record({ at: fc.nat(), bits: fc.integer({ min: 1, max: 255 }), cut: fc.boolean() })
  type Mutation = { at: number; bits: number; cut: boolean }
  const mutated = (text: string, { at, bits, cut }: Mutation) => {
    const bytes = bytesOf(text)
    return base64url(cut ? bytes.slice(0, at % bytes.length) : changed(bytes, at % bytes.length, bits))
  }
  const spoil = (json: string, field: string, change: Mutation) => {
    const { response, ...rest } = JSON.parse(json)
    return JSON.stringify({ ...rest, response: { ...response, [field]: mutated(response[field], change) } })
  }

  it.each(['ES256', 'RS256', 'EdDSA'] as const)('no assertion of %s is accepted', async (algorithm) => {
    const { authenticator: own, passkey: stored } = await registered(algorithm)
    const response = await own.get(request, origin)
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...FIELDS), mutation, async (field, change) => {
        const verified = await assert(spoil(response, field, change), expected, stored)
        expect(JSON.stringify(verified)).toMatch(REFUSAL)
      }),
      { numRuns: 500 },
    )
  })

  it('no registration gets another id or challenge', async () => {
    const response = await authenticator.create(creation, origin)
    const field = fc.constantFrom('clientDataJSON', 'attestationObject')
    await fc.assert(
      fc.asyncProperty(field, mutation, async (name, change) => {
        const verified = await register(spoil(response, name, change))
        // Nothing signs a registration: a changed key is another key.
        if (verified.ok)
          expect([verified.value.id, verified.value.challenge]).toEqual([authenticator.id, USED])
        else expect(JSON.stringify(verified)).toMatch(REFUSAL)
      }),
      { numRuns: 500 },
    )
  })

  it('or of any texts nothing is accepted', () =>
    fc.assert(
      fc.asyncProperty(fc.oneof(fc.string(), fc.json(), fc.anything()), async (response) => {
        expect(await register(response)).toEqual({ ok: false, refusal: 'malformed' })
        expect(await assert(response)).toEqual({ ok: false, refusal: 'malformed' })
      }),
    ))
})

// What our verifier accepts, @simplewebauthn/server accepts too, and reads alike: it is stricter, never laxer.
import { verifyAuthenticationResponse, verifyRegistrationResponse } from '@simplewebauthn/server'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { passkeys } from '../../src/console/passkeys.ts'
import { base64url, bytesOf, FLAGS, type Spoiled, softAuthenticator } from '../support/authenticator.ts'

const { creationOptions, requestOptions, verifyAssertion, verifyRegistration } = await passkeys()

const secret = 'a secret that signs challenges, of 32 characters'
const relyingParty = { id: 'acquirer.example', origin: 'https://qr.acquirer.example' }
const use = { purpose: 'sign-in', bound: 'a browser', now: 1_800_000_000 } as const
const asked = { secret, id: new Uint8Array(16), ...use }
const ours = { relyingParty, challenge: { secrets: [secret], ...use } }
const creation = await creationOptions({
  relyingParty,
  challenge: asked,
  shop: 'Shop',
  person: { handle: base64url(new Uint8Array(16)), name: 'Anna' },
})
const request = await requestOptions({ relyingParty, challenge: asked })
const theirs = {
  expectedChallenge: creation.challenge,
  expectedOrigin: relyingParty.origin,
  expectedRPID: relyingParty.id,
  requireUserVerification: true,
}

/** What both make of a registration: undefined for a refusal. */
async function registrations(response: string) {
  const own = await verifyRegistration({ ...ours, response })
  const other = await verifyRegistrationResponse({ ...theirs, response: JSON.parse(response) }).catch(
    () => undefined,
  )
  const credential = other?.verified ? other.registrationInfo.credential : undefined
  return {
    own: own.ok
      ? { id: own.value.id, publicKey: own.value.publicKey, counter: own.value.counter }
      : undefined,
    other: credential && {
      id: credential.id,
      publicKey: base64url(credential.publicKey),
      counter: credential.counter,
    },
  }
}

/** What both make of an assertion. */
async function assertions(response: string, passkey: { id: string; publicKey: string; counter: number }) {
  const handle = base64url(new Uint8Array(16))
  const own = await verifyAssertion({ ...ours, response, passkey: { ...passkey, handle } })
  const other = await verifyAuthenticationResponse({
    ...theirs,
    response: JSON.parse(response),
    credential: { ...passkey, publicKey: bytesOf(passkey.publicKey) },
  }).catch(() => undefined)
  return {
    own: own.ok ? own.value.counter : undefined,
    other: other?.verified ? other.authenticationInfo.newCounter : undefined,
  }
}

const HONEST: [string, Spoiled][] = [
  ['without attestation', {}],
  ['with that of its own key', { isSelfAttested: true }],
  ['that can be backed up', { flags: FLAGS.attested | FLAGS.present | FLAGS.verified | FLAGS.eligible }],
]

it.each(
  (['ES256', 'RS256', 'EdDSA'] as const).flatMap((each) => HONEST.map((one) => [each, ...one] as const)),
)('a passkey of %s %s is the same to both', async (algorithm, _, spoiled) => {
  const authenticator = await softAuthenticator({ algorithm, counts: true })
  const made = await registrations(await authenticator.create(creation, relyingParty.origin, spoiled))
  expect(made.own).toEqual({ id: authenticator.id, publicKey: authenticator.publicKey, counter: 1 })
  expect(made.other).toEqual(made.own)
  const passkey = { id: authenticator.id, publicKey: authenticator.publicKey, counter: 1 }
  expect(await assertions(await authenticator.get(request, relyingParty.origin), passkey)).toEqual({
    own: 2,
    other: 2,
  })
})

/** Bytes of a field that are changed or cut off. */
const spoiled = fc.record({ at: fc.nat(), bits: fc.integer({ min: 1, max: 255 }), cut: fc.boolean() })
function spoil(json: string, field: string, { at, bits, cut }: { at: number; bits: number; cut: boolean }) {
  const { response, ...rest } = JSON.parse(json)
  const bytes = bytesOf(response[field])
  const index = at % bytes.length
  const other = cut ? bytes.slice(0, index) : bytes.map((byte, i) => (i === index ? byte ^ bits : byte))
  return JSON.stringify({ ...rest, response: { ...response, [field]: base64url(other) } })
}

it.each(['ES256', 'RS256', 'EdDSA'] as const)(
  'of changed bytes of %s ours accepts no more',
  async (algorithm) => {
    const authenticator = await softAuthenticator({ algorithm })
    const created = await authenticator.create(creation, relyingParty.origin)
    const attested = await authenticator.create(creation, relyingParty.origin, { isSelfAttested: true })
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(created, attested),
        fc.constantFrom('clientDataJSON', 'attestationObject'),
        spoiled,
        async (response, field, change) => {
          const { own, other } = await registrations(spoil(response, field, change))
          if (own) expect(other).toEqual(own)
        },
      ),
      { numRuns: 1000 },
    )
    const used = await authenticator.get(request, relyingParty.origin)
    const passkey = { id: authenticator.id, publicKey: authenticator.publicKey, counter: 0 }
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('clientDataJSON', 'authenticatorData', 'signature'),
        spoiled,
        async (field, change) => {
          const { own, other } = await assertions(spoil(used, field, change), passkey)
          if (own !== undefined) expect(other).toBe(own)
        },
      ),
      { numRuns: 500 },
    )
  },
)

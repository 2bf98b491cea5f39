// Makes and checks passkeys (WebAuthn Level 3; contract, section 17). The console loads this module when it is needed.

import { CHALLENGE_SECONDS } from '../contract/person.ts'
import { readAuthenticatorData } from './authenticator-data.ts'
import { fromBase64Url, toBase64Url } from './base64url.ts'
import { readCbor } from './cbor.ts'
import { type ExpectedChallenge, makeChallenge, type NewChallenge, type UsedChallenge } from './challenges.ts'
import {
  authenticatorRefusal,
  clientDataCheck,
  isNoneOrSelfAttestation,
  type PasskeyRefusal,
  signedData,
} from './checks.ts'
import { ALGORITHMS, readPublicKey } from './public-key.ts'
import type { RelyingParty } from './relying-party.ts'
import { readAssertion, readRegistration } from './responses.ts'

/** A passkey, as the object keeps it. */
export interface StoredPasskey {
  /** The id that the authenticator gave it, in base64url. */
  id: string
  /** COSE_Key, in base64url. */
  publicKey: string
  /** Of the last use; 0 if the authenticator does not count. */
  counter: number
}

export type Verified<T> = { ok: true; value: T } | { ok: false; refusal: PasskeyRefusal }

/** What a form brings. */
interface Answer {
  relyingParty: RelyingParty
  challenge: ExpectedChallenge
  /** The text of the field: the JSON of the credential. Anything else is refused. */
  response: unknown
}

const TIMEOUT = CHALLENGE_SECONDS * 1000

/**
 * What a page asks a browser for: a new passkey. JSON for `PublicKeyCredential.parseCreationOptionsFromJSON` (section 5.1.8).
 * @param person `handle`: 16 random bytes in base64url; `name`: what the device's list of passkeys shows
 * @param passkeys ids of those that the person has: an authenticator that has one of them makes no second one
 */
export const creationOptions = async ({
  relyingParty,
  challenge,
  shop,
  person,
  passkeys = [],
}: {
  relyingParty: RelyingParty
  challenge: NewChallenge
  shop: string
  person: { handle: string; name: string }
  passkeys?: readonly string[]
}) => ({
  rp: { id: relyingParty.id, name: shop },
  user: { id: person.handle, name: person.name, displayName: person.name },
  challenge: await makeChallenge(challenge),
  pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
  timeout: TIMEOUT,
  excludeCredentials: descriptors(passkeys),
  authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
  attestation: 'none',
})

/**
 * What a page asks a browser for: the use of a passkey. JSON for `PublicKeyCredential.parseRequestOptionsFromJSON` (section 5.1.9).
 * @param passkeys ids of those that count; none: the browser offers all that it has
 */
export const requestOptions = async ({
  relyingParty,
  challenge,
  passkeys = [],
}: {
  relyingParty: RelyingParty
  challenge: NewChallenge
  passkeys?: readonly string[]
}) => ({
  rpId: relyingParty.id,
  challenge: await makeChallenge(challenge),
  timeout: TIMEOUT,
  allowCredentials: descriptors(passkeys),
  userVerification: 'required',
})

const descriptors = (ids: readonly string[]) => ids.map((id) => ({ type: 'public-key', id }))

/**
 * Checks a new passkey (section 7.1).
 * @returns the passkey to store, and the challenge to use up
 */
export async function verifyRegistration({
  relyingParty,
  challenge,
  response,
}: Answer): Promise<Verified<StoredPasskey & { challenge: UsedChallenge }>> {
  const read = readRegistration(response)
  if (!read) return refused('malformed')
  const { clientDataJSON, attestationObject } = read.response
  const client = await clientDataCheck('webauthn.create', clientDataJSON, relyingParty, challenge)
  if ('refusal' in client) return refused(client.refusal)

  const attestation = readCbor(attestationObject, 0)
  if (!(attestation?.value instanceof Map) || attestation.end !== attestationObject.length)
    return refused('malformed')
  const bytes = attestation.value.get('authData')
  const data = bytes instanceof Uint8Array ? readAuthenticatorData(bytes) : undefined
  if (!(bytes instanceof Uint8Array) || !data?.credential) return refused('malformed')
  const refusal = await authenticatorRefusal(data, relyingParty)
  if (refusal) return refused(refusal)
  if (toBase64Url(data.credential.id) !== read.id) return refused('passkey')

  const key = await readPublicKey(data.credential.publicKey)
  if (!key) return refused('algorithm')
  const [format, statement] = [attestation.value.get('fmt'), attestation.value.get('attStmt')]
  const signed = await signedData(bytes, clientDataJSON)
  if (!(await isNoneOrSelfAttestation(format, statement, key, signed))) return refused('attestation')
  const publicKey = toBase64Url(data.credential.publicKey)
  return { ok: true, value: { id: read.id, publicKey, counter: data.counter, challenge: client.used } }
}

/** Which passkey an assertion names, before it is checked; undefined for a malformed one, or one without a user handle. */
export function claimedPasskey(response: unknown): { id: string; handle: string } | undefined {
  const read = readAssertion(response)
  const handle = read?.response.userHandle
  return read && handle ? { id: read.id, handle } : undefined
}

/**
 * Checks that the holder of the passkey answers the challenge (section 7.2).
 * @param passkey `handle`: the user handle of its person, in base64url
 * @returns the counter to store, and the challenge to use up
 */
export async function verifyAssertion({
  relyingParty,
  challenge,
  response,
  passkey,
}: Answer & { passkey: StoredPasskey & { handle: string } }): Promise<
  Verified<{ counter: number; challenge: UsedChallenge }>
> {
  const read = readAssertion(response)
  if (!read) return refused('malformed')
  const { clientDataJSON, authenticatorData, signature, userHandle } = read.response
  if (read.id !== passkey.id || (userHandle ?? passkey.handle) !== passkey.handle) return refused('passkey')
  const client = await clientDataCheck('webauthn.get', clientDataJSON, relyingParty, challenge)
  if ('refusal' in client) return refused(client.refusal)

  const data = readAuthenticatorData(authenticatorData)
  if (!data) return refused('malformed')
  const refusal = await authenticatorRefusal(data, relyingParty)
  if (refusal) return refused(refusal)
  const cose = fromBase64Url(passkey.publicKey)
  const key = cose && (await readPublicKey(cose))
  if (!key) return refused('algorithm')
  const signed = await signedData(authenticatorData, clientDataJSON)
  if (!(await key.verify(signature, signed))) return refused('signature')
  // 0 after 0 is that of an authenticator that does not count. Behind the signature: nobody else than the holder of the key makes this
  // refusal, which becomes an event.
  if (passkey.counter !== 0 && data.counter <= passkey.counter) return refused('counter')
  return { ok: true, value: { counter: data.counter, challenge: client.used } }
}

const refused = (refusal: PasskeyRefusal): { ok: false; refusal: PasskeyRefusal } => ({ ok: false, refusal })

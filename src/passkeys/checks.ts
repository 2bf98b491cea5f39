// The checks that registrations and assertions share (WebAuthn Level 3, sections 7.1 and 7.2).
import type { AuthenticatorData } from './authenticator-data.ts'
import { concatenated, toBase64Url } from './base64url.ts'
import type { Cbor } from './cbor.ts'
import { type ExpectedChallenge, readChallenge, type UsedChallenge } from './challenges.ts'
import type { PublicKey } from './public-key.ts'
import type { RelyingParty } from './relying-party.ts'
import { readClientData } from './responses.ts'

/** Why a response is refused: the check that it fails. */
export type PasskeyRefusal =
  | 'malformed'
  | 'type'
  | 'challenge'
  | 'expired'
  | 'origin'
  | 'cross-origin'
  | 'relying-party'
  | 'user-presence'
  | 'user-verification'
  | 'algorithm'
  | 'attestation'
  | 'passkey'
  | 'signature'
  | 'counter'

/** Checks the client data: what the browser says about the page. */
export async function clientDataCheck(
  type: 'webauthn.create' | 'webauthn.get',
  json: Uint8Array,
  { origin }: RelyingParty,
  challenge: ExpectedChallenge,
): Promise<{ used: UsedChallenge } | { refusal: PasskeyRefusal }> {
  const client = readClientData(json)
  if (!client) return { refusal: 'malformed' }
  if (client.type !== type) return { refusal: 'type' }
  if (client.crossOrigin || client.topOrigin !== undefined) return { refusal: 'cross-origin' }
  if (client.origin !== origin) return { refusal: 'origin' }
  const used = await readChallenge(client.challenge, challenge)
  return typeof used === 'string' ? { refusal: used } : { used }
}

/** Checks what every authenticator says. */
export async function authenticatorRefusal(
  { rpIdHash, isUserPresent, isUserVerified }: AuthenticatorData,
  { id }: RelyingParty,
): Promise<PasskeyRefusal | undefined> {
  if (toBase64Url(rpIdHash) !== toBase64Url(await sha256(concatenated(id)))) return 'relying-party'
  if (!isUserPresent) return 'user-presence'
  return isUserVerified ? undefined : 'user-verification'
}

/** What an authenticator signs (section 6.3.3). */
export const signedData = async (authenticatorData: Uint8Array, clientDataJSON: Uint8Array<ArrayBuffer>) =>
  concatenated(authenticatorData, await sha256(clientDataJSON))

/** A browser that is asked for no attestation gives none, or that of the passkey's own key (sections 5.1.3, 8.2 and 8.7). */
export async function isNoneOrSelfAttestation(
  format: Cbor | undefined,
  statement: Cbor | undefined,
  key: PublicKey,
  signed: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  if (!(statement instanceof Map)) return false
  if (format === 'none') return statement.size === 0
  const signature = statement.get('sig')
  // `x5c` would be a third field: the attestation of somebody else's key.
  if (format !== 'packed' || statement.size !== 2 || statement.get('alg') !== key.algorithm) return false
  return signature instanceof Uint8Array && key.verify(signature, signed)
}

const sha256 = async (bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> =>
  new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))

// The challenges of passkeys: signed, for five minutes, for one purpose and one browser or session. None is stored before it is used.
import { CHALLENGE_SECONDS } from '../contract/person.ts'
import { concatenated, fromBase64Url, toBase64Url } from './base64url.ts'

/** Which answers count. A challenge does not show this: its MAC covers it. */
export interface ChallengeUse {
  purpose: 'join' | 'sign-in' | 'add' | 'confirm'
  /** The invitation, the browser's cookie, or the session, with the form that is confirmed: any text. */
  bound: string
  /** Unix seconds. */
  now: number
}

export interface NewChallenge extends ChallengeUse {
  secret: string
  /** 16 random bytes. */
  id: Uint8Array
}

export interface ExpectedChallenge extends ChallengeUse {
  /** The present secret and, during a rotation, the previous one. */
  secrets: readonly string[]
}

/** What the object remembers of a challenge that was answered, until it ends. */
export interface UsedChallenge {
  /** 32 hexadecimal digits. */
  id: string
  /** Unix seconds. */
  exp: number
}

const ID_BYTES = 16
/** The id, and when it ends: 32 bits of Unix seconds. */
const HEAD_BYTES = ID_BYTES + 4

/** Makes a challenge, in base64url. */
export async function makeChallenge({ secret, id, ...use }: NewChallenge): Promise<string> {
  const head = new Uint8Array(HEAD_BYTES)
  head.set(id)
  new DataView(head.buffer).setUint32(ID_BYTES, use.now + CHALLENGE_SECONDS)
  const mac = await crypto.subtle.sign('HMAC', await keyOf(secret), message(use, head))
  return toBase64Url(concatenated(head, new Uint8Array(mac)))
}

/**
 * Reads a challenge that a browser answered.
 * @returns what to remember; `challenge` for one that was not made for this use; `expired`
 */
export async function readChallenge(
  challenge: string,
  { secrets, ...use }: ExpectedChallenge,
): Promise<UsedChallenge | 'challenge' | 'expired'> {
  const bytes = fromBase64Url(challenge)
  if (!bytes) return 'challenge'
  const [head, mac] = [bytes.slice(0, HEAD_BYTES), bytes.slice(HEAD_BYTES)]
  for (const secret of secrets) {
    // It compares whole MACs, and its time does not depend on where they differ.
    if (await crypto.subtle.verify('HMAC', await keyOf(secret), mac, message(use, head))) {
      const exp = new DataView(head.buffer).getUint32(ID_BYTES)
      return use.now < exp ? { id: head.slice(0, ID_BYTES).toHex(), exp } : 'expired'
    }
  }
  return 'challenge'
}

/** The first words keep these messages apart from others that the same secret signs; the head has a fixed length. */
const message = ({ purpose, bound }: ChallengeUse, head: Uint8Array): Uint8Array<ArrayBuffer> =>
  concatenated(`passkey challenge\0${purpose}\0`, head, bound)

const keyOf = (secret: string): Promise<CryptoKey> =>
  crypto.subtle.importKey('raw', concatenated(secret), { name: 'HMAC', hash: 'SHA-256' }, false, [
    'sign',
    'verify',
  ])

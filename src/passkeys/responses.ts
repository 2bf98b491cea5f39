// What a browser answers: the JSON of `credential.toJSON()` (WebAuthn Level 3, section 5.1), with a bound for each field.
import * as z from 'zod/mini'
import { parsed } from '../contract/parsed.ts'
import { fromBase64Url } from './base64url.ts'

/** Characters of a whole response. */
const MAX_RESPONSE = 20_000

/** @param max characters of base64url */
const bytes = (max: number) => parsed(z.string().check(z.maxLength(max)), 'must be base64url', fromBase64Url)

/** An id has 1 to 1023 bytes (section 5.8.3). */
const CredentialId = z.string().check(z.minLength(1), z.maxLength(1364))
/** A user handle has at most 64 bytes (section 5.4.3). */
const Handle = z.string().check(z.minLength(1), z.maxLength(86))
const ClientDataBytes = bytes(4096)

const Registration = z.object({
  id: CredentialId,
  rawId: CredentialId,
  type: z.literal('public-key'),
  response: z.object({ clientDataJSON: ClientDataBytes, attestationObject: bytes(12_000) }),
})

const Assertion = z.object({
  id: CredentialId,
  rawId: CredentialId,
  type: z.literal('public-key'),
  response: z.object({
    clientDataJSON: ClientDataBytes,
    authenticatorData: bytes(4096),
    signature: bytes(1024),
    // toJSON() of a passkey without one leaves it out; an older browser says null.
    userHandle: z.optional(z.nullable(Handle)),
  }),
})

/** Section 5.8.1. */
const ClientData = z.object({
  type: z.string(),
  challenge: z.string(),
  origin: z.string(),
  crossOrigin: z.optional(z.boolean()),
  topOrigin: z.optional(z.unknown()),
})

export const readRegistration = (text: unknown) => read(Registration, text)
export const readAssertion = (text: unknown) => read(Assertion, text)

export function readClientData(json: Uint8Array): z.output<typeof ClientData> | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(json)
    return ClientData.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}

/** @returns undefined for anything else than the text of such JSON */
function read<T extends { id: string; rawId: string }>(
  schema: z.ZodMiniType<T>,
  text: unknown,
): T | undefined {
  if (typeof text !== 'string' || text.length > MAX_RESPONSE) return undefined
  try {
    const { data } = schema.safeParse(JSON.parse(text))
    return data && data.id === data.rawId ? data : undefined
  } catch {
    return undefined
  }
}

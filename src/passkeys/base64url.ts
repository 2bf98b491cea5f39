// Base64url without padding (RFC 4648, section 5), as WebAuthn's JSON has bytes.

export const toBase64Url = (bytes: Uint8Array): string =>
  bytes.toBase64({ alphabet: 'base64url', omitPadding: true })

/** The bytes of a text; undefined unless it is their one spelling. */
export function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    const bytes = Uint8Array.fromBase64(text, { alphabet: 'base64url' })
    return toBase64Url(bytes) === text ? bytes : undefined
  } catch {
    return undefined
  }
}

/** The bytes of texts and of bytes, one behind the other. */
export function concatenated(...parts: (string | Uint8Array)[]): Uint8Array<ArrayBuffer> {
  const bytes = parts.map((part) => (typeof part === 'string' ? new TextEncoder().encode(part) : part))
  const all = new Uint8Array(bytes.reduce((length, each) => length + each.length, 0))
  let at = 0
  for (const each of bytes) {
    all.set(each, at)
    at += each.length
  }
  return all
}

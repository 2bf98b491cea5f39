// The Host of a request (RFC 9110, section 7.2): `qr.example`, `127.0.0.1:8787`, `[::1]:8787`.

/** A host name has at most 253 characters (RFC 1035): so a link has a bounded length, and a QR code can carry it. */
const HOST = /^(?:[a-z0-9_][a-z0-9_.-]{0,252}|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i

/** The name in a Host, in lower case and without its port, or undefined if it is not a valid Host. */
export const hostNameOf = (host: string): string | undefined =>
  HOST.test(host) ? URL.parse(`http://${host}`)?.hostname : undefined

/** The Host of a request as it was sent. The URL is not enough: of the Host `a.example/b` it makes a path. */
export const hostOf = ({ headers, url }: Pick<Request, 'headers' | 'url'>): string =>
  headers.get('Host') ?? URL.parse(url)?.host ?? ''

/** The host of the pages that can have passkeys, which is the RP ID by default; of an invalid URL nothing. */
export const passkeyHostOf = (publicUrl = 'http://localhost'): string => URL.parse(publicUrl)?.hostname ?? ''

/**
 * Whether browsers accept the name as the RP ID of these pages (WebAuthn Level 3, section 5.1.2): their host, or a domain above it. They also
 * refuse public suffixes with a dot, such as `com.ru`. An IP address has no domain above it.
 * @param name in lower case; undefined: the default
 */
export function isPasskeyHost(name: string | undefined, publicUrl: string | undefined): boolean {
  const host = passkeyHostOf(publicUrl)
  if (name === undefined || name === host) return true
  const isDomain = /[^.]\.[^.]/.test(name) && !/^[\d.]+$/.test(host)
  return isDomain && host.endsWith(`.${name}`)
}

// The relying party of passkeys: what browsers bind them to (WebAuthn Level 3, section 4). Small: every page may load it.
import type { Config } from '../config.ts'

export interface RelyingParty {
  /** The RP ID: the host of the origin, or a domain above it. */
  id: string
  /** The only origin whose pages make and use passkeys, such as `https://qr.example:8443`. */
  origin: string
}

/** An IP address cannot be an RP ID (section 5.1.2). URL.hostname has one of these two spellings. */
const IP_ADDRESS = /^\[|^[\d.]+$/

/**
 * The relying party (contract, section 17).
 * @param requestOrigin scheme, host and port of the request: the service's own where PUBLIC_URL is not set
 * @returns undefined where passkeys are off: on an IP address, by plain http but for localhost, and elsewhere than on localhost without PUBLIC_URL
 */
export function relyingParty(
  { publicUrl, passkeyHost }: Pick<Config, 'publicUrl' | 'passkeyHost'>,
  requestOrigin: string,
): RelyingParty | undefined {
  const { protocol, hostname, origin } = new URL(publicUrl ?? requestOrigin)
  const isLocal = hostname === 'localhost'
  const isPossible =
    isLocal || (publicUrl !== undefined && protocol === 'https:' && !IP_ADDRESS.test(hostname))
  return isPossible ? { id: passkeyHost, origin } : undefined
}

// Where a site's notifications may go: a public host, and never this service itself (contract, section 11).

import { hasAtMost } from '../contract/text.ts'
import { parseHttpUrl } from '../contract/url.ts'
import { isPublicAddress } from './ip-address.ts'

/** What the deployment allows. */
export interface CallbackPolicy {
  /** CALLBACK_HOSTS=any: http, and hosts that are not public. */
  anyHost: boolean
  /** This service's own hosts: `qr.example`, `127.0.0.1:8787`. Without a port, both default ports are its own. */
  ownHosts: readonly string[]
}

const MAX_LENGTH = 500
const DEFAULT_PORTS: Record<string, number> = { 'http:': 80, 'https:': 443 }

/** Names that never lead to a public host. */
const NON_PUBLIC_NAMES = [
  'localhost', // RFC 6761, section 6.3
  'local', // RFC 6762, section 3
  'internal', // reserved by the ICANN in 2024
  'home.arpa', // RFC 8375
]

/**
 * The rule that a callback URL breaks; undefined if the URL can be called. The check sees the URL as it is written: the
 * address of a name is known only when it is called.
 */
export function callbackUrlProblem(url: string, { anyHost, ownHosts }: CallbackPolicy): string | undefined {
  if (!hasAtMost(MAX_LENGTH, url)) return `a URL of at most ${MAX_LENGTH} characters`
  const parsed = parseHttpUrl(url)
  if (!parsed || (parsed.protocol === 'http:' && !anyHost))
    return `an absolute ${anyHost ? 'http or https' : 'https'} URL without user info or white space`
  if (url.includes('#')) return 'a URL without a fragment'
  if (ownHosts.some((own) => isSameHost(parsed, own))) return 'a URL of another service than this one'
  if (!anyHost && !isPublicHost(nameOf(parsed)))
    return `a URL of a public host: not a private or reserved address, nor a name without a dot or within ${NON_PUBLIC_NAMES.join(', ')}`
  return undefined
}

function isPublicHost(host: string): boolean {
  const isPublic = isPublicAddress(host)
  if (isPublic !== undefined) return isPublic
  const labels = host.split('.')
  return (
    labels.length > 1 &&
    !labels.includes('') &&
    !NON_PUBLIC_NAMES.some((name) => host === name || host.endsWith(`.${name}`))
  )
}

/** A name with a point at its end is the same name (RFC 1034, section 3.1). */
const nameOf = ({ hostname }: URL): string => hostname.replace(/\.$/, '')

function isSameHost(url: URL, host: string): boolean {
  const own = URL.parse(`http://${host}`)
  if (!own || nameOf(own) !== nameOf(url)) return false
  // The port is read from the text, because the parser drops the scheme's default port.
  const ownPort = /:(\d+)$/.exec(host)?.[1]
  const port = Number(url.port || DEFAULT_PORTS[url.protocol])
  return ownPort === undefined ? Object.values(DEFAULT_PORTS).includes(port) : Number(ownPort) === port
}

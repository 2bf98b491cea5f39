// Names the authority whose certificate is missing where the chain of a server does not lead to a root that is trusted.
import { X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import { connect } from 'node:tls'
import { type Authority, commonNameOf, contextWith } from './authorities.ts'

/** The runtime's codes of such a chain. */
export const UNVERIFIED: ReadonlySet<unknown> = new Set([
  ...['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'UNABLE_TO_GET_ISSUER_CERT', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
  ...['DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN'],
])

const TIMEOUT_MS = 3_000

/**
 * Connects to the server once more, and sends nothing: an error of the runtime does not have the chain.
 * @returns the common name that the chain states; undefined where the server shows no such chain within three seconds
 */
export function missingIssuer(url: string, authorities: readonly Authority[]): Promise<string | undefined> {
  const { hostname, port } = new URL(url)
  const host = hostname.replace(/^\[|\]$/g, '')
  const { promise, resolve } = Promise.withResolvers<string | undefined>()
  const socket = connect({
    host,
    port: Number(port || 443),
    secureContext: contextWith(authorities),
    ...(isIP(host) ? {} : { servername: host }),
  })
  const timer = setTimeout(() => socket.destroy(), TIMEOUT_MS)
  let issuer: string | undefined
  // First: the listener of the runtime ends the connection of a chain that it refuses.
  socket.prependListener('secure', () => {
    const own = authorities.map(({ certificate }) => new X509Certificate(certificate))
    issuer = issuerOf(Array.from(sentBy(socket.getPeerX509Certificate())), own)
  })
  socket.once('secureConnect', () => socket.destroy())
  socket.on('error', (error) => {
    if ('code' in error && UNVERIFIED.has(error.code)) resolve(issuer)
  })
  socket.once('close', () => {
    clearTimeout(timer)
    resolve(undefined)
  })
  return promise
}

/** The certificates in the order of the server, which need not be that of the chain. */
function* sentBy(first: X509Certificate | undefined): Generator<X509Certificate> {
  for (let each = first; each; each = each.issuerCertificate) yield each
}

/**
 * The common name of the issuer of the last certificate of the chain. The issuer of one that is trusted must be trusted too:
 * OpenSSL looks at no other.
 */
function issuerOf(
  [leaf, ...sent]: readonly X509Certificate[],
  trusted: readonly X509Certificate[],
): string | undefined {
  let last = leaf
  let left = [...trusted, ...sent]
  for (;;) {
    const next = left.find((each) => last?.checkIssued(each))
    if (!next) return last && commonNameOf(last.issuer)
    left = left.filter((each) => each !== next && (trusted.includes(each) || !trusted.includes(next)))
    last = next
  }
}

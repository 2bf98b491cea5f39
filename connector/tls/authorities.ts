// Certificates of authorities that are trusted besides the public roots.
import { X509Certificate } from 'node:crypto'
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls'

export interface Authority {
  /** PEM. */
  certificate: string
  /** The common name. */
  name: string
  /** SHA-256 as `openssl x509 -fingerprint -sha256` prints it: pairs of hexadecimal digits with colons. */
  fingerprint: string
  /** Unix milliseconds. */
  endsAt: number
}

/**
 * Reads the text of a PEM file.
 * @param now Unix milliseconds
 * @throws Error naming the rule that a certificate breaks, and which one it is
 */
export function authoritiesOf(text: string, now: number): Authority[] {
  if (text.trim() === '') throw new Error('the file is empty')
  const certificates = text.match(/-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----/gs) ?? []
  if (certificates.length === 0) throw new Error('the file has no certificate in PEM')
  if (text.match(/-----BEGIN /g)?.length !== certificates.length)
    throw new Error('the file must have whole certificates, and nothing else in PEM')
  return certificates.map((certificate, index) => authorityOf(certificate, index + 1, now))
}

function authorityOf(certificate: string, number: number, now: number): Authority {
  const read = readCertificate(certificate)
  if (!read) throw new Error(`certificate ${number} of the file cannot be read`)
  const name = commonNameOf(read.subject)
  const named = `certificate ${number} of the file, ${name},`
  if (!read.ca) throw new Error(`${named} is not of an authority, must have CA:TRUE`)
  const endsAt = Date.parse(read.validTo)
  if (endsAt <= now) throw new Error(`${named} has expired on ${dayOf(endsAt)}`)
  return { certificate, name, fingerprint: read.fingerprint256, endsAt }
}

function readCertificate(certificate: string): X509Certificate | undefined {
  try {
    return new X509Certificate(certificate)
  } catch {
    return undefined
  }
}

/** More than the 64 characters of X.520 are not shown. */
const MAX_NAME = 64

/**
 * The common name, or all of the name where it has none. A server can have written anything into it.
 * @param distinguishedName as the runtime gives it: lines, and undefined where it is empty
 */
export function commonNameOf(distinguishedName: string | undefined): string {
  if (!distinguishedName) return 'without a name'
  const name = /^CN=(.*)$/m.exec(distinguishedName)?.[1] ?? distinguishedName
  return name.replace(/\p{C}/gu, ' ').slice(0, MAX_NAME)
}

/** As the operator reads it. */
export const authorityText = ({ name, endsAt, fingerprint }: Authority): string =>
  `ca has ${name}, until ${dayOf(endsAt)}, SHA-256 ${fingerprint}`

const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10)

/** By the certificates that are added. One takes a megabyte, and some ten milliseconds of the only thread: many credentials share it. */
const contexts = new Map<string, SecureContext>()

/** Trusts what the process trusts by default, and these certificates. */
export function contextWith(authorities: readonly Authority[]): SecureContext {
  const added = authorities.map(({ certificate }) => certificate)
  const key = added.join('\n')
  const context =
    contexts.get(key) ?? createSecureContext({ ca: [...getCACertificates('default'), ...added] })
  contexts.set(key, context)
  return context
}

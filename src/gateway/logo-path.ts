// The path of a logo: it is authenticated, so that a guessed one wakes no site.
import { createHmac } from 'node:crypto'
import { isMac } from './mac.ts'

/** The path of a logo, from the root of the service. */
export const logoPath = (secrets: readonly [string, ...string[]], siteId: string, hash: string): string =>
  `logo/${siteId}/${hash}/${macOf(secrets[0], siteId, hash).toString('hex')}`

/** Whether the deployment made the path of this logo. */
export const isLogo = (secrets: readonly string[], siteId: string, hash: string, mac: string): boolean =>
  secrets.some((secret) => isMac(mac, macOf(secret, siteId, hash)))

/** The first word keeps these messages apart from others that the same secret signs. */
const macOf = (secret: string, siteId: string, hash: string): Buffer =>
  createHmac('sha256', secret).update(`logo\0${siteId}\0${hash}`).digest().subarray(0, 12)

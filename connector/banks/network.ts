// How one bank or cash register is reached: with the public roots, or also with those of its `ca`.
import type { Platform } from '../platform.ts'
import type { Authority } from '../tls/authorities.ts'
import type { Fetch } from '../tls/fetch.ts'

export interface Network {
  fetch: Fetch
  /** Why the certificate of the host does not verify, and the field of the configuration that corrects it. */
  whyUnverified: (url: string) => Promise<string>
}

/**
 * The network of one set of credentials.
 * @param path of the credentials in the configuration, such as `banks.main`
 */
export const networkOf = (platform: Platform, authorities: readonly Authority[], path: string): Network => ({
  fetch: authorities.length === 0 ? platform.fetch : platform.fetchTrusting(authorities),
  whyUnverified: async (url) => {
    const name = await platform.missingIssuer(url, authorities)
    const issuer = name === undefined ? 'its issuer' : `its issuer, ${name},`
    return `the certificate of ${new URL(url).hostname} does not verify: that of ${issuer} is missing: see ${path}.ca`
  },
})

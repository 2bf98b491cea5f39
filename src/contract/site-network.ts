// The payment network of a site, and who makes its links (contract, section 10).
import type { Network } from './payment.ts'

export interface SiteNetwork {
  /** In the sandbox the sandbox bank makes payments up; otherwise the network reports them. */
  network: Network
  /** Where instructions go; undefined in the sandbox, and where the deployment takes none. */
  connector: { url: string; secret: string } | undefined
  /** Whether the connector gives the links of new QR codes (contract, section 14). */
  takesLinks: boolean
  /** Where links lead; undefined: to the payer's page. */
  linkBaseUrl: string | undefined
  linkTokenBaseUrl: string | undefined
  isTest: boolean
  /** Whether the deployment has such sites. */
  isServed: boolean
}

/** The network of every test site: no connector, and no links but to the payer's page. */
export const TEST_NETWORK = {
  network: 'sandbox',
  connector: undefined,
  takesLinks: false,
  linkBaseUrl: undefined,
  linkTokenBaseUrl: undefined,
  isTest: true,
} as const

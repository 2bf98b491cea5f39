// Which payment network the deployment has (contract, section 10).
import type { Config } from '../config.ts'
import type { Connection } from '../site/outbox/connection.ts'

/** The deployment's payment network, and whether it takes instructions. */
export const connectionOf = ({ sandbox, connector }: Pick<Config, 'sandbox' | 'connector'>): Connection => ({
  network: sandbox ? 'sandbox' : 'external',
  isConnected: sandbox || connector !== undefined,
})

// Whether the payment network can be given an instruction (contract, section 10).
import type { Network } from '../../contract/payment.ts'
import type { Refusal } from '../../errors.ts'
import { SITE_RESTORED } from '../outcomes.ts'
import { isRestored } from '../rows/site.ts'

/** The deployment's payment network, and whether it takes instructions. */
export interface Connection {
  network: Network
  isConnected: boolean
}

/**
 * Refuses an instruction about something that came from a network, if the network cannot be given it now.
 * @returns site.restored where the site was restored and not resumed; network.changed where `origin` is not the deployment's
 * network; network.not.connected where it has no connector
 */
export function refuseInstruction(
  sql: SqlStorage,
  origin: Network,
  { network, isConnected }: Connection,
): Refusal | undefined {
  if (isRestored(sql)) return SITE_RESTORED
  if (origin !== network) {
    return {
      ok: false,
      code: 'network.changed',
      description: `the payment, or the token, is of the network ${origin}, the deployment's is ${network}`,
    }
  }
  return isConnected ? undefined : NOT_CONNECTED
}

const NOT_CONNECTED: Refusal = {
  ok: false,
  code: 'network.not.connected',
  description: 'the deployment has no connector to the payment network',
}

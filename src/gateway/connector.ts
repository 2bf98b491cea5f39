// Gives instructions to the payment network: to the acquirer's connector, or to the sandbox bank (contract, section 10).
import type { Delivered } from '../contract/delivery.ts'
import { instructionBody } from '../contract/instruction.ts'
import type { InstructionDelivery } from '../site/outbox/courier.ts'
import { networkOf } from './connection.ts'
import type { Platform } from './context.ts'
import { sandboxBank } from './load-sandbox-bank.ts'
import { type Sender, send } from './send.ts'
import { webhookHeaders } from './signatures.ts'

/** A connector that fails is tried again within an hour, even if its `Retry-After` is longer. */
const MAX_RETRY_AFTER = 3600

export type ConnectorPlatform = Sender &
  Pick<Platform, 'config' | 'site' | 'sleep' | 'random' | 'limited' | 'metrics'>

/** Sends an instruction; any 2xx response accepts it. An instruction is never sent to a network other than its own. */
export async function instruct(
  platform: ConnectorPlatform,
  delivery: InstructionDelivery,
): Promise<Delivered> {
  const { config, now } = platform
  const { id, siteId, network, instruction, createdAt } = delivery
  const current = networkOf(config, siteId)
  if (network !== current.network) {
    return { error: `the payment network is no longer ${network}`, ms: 0, retryAfter: MAX_RETRY_AFTER }
  }
  if (network === 'sandbox') return (await sandboxBank()).carryOut(platform, delivery)
  if (!current.connector) return { error: 'NETWORK_URL is not set', ms: 0, isUnconnected: true }
  const { url, secret } = current.connector
  const body = instructionBody(instruction, { siteId, createdAt, utcOffset: config.utcOffset })
  const headers = webhookHeaders([secret], id, Math.floor(now() / 1000), body)
  const { retryAfter, ...delivered } = await send(platform, { url, headers, body })
  if (retryAfter === undefined) return delivered
  const isTaken = delivered.httpStatus !== undefined && delivered.httpStatus < 300
  return { ...delivered, retryAfter: isTaken ? retryAfter : Math.min(retryAfter, MAX_RETRY_AFTER) }
}

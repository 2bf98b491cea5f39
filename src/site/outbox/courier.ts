// What the outbox gives to the entry point that delivers.
import type { Delivered } from '../../contract/delivery.ts'
import type { SentInstruction } from '../../contract/instruction.ts'
import type { NotificationContent } from '../../contract/notifications/content.ts'
import type { Network } from '../../contract/payment.ts'
import type { Endpoint } from './receivers.ts'

/** One delivery to the merchant: the input of the courier, without rows of the database. */
export interface Delivery {
  /** `webhook-id` */
  id: string
  siteId: string
  content: NotificationContent
  endpoint: Endpoint
}

/** One delivery of an instruction; `createdAt` is Unix milliseconds. */
export interface InstructionDelivery {
  /** `webhook-id` */
  id: string
  siteId: string
  network: Network
  instruction: SentInstruction
  createdAt: number
}

/** The entry point that delivers. */
export interface Courier {
  deliver(delivery: Delivery): Promise<Delivered>
  instruct(delivery: InstructionDelivery): Promise<Delivered>
}

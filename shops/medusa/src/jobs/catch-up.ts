// Catches up with what the shop missed while it, or the service, was down.
import type { MedusaContainer } from '@medusajs/framework/types'
import { catchUp } from '../lib/catch-up.js'

export default async function job(container: MedusaContainer): Promise<void> {
  await catchUp(container)
}

export const config = { name: 'fps-qr-catch-up', schedule: '*/5 * * * *' }

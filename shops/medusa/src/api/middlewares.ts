// The body of a notification stays as it came; before the admin cancels an order, its codes are cancelled.
import {
  defineMiddlewares,
  type MedusaNextFunction,
  type MedusaRequest,
  type MedusaResponse,
} from '@medusajs/framework/http'
import { beforeRefund, closePayments } from '../lib/orders.js'

async function beforeCancellation(
  { params, scope }: MedusaRequest,
  _: MedusaResponse,
  next: MedusaNextFunction,
): Promise<void> {
  const { id } = params
  if (id !== undefined) await closePayments(scope, id)
  next()
}

async function beforeReturn(
  { params, scope }: MedusaRequest,
  _: MedusaResponse,
  next: MedusaNextFunction,
): Promise<void> {
  const { id } = params
  if (id !== undefined) await beforeRefund(scope, id)
  next()
}

export default defineMiddlewares({
  routes: [
    { matcher: '/fps-qr/notifications', methods: ['POST'], bodyParser: { preserveRawBody: true } },
    { matcher: '/admin/orders/:id/cancel', methods: ['POST'], middlewares: [beforeCancellation] },
    { matcher: '/admin/payments/:id/refund', methods: ['POST'], middlewares: [beforeReturn] },
  ],
})

// The body of a notification stays as it came; what the admin does with the money of an order is done one at a time, and checked before.
import {
  defineMiddlewares,
  type MedusaNextFunction,
  type MedusaRequest,
  type MedusaResponse,
} from '@medusajs/framework/http'
import { Modules } from '@medusajs/framework/utils'
import { closePayments, orderOfRefund } from '../lib/orders.js'

/** Seconds: a refund waits for the bank. */
const LOCK_TIMEOUT = 30

/**
 * Keeps other requests about the order waiting until the work of this one is done. Medusa refuses the second of two refunds at once,
 * but only after the money has been returned.
 */
async function alone(
  { scope }: MedusaRequest,
  response: MedusaResponse,
  { order, work }: { order: string; work: () => Promise<void> },
): Promise<void> {
  // A browser that leaves closes the response and ends no work: only what handles the request calls `end`.
  const answered = new Promise<void>((resolve) => {
    response.end = new Proxy(response.end, {
      apply(end, self, args) {
        resolve()
        return Reflect.apply(end, self, args)
      },
    })
  })
  const job = async () => {
    await work()
    await answered
  }
  await scope.resolve(Modules.LOCKING).execute(`fps-qr:order:${order}`, job, { timeout: LOCK_TIMEOUT })
}

async function beforeCancellation(
  request: MedusaRequest,
  response: MedusaResponse,
  next: MedusaNextFunction,
): Promise<void> {
  const { id = '' } = request.params
  const work = async () => {
    await closePayments(request.scope, id)
    next()
  }
  await alone(request, response, { order: id, work })
}

async function beforeRefund(
  request: MedusaRequest,
  response: MedusaResponse,
  next: MedusaNextFunction,
): Promise<void> {
  const order = await orderOfRefund(request.scope, request.params.id ?? '')
  if (order === undefined) return next()
  await alone(request, response, { order, work: async () => next() })
}

async function beforeIncomeRefund(
  request: MedusaRequest,
  response: MedusaResponse,
  next: MedusaNextFunction,
): Promise<void> {
  await alone(request, response, { order: request.params.id ?? '', work: async () => next() })
}

export default defineMiddlewares({
  routes: [
    { matcher: '/fps-qr/notifications', methods: ['POST'], bodyParser: { preserveRawBody: true } },
    { matcher: '/admin/orders/:id/cancel', methods: ['POST'], middlewares: [beforeCancellation] },
    { matcher: '/admin/payments/:id/refund', methods: ['POST'], middlewares: [beforeRefund] },
    {
      matcher: '/admin/fps-qr/orders/:id/payments/:payment_id/refund',
      methods: ['POST'],
      middlewares: [beforeIncomeRefund],
    },
  ],
})

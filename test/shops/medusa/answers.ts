// What the shop and the service answer, as the tests read it.
import { z } from 'zod'

export const Order = z.object({
  id: z.string(),
  display_id: z.number(),
  status: z.string(),
  payment_status: z.string(),
  total: z.number(),
  summary: z.object({ paid_total: z.number(), refunded_total: z.number() }),
  payment_collections: z.array(
    z.object({
      id: z.string(),
      payments: z.array(
        z.object({
          id: z.string(),
          captures: z.array(z.object({ amount: z.number() })).default([]),
          refunds: z.array(z.object({ amount: z.number() })).default([]),
        }),
      ),
      payment_sessions: z.array(z.object({ id: z.string() })),
    }),
  ),
})
export type Order = z.infer<typeof Order>

/** The captures of an order. */
export const captures = ({ payment_collections }: Order) =>
  payment_collections.flatMap(({ payments }) =>
    payments.flatMap((each) => each.captures.map(({ amount }) => amount)),
  )

/** What is recorded of the money of an order. */
export const money = (order: Order) => ({
  ...{ payment_status: order.payment_status, paid: order.summary.paid_total, captures: captures(order) },
})
export const PAID = { payment_status: 'captured', paid: 349.9, captures: [349.9] }
export const UNPAID = { payment_status: 'awaiting', paid: 0, captures: [] }

export const Income = z.object({
  ...{ paymentId: z.string(), qrCodeUid: z.string(), amount: z.string(), left: z.string(), kind: z.string() },
  medusaPaymentId: z.string().optional(),
  unrecorded: z.array(z.object({ amount: z.string(), status: z.string() })),
  mistaken: z.array(z.object({ amount: z.string() })),
})

export const Regions = z.object({ regions: z.array(z.object({ id: z.string() })) })
export const Products = z.object({
  products: z.array(z.object({ variants: z.array(z.object({ id: z.string() })) })),
})
export const Payments = z.object({ payments: z.array(z.object({ paymentId: z.string() })) })
export const Options = z.object({ shipping_options: z.array(z.object({ id: z.string() })) })
export const Sessions = z.object({
  payment_collection: z.object({ payment_sessions: z.array(z.object({ id: z.string() })) }),
})
export const Notifications = z.object({ notifications: z.array(z.object({ id: z.string() })) })
export const IdOf = <K extends string>(name: K) =>
  z.object({ [name]: z.object({ id: z.string() }) } as Record<K, z.ZodObject<{ id: z.ZodString }>>)

// What the administrator of the shop does in the tests.
import * as z from 'zod'
import type { Shop } from './shop.ts'

const Method = z.object({
  id: z.string(),
  code: z.string(),
  handler: z.object({ args: z.array(z.object({ name: z.string(), value: z.string() })) }),
})
const FIELDS = 'id code handler { code args { name value } }'
const Result = z.object({ __typename: z.string(), message: z.string().optional() })

/** The payment method, as the admin shows it. */
export async function methodOf({ admin }: Shop) {
  const { items } = await admin.ask(
    z.object({ items: z.array(Method) }),
    `{ paymentMethods { items { ${FIELDS} } } }`,
  )
  const [first] = items
  if (!first) throw new Error('no payment method')
  return first
}

/** Saves the form with some fields changed, as the admin sends it: with what it shows in place of the secrets. */
export async function saveSettings(shop: Shop, changed: Record<string, string>) {
  const { id, handler } = await methodOf(shop)
  const all = { ...Object.fromEntries(handler.args.map(({ name, value }) => [name, value])), ...changed }
  const input = {
    id,
    handler: { code: 'fps-qr', arguments: Object.entries(all).map(([name, value]) => ({ name, value })) },
  }
  return shop.admin.ask(
    Method,
    `mutation($input: UpdatePaymentMethodInput!) { updatePaymentMethod(input: $input) { ${FIELDS} } }`,
    { input },
  )
}

export async function enable(shop: Shop, enabled: boolean) {
  const { id } = await methodOf(shop)
  return shop.admin.ask(
    z.object({ enabled: z.boolean() }),
    'mutation($input: UpdatePaymentMethodInput!) { updatePaymentMethod(input: $input) { enabled } }',
    { input: { id, enabled } },
  )
}

export const transition = ({ admin }: Shop, id: string, state: string) =>
  admin.ask(
    Result,
    `mutation($id: ID!, $state: String!) { transitionOrderToState(id: $id, state: $state) {
      __typename ... on OrderStateTransitionError { message: transitionError } } }`,
    { id, state },
  )

export const runTask = ({ admin }: Shop) =>
  admin.ask(z.unknown(), 'mutation { runScheduledTask(id: "fps-qr-catch-up") { success } }')

export const refundOrder = ({ admin }: Shop, paymentId: string, amount: number) =>
  admin.ask(
    Result,
    `mutation($input: RefundOrderInput!) { refundOrder(input: $input) {
      __typename ... on ErrorResult { message } } }`,
    { input: { lines: [], shipping: 0, adjustment: 0, amount, paymentId, reason: 'test' } },
  )

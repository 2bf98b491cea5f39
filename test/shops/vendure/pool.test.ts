// A service that does not answer takes no connection of the shop's database.
import { afterAll, beforeAll, expect, it } from 'vitest'
import * as z from 'zod'
import { openShopOnPostgres, type Shop } from './shop.ts'

let shop: Shop
beforeAll(async () => {
  shop = await openShopOnPostgres()
})
afterAll(() => shop?.dispose())

it('fifteen customers who wait for a silent service keep nobody else waiting', async () => {
  const orders: { customer: ReturnType<Shop['customer']>; code: string }[] = []
  for (let n = 0; n < 15; n++) {
    const customer = shop.customer()
    orders.push({ customer, code: (await customer.order()).code })
  }
  const { faults, requests } = shop.service.proxy
  /** How many of them have an answer when the administrator, who came last, has one. */
  const round = async () => {
    faults.push(...Array<'silent'>(1000).fill('silent'))
    const before = requests.length
    let answered = 0
    const shown = orders.map(({ customer, code }) =>
      customer
        .shown(code)
        .catch(() => undefined)
        .then(() => answered++),
    )
    // As many as the pool has connections.
    await expect.poll(() => requests.length - before).toBeGreaterThanOrEqual(10)
    await shop.admin.ask(z.unknown(), '{ orders { totalItems } }')
    const first = answered
    faults.length = 0
    await Promise.all(shown)
    return first
  }
  // The customers give up after eight seconds, so one slow round proves nothing.
  const rounds: number[] = []
  while (!rounds.includes(0) && rounds.length < 3) rounds.push(await round())
  expect(rounds).toContain(0)
})

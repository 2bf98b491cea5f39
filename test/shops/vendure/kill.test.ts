// A shop that is killed in the midst of notifications, and one of several processes, on PostgreSQL: each order is paid once.
// KILLS: how often it is killed.
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Delivered } from './service.ts'
import { openShopOnPostgres, type Shop } from './shop.ts'

const KILLS = Number(process.env.KILLS ?? 3)
/** The orders whose notifications are under way when it is killed. */
const ORDERS = 4

let shop: Shop
beforeAll(async () => {
  shop = await openShopOnPostgres()
})
afterAll(() => shop?.dispose())

/** Orders that are paid at the service, with the notifications that the shop has not got. */
async function paidOrders(count: number): Promise<{ ids: string[]; deliveries: Delivered[] }> {
  shop.relay.isTaken = true
  const before = shop.relay.deliveries.length
  const ids: string[] = []
  for (let number = 0; number < count; number++) {
    const { id, qrCodeUid } = await shop.customer().order()
    await shop.service.pay(qrCodeUid)
    ids.push(id)
  }
  await expect.poll(() => shop.relay.deliveries.length).toBe(before + count)
  return { ids, deliveries: shop.relay.deliveries.slice(before) }
}

async function expectPaidOnce(ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    const { state, payments, history } = await shop.order(id)
    expect(state).toBe('PaymentSettled')
    expect(payments.map((payment) => payment.state)).toEqual(['Settled'])
    expect(
      history.items
        .filter(({ data }) => data.to === 'PaymentSettled' || data.to === 'Settled')
        .map(({ type }) => type)
        .toSorted(),
    ).toEqual(['ORDER_PAYMENT_TRANSITION', 'ORDER_STATE_TRANSITION'])
  }
}

it(`every order is paid once after ${KILLS} kills between a notification and its answer`, {
  timeout: KILLS * 120_000,
}, async () => {
  let interrupted = 0
  for (let kill = 0; kill < KILLS; kill++) {
    const { ids, deliveries } = await paidOrders(ORDERS)
    let answered = 0
    const deliver = async (each: Delivered) => {
      const status = await shop.relay.deliver(each).catch(() => 0)
      answered++
      return status
    }
    const answers = deliveries.map(deliver)
    // Each kill is at another moment: before the first read, within a transaction, after some commits.
    while (answered < kill % ORDERS) await sleep(1)
    await sleep((kill * 7) % 50)
    await shop.kill()
    // As the service does: what was not answered 2xx is sent again, and nothing else.
    const statuses = await Promise.all(answers)
    const again = deliveries.filter((_, index) => statuses[index] !== 204)
    interrupted += again.length
    await shop.start()
    expect(await Promise.all(again.map((each) => shop.relay.deliver(each)))).toEqual(again.map(() => 204))
    await expectPaidOnce(ids)
  }
  console.log(`${KILLS} kills interrupted ${interrupted} of ${KILLS * ORDERS} notifications`)
  expect(interrupted).toBeGreaterThan(0)
})

it('two processes of the shop that get the same notification at once settle the order once', async () => {
  const other = await shop.startAnother()
  const { ids, deliveries } = await paidOrders(8)
  const toOther = async ({ headers, body }: Delivered) =>
    (await fetch(other, { method: 'POST', headers, body })).status
  for (const each of deliveries)
    expect(await Promise.all([shop.relay.deliver(each), toOther(each)])).toEqual([204, 204])
  await expectPaidOnce(ids)
})

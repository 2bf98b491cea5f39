// kill -9 of the shop between a notification and its answer: every order is paid once.
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { money, PAID } from './answers.ts'
import { type Medusa, openMedusa } from './shop.ts'

/** How many times the shop is killed: more of them take 10 seconds each. */
const KILLS = Number(process.env.KILLS ?? 5)

let medusa: Medusa
beforeAll(async () => {
  medusa = await openMedusa()
})
afterAll(() => medusa.close())

test(`the shop is killed ${KILLS} times while it is told of payments, and every order is paid once`, {
  timeout: 60_000 + KILLS * 60_000,
}, async () => {
  const orders: { order: string; session: string }[] = []
  let interrupted = 0
  for (let kill = 0; kill < KILLS; kill++) {
    const { order, session } = await medusa.order()
    orders.push({ order, session })
    await medusa.withoutNotifications(() => medusa.pay(session))
    const statuses = medusa.redeliver(session)
    // From before the first read to after the answer.
    await sleep((kill % 10) * 25)
    await medusa.shop().kill()
    const isAnswered = (await statuses)[0] === 204
    await medusa.start()
    // What was answered is there; what was not is told again.
    if (!isAnswered) {
      interrupted++
      expect(await medusa.redeliver(session)).toEqual([204])
    }
    expect(money(await medusa.read(order))).toEqual(PAID)
    expect((await medusa.income(order)).map(({ kind }) => kind)).toEqual(['paid'])
  }
  console.log(`${KILLS} kills interrupted ${interrupted} notifications`)
  // A run that interrupts none proves nothing.
  expect(interrupted).toBeGreaterThan(0)
  for (const { order, session } of orders) {
    expect(await medusa.redeliver(session)).toEqual([204])
    expect(money(await medusa.read(order))).toEqual(PAID)
  }
})

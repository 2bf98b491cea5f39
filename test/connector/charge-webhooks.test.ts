// Webhooks of charges: how long each waits, and what ends it.
import { expect, it } from 'vitest'
import { boundBy, charge, minutes, PRICE, registerToken } from './bound.ts'
import { DAY, HOUR, MINUTE, register, start, surroundings } from './harness.ts'

/** A charge at Raiffeisenbank, whose callbacks only say that the bank is to be asked; `callback` delivers one. */
async function charged(prepare: (at: Awaited<ReturnType<typeof surroundings>>) => void) {
  const at = await surroundings()
  const running = await start(at)
  at.clock.now += 1_000
  const token = await registerToken(at, 'farm')
  at.clock.now += MINUTE
  await at.raiffeisen.consent(token.qrcId, 'SUBSCRIBED')
  await running.connector.settle()
  const link = await register(at, 'farm', { amount: PRICE })
  prepare(at)
  const asked = await charge(at, boundBy(at, 'farm', token.qrcId), link)
  await running.connector.settle()
  const order = at.raiffeisen.charged[0]?.order ?? ''
  const code = Array.from(at.raiffeisen.codes.values()).find((each) => each.order === order)
  if (!code) throw new Error('no order was charged')
  const callback = () => at.raiffeisen.deliver(code.qrId)
  return { at, running, asked, order, callback }
}

/** A charge that the bank refuses, and makes all the same. */
const refusedAndMade = () =>
  charged(({ raiffeisen }) => {
    const refusal = { code: 'ERROR.INVALID_REQUEST', message: 'x' }
    raiffeisen.fail('charge', { status: 400, body: refusal, executed: true })
  })

const NOT_FOUND = { status: 404, body: { code: 'ERROR.NOT_FOUND', message: 'no' } }

it.each(['SUCCESS', 'DECLINED'] as const)(
  'one of a charge that ends half an hour later, with %s, does not wait for its next hour',
  async (end) => {
    const { at, running, asked, order, callback } = await charged((each) => {
      each.raiffeisen.chargeResult = 'IN_PROGRESS'
    })
    await callback()
    await minutes({ at, running }, 20)
    expect([asked.result(), running.core.disk.webhooks.countWaiting()]).toEqual([undefined, 1])
    at.raiffeisen.finishCharge(order, end)
    await minutes({ at, running }, 11)
    expect(asked.result()?.status).toBe(end === 'SUCCESS' ? 'COMPLETED' : 'DECLINED')
    expect(running.core.disk.webhooks.countWaiting()).toBe(0)
  },
)

it('one of a declined charge that the bank does not know is given up after a day, and its repeat counts', async () => {
  const { at, running, asked, callback } = await refusedAndMade()
  at.raiffeisen.fail('charge_status', NOT_FOUND, 1_000)
  await callback()
  const waiting = () => running.core.disk.webhooks.countWaiting()
  for (let hour = 0; hour < 23; hour++) {
    at.clock.now += HOUR
    await running.connector.settle(1)
  }
  expect(waiting()).toBe(1)
  at.clock.now += 2 * HOUR
  await running.connector.settle()
  expect(waiting()).toBe(0)
  expect(running.log).toContainEqual(
    expect.objectContaining({ level: 'error', message: 'a webhook of a charge was given up' }),
  )
  const calls = at.raiffeisen.callsOf('charge_status').length
  at.clock.now += 3 * DAY
  await running.connector.settle()
  expect(at.raiffeisen.callsOf('charge_status')).toHaveLength(calls)
  expect(asked.result()?.status).toBe('DECLINED')
  // Not on the first word: it is as a new one.
  await callback()
  await running.connector.settle()
  expect(waiting()).toBe(1)
  at.raiffeisen.heal()
  at.clock.now += HOUR
  await running.connector.settle()
  expect(asked.result()?.status).toBe('COMPLETED')
})

it('one is not given up while the bank does not answer, nor on its first word after that', async () => {
  const { at, running, asked, callback } = await refusedAndMade()
  at.raiffeisen.fail('charge_status', { status: 502 }, 1_000)
  await callback()
  for (let day = 0; day < 3; day++) {
    at.clock.now += DAY
    await running.connector.settle(1)
  }
  at.raiffeisen.heal()
  at.raiffeisen.fail('charge_status', NOT_FOUND)
  at.clock.now += HOUR
  await running.connector.settle(1)
  expect([asked.result()?.status, running.core.disk.webhooks.countWaiting()]).toEqual(['DECLINED', 1])
  at.clock.now += HOUR
  await running.connector.settle()
  expect([asked.result()?.status, running.core.disk.webhooks.countWaiting()]).toEqual(['COMPLETED', 0])
})

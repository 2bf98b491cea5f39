// Webhooks of charges: how long each waits, and what ends it.
import { expect, it } from 'vitest'
import { charged, RAIFFEISEN } from './bound.ts'
import { DAY, HOUR, MINUTE, type Surroundings } from './harness.ts'

/** A charge at Raiffeisenbank, whose callbacks only say that the bank is to be asked; `callback` delivers one. */
async function madeAfter(prepare: (at: Surroundings) => void) {
  const of = await charged(RAIFFEISEN, ({ at }) => prepare(at))
  const order = of.at.raiffeisen.charged[0]?.order ?? ''
  return { ...of, order, callback: () => RAIFFEISEN.deliver(of.at, order) }
}

/** A charge that the bank refuses, and makes all the same. */
const refusedAndMade = () =>
  madeAfter(({ raiffeisen }) => {
    const refusal = { code: 'ERROR.INVALID_REQUEST', message: 'x' }
    raiffeisen.fail('charge', { status: 400, body: refusal, executed: true })
  })

const NOT_FOUND = { status: 404, body: { code: 'ERROR.NOT_FOUND', message: 'no' } }

it.each(['SUCCESS', 'DECLINED'] as const)(
  'one of a charge that ends half an hour later, with %s, does not wait for its next hour',
  async (end) => {
    const { at, running, asked, order, callback } = await madeAfter((each) => {
      each.raiffeisen.chargeResult = 'IN_PROGRESS'
    })
    await callback()
    await running.later(MINUTE, 20)
    expect([asked.result(), running.core.disk.webhooks.countWaiting()]).toEqual([undefined, 1])
    at.raiffeisen.finishCharge(order, end)
    await running.later(MINUTE, 11)
    expect(asked.result()?.status).toBe(end === 'SUCCESS' ? 'COMPLETED' : 'DECLINED')
    expect(running.core.disk.webhooks.countWaiting()).toBe(0)
  },
)

it('one of a declined charge that the bank does not know is given up after a day, and its repeat counts', async () => {
  const { at, running, asked, callback } = await refusedAndMade()
  at.raiffeisen.fail('charge_status', NOT_FOUND, 1_000)
  await callback()
  const waiting = () => running.core.disk.webhooks.countWaiting()
  await running.later(HOUR, 23, 1)
  expect(waiting()).toBe(1)
  await running.later(2 * HOUR)
  expect(waiting()).toBe(0)
  expect(running.log).toContainEqual(
    expect.objectContaining({ level: 'error', message: 'a webhook of a charge was given up' }),
  )
  const calls = at.raiffeisen.callsOf('charge_status').length
  await running.later(3 * DAY)
  expect(at.raiffeisen.callsOf('charge_status')).toHaveLength(calls)
  expect(asked.result()?.status).toBe('DECLINED')
  // Not on the first word: it is as a new one.
  await callback()
  await running.connector.settle()
  expect(waiting()).toBe(1)
  at.raiffeisen.heal()
  await running.later(HOUR)
  expect(asked.result()?.status).toBe('COMPLETED')
})

it('one is not given up while the bank does not answer, nor on its first word after that', async () => {
  const { at, running, asked, callback } = await refusedAndMade()
  at.raiffeisen.fail('charge_status', { status: 502 }, 1_000)
  await callback()
  await running.later(DAY, 3, 1)
  at.raiffeisen.heal()
  at.raiffeisen.fail('charge_status', NOT_FOUND)
  await running.later(HOUR, 1, 1)
  expect([asked.result()?.status, running.core.disk.webhooks.countWaiting()]).toEqual(['DECLINED', 1])
  await running.later(HOUR)
  expect([asked.result()?.status, running.core.disk.webhooks.countWaiting()]).toEqual(['COMPLETED', 0])
})

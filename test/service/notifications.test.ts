// Notifications of the deployed bundle, to a server that verifies them with code that is not the project's.
import { afterAll, expect, it } from 'vitest'
import { bareWorkerd } from '../support/bare-workerd.ts'
import { merchantReceiver, silentServer } from '../support/merchant-receiver.ts'
import { serviceSite } from '../support/service-site.ts'

/** How often the service is killed under load. */
const KILLS = Number(process.env.KILLS ?? 3)
const CLIENTS = 16
const PAYMENTS_A_KILL = 200

const cleanups: (() => unknown)[] = []
afterAll(async () => {
  for (const cleanUp of cleanups.splice(0)) await cleanUp()
})

async function started(network: 'public' | 'any', statusOf?: (id: string) => number) {
  const receiver = await merchantReceiver(statusOf)
  const service = bareWorkerd({ CALLBACK_HOSTS: 'any' }, network)
  cleanups.push(() => service.dispose(), receiver.close)
  const site = await serviceSite(service)
  await site.start()
  return { receiver, service, site }
}

it('a payment is notified with both signatures, and a test notification too', async () => {
  const { receiver, site } = await started('any')
  await site.notify(receiver)
  await site.pay('1')
  await receiver.until(() => receiver.deliveries.length === 1)
  expect(await site.merchant('/notifications/test', 'POST')).toMatchObject({ httpStatus: 204 })
  expect(receiver.deliveries.map(({ paymentId }) => paymentId)).toEqual(['payment-1', 'test'])
  expect(receiver.faults).toEqual([])
})

it.each(['127.0.0.1', 'localhost'])(
  'a runtime whose network is public refuses %s, whatever CALLBACK_HOSTS says',
  async (host) => {
    const { receiver, site } = await started('public')
    await site.notify(receiver, receiver.url.replace('127.0.0.1', host))
    expect(await site.merchant('/notifications/test', 'POST')).toMatchObject({ error: 'no connection' })
    expect([receiver.deliveries, receiver.faults]).toEqual([[], []])
  },
)

// It only waits, so the next test runs meanwhile.
it.concurrent('an endpoint that does not answer is given up after 10 seconds', async () => {
  const { receiver, site } = await started('any')
  const silent = await silentServer()
  cleanups.push(silent.close)
  await site.notify(receiver, silent.url)
  const answer = await site.merchant('/notifications/test', 'POST')
  expect(answer).toMatchObject({ error: 'no answer within 10 seconds' })
})

it.concurrent(`every payment is notified after ${KILLS} kills under load, though the receiver fails a third of the calls; an id repeats for the same payment only`, async () => {
  let failures = 0
  const seen = new Set<string>()
  // The first delivery of every second notification fails: a third of all calls.
  const { receiver, service, site } = await started('any', (id) => {
    if (seen.has(id) || seen.add(id).size % 2 === 0) return 204
    failures++
    return 500
  })
  await site.notify(receiver)
  const acknowledged = new Set<string>()
  let next = 0
  for (let kill = 1; kill <= KILLS; kill++) {
    let isAlive = true
    const client = async () => {
      while (isAlive) {
        const uid = `${next++}`
        try {
          await site.pay(uid)
          acknowledged.add(`payment-${uid}`)
        } catch (error) {
          if (isAlive) throw error
        }
        if (acknowledged.size >= kill * PAYMENTS_A_KILL && isAlive) {
          isAlive = false
          await service.kill()
        }
      }
    }
    await Promise.all(Array.from({ length: CLIENTS }, client))
    await site.start()
  }

  const paid = new Set((await site.feed()).flatMap(({ payment }) => payment?.paymentUid ?? []))
  expect([...acknowledged].filter((payment) => !paid.has(payment))).toEqual([])
  const taken = () =>
    new Set(receiver.deliveries.flatMap(({ paymentId, status }) => (status === 204 ? [paymentId] : [])))
  await receiver.until(() => taken().size >= paid.size)
  expect(taken()).toEqual(paid)
  const { deliveries, faults } = receiver
  expect(faults).toEqual([])
  // One id and one body for each payment.
  for (const of of [
    (each: (typeof deliveries)[0]) => `${each.id} ${each.body}`,
    ({ id }: { id: string }) => id,
  ])
    expect(new Set(deliveries.map(of)).size).toBe(paid.size)
  console.log(
    `${KILLS} kills, ${paid.size} payments, ${deliveries.length} deliveries, ${failures} of them failed, ` +
      `${deliveries.length - failures - paid.size} of them repeated after a kill`,
  )
})

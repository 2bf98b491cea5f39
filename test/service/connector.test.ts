// The example of a connector, run against the deployed bundle: what it executes, and what survives kill -9.
import { afterEach, expect, it } from 'vitest'
import { QrCodeAnswer } from '../../src/contract/qr-code-answer.ts'
import { RefundAnswer } from '../../src/contract/refund.ts'
import { webhookHeaders } from '../../src/gateway/signatures.ts'
import { bareWorkerd } from '../support/bare-workerd.ts'
import { exampleConnector, forwarder, instructionRelay } from '../support/connector.ts'
import { merchantReceiver, silentServer } from '../support/merchant-receiver.ts'
import { serviceSite } from '../support/service-site.ts'

/** How often each of the service and the connector is killed under load. */
const KILLS = Number(process.env.KILLS ?? 3)
const CLIENTS = 8
const REFUNDS_A_KILL = 40

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const OTHER_SECRET = `whsec_${Buffer.alloc(32, 8).toString('base64')}`

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanUp of cleanups.splice(0).reverse()) await cleanUp()
})

/** The service, started, and a connector that is not; they find each other by addresses that stay. */
async function deployment(
  { network = 'any', secret = SECRET } = {} as {
    network?: 'public' | 'any'
    /** The connector's. */
    secret?: string
  },
) {
  const relay = await instructionRelay(SECRET)
  const vars = { PAYMENT_NETWORK: 'external', NETWORK_URL: relay.url, NETWORK_SECRET: SECRET }
  const service = bareWorkerd({ ...vars, CALLBACK_HOSTS: 'any' }, network)
  const site = await serviceSite(service)
  const front = await forwarder()
  const serviceUrl = `http://127.0.0.1:${front.port}`
  const connector = exampleConnector({ serviceUrl, secret, token: site.networkToken })
  cleanups.push(
    relay.close,
    front.close,
    () => service.dispose(),
    () => connector.dispose(),
  )
  const refund = async (uid: string, value = 0.5, refundUid = '1') =>
    RefundAnswer.parse(
      await site.merchant(`/payments/payment-${uid}/refunds/${refundUid}`, 'PUT', { amount: { value } }),
    )
  const of = async (uid: string, refundUid = '1') =>
    RefundAnswer.parse(await site.merchant(`/payments/payment-${uid}/refunds/${refundUid}`))
  const startService = async () => {
    front.target = await site.start()
  }
  await startService()
  return {
    ...{
      relay,
      service,
      site,
      refund,
      refundOf: of,
      startService,
      executions: connector.executions,
      faults: connector.faults,
    },
    async startConnector() {
      relay.target = await connector.start()
    },
    killConnector: () => connector.kill(),
    async killService() {
      await service.kill()
    },
    /** A merchant's server, with its key. */
    async notified() {
      const receiver = await merchantReceiver()
      cleanups.push(receiver.close)
      await site.notify(receiver)
      return receiver
    },
  }
}

const keyOf = (uid: string, refundUid = '1') =>
  JSON.stringify(['refund.create', 'demo', `payment-${uid}`, refundUid])

it('a refund is instructed with a good signature, executed once, reported, and notified with both signatures', async () => {
  const { relay, site, refund, refundOf, executions, startConnector, notified } = await deployment()
  await startConnector()
  const receiver = await notified()
  await site.pay('1')
  expect(await refund('1')).toMatchObject({ status: { value: 'WAITING' } })
  expect(await refund('1', 1, '2')).toMatchObject({ status: { value: 'WAITING' } })
  await receiver.until(() => receiver.deliveries.length === 3)

  const [first, second] = [await refundOf('1', '1'), await refundOf('1', '2')]
  expect([first.status.value, second.status.value]).toEqual(['COMPLETED', 'COMPLETED'])
  expect(executions().toSorted()).toEqual([keyOf('1', '1'), keyOf('1', '2')])
  expect(new Set(receiver.deliveries.map(({ paymentId, refundId }) => `${paymentId} ${refundId}`))).toEqual(
    new Set(['payment-1 undefined', 'payment-1 1', 'payment-1 2']),
  )
  expect([receiver.faults, relay.faults]).toEqual([[], []])
  expect(relay.sent.map(({ type, timestamp, data, status }) => ({ type, timestamp, data, status }))).toEqual(
    [first, second].map(({ refundId, createdDateTime, amount }) => ({
      type: 'refund.create',
      timestamp: createdDateTime,
      data: {
        siteId: 'demo',
        qrcId: expect.stringMatching(/^AD1000\w{26}$/),
        paymentUid: 'payment-1',
        refundUid: refundId,
        amount,
      },
      status: 202,
    })),
  )
  expect(new Set(relay.sent.map(({ id }) => id)).size).toBe(2)
  const events = (await site.feed()).map(({ type, by, refund }) => `${type} ${by.actor} ${refund?.refundUid}`)
  expect(events.filter((event) => event.startsWith('refund.')).toSorted()).toEqual([
    'refund.completed network 1',
    'refund.completed network 2',
    'refund.waiting merchant 1',
    'refund.waiting merchant 2',
  ])
})

it('a charge is instructed, executed once and reported; the deletion of its token too', async () => {
  const { relay, site, executions, startConnector } = await deployment()
  await startConnector()
  const token = await site.bind('1')
  await site.merchant('/sbp/qrCodes', 'POST', {
    qrCodeUid: 'month-1',
    qrCode: { type: 'DYNAMIC' },
    amount: { value: 1.5 },
  })
  const charge = () => site.merchant('/sbp/qrCodes/month-1/payments', 'POST', { token })
  expect(await charge()).toMatchObject({ qrCode: { status: 'INIT_PAYMENT_BY_TOKEN', payload: '' } })
  await charge()
  const read = async () => QrCodeAnswer.parse(await site.merchant('/sbp/qrCodes/month-1'))
  await until(async () => (await read()).qrCode.status === 'PAYED')
  await site.merchant('/tokens', 'DELETE', { token })
  await until(async () => executions().length === 2)

  const { payment, expiresOn } = await read()
  const paymentUid = payment?.paymentUid ?? ''
  expect(executions()).toEqual([
    JSON.stringify(['payment.charge', 'demo', paymentUid, null]),
    JSON.stringify(['token.delete', 'demo', 'binding-1', null]),
  ])
  const of = { siteId: 'demo', bindingUid: 'binding-1' }
  expect(relay.sent.map(({ type, data, status }) => ({ type, data, status }))).toEqual([
    {
      type: 'payment.charge',
      data: {
        ...of,
        qrcId: expect.stringMatching(/^AD1000/),
        paymentUid,
        amount: { value: '1.50', currency: 'RUB' },
        expiresOn,
      },
      status: 202,
    },
    { type: 'token.delete', data: { ...of, qrcId: expect.stringMatching(/^AB1S00/) }, status: 202 },
  ])
  expect((await site.feed()).map(({ type }) => type)).toEqual([
    ...['qrCode.created', 'token.created', 'qrCode.created'],
    ...['payment.waiting', 'payment.completed', 'token.deleted'],
  ])
})

it.each([
  ['after', 'DECLINED', -1000],
  ['before', 'PAYED', 60_000],
])('a charge that is first executed %s its expiresOn leaves the QR code %s', async (_, status, ms) => {
  const { relay, site, startConnector } = await deployment()
  await startConnector()
  const amount = { value: '1.50', currency: 'RUB' }
  const created = await site.merchant('/sbp/qrCodes', 'POST', {
    ...{ qrCodeUid: 'month-1', qrCode: { type: 'DYNAMIC' }, amount },
  })
  const [qrcId] = /AD1000\w{26}/.exec(QrCodeAnswer.parse(created).qrCode.payload) ?? []
  const expiresOn = new Date(Date.now() + ms).toISOString()
  const data = { siteId: 'demo', qrcId, paymentUid: 'charge-1', bindingUid: '1', amount, expiresOn }
  const body = JSON.stringify({ type: 'payment.charge', data })
  const headers = webhookHeaders([SECRET], 'id-1', Math.floor(Date.now() / 1000), body)
  const answer = await fetch(`http://127.0.0.1:${relay.target}/`, { method: 'POST', headers, body })
  expect(answer.status).toBe(202)
  const read = async () => QrCodeAnswer.parse(await site.merchant('/sbp/qrCodes/month-1')).qrCode.status
  await until(async () => (await read()) !== 'CREATED')
  expect(await read()).toBe(status)
})

it('the connector refuses a type that it does not know and a site without a token, says so, and executes nothing', async () => {
  const { relay, executions, startConnector, faults } = await deployment()
  await startConnector()
  const send = async (type: string, siteId: string) => {
    const body = JSON.stringify({ type, data: { siteId, paymentUid: '1', refundUid: '1' } })
    const headers = webhookHeaders([SECRET], 'id-1', Math.floor(Date.now() / 1000), body)
    return (await fetch(`http://127.0.0.1:${relay.target}/`, { method: 'POST', headers, body })).status
  }
  expect([await send('mandate.create', 'demo'), await send('refund.create', 'other')]).toEqual([501, 503])
  await until(async () => faults.length === 2)
  expect(faults).toEqual([
    '501: the type mandate.create is not known',
    '503: there is no token of the site other',
  ])
  expect(executions()).toEqual([])
})

it('on a runtime whose network is public, instructions reach a private address, and notifications do not', async () => {
  const { relay, site, refund, startConnector, notified } = await deployment({ network: 'public' })
  await startConnector()
  const receiver = await notified()
  await site.pay('1')
  await refund('1')
  await until(async () => relay.sent.length > 0)
  expect(await site.merchant('/notifications/test', 'POST')).toMatchObject({ error: 'no connection' })
  expect([receiver.deliveries, relay.sent.map(({ status }) => status)]).toEqual([[], [202]])
})

it('a connector that is down gets its instructions when it is there again; notifications do not wait for it', async () => {
  const { relay, site, refund, executions, startConnector, notified } = await deployment()
  const receiver = await notified()
  const uids = ['1', '2', '3']
  for (const uid of uids) {
    await site.pay(uid)
    await refund(uid)
  }
  await until(async () => relay.sent.length >= uids.length)
  await site.pay('6')
  await receiver.until(() => receiver.deliveries.some(({ paymentId }) => paymentId === 'payment-6'))
  expect(new Set(relay.sent.map(({ status }) => status))).toEqual(new Set([0]))

  await startConnector()
  await receiver.until(() => receiver.deliveries.filter(({ refundId }) => refundId).length === uids.length)
  expect(executions().toSorted()).toEqual(uids.map((uid) => keyOf(uid)))
  // An instruction is the same in each repeat.
  for (const part of ['id', 'body'] as const)
    expect(new Set(relay.sent.map((sent) => sent[part])).size).toBe(uids.length)
  expect(relay.faults).toEqual([])
})

it('a merchant’s server that does not answer delays no instruction', async () => {
  const { relay, site, refund, refundOf, startConnector, notified } = await deployment()
  await startConnector()
  const silent = await silentServer()
  cleanups.push(silent.close)
  await site.notify(await notified(), silent.url)
  await site.pay('1')
  await refund('1')
  await until(async () => relay.sent.length > 0)
  expect((await site.log()).find(({ type }) => type === 'PAYMENT')).toMatchObject({
    status: 'PENDING',
    attempts: [],
  })
  await until(async () => (await refundOf('1')).status.value === 'COMPLETED')
})

it('the connector refuses an instruction that another secret signed, and executes nothing', async () => {
  const { relay, site, refund, refundOf, executions, startConnector } = await deployment({
    secret: OTHER_SECRET,
  })
  await startConnector()
  await site.pay('1')
  await refund('1')
  await until(async () => relay.sent.length > 0)
  expect(relay.sent[0]?.status).toBe(401)
  expect(executions()).toEqual([])
  expect((await refundOf('1')).status.value).toBe('WAITING')
})

it('the connector executes an instruction once, however often and in whatever order it is sent', async () => {
  const { relay, site, refund, refundOf, executions, startConnector, killConnector } = await deployment()
  await startConnector()
  await site.pay('1')
  await refund('1')
  await until(async () => (await refundOf('1')).status.value === 'COMPLETED')
  const [sent] = relay.sent
  if (!sent) throw new Error('nothing was sent')
  const again = () =>
    fetch(`http://127.0.0.1:${relay.target}/`, {
      method: 'POST',
      headers: webhookHeaders([SECRET], sent.id, Math.floor(Date.now() / 1000), sent.body),
      body: sent.body,
    }).then(({ status }) => status)
  expect(await Promise.all(Array.from({ length: 20 }, again))).toEqual(Array(20).fill(202))
  await killConnector()
  await startConnector()
  expect(await again()).toBe(202)
  expect(executions()).toEqual([keyOf('1')])
})

it(`after ${KILLS} kills of the service and ${KILLS} of the connector under load, each refund is instructed, executed once, reported and notified`, async () => {
  const { relay, site, refund, refundOf, executions, ...processes } = await deployment()
  await processes.startConnector()
  const receiver = await processes.notified()
  const acknowledged = new Set<string>()
  let next = 0
  for (let kill = 1; kill <= KILLS; kill++) {
    let [isServiceAlive, isConnectorAlive] = [true, true]
    const ends: Promise<void>[] = []
    const client = async () => {
      while (isServiceAlive) {
        const uid = `${next++}`
        try {
          await site.pay(uid)
          await refund(uid)
          acknowledged.add(uid)
        } catch (error) {
          if (isServiceAlive) throw error
        }
        if (acknowledged.size >= (kill - 0.5) * REFUNDS_A_KILL && isConnectorAlive) {
          isConnectorAlive = false
          ends.push(processes.killConnector().then(processes.startConnector))
        }
        if (acknowledged.size >= kill * REFUNDS_A_KILL && isServiceAlive) {
          isServiceAlive = false
          await processes.killService()
        }
      }
    }
    await Promise.all(Array.from({ length: CLIENTS }, client))
    await Promise.all(ends)
    await processes.startService()
  }

  const requested = new Set(
    (await site.feed()).flatMap(({ type, refund }) =>
      type === 'refund.waiting' && refund ? [refund.paymentUid.replace('payment-', '')] : [],
    ),
  )
  expect([...acknowledged].filter((uid) => !requested.has(uid))).toEqual([])
  const notified = () =>
    new Set(receiver.deliveries.flatMap((each) => (each.refundId ? [each.paymentId] : [])))
  await receiver.until(() => notified().size >= requested.size)

  const keys = [...requested].map((uid) => keyOf(uid)).toSorted()
  expect(executions().toSorted()).toEqual(keys)
  const feed = await site.feed()
  for (const type of ['refund.waiting', 'refund.completed']) {
    const uids = feed.flatMap((event) =>
      event.type === type && event.refund ? [event.refund.paymentUid] : [],
    )
    expect(uids.map((uid) => keyOf(uid.replace('payment-', ''))).toSorted()).toEqual(keys)
  }
  expect([receiver.faults, relay.faults]).toEqual([[], []])
  expect(new Set(relay.sent.map(({ id }) => id)).size).toBe(requested.size)
  const count = (status: number) => relay.sent.filter((sent) => sent.status === status).length
  console.log(
    `${KILLS} kills of each, ${requested.size} refunds, ${acknowledged.size} acknowledged, ` +
      `${relay.sent.length} instructions sent, ${count(0)} of them to no connector, ` +
      `${count(202) - requested.size} taken again, ${executions().length} executions`,
  )
})

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await new Promise((resolve) => setTimeout(resolve, 20))
}

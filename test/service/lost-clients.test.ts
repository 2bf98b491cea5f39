// Clients that disconnect while the bank is asked, against the deployed bundle: the runtime ends their requests.
import { createServer, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import * as z from 'zod'
import { mintToken } from '../../bin/mint-token.ts'
import { AuditAnswer } from '../../src/contract/audit.ts'
import { bareWorkerd } from '../support/bare-workerd.ts'
import { requestOf, siteClient } from '../support/client.ts'
import { overHttp } from '../support/over-http.ts'
import { portOf } from '../support/ports.ts'
import { SECRET } from '../support/secret.ts'
import { wholeBody } from '../support/whole-body.ts'

/** By then the service has noticed that a client is gone. */
const NOTICED_MS = 500

const Message = z.object({ type: z.string(), data: z.looseObject({ key: z.string().optional() }) })

/** A question whose answer, a status, is the test's. */
let held: { asked(): void; answer: Promise<number> } | undefined
/** The ids of the refunds that it was told. */
const refundIds: string[] = []
/** Gives links, and takes what else it is asked. */
const connector = createServer(async (incoming, response) => {
  const { type, data } = Message.parse(JSON.parse((await wholeBody(incoming)) ?? ''))
  if (type === 'refund.create') refundIds.push(`${incoming.headers['webhook-id']}`)
  held?.asked()
  const status = (await held?.answer) ?? 200
  const link = { payload: `https://qr.nspk.ru/${data.key}?type=01&bank=100000000001&crc=0000` }
  const body = JSON.stringify(type === 'qrCode.register' ? link : {})
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(body)
})

let port: number
const merchant = await mintToken(SECRET, { siteId: 'demo', scope: 'merchant', days: 1 })
const operator = await mintToken(SECRET, { siteId: '*', scope: 'operator', days: 1 })
const site = siteClient(
  'demo',
  overHttp(() => `http://127.0.0.1:${port}`, SECRET, 'demo'),
)
beforeAll(async () => {
  const service = bareWorkerd({
    ...{ PAYMENT_NETWORK: 'external', LINKS: 'connector' },
    NETWORK_URL: `http://127.0.0.1:${await portOf(connector)}/`,
    NETWORK_SECRET: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
  })
  port = await service.start()
  return () => service.dispose()
})
afterAll(() => void connector.close())

interface Abandoned {
  body?: object
  /** Of the bank's answer. */
  status?: number
  token?: string
}

/** Sends a request whose client disconnects while the bank is asked, and lets the bank answer after that. */
async function abandoned(
  method: string,
  path: string,
  { body, status = 200, token = merchant }: Abandoned = {},
) {
  const [asked, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<number>()]
  held = { asked: asked.resolve, answer: answer.promise }
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
  const sent = request({ host: '127.0.0.1', port, method, path, headers, agent: false })
  sent.on('error', () => {})
  sent.end(body && JSON.stringify(body))
  await asked.promise
  // Bare workerd notices no FIN.
  sent.socket?.resetAndDestroy()
  await sleep(NOTICED_MS)
  answer.resolve(status)
  held = undefined
}

const SALE = { amount: { value: 5 } }

async function counter() {
  const { qrCodeUid } = await site.make({ amount: undefined }, { type: 'COUNTER' })
  const below = `/sbp/qrCodes/${qrCodeUid}`
  const arm = (saleUid: string) => site.ask(`${below}/sales/${saleUid}`, { method: 'PUT', body: SALE })
  return { below, arm }
}

/** Waits until the answer of a path has this status. */
const becomes = (below: string, status: string) =>
  vi.waitFor(async () => expect(await (await site.ask(below)).text()).toContain(`"${status}"`), 10_000)

it('a create whose client disconnects has its QR code', async () => {
  await abandoned('PUT', `${site.path}/sbp/qrCodes/lost`, { body: { qrCode: { type: 'COUNTER' } } })
  await becomes('/sbp/qrCodes/lost', 'CREATED')
})

it('a sale whose till disconnects is ACTIVE where the bank arms the link', async () => {
  const { below } = await counter()
  await abandoned('PUT', `${site.path}${below}/sales/lost`, { body: SALE })
  await becomes(`${below}/sales/lost`, 'ACTIVE')
})

it('a sale whose till disconnects leaves the code free where the bank refuses it', async () => {
  const { below, arm } = await counter()
  await abandoned('PUT', `${site.path}${below}/sales/lost`, { body: SALE, status: 422 })
  await vi.waitFor(async () => expect((await arm('next')).status).toBe(200), 10_000)
})

it.each([
  ['sale', '/sales/armed'],
  ['QR code', ''],
])(
  'a %s that a till cancels, and then disconnects, is CANCELLED where the bank disarms the link',
  async (_, of) => {
    const { below, arm } = await counter()
    expect((await arm('armed')).status).toBe(200)
    await abandoned('DELETE', site.path + below + of)
    await becomes(below + of, 'CANCELLED')
  },
)

it('an act of an operator who disconnects has its result in the audit', async () => {
  const { answer } = await site.make()
  await site.report(new URL(answer.qrCode.payload).pathname.slice(1), 'p-1')
  await site.refund('p-1', 1)
  await vi.waitFor(() => expect(refundIds).toHaveLength(1), 10_000)
  const path = `/operator/v1/sites/demo/instructions/${refundIds[0]}/send`
  const asOperator = (of: string, method = 'GET') =>
    fetch(requestOf(`http://127.0.0.1:${port}${of}`, { method, token: operator }))
  // Until the site has the connector's first answer it refuses.
  await vi.waitFor(async () => expect((await asOperator(path, 'POST')).status).toBe(200), 10_000)
  await abandoned('POST', path, { token: operator })
  await vi.waitFor(async () => {
    const { rows } = AuditAnswer.parse(await (await asOperator('/operator/v1/audit')).json())
    expect(rows[0]).toMatchObject({ act: 'instruction.send', result: 'DONE' })
  }, 10_000)
})

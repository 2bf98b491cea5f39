// Clients that disconnect while the bank is asked, against the deployed bundle: the runtime ends their requests.
import { createServer, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import * as z from 'zod'
import { mintToken } from '../../bin/mint-token.ts'
import { bareWorkerd } from '../support/bare-workerd.ts'
import { siteClient } from '../support/client.ts'
import { overHttp } from '../support/over-http.ts'
import { portOf } from '../support/ports.ts'
import { SECRET } from '../support/secret.ts'
import { wholeBody } from '../support/whole-body.ts'

/** By then the service has noticed that a client is gone. */
const NOTICED_MS = 500

const Message = z.object({ type: z.string(), data: z.looseObject({ key: z.string().optional() }) })

/** A question whose answer, a status, is the test's. */
let held: { asked(): void; answer: Promise<number> } | undefined
/** Gives links, and takes what else it is asked. */
const connector = createServer(async (incoming, response) => {
  const { type, data } = Message.parse(JSON.parse((await wholeBody(incoming)) ?? ''))
  held?.asked()
  const status = (await held?.answer) ?? 200
  const link = { payload: `https://qr.nspk.ru/${data.key}?type=01&bank=100000000001&crc=0000` }
  const body = JSON.stringify(type === 'qrCode.register' ? link : {})
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(body)
})

let port: number
const token = await mintToken(SECRET, { siteId: 'demo', scope: 'merchant', days: 1 })
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

/** Sends a request whose client disconnects while the bank is asked, and lets the bank answer after that. */
async function abandoned(method: string, below: string, body: object | undefined, status: number) {
  const [asked, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<number>()]
  held = { asked: asked.resolve, answer: answer.promise }
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
  const sent = request({ host: '127.0.0.1', port, method, path: site.path + below, headers, agent: false })
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
  await abandoned('PUT', '/sbp/qrCodes/lost', { qrCode: { type: 'COUNTER' } }, 200)
  await becomes('/sbp/qrCodes/lost', 'CREATED')
})

it('a sale whose till disconnects is ACTIVE where the bank arms the link', async () => {
  const { below } = await counter()
  await abandoned('PUT', `${below}/sales/lost`, SALE, 200)
  await becomes(`${below}/sales/lost`, 'ACTIVE')
})

it('a sale whose till disconnects leaves the code free where the bank refuses it', async () => {
  const { below, arm } = await counter()
  await abandoned('PUT', `${below}/sales/lost`, SALE, 422)
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
    await abandoned('DELETE', below + of, undefined, 200)
    await becomes(below + of, 'CANCELLED')
  },
)

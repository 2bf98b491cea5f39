// Test sites and live ones in one deployment: whatever is called in whatever order, no instruction of a test site reaches the
// connector, and none of a live one the sandbox bank (contract, section 10).
import { createServer } from 'node:http'
import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import * as z from 'zod'
import { mintToken } from '../../bin/mint-token.ts'
import { PaymentsAnswer } from '../../src/contract/payment.ts'
import { RefundsAnswer } from '../../src/contract/refund.ts'
import { SiteAnswer } from '../../src/contract/site.ts'
import { TokensAnswer } from '../../src/contract/token.ts'
import { type BareWorkerd, bareWorkerd } from '../support/bare-workerd.ts'
import { type Call, type Made, requestOf, type SiteClient, siteClient } from '../support/client.ts'
import { overHttp } from '../support/over-http.ts'
import { portOf } from '../support/ports.ts'
import { wholeBody } from '../support/whole-body.ts'

const NETWORK_SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const Message = z.object({
  type: z.string(),
  data: z.looseObject({ siteId: z.string(), key: z.optional(z.string()) }),
})

/** A connector that takes everything, reports nothing, and keeps what it was asked. */
const asked: (z.infer<typeof Message> & { id: string })[] = []
const connector = createServer(async (request, response) => {
  const body = await wholeBody(request)
  if (body === undefined) return
  const headers = z.record(z.string(), z.string()).parse(request.headers)
  new Webhook(NETWORK_SECRET).verify(body, headers)
  const { type, data } = Message.parse(JSON.parse(body))
  asked.push({ type, data, id: headers['webhook-id'] ?? '' })
  const payload = `https://qr.nspk.ru/${data.key}?type=02&bank=100000000001&crc=0000`
  if (type === 'qrCode.register') response.end(JSON.stringify({ payload, reference: `bank ${data.key}` }))
  else if (type === 'sale.activate') response.end('{}')
  else response.writeHead(202).end()
})

let service: BareWorkerd
let address = ''
let operatorToken = ''

async function start(): Promise<void> {
  address = `http://127.0.0.1:${await service.start()}`
}

beforeAll(async () => {
  service = bareWorkerd({
    LINKS: 'connector',
    LINK_BASE_URL: 'https://qr.nspk.ru',
    NETWORK_URL: `http://127.0.0.1:${await portOf(connector)}/`,
    NETWORK_SECRET,
    TEST_SITES: 'on',
  })
  operatorToken = await mintToken(service.secret, { siteId: '*', scope: 'operator', days: 1 })
  await start()
})
afterAll(async () => {
  await service.dispose()
  connector.closeAllConnections()
  connector.close()
})

interface Site extends SiteClient {
  isTest: boolean
  codes: Made[]
  paymentUids: string[]
  tokens: string[]
}

const siteOf = (siteId: string): Site => ({
  ...siteClient(
    siteId,
    overHttp(() => address, service.secret, siteId),
  ),
  isTest: siteId.endsWith('-test'),
  codes: [],
  paymentUids: [],
  tokens: [],
})

const at = <T>(list: readonly T[], index: number): T | undefined => list[index % Math.max(list.length, 1)]
const JSON_OR_NOTHING = z.looseObject({}).catch({})

/** Everything that the site has come to. */
const paymentsOf = async (site: Site) =>
  PaymentsAnswer.parse(await (await site.ask('/payments?limit=100')).json()).payments
const tokensOf = async (site: Site) => TokensAnswer.parse(await (await site.ask('/tokens')).json()).tokens

/** Remembers payments and tokens, for the calls that follow. */
async function learn(site: Site): Promise<void> {
  site.paymentUids = (await paymentsOf(site)).map(({ paymentId }) => paymentId)
  site.tokens = (await tokensOf(site)).flatMap(({ value }) => value ?? [])
}

/** The id in the path of a link, whoever made it. */
const linkIdOf = (payload: string): string => new URL(payload).pathname.split('/').at(-1) ?? ''

/** A call about a site; what it answers does not matter, but it must not be a defect. */
type Act = (site: Site, which: number, flag: boolean) => Promise<Response | undefined>

const TYPES = ['DYNAMIC', 'TOKEN', 'STATIC', 'COUNTER'] as const
const amount = { value: 5 }

/** A call of the sandbox's operation, or the form of the payer's page. */
const inSandbox = async (site: Site, { qrCodeUid }: Made, what: string, body: object) => {
  const token = await mintToken(service.secret, { siteId: site.siteId, scope: 'merchant', days: 1 })
  const call: Call = { body, token }
  return fetch(requestOf(`${address}/sandbox/v1/sites/${site.siteId}/qrCodes/${qrCodeUid}/${what}`, call))
}

const ACTS: Record<string, Act> = {
  async create(site, which, flag) {
    const type = TYPES[which % TYPES.length]
    const hasAmount = type === 'DYNAMIC' || (type === 'STATIC' && flag)
    const flags = type === 'DYNAMIC' && flag ? ['CREATE_TOKEN'] : undefined
    const more = { amount: hasAmount ? amount : undefined, flags }
    const made = await site.make(more, { type, ttl: undefined })
    site.codes.push({ ...made, linkId: linkIdOf(made.answer.qrCode.payload) })
    return undefined
  },
  async cancel(site, which) {
    const code = at(site.codes, which)
    return code && site.ask(`/sbp/qrCodes/${code.qrCodeUid}`, { method: 'DELETE' })
  },
  async arm(site, which, flag) {
    const code = at(site.codes, which)
    const sale = `/sbp/qrCodes/${code?.qrCodeUid}/sales/sale-${which}`
    return code && site.ask(sale, flag ? { method: 'PUT', body: { amount } } : { method: 'DELETE' })
  },
  async report(site, which, flag) {
    const code = at(site.codes, which)
    if (!code) return undefined
    const status = flag ? 'COMPLETED' : 'DECLINED'
    return site.report(code.linkId, `reported-${which}`, { status, amount: { value: '5.00' } })
  },
  async bind(site, which) {
    const code = at(site.codes, which)
    return code && site.bind(code.linkId, {}, `binding-${which}`)
  },
  async paySandbox(site, which) {
    const code = at(site.codes, which)
    return code && inSandbox(site, code, 'payments', { amount: { value: '5.00' } })
  },
  async bindSandbox(site, which) {
    const code = at(site.codes, which)
    return code && inSandbox(site, code, 'bindings', {})
  },
  async submit(site, which) {
    const code = at(site.codes, which)
    if (!code) return undefined
    const { pathname, search } = new URL(code.answer.pageUrl)
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded', 'Sec-Fetch-Site': 'same-origin' }
    const init = {
      method: 'POST',
      headers,
      body: 'action=pay&amount=5&remember=yes',
      redirect: 'manual',
    } as const
    return fetch(address + pathname + search, init)
  },
  async refund(site, which) {
    const paymentUid = at(site.paymentUids, which)
    return paymentUid ? site.refund(paymentUid, 1, `refund-${which}`) : undefined
  },
  async charge(site, which) {
    const [code, token] = [at(site.codes, which), at(site.tokens, which)]
    return code && token
      ? site.ask(`/sbp/qrCodes/${code.qrCodeUid}/payments`, { body: { token } })
      : undefined
  },
  async deleteToken(site, which) {
    const token = at(site.tokens, which)
    return token
      ? site.ask('/tokens', { method: 'DELETE', body: { customerAccountId: '', token } })
      : undefined
  },
  async send(site, which) {
    const { instructions } = await healthOf(site)
    const id = at(instructions, which)
    return id ? operator(`/${site.siteId}/instructions/${id}/send`, 'POST') : undefined
  },
}

const operator = (below: string, method = 'GET') =>
  fetch(requestOf(`${address}/operator/v1/sites${below}`, { method, token: operatorToken }))

/** The instructions of a site that wait. Those that the connector has been asked are named. */
async function healthOf({ siteId }: Site) {
  const response = await operator(`/${siteId}`)
  const pending = response.ok ? SiteAnswer.parse(await response.json()).instructions.pending : 0
  const instructions = asked.filter(
    ({ data, id }) => data.siteId === siteId && !/^(qrCode\.register|sale\.)/.test(id),
  )
  return { pending, instructions: [...new Set(instructions.map(({ id }) => id))] }
}

/** What the payments, refunds and tokens of a site came to. */
async function outcomesOf(site: Site) {
  const payments = await paymentsOf(site)
  const refunds: string[] = []
  for (const { paymentId } of payments) {
    const answer = await site.ask(`/payments/${paymentId}/refunds`)
    refunds.push(...RefundsAnswer.parse(await answer.json()).map(({ status }) => status.value))
  }
  return {
    madeUp: payments.filter(({ paymentId }) => paymentId.startsWith('sandbox-')).length,
    charges: payments
      .filter(({ paymentMethod }) => paymentMethod.type === 'TOKEN')
      .map(({ status, applied }) => ({ status: status.value, applied })),
    refunds,
  }
}

const seen = { live: 0, test: 0 }

it('no sequence of calls makes an instruction of a test site reach the connector, or of a live one the sandbox bank', async () => {
  const act = fc.record({
    name: fc.constantFrom(...Object.keys(ACTS), 'create', 'create', 'charge', 'refund'),
    isTest: fc.boolean(),
    which: fc.nat(11),
    flag: fc.boolean(),
  })
  let run = 0
  const property = fc.asyncProperty(
    fc.array(act, { size: 'max', minLength: 30, maxLength: 60 }),
    async (acts) => {
      const name = `model-${process.pid}-${run++}`
      const [live, test] = [siteOf(name), siteOf(`${name}-test`)]
      // So that no history is without a paid code, and without a token.
      for (const site of [live, test]) {
        for (const which of [0, 0, 1]) await ACTS.create?.(site, which, false)
        expect((await ACTS.report?.(site, 0, true))?.status).toBe(200)
        expect((await ACTS.bind?.(site, 2, true))?.status).toBe(200)
        await learn(site)
      }
      for (const { name, isTest, which, flag } of acts) {
        const site = isTest ? test : live
        const response = await ACTS[name]?.(site, which, flag)
        const body = JSON_OR_NOTHING.parse(await response?.json().catch(() => ({})))
        expect([response?.status ?? 200, body.description], name).not.toContain(500)
        if (response?.ok) await learn(site)
      }
      await service.kill()
      await start()
      const isLive = ({ data }: (typeof asked)[number]) => data.siteId === live.siteId
      // The sandbox bank carries out all; the connector takes all, and reports nothing.
      await vi.waitFor(
        async () => {
          const [ofTest, ofLive] = [await healthOf(test), await healthOf(live)]
          expect(ofTest).toEqual({ pending: 0, instructions: [] })
          expect(ofLive.instructions.length).toBeGreaterThanOrEqual(ofLive.pending)
        },
        { timeout: 60_000, interval: 50 },
      )
      const [madeLive, madeTest] = [await outcomesOf(live), await outcomesOf(test)]
      expect(madeLive.madeUp).toBe(0)
      expect(new Set(madeLive.refunds)).toEqual(new Set(madeLive.refunds.length > 0 ? ['WAITING'] : []))
      // Only a charge that another payment overtook ends without a report.
      for (const { status } of madeLive.charges) expect(['WAITING', 'DECLINED']).toContain(status)
      for (const { status } of madeTest.charges) expect(status).not.toBe('WAITING')
      expect(madeTest.refunds).not.toContain('WAITING')
      expect(asked.filter(({ data }) => data.siteId === test.siteId)).toEqual([])
      const registered = asked.filter((each) => isLive(each) && each.type === 'qrCode.register')
      expect(registered.map(({ data }) => data.key)).toEqual(
        expect.arrayContaining(live.codes.map(({ linkId }) => linkId)),
      )
      seen.live += madeLive.refunds.length + madeLive.charges.length
      seen.test += madeTest.refunds.length + madeTest.charges.length + madeTest.madeUp
    },
  )
  await fc.assert(property, { numRuns: Number(process.env.RUNS ?? 8) })
  // The histories had what the claim is about.
  expect(Math.min(seen.live, seen.test)).toBeGreaterThan(5)
})

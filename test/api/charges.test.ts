// Payments by token over HTTP: what is charged, refused, reported and withdrawn (contract, sections 9 and 10).
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { NotificationAnswer } from '../../src/contract/delivery.ts'
import { instructionBody } from '../../src/contract/instruction.ts'
import { makeLinkId } from '../../src/fps/link-id.ts'
import { carryOut } from '../../src/gateway/sandbox-bank.ts'
import { chargeToken } from '../../src/site/charges.ts'
import type { InstructionDelivery } from '../../src/site/dispatcher.ts'
import { findQrCode } from '../../src/site/qr-codes.ts'
import { configure, logOf, qrCodeOf } from '../support/merchant.ts'
import { errorOf, serviceWith } from '../support/service.ts'
import { MERCHANT } from '../support/site.ts'
import { ACCOUNT, qrCodeIn, type TokenSite, tokenSite } from '../support/tokens.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
})
afterEach(() => vi.useRealTimers())

const pass = (minutes: number) => vi.setSystemTime(Date.now() + minutes * 60_000)
const UNUSABLE = 'cannot be charged: it is unknown, has ended, or is not of this account'
const sandbox = serviceWith({ settings: { PAYMENT_NETWORK: 'sandbox' } })

/** The refusal of a request that changes nothing. */
async function refusal(site: TokenSite, request: () => Promise<Response>) {
  const before = await site.feed()
  const response = await request()
  const { errorCode, cause } = await errorOf(response)
  expect(await site.feed()).toEqual(before)
  return { status: response.status, errorCode, ...(cause && { cause }) }
}

/** A QR code for 5.00 RUB that a token is charged for, and the paymentUid; the network is not asked unless said otherwise. */
async function charged(site: TokenSite, request: Record<string, unknown> = {}, asked = false) {
  if (!asked) await site.rest()
  const token = await site.bound()
  const order = await site.unpaid(request)
  const { payment } = await qrCodeIn(await site.charge(order.qrCodeUid, token.value))
  return { token, ...order, paymentUid: payment?.paymentUid ?? '' }
}

/** The connector was asked, and did not answer. */
const attempt = (site: TokenSite) =>
  runInDurableObject(site.stub, (_, { storage }) => {
    storage.sql.exec("UPDATE outbox SET attempted = 1 WHERE queue = 'external'")
  })

describe('a charge', () => {
  it('waits for the network: without a payload, with the payment, an event and an instruction', async () => {
    const site = tokenSite()
    await site.rest()
    const { value, bindingUid } = await site.bound()
    const { qrCodeUid, linkId } = await site.unpaid()
    const before = await site.read(qrCodeUid)
    const response = await site.charge(qrCodeUid, value)
    expect([response.status, response.headers.get('Idempotent-Replayed')]).toEqual([200, null])
    const answer = await qrCodeIn(response)
    expect(answer).toEqual({
      ...before,
      qrCode: { ...before.qrCode, status: 'INIT_PAYMENT_BY_TOKEN', payload: '' },
      payment: {
        paymentUid: expect.stringMatching(/^[A-Z0-9]{32}$/),
        paymentStatus: 'WAITING',
        amount: { value: '5.00', currency: 'RUB' },
        dateTime: expect.any(String),
      },
    })
    expect(await site.read(qrCodeUid)).toEqual(answer)
    const { paymentUid = '' } = answer.payment ?? {}
    expect(await site.paymentOf(paymentUid)).toMatchObject({
      qrCodeUid,
      paymentMethod: { type: 'TOKEN' },
      status: { value: 'WAITING' },
      applied: true,
    })
    expect((await site.feed()).at(-1)).toMatchObject({
      type: 'payment.waiting',
      by: { actor: 'merchant' },
      status: 'INIT_PAYMENT_BY_TOKEN',
      payment: { paymentUid, status: 'WAITING', applied: true },
    })
    const [instruction] = await site.instructions()
    expect(instruction?.content).toEqual({
      type: 'payment.charge',
      linkId,
      paymentUid,
      bindingUid,
      amount: { minorUnits: 500, currency: 'RUB' },
      expiresAt: Date.parse(before.expiresOn) / 1000,
    })
    if (!instruction || instruction.queue === 'merchant') throw new Error('there is no instruction')
    const origin = { siteId: site.siteId, createdAt: instruction.createdAt, utcOffset: '+03:00' }
    expect(JSON.parse(instructionBody(instruction.content, origin)).data).toEqual({
      siteId: site.siteId,
      qrcId: linkId,
      paymentUid,
      bindingUid,
      amount: { value: '5.00', currency: 'RUB' },
      expiresOn: before.expiresOn,
    })
  })

  it('hides the picture while it lasts, also of a replayed create', async () => {
    const site = tokenSite()
    const qrCode = { type: 'DYNAMIC', image: {} }
    const { qrCodeUid } = await charged(site, { qrCodeUid: 'order', qrCode })
    expect((await site.ask(`/sbp/qrCodes/${qrCodeUid}/image`)).status).toBe(409)
    const body = { qrCodeUid, qrCode, amount: { value: 5 } }
    const replayed = await site.ask('/sbp/qrCodes', { body })
    expect(replayed.headers.get('Idempotent-Replayed')).toBe('true')
    const { qrCode: shown, pageUrl } = await qrCodeIn(replayed)
    expect([shown.image, shown.payload]).toEqual([undefined, ''])
    expect(pageUrl).toContain('/pay/')
    const { qrCodes } = await (await site.ask('/sbp/qrCodes?status=INIT_PAYMENT_BY_TOKEN')).json<{
      qrCodes: unknown[]
    }>()
    expect(qrCodes).toHaveLength(1)
  })

  it('has a paymentUid that depends on nothing but site, QR code and binding', async () => {
    const site = tokenSite()
    const { paymentUid, qrCodeUid, token, linkId } = await charged(site)
    // The site is restored from a backup that has neither the charge nor this link, but the token.
    const again = await runInDurableObject(site.stub, (_, { storage: { sql } }) => {
      sql.exec("DELETE FROM payments; UPDATE qr_codes SET status = 'CREATED', payment = NULL")
      const row = findQrCode(sql, { qrCodeUid })
      const hash = String(sql.exec('SELECT hash FROM tokens').one().hash)
      if (!row) throw new Error('there is no such QR code')
      const connection = { network: 'external', isConnected: true } as const
      return chargeToken(sql, site.siteId, row, { hash, account: ACCOUNT }, connection, MERCHANT, 1)
    })
    expect(again).toMatchObject({ value: { qrCode: { payment: { paymentUid } } } })
    expect(linkId).not.toBe(token.linkId)
  })

  it('again is a replay, whatever became of the charge and of the token', async () => {
    const site = tokenSite()
    const { qrCodeUid, linkId, token, paymentUid } = await charged(site)
    const replay = async (fetch?: typeof sandbox) => {
      const before = await site.feed()
      const response = await site.charge(qrCodeUid, token.value, ACCOUNT, fetch)
      expect([response.status, response.headers.get('Idempotent-Replayed')]).toEqual([200, 'true'])
      expect(await site.feed()).toEqual(before)
      return (await qrCodeIn(response)).qrCode.status
    }
    expect(await replay()).toBe('INIT_PAYMENT_BY_TOKEN')
    expect(await replay(serviceWith({}))).toBe('INIT_PAYMENT_BY_TOKEN')
    expect(await replay(sandbox)).toBe('INIT_PAYMENT_BY_TOKEN')
    await site.report(linkId, paymentUid, { status: 'DECLINED' })
    expect(await replay()).toBe('DECLINED')
    await site.deleteToken(token.value)
    expect(await replay()).toBe('DECLINED')
  })

  it('by another token is allowed after a decline', async () => {
    const site = tokenSite()
    const { qrCodeUid, linkId, paymentUid } = await charged(site)
    await site.report(linkId, paymentUid, { status: 'DECLINED' })
    const second = await site.charge(qrCodeUid, (await site.bound()).value)
    expect(await qrCodeIn(second)).toMatchObject({ qrCode: { status: 'INIT_PAYMENT_BY_TOKEN' } })
  })

  it('of one code 50 times at once with two tokens is one attempt', async () => {
    const site = tokenSite()
    await site.rest()
    const values = [(await site.bound()).value, (await site.bound()).value]
    const { qrCodeUid } = await site.unpaid()
    const responses = await Promise.all(
      Array.from({ length: 50 }, (_, i) => site.charge(qrCodeUid, values[i % 2])),
    )
    const results = responses.map(({ status, headers }) =>
      status === 200 ? (headers.get('Idempotent-Replayed') ?? 'charged') : status,
    )
    const count = (result: unknown) => results.filter((each) => each === result).length
    expect([count('charged'), count('true'), count(409)]).toEqual([1, 24, 25])
    expect(await site.instructions()).toHaveLength(1)
    expect((await site.feed()).filter(({ type }) => type === 'payment.waiting')).toHaveLength(1)
  })
})

describe('the network’s report of a charge', () => {
  it.each([
    ['COMPLETED', 'PAYED', 'payment.completed'],
    ['DECLINED', 'DECLINED', 'payment.declined'],
  ])('%s: the QR code is %s, notified, and the instruction is done', async (status, after, type) => {
    const site = tokenSite()
    await configure(site, { callbackUrl: 'https://shop.example/', notificationTypes: ['PAYMENT'] })
    const { qrCodeUid, linkId, paymentUid } = await charged(site)
    await site.report(linkId, paymentUid, { status })
    const { qrCode, payment } = await site.read(qrCodeUid)
    expect([qrCode.status, payment?.paymentStatus]).toEqual([after, status])
    expect(qrCode.payload).toContain(linkId)
    expect((await site.feed()).at(-1)).toMatchObject({ type, status: after, payment: { applied: true } })
    expect((await site.paymentOf(paymentUid)).paymentMethod).toEqual({ type: 'TOKEN' })
    expect(await site.instructions()).toEqual([])
    expect((await logOf(site)).notifications).toHaveLength(1)
  })

  it('DECLINED after the ttl: EXPIRED, and until then the ttl ends nothing', async () => {
    const site = tokenSite()
    const { qrCodeUid, linkId, paymentUid } = await charged(site, { qrCode: { type: 'DYNAMIC', ttl: 1 } })
    pass(2)
    expect((await site.read(qrCodeUid)).qrCode.status).toBe('INIT_PAYMENT_BY_TOKEN')
    const answer = await site.report(linkId, paymentUid, { status: 'DECLINED' })
    expect(answer.status).toBe(200)
    expect((await site.read(qrCodeUid)).qrCode.status).toBe('EXPIRED')
    expect((await site.feed()).slice(-2).map(({ type }) => type)).toEqual([
      'payment.declined',
      'qrCode.expired',
    ])
  })

  it('COMPLETED with another amount is recorded as reported, and the QR code waits no longer', async () => {
    const site = tokenSite()
    const { qrCodeUid, linkId, paymentUid } = await charged(site)
    await site.report(linkId, paymentUid, { amount: { value: 4 } })
    expect(await site.paymentOf(paymentUid)).toMatchObject({
      amount: { value: '4.00' },
      applied: false,
      notAppliedReason: 'AMOUNT_MISMATCH',
    })
    const { qrCode, payment } = await site.read(qrCodeUid)
    expect([qrCode.status, payment]).toEqual(['DECLINED', undefined])
    expect((await site.feed()).at(-1)).toMatchObject({ type: 'payment.completed', status: 'DECLINED' })
    expect(await site.instructions()).toEqual([])
  })

  it('DECLINED and then COMPLETED pays the QR code', async () => {
    const site = tokenSite()
    const { qrCodeUid, linkId, paymentUid } = await charged(site)
    for (const status of ['DECLINED', 'COMPLETED']) await site.report(linkId, paymentUid, { status })
    expect((await site.read(qrCodeUid)).qrCode.status).toBe('PAYED')
    expect((await site.report(linkId, paymentUid, { status: 'DECLINED' })).status).toBe(409)
  })

  it.each([
    ['COMPLETED', 'PAYED'],
    ['DECLINED', 'DECLINED'],
  ])('%s under another link is of the QR code that was charged', async (status, after) => {
    const site = tokenSite()
    const { qrCodeUid, paymentUid } = await charged(site)
    const other = await site.unpaid()
    // The link of the same order before a restore: it is authentic, and the site does not have it.
    const random = crypto.getRandomValues(new Uint8Array(7))
    const lost = makeLinkId(env.TOKEN_SECRET, site.siteId, 'AD1000', Date.now(), random)
    for (const linkId of [lost, other.linkId]) {
      expect((await site.report(linkId, paymentUid, { status })).status).toBe(200)
      expect((await site.read(qrCodeUid)).qrCode.status).toBe(after)
    }
    expect((await site.read(other.qrCodeUid)).qrCode.status).toBe('CREATED')
    expect(await site.paymentOf(paymentUid)).toMatchObject({ qrCodeUid, applied: true })
    expect(await site.instructions()).toEqual([])
  })

  it('keeps the bank of the token where it names none', async () => {
    const site = tokenSite()
    await configure(site, { callbackUrl: 'https://shop.example/', notificationTypes: ['PAYMENT'] })
    await site.rest()
    const { linkId, qrCodeUid } = await site.tokenCode()
    await site.bind(linkId, { bankMemberId: '100000000111' })
    const { token } = await site.read(qrCodeUid)
    const order = await site.unpaid()
    const { payment } = await qrCodeIn(await site.charge(order.qrCodeUid, token?.value))
    await site.report(order.linkId, payment?.paymentUid ?? '')
    const { notifications } = await logOf(site)
    const answer = await site.ask(`/notifications/${notifications[0]?.id}`)
    const { body = '' } = NotificationAnswer.parse(await answer.json())
    expect(JSON.parse(body).payment.customer).toEqual({ bankMemberId: '100000000111' })
  })
})

describe('another payment while a charge waits', () => {
  it('DECLINED changes nothing', async () => {
    const site = tokenSite()
    const { qrCodeUid, linkId } = await charged(site)
    const before = await site.read(qrCodeUid)
    await site.report(linkId, 'own-scan', { status: 'DECLINED' })
    expect(await site.read(qrCodeUid)).toEqual(before)
    expect(await site.instructions()).toHaveLength(1)
  })

  it('COMPLETED pays the QR code once; a charge that was never attempted is withdrawn', async () => {
    const site = tokenSite()
    await configure(site, { callbackUrl: 'https://shop.example/', notificationTypes: ['PAYMENT'] })
    const { qrCodeUid, linkId, paymentUid } = await charged(site)
    await site.report(linkId, 'own-scan')
    const { qrCode, payment } = await site.read(qrCodeUid)
    expect([qrCode.status, payment?.paymentUid]).toEqual(['PAYED', 'own-scan'])
    expect(await site.paymentOf(paymentUid)).toMatchObject({
      status: { value: 'DECLINED', reason: 'SUPERSEDED' },
      applied: false,
    })
    expect(await site.instructions()).toEqual([])
    expect((await site.feed()).slice(-2)).toMatchObject([
      { type: 'payment.completed', status: 'PAYED' },
      { type: 'payment.declined', status: 'PAYED', payment: { paymentUid, applied: false } },
    ])
    expect((await logOf(site)).notifications).toHaveLength(1)
  })

  it.each([
    ['COMPLETED', { applied: false, notAppliedReason: 'ALREADY_PAYED' }],
    ['DECLINED', { applied: false }],
  ])(
    'COMPLETED, and then the attempted charge %s: recorded, and the instruction is done',
    async (status, result) => {
      const site = tokenSite()
      const { qrCodeUid, linkId, paymentUid } = await charged(site)
      await attempt(site)
      await site.report(linkId, 'own-scan')
      const paid = await site.read(qrCodeUid)
      expect(await site.instructions()).toHaveLength(1)
      await site.report(linkId, paymentUid, { status })
      expect(await site.read(qrCodeUid)).toEqual(paid)
      expect(await site.paymentOf(paymentUid)).toMatchObject({ status: { value: status }, ...result })
      expect(await site.instructions()).toEqual([])
      const refund = await site.refund(paymentUid, 5)
      expect(refund.status).toBe(status === 'COMPLETED' ? 200 : 409)
    },
  )

  it('COMPLETED while the connector fails: the charge was attempted, so it is not withdrawn', async () => {
    const site = tokenSite()
    const { linkId, paymentUid } = await charged(site, {}, true)
    await vi.waitFor(async () => expect((await site.instructions())[0]?.attempts.length).toBeGreaterThan(0), {
      timeout: 20_000,
    })
    await site.report(linkId, 'own-scan')
    expect(await site.paymentOf(paymentUid)).toMatchObject({ status: { value: 'WAITING' }, applied: false })
    expect(await site.instructions()).toHaveLength(1)
  })

  it('with another amount is not applied, and the charge waits on', async () => {
    const site = tokenSite()
    const { qrCodeUid, linkId } = await charged(site)
    await site.report(linkId, 'own-scan', { amount: { value: 4 } })
    expect((await site.read(qrCodeUid)).qrCode.status).toBe('INIT_PAYMENT_BY_TOKEN')
    expect(await site.instructions()).toHaveLength(1)
  })
})

describe('a charge is refused', () => {
  it('for a token that cannot be charged, with one text whatever the reason', async () => {
    const site = tokenSite()
    const week = serviceWith({ settings: { TOKEN_DAYS: '7' } })
    const expired = await site.bound({}, week)
    const recorded = await site.bound({}, week)
    pass(7 * 24 * 60)
    // Before the clock's event is recorded.
    const order = await site.unpaid()
    expect((await site.charge(order.qrCodeUid, expired.value)).status).toBe(400)
    const live = await site.bound()
    const deleted = await site.bound()
    await site.deleteToken(deleted.value)
    const ended = await site.bound()
    await site.bind(ended.linkId, { status: 'DELETED' }, ended.bindingUid)
    const foreign = await tokenSite().bound()
    const { qrCodeUid } = await site.unpaid()
    await site.feed()
    for (const [token, account] of [
      ['unknown', ACCOUNT],
      ['', ACCOUNT],
      [foreign.value, ACCOUNT],
      [expired.value, ACCOUNT],
      [recorded.value, ACCOUNT],
      [deleted.value, ACCOUNT],
      [ended.value, ACCOUNT],
      [live.value, 'customer-8'],
      [live.value, ''],
      [live.value.toUpperCase(), ACCOUNT],
    ] as const) {
      expect(await refusal(site, () => site.charge(qrCodeUid, token, account))).toEqual({
        status: 400,
        errorCode: 'validation.error',
        cause: { token: [UNUSABLE] },
      })
    }
    expect((await site.charge(qrCodeUid, live.value)).status).toBe(200)
  })

  it('for an unknown and for another site’s token by the same statements', async () => {
    const site = tokenSite()
    await site.bound()
    const { qrCodeUid } = await site.unpaid()
    const queries = await runInDurableObject(site.stub, (_, { storage: { sql } }) => {
      const row = findQrCode(sql, { qrCodeUid })
      if (!row) throw new Error('there is no such QR code')
      return ['hash of an unknown token', 'hash of a foreign token'].map((hash) => {
        const seen: string[] = []
        const watched = new Proxy(sql, {
          get: (target, name) => {
            if (name !== 'exec') return Reflect.get(target, name)
            return (query: string, ...bindings: SqlStorageValue[]) => {
              seen.push(query)
              return target.exec(query, ...bindings)
            }
          },
        })
        const connection = { network: 'external', isConnected: true } as const
        chargeToken(watched, site.siteId, row, { hash, account: ACCOUNT }, connection, MERCHANT, 1)
        return seen
      })
    })
    expect(queries[0]).toEqual(queries[1])
    expect(queries[0]).toHaveLength(1)
  })

  it('for a QR code that cannot be charged: 409', async () => {
    const site = tokenSite()
    const { value } = await site.bound()
    const paid = await site.paid()
    const cancelled = await site.unpaid()
    await site.ask(`/sbp/qrCodes/${cancelled.qrCodeUid}`, { method: 'DELETE' })
    const late = await qrCodeOf(site, { qrCode: { type: 'DYNAMIC', ttl: 1 } })
    pass(1)
    await site.feed()
    const open = await site.unpaid({ amount: undefined })
    const binding = await site.tokenCode({ amount: { value: 5 } })
    for (const { qrCodeUid } of [paid, cancelled, late, open, binding]) {
      expect(await refusal(site, () => site.charge(qrCodeUid, value))).toEqual({
        status: 409,
        errorCode: 'payin.incorrect-method-invocation',
      })
    }
    expect((await site.charge('unknown', value)).status).toBe(404)
  })

  it('for a QR code whose ttl is over, before the alarm records it: 409', async () => {
    const site = tokenSite()
    await site.rest()
    const { value } = await site.bound()
    const { qrCodeUid } = await site.unpaid({ qrCode: { type: 'DYNAMIC', ttl: 1 } })
    pass(1)
    const { errorCode, description } = await errorOf(await site.charge(qrCodeUid, value))
    expect([errorCode, description]).toEqual([
      'payin.incorrect-method-invocation',
      'the QR code is EXPIRED, must be CREATED or DECLINED to be charged',
    ])
    expect(await site.instructions()).toEqual([])
  })

  it('without a connector: 503; of the other network: 409', async () => {
    const site = tokenSite()
    const { value } = await site.bound()
    const madeUp = await site.bound({}, sandbox)
    const { qrCodeUid } = await site.unpaid()
    for (const [token, fetch, status, errorCode] of [
      [value, serviceWith({}), 503, 'network.not.connected'],
      [value, sandbox, 409, 'network.changed'],
      [madeUp.value, undefined, 409, 'network.changed'],
    ] as const) {
      expect(await refusal(site, () => site.charge(qrCodeUid, token, ACCOUNT, fetch))).toEqual({
        status,
        errorCode,
      })
    }
  })

  it('for a body that breaks its rules: 400, which shows no token', async () => {
    const site = tokenSite()
    const { value } = await site.bound()
    const { qrCodeUid } = await site.unpaid()
    for (const body of [{}, { token: [value] }, { token: value, tokenizationAccount: 'x'.repeat(65) }]) {
      const response = await site.ask(`/sbp/qrCodes/${qrCodeUid}/payments`, { body })
      expect(response.status).toBe(400)
      expect(await response.text()).not.toContain(value)
    }
  })

  it('cancels nothing: while it waits the QR code cannot be cancelled', async () => {
    const site = tokenSite()
    const { qrCodeUid } = await charged(site)
    const response = await site.ask(`/sbp/qrCodes/${qrCodeUid}`, { method: 'DELETE' })
    expect(response.status).toBe(409)
  })
})

describe('the sandbox bank', () => {
  const platform = (now: number) => {
    const read = readConfig({ ...env, PAYMENT_NETWORK: 'sandbox' })
    if (!read.ok) throw new Error(read.problems.join())
    return {
      config: read.config,
      site: (siteId: string) => env.SITES.getByName(siteId),
      random: (bytes: number) => crypto.getRandomValues(new Uint8Array(bytes)),
      sleep: (milliseconds: number) => scheduler.wait(milliseconds),
      now: () => now,
    }
  }
  /** Gives the site's instruction to the bank, some seconds after it was made. */
  async function carried(site: TokenSite, seconds = 0) {
    const [row] = await site.instructions()
    if (!row || row.queue === 'merchant') throw new Error('there is no instruction')
    const { queue: network, content: instruction, createdAt } = row
    const delivery: InstructionDelivery = { id: '1', siteId: site.siteId, network, instruction, createdAt }
    return carryOut(platform(createdAt + seconds * 1000), delivery)
  }
  async function chargedInSandbox(site: TokenSite, value: number, qrCode: Record<string, unknown> = {}) {
    const token = await site.bound({}, sandbox)
    const { qrCodeUid } = await site.unpaid({ amount: { value }, qrCode: { type: 'DYNAMIC', ...qrCode } })
    await site.charge(qrCodeUid, token.value, ACCOUNT, sandbox)
    return { qrCodeUid, token }
  }

  it.each([
    [5, 0, 'PAYED'],
    [5.13, 0, 'DECLINED'],
    [5.17, 29, 'INIT_PAYMENT_BY_TOKEN'],
    [5.17, 30, 'PAYED'],
  ])('charges %s after %s s: %s', async (value, seconds, status) => {
    const site = tokenSite()
    const { qrCodeUid } = await chargedInSandbox(site, value)
    const delivered = await carried(site, seconds)
    expect(delivered.httpStatus).toBe(status === 'INIT_PAYMENT_BY_TOKEN' ? 202 : 200)
    expect((await site.read(qrCodeUid)).qrCode.status).toBe(status)
  })

  it('declines a charge that comes after the ttl', async () => {
    const site = tokenSite()
    const { qrCodeUid } = await chargedInSandbox(site, 5, { ttl: 1 })
    await carried(site, 60)
    expect((await site.feed()).filter(({ type }) => type === 'payment.completed')).toEqual([])
    expect((await site.read(qrCodeUid)).payment?.paymentStatus).toBe('DECLINED')
  })

  it('completes a charge that waits since before the ttl ended', async () => {
    const site = tokenSite()
    const { qrCodeUid } = await chargedInSandbox(site, 5.17, { ttl: 1 })
    await carried(site, 60)
    expect((await site.read(qrCodeUid)).qrCode.status).toBe('PAYED')
  })

  it('deletes a token', async () => {
    const site = tokenSite()
    const { value } = await site.bound({}, sandbox)
    await site.deleteToken(value, ACCOUNT, sandbox)
    const before = await site.feed()
    expect((await carried(site)).httpStatus).toBe(200)
    expect(await site.instructions()).toEqual([])
    expect(await site.feed()).toEqual(before)
  })

  it.each([
    ['bindings', {}, 'ACCEPTED', 'CREATED'],
    ['bindings', { status: 'REJECTED' }, 'DECLINED', 'REJECTED'],
  ])('makes up the customer’s answer', async (what, body, status, token) => {
    const site = tokenSite()
    const { qrCodeUid } = await site.tokenCode()
    const path = `/sandbox/v1/sites/${site.siteId}/qrCodes/${qrCodeUid}/${what}`
    const response = await site.askAt(path, { body }, sandbox)
    expect(await qrCodeIn(response)).toMatchObject({ qrCode: { status }, token: { status: token } })
  })

  it('makes up a payment that binds the account', async () => {
    const site = tokenSite()
    const { qrCodeUid } = await qrCodeOf(site, { flags: ['CREATE_TOKEN'] })
    const path = `/sandbox/v1/sites/${site.siteId}/qrCodes/${qrCodeUid}/payments`
    const response = await site.askAt(path, { body: { binding: 'CREATED' } }, sandbox)
    expect(await qrCodeIn(response)).toMatchObject({
      qrCode: { status: 'PAYED' },
      token: { status: 'CREATED' },
    })
    expect((await site.feed()).at(-1)).toMatchObject({
      type: 'payment.completed',
      token: { status: 'CREATED' },
    })
  })
})

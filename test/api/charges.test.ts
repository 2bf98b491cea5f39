// Payments by token over HTTP: what is charged, refused, reported and withdrawn (contract, sections 9 and 10).
import { runInDurableObject } from 'cloudflare:test'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { instructionBody } from '../../src/contract/instruction.ts'
import { isNotification } from '../../src/site/outbox/rows.ts'
import { chargeToken } from '../../src/site/payments/charges.ts'
import { charged } from '../support/charges.ts'
import { qrCodeIn } from '../support/client.ts'
import { configure, logOf } from '../support/merchant.ts'
import { errorOf, sandbox, serviceWith } from '../support/service.ts'
import { contextOf } from '../support/site.ts'
import { ACCOUNT, last, pass, type TokenSite, tokenSite } from '../support/tokens.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
})

afterEach(() => vi.useRealTimers())

const UNUSABLE = 'cannot be charged: it is unknown, has ended, or is not of this account'

/** The refusal of a request that changes nothing. */
async function refusal(site: TokenSite, request: () => Promise<Response>) {
  const before = await site.feed()
  const response = await request()
  const { errorCode, cause } = await errorOf(response)
  expect(await site.feed()).toEqual(before)
  return { status: response.status, errorCode, ...(cause && { cause }) }
}

describe('a charge', () => {
  it('waits for the network: without a payload, with the payment, an event and an instruction', async () => {
    const site = tokenSite()
    await site.rest()
    const { value, bindingUid } = await site.bound()
    const { qrCodeUid, linkId } = await site.make()
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
      expiresAt: Date.parse(before.expiresOn ?? '') / 1000,
    })
    if (!instruction || isNotification(instruction)) throw new Error('there is no instruction')
    const origin = { siteId: site.siteId, createdAt: instruction.createdAt, utcOffset: '+03:00' }
    const { content } = instruction
    if (content.type === 'receipt.register') throw new Error('the instruction is of a receipt')
    expect(JSON.parse(instructionBody(content, origin)).data).toEqual({
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
      const hash = String(sql.exec('SELECT hash FROM tokens').one().hash)
      const connection = { network: 'external', isConnected: true } as const
      const context = { ...contextOf(sql, 1), siteId: site.siteId }
      return chargeToken(context, { qrCodeUid }, { hash, account: ACCOUNT }, connection)
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

  it('again is a replay, whatever account the request names: token and code alone say which charge it is', async () => {
    const site = tokenSite()
    const { qrCodeUid, linkId, token, paymentUid } = await charged(site)
    const replays = async () => {
      const before = await site.feed()
      const answers = [ACCOUNT, 'customer-8', '', undefined].map((account) =>
        site.ask(`/sbp/qrCodes/${qrCodeUid}/payments`, {
          body: { token: token.value, ...(account !== undefined && { tokenizationAccount: account }) },
        }),
      )
      const statuses = []
      for (const answer of await Promise.all(answers)) {
        expect([answer.status, answer.headers.get('Idempotent-Replayed')]).toEqual([200, 'true'])
        statuses.push((await qrCodeIn(answer)).qrCode.status)
      }
      expect(await site.feed()).toEqual(before)
      return new Set(statuses)
    }
    expect(await replays()).toEqual(new Set(['INIT_PAYMENT_BY_TOKEN']))
    await site.report(linkId, paymentUid)
    expect(await replays()).toEqual(new Set(['PAYED']))
  })

  it('that was sent goes on when its token is deleted: what the bank made of it is reported', async () => {
    const site = tokenSite()
    const { qrCodeUid, linkId, token, paymentUid } = await charged(site)
    await site.attempt()
    expect((await site.deleteToken(token.value)).status).toBe(204)
    const other = await site.make()
    expect((await site.charge(other.qrCodeUid, token.value)).status).toBe(400)
    expect((await site.read(qrCodeUid)).qrCode.status).toBe('INIT_PAYMENT_BY_TOKEN')
    await site.report(linkId, paymentUid)
    expect((await site.read(qrCodeUid)).qrCode.status).toBe('PAYED')
    expect(await last(site)).toMatchObject({ type: 'payment.completed', qrCodeUid })
  })

  it('that was not sent is withdrawn when its token is deleted', async () => {
    const site = tokenSite()
    await configure(site, { callbackUrl: 'https://shop.example/', notificationTypes: ['PAYMENT'] })
    const { qrCodeUid, token, paymentUid } = await charged(site)
    expect((await site.deleteToken(token.value)).status).toBe(204)
    expect((await site.read(qrCodeUid)).qrCode.status).toBe('DECLINED')
    const declined = { value: 'DECLINED', reason: 'TOKEN_DELETED' }
    expect((await site.paymentOf(paymentUid)).status).toMatchObject(declined)
    expect((await site.instructions()).map(({ content }) => content.type)).toEqual(['token.delete'])
    expect((await site.feed()).slice(-2)).toMatchObject([
      { type: 'token.deleted' },
      {
        type: 'payment.declined',
        by: { actor: 'merchant' },
        qrCodeUid,
        payment: { paymentUid, applied: true },
      },
    ])
    expect((await logOf(site)).notifications).toHaveLength(1)
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
    const { qrCodeUid } = await site.make()
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

describe('a charge is refused', () => {
  it('for a token that cannot be charged, with one text whatever the reason', async () => {
    const site = tokenSite()
    const week = serviceWith({ settings: { TOKEN_DAYS: '7' } })
    const expired = await site.bound({}, week)
    const recorded = await site.bound({}, week)
    pass(7 * 24 * 60)
    // Before the clock's event is recorded.
    const order = await site.make()
    expect((await site.charge(order.qrCodeUid, expired.value)).status).toBe(400)
    const live = await site.bound()
    const deleted = await site.bound()
    await site.deleteToken(deleted.value)
    const ended = await site.bound()
    await site.bind(ended.linkId, { status: 'DELETED' }, ended.bindingUid)
    const foreign = await tokenSite().bound()
    const { qrCodeUid } = await site.make()
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
    const { qrCodeUid } = await site.make()
    const queries = await runInDurableObject(site.stub, (_, { storage: { sql } }) => {
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
        chargeToken(contextOf(watched, 1), { qrCodeUid }, { hash, account: ACCOUNT }, connection)
        return seen
      })
    })
    expect(queries[0]).toEqual(queries[1])
    // The QR code, and the token by its hash.
    expect(queries[0]).toHaveLength(2)
  })

  it('for a QR code that cannot be charged: 409', async () => {
    const site = tokenSite()
    const { value } = await site.bound()
    const paid = await site.paid()
    const cancelled = await site.make()
    await site.ask(`/sbp/qrCodes/${cancelled.qrCodeUid}`, { method: 'DELETE' })
    const late = await site.make({ qrCode: { type: 'DYNAMIC', ttl: 1 } })
    pass(1)
    await site.feed()
    const open = await site.make({ amount: undefined })
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
    const { qrCodeUid } = await site.make({ qrCode: { type: 'DYNAMIC', ttl: 1 } })
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
    const { qrCodeUid } = await site.make()
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
    const { qrCodeUid } = await site.make()
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

// What the network reports while a charge waits (contract, sections 9 and 10).
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { NotificationAnswer } from '../../src/contract/notifications/log.ts'
import { makeLinkId } from '../../src/fps/link-id.ts'
import { carryOut } from '../../src/gateway/sandbox-bank.ts'
import type { InstructionDelivery } from '../../src/site/outbox/courier.ts'
import { isNotification } from '../../src/site/outbox/rows.ts'
import { charged } from '../support/charges.ts'
import { qrCodeIn } from '../support/client.ts'
import { configure, logOf } from '../support/merchant.ts'
import { sandbox } from '../support/service.ts'
import { ACCOUNT, pass, type TokenSite, tokenSite } from '../support/tokens.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
})

afterEach(() => vi.useRealTimers())

/** The connector was asked, and did not answer. */
const attempt = (site: TokenSite) =>
  runInDurableObject(site.stub, (_, { storage }) => {
    storage.sql.exec("UPDATE outbox SET attempted = 1 WHERE queue = 'external'")
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
    const [declined, expired] = (await site.feed()).slice(-2)
    expect([declined?.type, expired?.type]).toEqual(['payment.declined', 'qrCode.expired'])
    expect(expired?.dateTime).toBe(declined?.dateTime)
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
    ['COMPLETED', 'a lost link', 'PAYED'],
    ['COMPLETED', 'the link of another QR code', 'PAYED'],
    ['DECLINED', 'a lost link', 'DECLINED'],
    ['DECLINED', 'the link of another QR code', 'DECLINED'],
  ])('%s under %s is of the QR code that was charged', async (status, first, after) => {
    const site = tokenSite()
    const { qrCodeUid, paymentUid } = await charged(site)
    const other = await site.make()
    // The link of the same order before a restore: it is authentic, and the site does not have it.
    const random = crypto.getRandomValues(new Uint8Array(7))
    const lost = makeLinkId(env.TOKEN_SECRET, site.siteId, 'AD1000', { now: Date.now(), random })
    const links = [lost, other.linkId]
    for (const linkId of first === 'a lost link' ? links : links.toReversed()) {
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
    const order = await site.make()
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
      timeout: 50_000,
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
    if (!row || isNotification(row)) throw new Error('there is no instruction')
    const { content: instruction, createdAt } = row
    const network = 'sandbox'
    if (instruction.type === 'receipt.register') throw new Error('the instruction is of a receipt')
    const delivery: InstructionDelivery = { id: '1', siteId: site.siteId, network, instruction, createdAt }
    return carryOut(platform(createdAt + seconds * 1000), delivery)
  }
  async function chargedInSandbox(site: TokenSite, value: number, qrCode: Record<string, unknown> = {}) {
    const token = await site.bound({}, sandbox)
    const { qrCodeUid } = await site.make({ amount: { value }, qrCode: { type: 'DYNAMIC', ...qrCode } })
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
    const { qrCodeUid } = await site.make({ flags: ['CREATE_TOKEN'] })
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

// Bindings of accounts that the network reports (contract, section 9).
import { runDurableObjectAlarm } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { TokenNotification } from '../../src/contract/notifications/bodies.ts'
import { TokenAnswer } from '../../src/contract/token.ts'
import { makeLinkId } from '../../src/fps/link-id.ts'
import { notificationSignature } from '../../src/gateway/signatures.ts'
import { qrCodeIn } from '../support/client.ts'
import { callbackUrl, configure, logOf, makeKey, merchantServer } from '../support/merchant.ts'
import { call, errorOf, ORIGIN, serviceWith } from '../support/service.ts'
import { strict } from '../support/strict.ts'
import { ACCOUNT, last, pass, refusal, type TokenSite, tokenSite } from '../support/tokens.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
})

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

describe('a binding of a TOKEN code', () => {
  it('CREATED makes it ACCEPTED, with a token for a year', async () => {
    const site = tokenSite()
    const { qrCodeUid, linkId } = await site.tokenCode()
    expect((await site.read(qrCodeUid)).token).toEqual({ status: 'WAITING' })
    const response = await site.bind(linkId, { bankMemberId: '100000000111' })
    expect(response.headers.get('Idempotent-Replayed')).toBeNull()
    const { qrCode, token } = await site.read(qrCodeUid)
    expect(qrCode.status).toBe('ACCEPTED')
    expect(token).toEqual({
      status: 'CREATED',
      value: expect.stringMatching(UUID),
      expiredDate: expect.any(String),
    })
    const days = (Date.parse(token?.expiredDate ?? '') - Date.now()) / 86_400_000
    expect(days).toBeCloseTo(365, 3)
    const last4 = token?.value?.slice(-4)
    expect((await qrCodeIn(response)).token).toEqual({
      status: 'CREATED',
      last4,
      expiredDate: token?.expiredDate,
    })
    expect(await last(site)).toMatchObject({
      type: 'token.created',
      by: { actor: 'network' },
      qrCodeUid,
      status: 'ACCEPTED',
      token: { status: 'CREATED', last4 },
    })
  })

  it('REJECTED makes it DECLINED, and it can be tried again', async () => {
    const site = tokenSite()
    const { qrCodeUid, linkId } = await site.tokenCode()
    await site.bind(linkId, { status: 'REJECTED' })
    expect(await site.read(qrCodeUid)).toMatchObject({
      qrCode: { status: 'DECLINED' },
      token: { status: 'REJECTED' },
    })
    expect(await last(site)).toMatchObject({ type: 'token.rejected', status: 'DECLINED' })
    await site.bind(linkId)
    expect(await site.read(qrCodeUid)).toMatchObject({
      qrCode: { status: 'ACCEPTED' },
      token: { status: 'CREATED' },
    })
  })

  it.each(['CREATED', 'REJECTED', 'DELETED'])('%s again changes nothing', async (status) => {
    const site = tokenSite()
    const { linkId } = await site.tokenCode()
    const first = await site.bind(linkId, { status }, 'b-1')
    const before = await site.feed()
    const again = await site.bind(linkId, { status, reason: 'another' }, 'b-1')
    expect(again.headers.get('Idempotent-Replayed')).toBe('true')
    expect(await again.text()).toBe(await first.text())
    expect(await site.feed()).toEqual(before)
  })

  it('REJECTED and then CREATED is recorded: a fact', async () => {
    const site = tokenSite()
    const { qrCodeUid, linkId } = await site.tokenCode()
    await site.bind(linkId, { status: 'REJECTED' }, 'b-1')
    await site.bind(linkId, { status: 'CREATED' }, 'b-1')
    expect((await site.read(qrCodeUid)).token?.value).toMatch(UUID)
  })

  it.each([
    ['CREATED', 'REJECTED'],
    ['DELETED', 'CREATED'],
    ['DELETED', 'REJECTED'],
  ])('%s and then %s: 409', async (first, second) => {
    const site = tokenSite()
    const { linkId } = await site.tokenCode()
    await site.bind(linkId, { status: first }, 'b-1')
    expect(await refusal(site, () => site.bind(linkId, { status: second }, 'b-1'))).toEqual({
      status: 409,
      errorCode: 'payin.resource.already.exists',
      fields: ['status'],
    })
  })

  it('REJECTED by one network and CREATED by the other is of the other', async () => {
    const site = tokenSite()
    const { qrCodeUid, linkId } = await site.tokenCode()
    await site.bind(linkId, { status: 'REJECTED' }, 'b1')
    await site.at(serviceWith({ settings: { PAYMENT_NETWORK: 'sandbox' } })).bind(linkId, {}, 'b1')
    const order = await site.make()
    const { token } = await site.read(qrCodeUid)
    expect((await errorOf(await site.charge(order.qrCodeUid, token?.value))).errorCode).toBe(
      'network.changed',
    )
  })

  it('of another QR code under the same bindingUid: 409', async () => {
    const site = tokenSite()
    await site.bind((await site.tokenCode()).linkId, {}, 'b-1')
    const { linkId } = await site.tokenCode()
    expect(await refusal(site, () => site.bind(linkId, {}, 'b-1'))).toMatchObject({
      status: 409,
      fields: ['qrcId'],
    })
  })

  it.each([
    ['EXPIRED', async () => pass(11)],
    ['CANCELLED', (site: TokenSite, uid: string) => site.ask(`/sbp/qrCodes/${uid}`, { method: 'DELETE' })],
  ])('CREATED on an %s code is a fact: kept, usable and deletable', async (status, end) => {
    const site = tokenSite()
    const { qrCodeUid, linkId, answer } = await site.tokenCode()
    await end(site, qrCodeUid)
    await site.bind(linkId)
    const { qrCode, token } = await site.read(qrCodeUid)
    expect([qrCode.status, token?.status]).toEqual([status, 'CREATED'])
    expect(await last(site)).toMatchObject({ type: 'token.created', status })
    const page = await call(answer.pageUrl.slice(ORIGIN.length), { token: null })
    expect(await page.text()).toContain('Счёт привязан')
    const order = await site.make()
    expect((await site.charge(order.qrCodeUid, token?.value)).status).toBe(200)
    expect((await site.deleteToken(token?.value)).status).toBe(204)
  })

  it('of an authentic link that the site does not know is kept, under the empty account', async () => {
    const site = tokenSite()
    const random = crypto.getRandomValues(new Uint8Array(7))
    const linkId = makeLinkId(env.TOKEN_SECRET, site.siteId, 'AB1S00', { now: Date.now(), random })
    const response = await site.bind(linkId)
    expect(strict(TokenAnswer).parse(await response.json()).status).toBe('CREATED')
    const [token] = await site.tokens('')
    expect(token).toMatchObject({ status: 'CREATED', value: expect.stringMatching(UUID) })
    const order = await site.make()
    expect((await site.charge(order.qrCodeUid, token?.value, '')).status).toBe(200)
  })

  it('of an id that no link has: 404', async () => {
    const site = tokenSite()
    await site.make()
    for (const linkId of ['a'.repeat(65), 'a%20b']) {
      expect((await site.bind(linkId)).status).toBe(404)
    }
  })
})

describe('a binding with a payment', () => {
  const code = (site: TokenSite) => site.make({ flags: ['CREATE_TOKEN'], tokenizationAccount: ACCOUNT })
  const binding = { bindingUid: 'b-1', status: 'CREATED' }

  it('within its report is one event, and two notifications', async () => {
    const server = merchantServer()
    const site = tokenSite()
    await configure(site, { callbackUrl: callbackUrl() })
    const { qrCodeUid, linkId } = await code(site)
    await site.report(linkId, 'p-1', { binding })
    const { qrCode, token } = await site.read(qrCodeUid)
    expect([qrCode.status, token?.status]).toEqual(['PAYED', 'CREATED'])
    const events = (await site.feed()).filter((event) => event.qrCodeUid === qrCodeUid)
    expect(events.map(({ type }) => type)).toEqual(['qrCode.created', 'payment.completed'])
    expect(events[1]).toMatchObject({ token: { status: 'CREATED', last4: token?.value?.slice(-4) } })
    expect(JSON.stringify(events)).not.toContain(token?.value)

    const { notifications } = await logOf(site)
    expect(notifications.map(({ type }) => type)).toEqual(['TOKEN', 'PAYMENT'])
    const ids = notifications.map(({ id }) => id)
    const first = await logOf(site, 'limit=1')
    const second = await logOf(site, `limit=1&cursor=${first.nextCursor}`)
    expect([...first.notifications, ...second.notifications].map(({ id }) => id)).toEqual(ids)
    expect(second.nextCursor).toBeUndefined()

    const { key } = await makeKey(site)
    const received = await server.got(2)
    expect(received.map(({ id }) => id).toSorted()).toEqual(ids.toSorted())
    const sent = received.find(({ body }) => body.includes('"TOKEN"'))
    const { token: told } = strict(TokenNotification).parse(JSON.parse(sent?.body ?? ''))
    expect(told).toEqual({
      status: { value: 'CREATED', changedDateTime: expect.any(String) },
      merchantSiteUid: site.siteId,
      account: ACCOUNT,
      value: token?.value,
      expiredDate: token?.expiredDate,
      tokenizationSource: { type: 'QR_CODE', uid: qrCodeUid },
    })
    const signed = [site.siteId, ACCOUNT, 'CREATED', told.status.changedDateTime]
    expect(sent?.headers.get('Signature')).toBe(notificationSignature(key, signed))
    expect((await site.ask(`/notifications/${sent?.id}/redeliver`, { method: 'POST' })).status).toBe(200)
  })

  it('first seen in a repeat of the report is recorded, once', async () => {
    const site = tokenSite()
    const { qrCodeUid, linkId } = await code(site)
    await site.report(linkId, 'p-1')
    expect((await site.read(qrCodeUid)).token).toEqual({ status: 'WAITING' })
    await site.report(linkId, 'p-1', { binding })
    const before = await site.feed()
    expect(before.at(-1)).toMatchObject({ type: 'token.created', status: 'PAYED' })
    await site.report(linkId, 'p-1', { binding })
    expect(await site.feed()).toEqual(before)
    expect((await site.read(qrCodeUid)).token?.status).toBe('CREATED')
  })

  it('of a payment that is not applied is a fact too', async () => {
    const site = tokenSite()
    const { qrCodeUid, linkId } = await code(site)
    await site.report(linkId, 'p-1', { amount: { value: 4 }, binding })
    expect(await site.read(qrCodeUid)).toMatchObject({
      qrCode: { status: 'CREATED' },
      token: { status: 'CREATED' },
    })
    expect(await last(site)).toMatchObject({ payment: { applied: false }, token: { status: 'CREATED' } })
  })

  it('of a payment of a TOKEN code accepts the code, in one event', async () => {
    const site = tokenSite()
    const { qrCodeUid, linkId } = await site.tokenCode()
    await site.report(linkId, 'p-1', { binding })
    expect((await site.read(qrCodeUid)).qrCode.status).toBe('ACCEPTED')
    expect(await last(site)).toMatchObject({ type: 'payment.completed', status: 'ACCEPTED' })
  })

  it('that breaks its rule is left out, and the payment is recorded', async () => {
    const site = tokenSite()
    const { qrCodeUid, linkId } = await code(site)
    await site.report(linkId, 'p-1', { binding: { bindingUid: 'b 1', status: 'CREATED' } })
    expect(await site.read(qrCodeUid)).toMatchObject({
      qrCode: { status: 'PAYED' },
      token: { status: 'WAITING' },
    })
  })

  it('that a late payment does not carry: the token is rejected with the payment, not before it', async () => {
    const site = tokenSite()
    const { linkId } = await site.make({ flags: ['CREATE_TOKEN'], qrCode: { type: 'DYNAMIC', ttl: 1 } })
    pass(5)
    await site.report(linkId, 'late')
    const [paid, rejected] = (await site.feed()).slice(-2)
    expect([paid?.type, rejected?.type]).toEqual(['payment.completed', 'token.rejected'])
    expect(rejected?.dateTime).toBe(paid?.dateTime)
  })

  it('that never comes: the token is rejected when the ttl is over, by the clock, and notified', async () => {
    const site = tokenSite()
    await configure(site, { callbackUrl: 'https://shop.example/' })
    const { qrCodeUid, linkId } = await code(site)
    await site.report(linkId, 'p-1')
    pass(9)
    const waiting = await site.ask(`/sbp/qrCodes/${qrCodeUid}`)
    expect((await qrCodeIn(waiting)).token).toEqual({ status: 'WAITING' })
    pass(1)
    const unrecorded = await site.ask(`/sbp/qrCodes/${qrCodeUid}`)
    expect((await qrCodeIn(unrecorded.clone())).token).toEqual({ status: 'REJECTED' })
    await runDurableObjectAlarm(site.stub)
    const recorded = await site.ask(`/sbp/qrCodes/${qrCodeUid}`)
    expect(recorded.headers.get('ETag')).toBe(unrecorded.headers.get('ETag'))
    expect(recorded.headers.get('ETag')).not.toBe(waiting.headers.get('ETag'))
    expect(await last(site)).toMatchObject({
      type: 'token.rejected',
      by: { actor: 'clock' },
      status: 'PAYED',
      token: { status: 'REJECTED' },
    })
    expect((await logOf(site)).notifications.map(({ type }) => type)).toEqual(['TOKEN', 'PAYMENT'])
    // What comes later is a fact.
    await site.bind(linkId)
    expect((await site.read(qrCodeUid)).token?.value).toMatch(UUID)
  })
})

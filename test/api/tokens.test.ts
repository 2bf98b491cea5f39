// Bindings and tokens over HTTP: what the network reports, what the merchant sees, lists and deletes (contract, section 9).
import { runDurableObjectAlarm } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { NotificationAnswer } from '../../src/contract/delivery.ts'
import { TokenAnswer } from '../../src/contract/token.ts'
import { makeLinkId } from '../../src/fps/link-id.ts'
import { notificationSignature } from '../../src/gateway/signatures.ts'
import { TokenNotification } from '../../src/openapi/notification-bodies.ts'
import { callbackUrl, configure, logOf, makeKey, merchantServer, qrCodeOf } from '../support/merchant.ts'
import { errorOf, serviceWith } from '../support/service.ts'
import { strict } from '../support/strict.ts'
import { ACCOUNT, qrCodeIn, type TokenSite, tokenSite } from '../support/tokens.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const pass = (minutes: number) => vi.setSystemTime(Date.now() + minutes * 60_000)
const DAY = 24 * 60
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const last = async (site: TokenSite) => (await site.feed()).at(-1)
const READ = { claims: { scope: 'merchant:read', jti: 'reader' } }

/** The refusal of a report that changes nothing. */
async function refusal(site: TokenSite, request: () => Promise<Response>) {
  const before = await site.feed()
  const response = await request()
  const { errorCode, cause } = await errorOf(response)
  expect(await site.feed()).toEqual(before)
  return { status: response.status, errorCode, fields: Object.keys(cause ?? {}) }
}

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
    await site.bind(linkId, {}, 'b1', serviceWith({ settings: { PAYMENT_NETWORK: 'sandbox' } }))
    const order = await site.unpaid()
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
    const { qrCodeUid, linkId } = await site.tokenCode()
    await end(site, qrCodeUid)
    await site.bind(linkId)
    const { qrCode, token } = await site.read(qrCodeUid)
    expect([qrCode.status, token?.status]).toEqual([status, 'CREATED'])
    const order = await site.unpaid()
    expect((await site.charge(order.qrCodeUid, token?.value)).status).toBe(200)
    expect((await site.deleteToken(token?.value)).status).toBe(204)
  })

  it('of an authentic link that the site does not know is kept, under the empty account', async () => {
    const site = tokenSite()
    const random = crypto.getRandomValues(new Uint8Array(7))
    const linkId = makeLinkId(env.TOKEN_SECRET, site.siteId, 'AB1S00', Date.now(), random)
    const response = await site.bind(linkId)
    expect(strict(TokenAnswer).parse(await response.json()).status).toBe('CREATED')
    const [token] = await site.tokens('')
    expect(token).toMatchObject({ status: 'CREATED', value: expect.stringMatching(UUID) })
    const order = await site.unpaid()
    expect((await site.charge(order.qrCodeUid, token?.value, '')).status).toBe(200)
  })

  it('of a link that is neither: 404', async () => {
    const site = tokenSite()
    await site.unpaid()
    for (const linkId of ['AB1S002LBQ7PDTTE88HQ1SE2PVFVTP04', 'x']) {
      expect((await site.bind(linkId)).status).toBe(404)
    }
  })
})

describe('a binding with a payment', () => {
  const code = (site: TokenSite) => qrCodeOf(site, { flags: ['CREATE_TOKEN'], tokenizationAccount: ACCOUNT })
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
    const { linkId } = await site.unpaid({ flags: ['CREATE_TOKEN'], qrCode: { type: 'DYNAMIC', ttl: 1 } })
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

describe('a token', () => {
  it('expires after TOKEN_DAYS, from that second on, and makes an event but no notification', async () => {
    const site = tokenSite()
    await configure(site, { callbackUrl: 'https://shop.example/' })
    const week = serviceWith({ settings: { TOKEN_DAYS: '7' } })
    const { qrCodeUid, value } = await site.bound({}, week)
    pass(7 * DAY - 1)
    expect((await site.read(qrCodeUid)).token?.value).toBe(value)
    pass(1)
    const { token } = await site.read(qrCodeUid)
    expect(token).toEqual({ status: 'EXPIRED', last4: value.slice(-4), expiredDate: expect.any(String) })
    expect(await last(site)).toMatchObject({
      type: 'token.expired',
      by: { actor: 'clock' },
      status: 'ACCEPTED',
    })
    expect((await logOf(site)).notifications).toHaveLength(1)
    expect((await site.tokens())[0]?.status).toBe('EXPIRED')
  })

  it('that has expired was created: a report CREATED is a repeat, REJECTED is 409', async () => {
    const site = tokenSite()
    const { linkId, bindingUid } = await site.bound()
    pass(366 * DAY)
    await site.feed()
    expect((await site.bind(linkId, {}, bindingUid)).headers.get('Idempotent-Replayed')).toBe('true')
    expect((await site.bind(linkId, { status: 'REJECTED' }, bindingUid)).status).toBe(409)
    expect((await site.tokens()).map(({ status }) => status)).toEqual(['EXPIRED'])
  })

  it('that ends by the clock wakes the object', async () => {
    const site = tokenSite()
    await site.bound()
    pass(366 * DAY)
    expect(await runDurableObjectAlarm(site.stub)).toBe(true)
    expect(await last(site)).toMatchObject({ type: 'token.expired' })
  })

  it('ends a long poll when it comes', async () => {
    const site = tokenSite()
    const { qrCodeUid, linkId } = await site.tokenCode()
    const first = await site.ask(`/sbp/qrCodes/${qrCodeUid}`)
    const headers = { 'If-None-Match': first.headers.get('ETag') ?? '', Prefer: 'wait=30' }
    const poll = site.ask(`/sbp/qrCodes/${qrCodeUid}`, { headers })
    await site.bind(linkId)
    expect((await qrCodeIn(await poll)).token?.status).toBe('CREATED')
  })

  it('shows its value to merchant and in notifications alone: the end of it elsewhere', async () => {
    const site = tokenSite()
    await configure(site, { callbackUrl: 'https://shop.example/' })
    const { qrCodeUid, value } = await site.bound()
    const { notifications } = await logOf(site)
    const note = `/notifications/${notifications[0]?.id}`
    const seen = async (path: string, options = {}) => (await site.ask(path, options)).text()
    for (const path of [`/sbp/qrCodes/${qrCodeUid}`, '/sbp/qrCodes', note]) {
      expect(await seen(path)).toContain(value)
      const masked = await seen(path, READ)
      expect(masked).not.toContain(value)
      expect(masked).toMatch(new RegExp(`last4\\\\*":\\\\*"${value.slice(-4)}`))
    }
    const masked = NotificationAnswer.parse(JSON.parse(await seen(note, READ)))
    expect(JSON.parse(masked.body ?? '').token.last4).toBe(value.slice(-4))
    for (const path of ['/events', `/sbp/qrCodes/${qrCodeUid}/events`])
      expect(await seen(path)).not.toContain(value)
    expect((await site.ask('/tokens', READ)).status).toBe(403)
    const etag = async (options = {}) =>
      (await site.ask(`/sbp/qrCodes/${qrCodeUid}`, options)).headers.get('ETag')
    expect(await etag(READ)).not.toBe(await etag())
  })

  it('of several of a QR code that can be charged, the latest is shown, and all are listed', async () => {
    const site = tokenSite()
    const { qrCodeUid, linkId } = await site.tokenCode()
    for (const uid of ['b-1', 'b-2']) await site.bind(linkId, {}, uid)
    await site.bind(linkId, { status: 'REJECTED' }, 'b-3')
    const [second, first, ...none] = await site.tokens()
    expect(none).toEqual([])
    expect((await site.read(qrCodeUid)).token?.value).toBe(second?.value)
    await site.deleteToken(second?.value)
    expect((await site.read(qrCodeUid)).token?.value).toBe(first?.value)
  })
})

describe('the list of tokens', () => {
  it('has those of the account, newest first, in pages', async () => {
    const site = tokenSite()
    const one = await site.bound()
    const two = await site.bound()
    await site.bound({ tokenizationAccount: 'customer-8' })
    expect(await site.tokens()).toEqual([
      { status: 'CREATED', value: two.value, expiredDate: expect.any(String), qrCodeUid: two.qrCodeUid },
      { status: 'CREATED', value: one.value, expiredDate: expect.any(String), qrCodeUid: one.qrCodeUid },
    ])
    const page = async (query: string) =>
      (await site.ask(`/tokens?customerAccountId=${ACCOUNT}&limit=1${query}`)).json<{
        tokens: { value: string }[]
        nextCursor?: string
      }>()
    const { tokens, nextCursor } = await page('')
    const next = await page(`&cursor=${nextCursor}`)
    expect([...tokens, ...next.tokens].map(({ value }) => value)).toEqual([two.value, one.value])
    expect(next.nextCursor).toBeUndefined()
    expect(await site.tokens('nobody')).toEqual([])
  })

  it('of a site that nobody wrote to is empty', async () => expect(await tokenSite().tokens()).toEqual([]))
})

describe('the deletion of a token', () => {
  it('is 204 and again 204, an event of the merchant, an instruction, and no notification', async () => {
    const site = tokenSite()
    await configure(site, { callbackUrl: 'https://shop.example/' })
    const { qrCodeUid, linkId, bindingUid, value } = await site.bound()
    await site.rest()
    expect((await site.deleteToken(value)).status).toBe(204)
    const deleted = await site.feed()
    expect(deleted.at(-1)).toMatchObject({
      type: 'token.deleted',
      by: { actor: 'merchant' },
      token: { status: 'DELETED', last4: value.slice(-4) },
    })
    expect((await site.read(qrCodeUid)).token).toEqual({
      status: 'DELETED',
      last4: value.slice(-4),
      expiredDate: expect.any(String),
    })
    expect((await site.instructions()).map(({ content }) => content)).toEqual([
      { type: 'token.delete', linkId, bindingUid },
    ])
    for (const fetch of [
      undefined,
      serviceWith({}),
      serviceWith({ settings: { PAYMENT_NETWORK: 'sandbox' } }),
    ])
      expect((await site.deleteToken(value, ACCOUNT, fetch)).status).toBe(204)
    // The network's confirmation.
    const confirmed = await site.bind(linkId, { status: 'DELETED' }, bindingUid)
    expect(confirmed.headers.get('Idempotent-Replayed')).toBe('true')
    expect(await site.instructions()).toEqual([])
    expect(await site.feed()).toEqual(deleted)
    expect((await logOf(site)).notifications).toHaveLength(1)
  })

  it('stays instructed while the network repeats the payment that bound the account', async () => {
    const site = tokenSite()
    await site.rest()
    const { qrCodeUid, linkId } = await site.unpaid({ flags: ['CREATE_TOKEN'], tokenizationAccount: ACCOUNT })
    const report = () => site.report(linkId, 'p1', { binding: { bindingUid: 'b1', status: 'CREATED' } })
    await report()
    expect((await site.deleteToken((await site.read(qrCodeUid)).token?.value)).status).toBe(204)
    const instructions = await site.instructions()
    expect(instructions.map(({ content }) => content.type)).toEqual(['token.delete'])
    expect((await report()).status).toBe(200)
    expect(await site.instructions()).toEqual(instructions)
  })

  it('by the network keeps the bank and the date in the list', async () => {
    const site = tokenSite()
    const { linkId } = await site.tokenCode()
    await site.bind(linkId, { bankMemberId: '100000000111' }, 'b1')
    await site.bind(linkId, { status: 'DELETED' }, 'b1')
    expect(await site.tokens()).toMatchObject([
      { status: 'DELETED', bankMemberId: '100000000111', expiredDate: expect.any(String) },
    ])
  })

  it('by the network is notified with the value, and makes an event', async () => {
    const site = tokenSite()
    await configure(site, { callbackUrl: 'https://shop.example/' })
    const { linkId, bindingUid, value } = await site.bound()
    await site.bind(linkId, { status: 'DELETED', reason: 'the customer' }, bindingUid)
    const { notifications } = await logOf(site)
    expect(notifications.map(({ type }) => type)).toEqual(['TOKEN', 'TOKEN'])
    const answer = await site.ask(`/notifications/${notifications[0]?.id}`)
    const { body } = NotificationAnswer.parse(await answer.json())
    expect(JSON.parse(body ?? '').token).toMatchObject({
      status: { value: 'DELETED', rejectReason: 'the customer' },
      value,
    })
    expect(await last(site)).toMatchObject({ type: 'token.deleted', by: { actor: 'network' } })
    expect((await site.deleteToken(value)).status).toBe(204)
    expect(await site.instructions()).toEqual([])
  })

  it('of a pair that does not fit: 404, the same for another site’s token', async () => {
    const site = tokenSite()
    const { value } = await site.bound()
    const foreign = await tokenSite().bound()
    const refused = [
      () => site.deleteToken(value, 'customer-8'),
      () => site.deleteToken(value, ''),
      () => site.deleteToken('unknown'),
      () => site.deleteToken(foreign.value),
    ]
    for (const request of refused) {
      expect(await refusal(site, request)).toEqual({
        status: 404,
        errorCode: 'payin.resource.not.found',
        fields: [],
      })
    }
    expect((await tokenSite().deleteToken(value)).status).toBe(404)
  })

  it('without a connector: 503; of the other network: 409', async () => {
    const site = tokenSite()
    const { value } = await site.bound()
    const sandbox = serviceWith({ settings: { PAYMENT_NETWORK: 'sandbox' } })
    const madeUp = await site.bound({}, sandbox)
    for (const [token, fetch, code] of [
      [value, serviceWith({}), 'network.not.connected'],
      [value, sandbox, 'network.changed'],
      [madeUp.value, undefined, 'network.changed'],
    ] as const) {
      expect((await refusal(site, () => site.deleteToken(token, ACCOUNT, fetch))).errorCode).toBe(code)
    }
  })

  it('of an expired token ends its binding too', async () => {
    const site = tokenSite()
    const { qrCodeUid, value } = await site.bound()
    pass(366 * DAY)
    expect((await site.deleteToken(value)).status).toBe(204)
    expect((await site.read(qrCodeUid)).token?.status).toBe('DELETED')
    expect((await site.feed()).slice(-2).map(({ type }) => type)).toEqual(['token.expired', 'token.deleted'])
  })

  it('without a token, or with one that is no text: 400, which shows no token', async () => {
    const site = tokenSite()
    const { value } = await site.bound()
    for (const token of [undefined, 7, [value]]) {
      const response = await site.deleteToken(token)
      expect(response.status).toBe(400)
      expect(await response.text()).not.toContain(value)
    }
  })
})

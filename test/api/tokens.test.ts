// Bindings and tokens over HTTP: what the network reports, what the merchant sees, lists and deletes (contract, section 9).
import { runDurableObjectAlarm } from 'cloudflare:test'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { NotificationAnswer } from '../../src/contract/notifications/log.ts'
import type { TokensAnswer } from '../../src/contract/token.ts'
import { qrCodeIn } from '../support/client.ts'
import { configure, logOf } from '../support/merchant.ts'
import { sandbox, serviceWith } from '../support/service.ts'
import { ACCOUNT, last, pass, refusal, tokenSite } from '../support/tokens.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
})

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const DAY = 24 * 60

const READ = { claims: { scope: 'merchant:read', jti: 'reader' } }

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
    expect(token).toEqual({
      status: 'EXPIRED',
      last4: value.slice(-4),
      expiredDate: token?.endedOn,
      endedBy: 'clock',
      endedOn: expect.any(String),
    })
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
    const listed = ({ value, qrCodeUid }: typeof one) => ({
      status: 'CREATED',
      ...{ value, qrCodeUid, tokenizationAccount: ACCOUNT, expiredDate: expect.any(String) },
    })
    expect(await site.tokens()).toEqual([listed(two), listed(one)])
    const page = async (query: string) =>
      (await site.ask(`/tokens?tokenizationAccount=${ACCOUNT}&limit=1${query}`)).json<{
        tokens: { value: string }[]
        nextCursor?: string
      }>()
    const { tokens, nextCursor } = await page('')
    const next = await page(`&cursor=${nextCursor}`)
    expect([...tokens, ...next.tokens].map(({ value }) => value)).toEqual([two.value, one.value])
    expect(next.nextCursor).toBeUndefined()
    expect(await site.tokens('nobody')).toEqual([])
  })

  it.each([
    ['tokenizationAccount=customer-7', ['customer-7']],
    ['customerAccountId=customer-7', ['customer-7']],
    ['tokenizationAccount=customer-7&customerAccountId=customer-7', ['customer-7']],
    ['', [undefined]],
    ['account=any', [undefined, 'customer-8', 'customer-7']],
  ])('asked with "%s" has the accounts %j', async (query, accounts) => {
    const site = tokenSite()
    for (const tokenizationAccount of ['customer-7', 'customer-8', undefined])
      await site.bound({ tokenizationAccount })
    const { tokens } = await (await site.ask(`/tokens?${query}`)).json<TokensAnswer>()
    expect(tokens.map(({ tokenizationAccount }) => tokenizationAccount)).toEqual(accounts)
  })

  it.each([
    ['GET', 'tokenizationAccount=a&customerAccountId=b', 'customerAccountId'],
    ['GET', 'account=any&tokenizationAccount=a', 'account'],
    ['GET', 'account=any&customerAccountId=a', 'account'],
    ['GET', 'account=all', 'account'],
    ['DELETE', 'tokenizationAccount=a&customerAccountId=b', 'customerAccountId'],
  ])('%s with %s is 400, which names %s', async (method, query, field) => {
    const body = { ...Object.fromEntries(new URLSearchParams(query)), token: 't' }
    const site = tokenSite()
    const response = await (method === 'GET'
      ? site.ask(`/tokens?${query}`)
      : site.ask('/tokens', { method, body }))
    expect(response.status).toBe(400)
    expect(Object.keys((await response.json<{ cause: object }>()).cause)).toEqual([field])
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
      endedBy: 'merchant',
      endedOn: expect.any(String),
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
    const { qrCodeUid, linkId } = await site.make({ flags: ['CREATE_TOKEN'], tokenizationAccount: ACCOUNT })
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
    const madeUp = await site.bound({}, sandbox)
    for (const [token, fetch, code] of [
      [value, serviceWith({}), 'network.not.connected'],
      [value, sandbox, 'network.changed'],
      [madeUp.value, undefined, 'network.changed'],
    ] as const) {
      expect((await refusal(site, () => site.deleteToken(token, ACCOUNT, fetch))).errorCode).toBe(code)
    }
  })

  it.each([
    ['before the clock has recorded it', async () => {}],
    ['after', async (site: ReturnType<typeof tokenSite>) => void (await site.feed())],
  ])('of an expired token, %s, makes it DELETED: an event, and no second instruction', async (_, wait) => {
    const site = tokenSite()
    await configure(site, { callbackUrl: 'https://shop.example/' })
    const { qrCodeUid, value, linkId, bindingUid } = await site.bound()
    await site.rest()
    pass(366 * DAY)
    await wait(site)
    for (const status of [204, 204]) expect((await site.deleteToken(value)).status).toBe(status)
    const { token } = await site.read(qrCodeUid)
    expect(token).toEqual({
      status: 'DELETED',
      last4: value.slice(-4),
      expiredDate: expect.any(String),
      endedBy: 'merchant',
      endedOn: expect.any(String),
    })
    const events = (await site.feed()).filter(({ type }) => /^token\.(expired|deleted)$/.test(type))
    expect(events.map(({ type, by }) => [type, by.actor])).toEqual([
      ['token.expired', 'clock'],
      ['token.deleted', 'merchant'],
    ])
    const instructions = (await site.instructions()).map(({ content }) => content)
    expect(instructions).toEqual([{ type: 'token.delete', linkId, bindingUid }])
    const confirmed = await site.bind(linkId, { status: 'DELETED' }, bindingUid)
    expect(confirmed.headers.get('Idempotent-Replayed')).toBe('true')
    expect((await site.tokens()).map(({ status }) => status)).toEqual(['DELETED'])
    expect(await site.instructions()).toEqual([])
    expect((await logOf(site)).notifications).toHaveLength(1)
  })

  it('of an expired token needs a connector, as of any other: 503, and it stays EXPIRED', async () => {
    const site = tokenSite()
    const { value } = await site.bound()
    pass(366 * DAY)
    await site.feed()
    const refused = await refusal(site, () => site.deleteToken(value, ACCOUNT, serviceWith({})))
    expect(refused.errorCode).toBe('network.not.connected')
    expect((await site.tokens()).map(({ status }) => status)).toEqual(['EXPIRED'])
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

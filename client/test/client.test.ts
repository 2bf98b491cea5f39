// The operations of the client against the real service.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { inspect } from 'node:util'
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from 'vitest'
import { freePort } from '../../test/support/ports.ts'
import {
  AccessError,
  type AmountInput,
  ApiError,
  ConflictError,
  ConnectionError,
  type CreateQrCode,
  CursorGoneError,
  FpsQr,
  FpsQrError,
  type FpsQrOptions,
  InvalidRequestError,
  NotFoundError,
} from '../src/index.ts'
import { openShop, type Shop } from './shop.ts'

let shop: Shop
let fps: FpsQr
beforeAll(async () => {
  shop = await openShop()
  fps = (await shop.client()).fps
})
afterAll(() => shop.close())

const order = (qrCodeUid: string, more: Partial<CreateQrCode> = {}): CreateQrCode => ({
  qrCodeUid,
  qrCode: { type: 'DYNAMIC' },
  amount: { value: '10.50' },
  ...more,
})
const thrownBy = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  )

it('creates, reads and cancels, with any identifier', async () => {
  const uid = 'a/b ? ü % 😀'
  const created = await fps.createQrCode(order(uid, { qrCode: { type: 'DYNAMIC', image: { width: 200 } } }))
  expect(created.qrCode.image).toMatchObject({ mediaType: 'image/png', width: 200 })
  const { image: _, ...qrCode } = created.qrCode
  expect(await fps.getQrCode(uid)).toEqual({ ...created, qrCode })
  expect((await fps.cancel(uid)).qrCode.status).toBe('CANCELLED')
})

it('an amount of an answer is an amount of a request: a full refund', async () => {
  await fps.createQrCode(order('full'))
  await shop.pay('full')
  const { payment } = await fps.waitForPayment('full')
  if (!payment) throw new Error('no payment')
  const comment = 'the cup was broken'
  const refund = await fps.refund(payment.paymentUid, 'all', { amount: payment.amount, comment })
  expect(refund).toMatchObject({ refundId: 'all', comment, amount: { value: '10.50', currency: 'RUB' } })
  expect((await fps.waitForRefund(payment.paymentUid, 'all')).status.value).toBe('COMPLETED')
  expect((await fps.getRefund(payment.paymentUid, 'all')).status.value).toBe('COMPLETED')
})

it('a wait for a refund that the bank declines ends', async () => {
  await fps.createQrCode(order('no-refund'))
  await shop.pay('no-refund')
  const { paymentUid = '' } = (await fps.getQrCode('no-refund')).payment ?? {}
  await fps.refund(paymentUid, 'no', { amount: { value: '0.13' } })
  expect((await fps.waitForRefund(paymentUid, 'no')).status).toMatchObject({ value: 'DECLINED' })
})

it('marks a second payment as delivered, and opens it again', async () => {
  await fps.createQrCode(order('twice'))
  for (let i = 0; i < 2; i++) await shop.pay('twice')
  const payments = await Array.fromAsync(fps.payments('twice'))
  const { paymentId = '' } = payments.find(({ applied }) => !applied) ?? {}
  const delivered = await fps.decidePayment(paymentId, { value: 'DELIVERED', note: 'receipt 118' })
  expect(delivered.decision).toMatchObject({ value: 'DELIVERED', note: 'receipt 118' })
  expect(await fps.decidePayment(paymentId, { value: 'OPEN' })).not.toHaveProperty('decision')
})

it('arms a counter for one sale after the other, waits for its payment, and names the sale that stands', async () => {
  await fps.createQrCode({ qrCodeUid: 'till', qrCode: { type: 'COUNTER' } })
  const sale = { amount: { value: '149.50' }, paymentPurpose: 'Tea' }
  expect(await fps.armSale('till', 's-1', sale)).toMatchObject({ saleUid: 's-1', status: 'ACTIVE' })
  const refused = await thrownBy(fps.armSale('till', 's-2', sale))
  expect(refused).toBeInstanceOf(ConflictError)
  expect(refused).toMatchObject({ cause: { saleUid: ['s-1'] } })
  const waiting = fps.waitForSale('till', 's-1')
  await shop.pay('till')
  const paid = await waiting
  expect(paid).toMatchObject({ status: 'PAYED', payment: { amount: { value: '149.50' } } })
  expect(await fps.getSale('till', 's-1')).toEqual(paid)
  await fps.armSale('till', 's-2', sale)
  expect((await fps.cancelSale('till', 's-2')).status).toBe('CANCELLED')
  const sales: string[] = []
  for await (const { saleUid, status } of fps.sales('till')) sales.push(`${saleUid} ${status}`)
  expect(sales).toEqual(['s-2 CANCELLED', 's-1 PAYED'])
  const counters: string[] = []
  for await (const { qrCodeUid } of fps.qrCodes({ type: ['COUNTER'] })) counters.push(qrCodeUid)
  expect(counters).toEqual(['till'])
})

it('every attempt is in payments, over more than a page', async () => {
  await fps.createQrCode(order('many'))
  // A code takes one payment; the rest are recorded all the same.
  for (let done = 0; done < 101; done++) await shop.pay('many')
  const applied: boolean[] = []
  for await (const payment of fps.payments('many')) applied.push(payment.applied)
  expect(applied).toEqual([true, ...Array.from({ length: 100 }, () => false)])
})

it('qrCodes are all of them, over more than a page, by status and time', async () => {
  const from = new Date()
  const uids = Array.from({ length: 101 }, (_, index) => `page-${index}`)
  for (const uid of uids) await fps.createQrCode(order(uid))
  await fps.cancel('page-7')
  const listed = async (options: Parameters<FpsQr['qrCodes']>[0]) => {
    const all: string[] = []
    for await (const { qrCodeUid } of fps.qrCodes(options)) all.push(qrCodeUid)
    return all.filter((uid) => uid.startsWith('page-'))
  }
  expect(await listed({ createdFrom: from })).toEqual(uids.toReversed())
  expect(await listed({ status: ['CANCELLED', 'PAYED'] })).toEqual(['page-7'])
  expect(await listed({ createdTo: new Date(from.getTime() - 60_000) })).toEqual([])
})

describe('a wait', () => {
  it.each([
    ['PAYED', (uid: string) => shop.pay(uid)],
    ['CANCELLED', (uid: string) => fps.cancel(uid)],
  ])('ends with %s, by one long poll', async (status, change) => {
    const { fps: waiter, proxy } = await shop.client()
    const uid = `until-${status}`
    await waiter.createQrCode(order(uid))
    const waiting = waiter.waitForPayment(uid)
    await proxy.until(({ prefer }) => prefer === 'wait=30')
    await change(uid)
    expect((await waiting).qrCode.status).toBe(status)
    expect(proxy.requests.map(({ method }) => method)).toEqual(['POST', 'GET', 'GET'])
  })

  it('goes on after a declined attempt, unless that ends it', async () => {
    await fps.createQrCode(order('declined'))
    const { fps: waiter, proxy } = await shop.client()
    const waiting = waiter.waitForPayment('declined')
    await proxy.until(({ prefer }) => prefer !== undefined)
    await shop.pay('declined', { status: 'DECLINED' })
    expect((await fps.waitForPayment('declined', { returnDeclined: true })).qrCode.status).toBe('DECLINED')
    await shop.pay('declined')
    expect((await waiting).qrCode.status).toBe('PAYED')
  })

  it('of a declined charge ends', async () => {
    await fps.createQrCode(order('bind', { qrCode: { type: 'TOKEN' } }))
    await shop.bind('bind')
    const { qrCode, token } = await fps.waitForPayment('bind')
    expect(qrCode.status).toBe('ACCEPTED')
    await fps.createQrCode(order('no-charge', { amount: { value: '1.13' } }))
    await fps.chargeToken('no-charge', { token: token?.value ?? '' })
    const done = await fps.waitForPayment('no-charge', { returnDeclined: true })
    expect(done.payment?.paymentStatus).toBe('DECLINED')
  })

  it.each([
    ['before the first answer', 'reset' as const],
    ['during a long poll', undefined],
  ])('is aborted %s', async (_, fault) => {
    const { fps: waiter, proxy } = await shop.client({ retryDelayMs: 60_000 })
    await fps.createQrCode(order('aborted'))
    const stop = new AbortController()
    if (fault) proxy.faults = [fault]
    const waiting = thrownBy(waiter.waitForPayment('aborted', { signal: stop.signal }))
    await proxy.until(({ prefer }) => fault !== undefined || prefer !== undefined)
    stop.abort(new Error('the shop closes'))
    expect(await waiting).toEqual(new Error('the shop closes'))
  })

  it('ends at its limit of time', async () => {
    await fps.createQrCode(order('timeout'))
    const error = await thrownBy(fps.waitForPayment('timeout', { signal: AbortSignal.timeout(200) }))
    expect(error).toMatchObject({ name: 'TimeoutError' })
  })

  it('that is aborted already sends nothing', async () => {
    const { fps: waiter, proxy } = await shop.client()
    expect(await thrownBy(waiter.getQrCode('full', { signal: AbortSignal.abort() }))).toMatchObject({
      name: 'AbortError',
    })
    expect(proxy.requests).toEqual([])
  })
})

describe('events', () => {
  it('come once each and in order, and go on from a cursor', async () => {
    const ids: number[] = []
    let cursor = ''
    for await (const { events, nextCursor } of fps.events()) {
      ids.push(...events.map(({ id }) => id))
      cursor = nextCursor
      if (events.at(-1)?.qrCodeUid === 'last-event') break
      if (events.length < 1000) await fps.createQrCode(order('last-event'))
    }
    expect(ids).toEqual(Array.from(ids, (_, index) => index + 1))

    const { fps: reader, proxy } = await shop.client()
    const next = reader.events({ after: cursor }).next()
    await proxy.until(({ prefer }) => prefer === 'wait=30')
    await fps.cancel('last-event')
    const { value } = await next
    expect(value?.events).toMatchObject([{ type: 'qrCode.cancelled', qrCodeUid: 'last-event' }])
  })

  it('of another feed are a CursorGoneError, and nothing is read', async () => {
    const error = await thrownBy(fps.events({ after: '0123456789abcdef-1' }).next())
    expect(error).toBeInstanceOf(CursorGoneError)
    expect(error).toMatchObject({ httpStatus: 410, errorCode: 'events.cursor.gone' })
  })
})

describe('errors have their class, code, cause and trace', () => {
  it('409 with the fields that differ', async () => {
    await fps.createQrCode(order('conflict'))
    const error = await thrownBy(fps.createQrCode(order('conflict', { amount: { value: '11.00' } })))
    expect(error).toBeInstanceOf(ConflictError)
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toBeInstanceOf(FpsQrError)
    expect(error).toMatchObject({
      httpStatus: 409,
      errorCode: 'payin.resource.already.exists',
      cause: { 'amount.value': expect.any(Array) },
      traceId: expect.stringMatching(/^[0-9a-f]{16}$/),
      name: 'ConflictError',
    })
  })

  it('400, 404, 401', async () => {
    const invalid = await thrownBy(
      fps.createQrCode(order('invalid', { qrCode: { type: 'DYNAMIC', ttl: 0 } })),
    )
    expect(invalid).toBeInstanceOf(InvalidRequestError)
    expect(invalid).toMatchObject({
      cause: { 'qrCode.ttl': ['is 0, must be whole minutes from 1 to 129600'] },
    })
    expect(await thrownBy(fps.getQrCode('no such code'))).toBeInstanceOf(NotFoundError)
    const { fps: foreign } = await shop.client({ token: `${shop.token}x` })
    expect(await thrownBy(foreign.getQrCode('full'))).toBeInstanceOf(AccessError)
  })

  it('a wait for a code that does not exist ends at once', async () => {
    expect(await thrownBy(fps.waitForPayment('no such code'))).toBeInstanceOf(NotFoundError)
  })

  it.each([400, 401, 404, 409, 410])(
    'of a %i that is not the service’s: no more than ApiError',
    async (status) => {
      const fetch = async () => new Response('<h1>Not here</h1>', { status })
      const { fps: elsewhere } = await shop.client({ fetch })
      expect(await thrownBy(elsewhere.getQrCode('a'))).toMatchObject({
        name: 'ApiError',
        httpStatus: status,
        errorCode: undefined,
      })
    },
  )

  it('of a page that is not the service’s, and of a redirect, which is not followed', async () => {
    const asked: string[] = []
    const answering = (answer: Response) => async (url: string) => {
      asked.push(url)
      return answer
    }
    const html = await shop.client({ fetch: answering(new Response('<h1>Welcome</h1>')) })
    expect(await thrownBy(html.fps.getQrCode('a'))).toMatchObject({ name: 'FpsQrError' })
    const away = new Response(null, { status: 302, headers: { Location: 'https://elsewhere.example/' } })
    const redirect = await shop.client({ fetch: answering(away) })
    expect(await thrownBy(redirect.fps.getQrCode('a'))).toMatchObject({
      message: expect.stringContaining('redirect'),
    })
    expect(asked).toHaveLength(2)
    const missing = await shop.client({ fetch: answering(new Response('no', { status: 404 })) })
    expect(await thrownBy(missing.fps.getQrCode('a'))).toMatchObject({
      errorCode: undefined,
      httpStatus: 404,
    })
  })
})

it('fails at once, by name, where the first connection of its life is refused; after one that succeeded it repeats', async () => {
  const port = await freePort()
  let repeats = 0
  let stop = new AbortController()
  const onRetry = () => {
    if (++repeats === 3) stop.abort()
  }
  const options = { siteId: 'demo', token: shop.token, retryDelayMs: 1, onRetry }
  const made = new FpsQr({ baseUrl: `http://127.0.0.1:${port}`, ...options })
  for (const call of [made.getQrCode('a'), made.waitForPayment('a')]) {
    expect(await thrownBy(call)).toMatchObject({
      name: 'ConnectionRefusedError',
      message: expect.stringContaining(`nothing listens on http://127.0.0.1:${port},`),
    })
  }
  expect(repeats).toBe(0)

  const server = createServer((_, response) => response.writeHead(404).end()).listen(port, '127.0.0.1')
  await once(server, 'listening')
  expect(await thrownBy(made.getQrCode('a'))).toBeInstanceOf(ApiError)
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  stop = new AbortController()
  expect(await thrownBy(made.getQrCode('a', { signal: stop.signal }))).toMatchObject({ name: 'AbortError' })
  expect(repeats).toBe(3)
})

describe('the access token is in no error and no log', () => {
  it.each<[string, Partial<FpsQrOptions>]>([
    ['a lost connection', { baseUrl: 'http://127.0.0.1:9' }],
    ['no such host', { baseUrl: 'http://no-such-host.invalid' }],
    [
      'a fetch that shows what it sends',
      {
        fetch: (url, init) => {
          const cause = new Error(`cannot send ${new Headers(init.headers).get('Authorization')}`)
          return Promise.reject(Object.assign(new Error(url, { cause }), { init }))
        },
      },
    ],
  ])('%s', async (_, options) => {
    const base = { baseUrl: 'http://127.0.0.1:9', siteId: 'demo', token: shop.token, ...options }
    const error = await thrownBy(new FpsQr({ ...base, timeLimitMs: 0 }).getQrCode('a'))
    expect(error).toBeInstanceOf(ConnectionError)

    const stop = new AbortController()
    let told: unknown
    const onRetry = (retry: unknown) => {
      told = retry
      stop.abort()
    }
    const made = new FpsQr({ ...base, retryDelayMs: 1, onRetry })
    await thrownBy(made.getQrCode('a', { signal: stop.signal }))
    expect(told).toMatchObject({ error: expect.any(ConnectionError) })
    const shown = [error, told, made].map((each) => inspect(each, { depth: 20, showHidden: true })).join()
    expect(shown).not.toContain(shop.token)
    expect(JSON.stringify([error, told, made])).not.toContain(shop.token)
  })

  it('a refusal of the token', async () => {
    const token = `${shop.token}x`
    const { fps: foreign } = await shop.client({ token })
    expect(inspect(await thrownBy(foreign.getQrCode('a')), { depth: 20 })).not.toContain(shop.token)
  })

  it.each(['', 'line\nbreak', ' blank', 'ключ'])('%j is no token, and is not shown', (token) => {
    const made = () => new FpsQr({ baseUrl: 'https://qr.example', siteId: 'demo', token })
    expect(made).toThrow(new RangeError('token must be visible ASCII characters without white space'))
  })
})

describe('an argument that breaks its rule is named, and nothing is sent', () => {
  it.each<[string, () => Promise<unknown>]>([
    ['amount.value is 10.5', () => call('createQrCode', { ...order('a'), amount: { value: 10.5 } })],
    ['amount.value is "10.505"', () => fps.createQrCode(order('a', { amount: { value: '10.505' } }))],
    ['amount.value is 5', () => call('refund', 'payment', 'refund', { amount: { value: 5 } })],
    ['qrCodeUid is ".."', () => fps.cancel('..')],
    ['qrCodeUid is "."', () => fps.getQrCode('.')],
    ['qrCodeUid is ""', () => fps.waitForPayment('')],
    ['qrCodeUid is undefined', () => call('getQrCode', undefined)],
    ['qrCodeUid is "\\ud800"', () => fps.getQrCode('\ud800')],
    ['refundId is ".."', () => fps.refund('payment', '..', { amount: { value: '1' } })],
    ['paymentId is ""', () => fps.getPayment('')],
  ])('%s', async (text, operation) => {
    const { fps: other, proxy } = await shop.client()
    fps = other
    const error = await thrownBy(operation())
    expect(error).toBeInstanceOf(RangeError)
    expect(String(error)).toContain(text)
    expect(proxy.requests).toEqual([])
  })

  it.each(['qr.example', 'ftp://qr.example', '/payin', 'https://'])('baseUrl %j', (baseUrl) => {
    expect(() => new FpsQr({ baseUrl, siteId: 'demo', token: 'token' })).toThrow(/^baseUrl is /)
  })

  /** As JavaScript calls it, without types. */
  const call = (method: 'createQrCode' | 'refund' | 'getQrCode', ...args: unknown[]): Promise<unknown> =>
    Reflect.apply(fps[method], fps, args)
})

it('baseUrl can end with a slash and have a path', async () => {
  const asked: string[] = []
  const made = new FpsQr({
    ...{ baseUrl: 'https://qr.example/partner/', siteId: 'shop 1', token: 'token' },
    fetch: async (url) => {
      asked.push(url)
      return Response.json({})
    },
  })
  await made.getQrCode('a')
  expect(asked).toEqual(['https://qr.example/partner/payin/v1/sites/shop%201/sbp/qrCodes/a'])
})

it('a number is no amount, by its type', () => {
  expectTypeOf<AmountInput['value']>().toEqualTypeOf<string>()
  expectTypeOf<CreateQrCode['amount']>().toEqualTypeOf<AmountInput | undefined>()
})

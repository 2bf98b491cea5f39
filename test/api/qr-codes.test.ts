// QR codes: creating them, once for each qrCodeUid, and reading them (contract, sections 3, 4, 6 and 13).
import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { formatMinorUnits } from '../../src/contract/amount.ts'
import { QrCodeAnswer } from '../../src/contract/qr-code-answer.ts'
import { parseLink } from '../../src/fps/link.ts'
import { isLinkId } from '../../src/fps/link-id.ts'
import { qrCodeBody } from '../support/client.ts'
import { COLLECTION, call, create, ORIGIN, serviceWith, tokenOf } from '../support/service.ts'
import { strict } from '../support/strict.ts'

afterEach(() => vi.useRealTimers())

describe('creating', () => {
  it('answers 200 with the QR code and its address', async () => {
    const response = await call(COLLECTION, {
      body: {
        qrCodeUid: 'заказ 1/2',
        qrCode: { type: 'DYNAMIC', ttl: 60 },
        amount: { value: 10.5, currency: 'RUB' },
        paymentPurpose: 'Order 1001',
        redirectUrl: 'https://shop.example/orders/1001',
      },
    })
    expect(response.status).toBe(200)
    expect(response.headers.get('Location')).toBe(`${COLLECTION}/${encodeURIComponent('заказ 1/2')}`)
    expect(response.headers.has('Idempotent-Replayed')).toBe(false)
    const answer = strict(QrCodeAnswer).parse(await response.json())
    const dateTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+03:00$/)
    expect(answer).toEqual({
      qrCodeUid: 'заказ 1/2',
      qrCode: { type: 'DYNAMIC', ttl: 60, payload: expect.any(String), status: 'CREATED' },
      createdOn: dateTime,
      expiresOn: dateTime,
      pageUrl: answer.qrCode.payload,
      amount: { value: '10.50', currency: 'RUB' },
    })
  })

  it.each([
    ['+03:00', 60, '2026-11-20T20:10:32+03:00', '2026-11-20T21:10:32+03:00'],
    ['-05:30', 129_600, '2026-11-20T11:40:32-05:30', '2027-02-18T11:40:32-05:30'],
  ])(
    'shows when it is created and when it expires, at the offset %s',
    async (offset, ttl, created, expires) => {
      vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-20T17:10:32.999Z') })
      const service = serviceWith({ settings: { UTC_OFFSET: offset } })
      const { createdOn, expiresOn } = await create(qrCodeBody({}, { ttl }), {}, service)
      expect([createdOn, expiresOn]).toEqual([created, expires])
    },
  )

  it('is the same operation by PUT, with the identifier in the path', async () => {
    const uid = 'a/b?c#d %25 e'
    const path = `${COLLECTION}/${encodeURIComponent(uid)}`
    const { qrCodeUid: _, ...body } = qrCodeBody({ amount: { value: 1 } })
    const put = await call(path, { method: 'PUT', body })
    expect(put.status).toBe(200)
    expect(put.headers.get('Location')).toBe(path)
    const post = await call(COLLECTION, { body: { ...body, qrCodeUid: uid } })
    expect(post.headers.get('Idempotent-Replayed')).toBe('true')
    expect(await post.json()).toEqual(await put.json())
  })

  it('goes by the path’s meaning, however it is escaped', async () => {
    const { qrCodeUid, ...body } = qrCodeBody()
    const path = `/payin/v1/%73ites/d%65mo/%73bp/qrC%6Fdes/${qrCodeUid}`
    const put = await call(path, { method: 'PUT', body })
    expect(await put.json()).toMatchObject({ qrCodeUid })
    expect((await call(put.headers.get('Location') ?? '')).status).toBe(200)
    expect((await call(`${COLLECTION}/${qrCodeUid}`)).status).toBe(200)
  })

  it('stands under /partner too, unchanged', async () => {
    const body = qrCodeBody()
    const first = await call(`/partner${COLLECTION}`, { body })
    expect(first.headers.get('Location')).toBe(`/partner${COLLECTION}/${body.qrCodeUid}`)
    const again = await call(COLLECTION, { body })
    expect(again.headers.get('Idempotent-Replayed')).toBe('true')
    expect(await again.json()).toEqual(await first.json())
  })

  it.each([
    ['DYNAMIC', {}, {}, 4320],
    ['TOKEN', {}, {}, 10],
    ['DYNAMIC with CREATE_TOKEN', { flags: ['CREATE_TOKEN'] }, {}, 10],
    ['TOKEN with a ttl of its own', {}, { ttl: 129_600 }, 129_600],
  ])('lives as long as the contract says: %s', async (name, more, qrCode, ttl) => {
    const type = name.startsWith('TOKEN') ? 'TOKEN' : 'DYNAMIC'
    expect((await create(qrCodeBody(more, { type, ...qrCode }))).qrCode.ttl).toBe(ttl)
  })

  it('shows the token fields where a token is requested, and only there', async () => {
    const purpose = { tokenizationPurpose: 'Subscription', tokenizationAccount: 'customer-7' }
    expect(await create(qrCodeBody({ ...purpose, flags: ['CREATE_TOKEN', 'CREATE_TOKEN'] }))).toMatchObject({
      tokenizationPurpose: 'Subscription',
      flags: ['CREATE_TOKEN'],
      token: { status: 'WAITING' },
    })
    const token = await create(qrCodeBody(purpose, { type: 'TOKEN' }))
    expect(token).toMatchObject({ tokenizationPurpose: 'Subscription', token: { status: 'WAITING' } })
    expect(token).not.toHaveProperty('flags')
    const plain = await create(qrCodeBody({ ...purpose, flags: [] }))
    expect(Object.keys(plain)).toEqual(['qrCodeUid', 'qrCode', 'createdOn', 'expiresOn', 'pageUrl'])
  })

  it('takes null for absent', async () => {
    const body = qrCodeBody(
      { amount: null, paymentPurpose: null, redirectUrl: null, flags: null },
      { ttl: null, image: null },
    )
    const answer = await create(body)
    expect(answer).toMatchObject({ qrCode: { ttl: 4320 } })
    const { qrCodeUid } = body
    const again = await call(COLLECTION, { body: qrCodeBody({ qrCodeUid }) })
    expect(again.headers.get('Idempotent-Replayed')).toBe('true')
  })

  it('keeps every amount of at most two digits exact, in the answer and in the link', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 99_999_999_999 }),
        fc.boolean(),
        async (minorUnits, asText) => {
          const decimal = formatMinorUnits(minorUnits)
          const { qrCodeUid } = qrCodeBody()
          const value = asText ? `"${decimal}"` : decimal
          const body = `{"qrCodeUid":"${qrCodeUid}","qrCode":{"type":"DYNAMIC"},"amount":{"value":${value}}}`
          const { amount, qrCode } = await create(body)
          expect(amount).toEqual({ value: decimal, currency: 'RUB' })
          expect(parseLink(qrCode.payload)?.amount).toEqual({ minorUnits, currency: 'RUB' })
        },
      ),
    )
  })
})

describe('the link', () => {
  it('points to the service itself, and its id is of this site', async () => {
    const { qrCode } = await create(qrCodeBody({ amount: { value: 1 } }))
    const link = parseLink(qrCode.payload)
    expect(link).toMatchObject({
      base: `${ORIGIN}/pay/demo`,
      type: 'DYNAMIC',
      bank: '100000000000',
      amount: { minorUnits: 100, currency: 'RUB' },
    })
    expect(isLinkId([env.TOKEN_SECRET], 'demo', link?.id ?? '')).toBe(true)
    expect(isLinkId([env.TOKEN_SECRET], 'other', link?.id ?? '')).toBe(false)
  })

  it.each([
    ['DYNAMIC', {}, 'AD1000'],
    ['DYNAMIC', { flags: ['CREATE_TOKEN'] }, 'AD1P00'],
    ['TOKEN', {}, 'AB1S00'],
    ['TOKEN', { flags: ['CREATE_TOKEN'] }, 'AB1S00'],
  ])('of %s %j begins with %s', async (type, more, head) => {
    const { qrCode } = await create(qrCodeBody({ amount: { value: 1 }, ...more }, { type }))
    expect(parseLink(qrCode.payload)?.id.slice(0, 6)).toBe(head)
    expect(qrCode.payload.includes('&sum=')).toBe(type === 'DYNAMIC')
  })

  it.each([
    [{ PUBLIC_URL: 'https://qr.acquirer.example/' }, 'DYNAMIC', 'https://qr.acquirer.example/pay/demo'],
    [{ LINK_BASE_URL: 'https://qr.nspk.ru' }, 'DYNAMIC', 'https://qr.nspk.ru'],
    [{ LINK_BASE_URL: 'https://qr.nspk.ru' }, 'TOKEN', 'https://qr.nspk.ru'],
    [
      { LINK_BASE_URL: 'https://qr.nspk.ru', LINK_TOKEN_BASE_URL: 'https://sub.nspk.ru' },
      'TOKEN',
      'https://sub.nspk.ru',
    ],
    [{ LINK_TOKEN_BASE_URL: 'https://sub.nspk.ru' }, 'DYNAMIC', `${ORIGIN}/pay/demo`],
  ])('with %j, of %s, stands at %s', async (settings, type, base) => {
    const { qrCode } = await create(qrCodeBody({}, { type }), {}, serviceWith({ settings }))
    expect(parseLink(qrCode.payload)?.base).toBe(base)
  })
})

describe('a QR code', () => {
  it('is EXPIRED from its last second on, to the second, in a replay too', async () => {
    const body = qrCodeBody({}, { ttl: 1 })
    const { createdOn } = await create(body)
    vi.useFakeTimers({ toFake: ['Date'] })
    const token = await tokenOf({ exp: Math.floor(Date.now() / 1000) + 86_400 })
    const statusAfter = async (milliseconds: number) => {
      vi.setSystemTime(Date.parse(createdOn) + milliseconds)
      return (await create(body, { token })).qrCode.status
    }
    expect(await statusAfter(59_999)).toBe('CREATED')
    expect(await statusAfter(60_000)).toBe('EXPIRED')
  })
})

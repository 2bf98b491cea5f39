// QR codes: creating them, once for each qrCodeUid, and reading them (contract, sections 3, 4, 6 and 13).
import { evictDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { formatMinorUnits } from '../../src/contract/amount.ts'
import type { ErrorAnswer } from '../../src/contract/error-answer.ts'
import { QrCodeAnswer } from '../../src/contract/qr-code-answer.ts'
import { parseLink } from '../../src/fps/link.ts'
import { isLinkId } from '../../src/fps/link-id.ts'
import {
  COLLECTION,
  call,
  create,
  errorOf,
  ORIGIN,
  qrCodeBody,
  serviceWith,
  tokenOf,
} from '../support/service.ts'
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

const MONEY = 'an amount from 0.01 to 999999999.99 with at most two fraction digits'
const URL_RULE = 'an absolute http or https URL of at most 1000 characters without user info or white space'
const UID_RULE = '1 to 200 characters of Unicode text without control characters, not . or ..'
const TTL_RULE = 'whole minutes from 1 to 129600'
const SIDE_RULE = 'whole pixels from 100 to 2000'
const SURROGATE = '\ud800'

describe('a field that breaks its rule is refused by name', () => {
  it.each<[string, unknown, string]>([
    ['qrCodeUid', undefined, UID_RULE],
    ['qrCodeUid', null, UID_RULE],
    ['qrCodeUid', '', UID_RULE],
    ['qrCodeUid', '.', UID_RULE],
    ['qrCodeUid', '..', UID_RULE],
    ['qrCodeUid', 7, UID_RULE],
    ['qrCodeUid', 'x'.repeat(201), UID_RULE],
    ['qrCodeUid', 'a\nb', UID_RULE],
    ['qrCodeUid', 'a\u0000b', UID_RULE],
    ['qrCodeUid', 'a\u0085b', UID_RULE],
    ['qrCodeUid', `a${SURROGATE}`, UID_RULE],
    ['qrCode', undefined, 'an object'],
    ['qrCode', 'DYNAMIC', 'an object'],
    ['qrCode.type', undefined, 'one of DYNAMIC, TOKEN'],
    ['qrCode.type', 'STATIC', 'one of DYNAMIC, TOKEN'],
    ['qrCode.type', 'dynamic', 'one of DYNAMIC, TOKEN'],
    ['qrCode.ttl', 0, TTL_RULE],
    ['qrCode.ttl', -1, TTL_RULE],
    ['qrCode.ttl', 129_601, TTL_RULE],
    ['qrCode.ttl', 1.5, TTL_RULE],
    ['qrCode.ttl', '60', TTL_RULE],
    ['qrCode.image', true, 'an object'],
    ['qrCode.image', [], 'an object'],
    ['qrCode.image.mediaType', 'image/jpeg', 'one of image/png, image/svg+xml'],
    ['qrCode.image.mediaType', 'IMAGE/PNG', 'one of image/png, image/svg+xml'],
    ['qrCode.image.width', 99, SIDE_RULE],
    ['qrCode.image.width', 2001, SIDE_RULE],
    ['qrCode.image.height', 99, SIDE_RULE],
    ['qrCode.image.height', 2001, SIDE_RULE],
    ['qrCode.image.height', 300.5, SIDE_RULE],
    ['qrCode.image.height', '300', SIDE_RULE],
    ['amount', 10, 'an object'],
    ['amount.value', undefined, MONEY],
    ['amount.value', 0, MONEY],
    ['amount.value', 0.001, MONEY],
    ['amount.value', 1.005, MONEY],
    ['amount.value', '1.005', MONEY],
    ['amount.value', 1_000_000_000, MONEY],
    ['amount.value', true, MONEY],
    ['amount.currency', 'USD', 'one of RUB'],
    ['amount.currency', 'rub', 'one of RUB'],
    ['amount.currency', 643, 'one of RUB'],
    ['paymentPurpose', 'я'.repeat(141), 'Unicode text of at most 140 characters'],
    ['paymentPurpose', 5, 'Unicode text of at most 140 characters'],
    ['paymentPurpose', SURROGATE, 'Unicode text of at most 140 characters'],
    ['tokenizationPurpose', 'x'.repeat(141), 'Unicode text of at most 140 characters'],
    ['tokenizationAccount', 'x'.repeat(65), 'Unicode text of at most 64 characters'],
    ['redirectUrl', `https://shop.example/${'x'.repeat(1000)}`, URL_RULE],
    ['redirectUrl', '/orders/1', URL_RULE],
    ['redirectUrl', 'shop.example', URL_RULE],
    ['redirectUrl', 'ftp://shop.example', URL_RULE],
    ['redirectUrl', 'javascript:alert(1)', URL_RULE],
    ['redirectUrl', 'https:shop.example', URL_RULE],
    ['redirectUrl', 'https://', URL_RULE],
    ['redirectUrl', 'https://user:password@shop.example', URL_RULE],
    ['redirectUrl', 'https://@shop.example', URL_RULE],
    ['redirectUrl', 'https://shop.example\\@evil.example', URL_RULE],
    ['redirectUrl', ' https://shop.example', URL_RULE],
    ['redirectUrl', 'https://shop.example/a\tb', URL_RULE],
    ['flags', 'CREATE_TOKEN', 'an array'],
    ['flags.0', 'DELETE_TOKEN', 'one of CREATE_TOKEN'],
    ['flags.0', null, 'one of CREATE_TOKEN'],
  ])('%s: %j', async (field, value, rule) => {
    const body: Record<string, unknown> = {
      ...qrCodeBody(),
      qrCode: { type: 'DYNAMIC', image: {} },
      amount: { value: 1 },
      flags: [],
    }
    let parent = body
    const path = field.split('.')
    for (const name of path.slice(0, -1)) parent = parent[name] as Record<string, unknown>
    parent[path.at(-1) ?? ''] = value
    const response = await call(COLLECTION, { body })
    expect(response.status).toBe(400)
    const error = await errorOf(response)
    expect(error.errorCode).toBe('validation.error')
    expect(error.cause).toEqual({ [field]: [expect.stringMatching(/^is .+, must be /)] })
    expect(error.cause?.[field]?.[0]).toContain(`must be ${rule}`)
    expect(error.description).toBe(`${field} ${error.cause?.[field]?.[0]}`)
  })

  it.each<[string, Record<string, unknown>, Record<string, unknown>?]>([
    ['ammount: is unknown, did you mean amount', { ammount: { value: 1 } }],
    ['Amount: is unknown, did you mean amount', { Amount: { value: 1 } }],
    ['redirectURL: is unknown, did you mean redirectUrl', { redirectURL: 'https://a.example' }],
    ['purpose: is unknown', { purpose: 'x' }],
    ['__proto__: is unknown', JSON.parse('{"__proto__":{"amount":1}}')],
    ['constructor: is unknown', { constructor: 1 }],
    ['payload: is unknown', { payload: 'x' }],
    ['amount.curency: is unknown, did you mean currency', { amount: { value: 1, curency: 'RUB' } }],
    ['qrCode.tll: is unknown, did you mean ttl', {}, { tll: 5 }],
    ['qrCode.status: is unknown', {}, { status: 'PAYED' }],
    ['qrCode.image.heigth: is unknown, did you mean height', {}, { image: { heigth: 300 } }],
  ])('and an unknown one too: %s', async (expected, more, qrCode) => {
    const body = { ...qrCodeBody({}, qrCode), ...more }
    const known = qrCodeBody()
    for (const response of [
      await call(COLLECTION, { body }),
      await call(`${COLLECTION}/${known.qrCodeUid}`, {
        method: 'PUT',
        body: { ...body, qrCodeUid: undefined },
      }),
    ]) {
      const { errorCode, cause = {} } = await response.json<ErrorAnswer>()
      expect([response.status, errorCode]).toEqual([400, 'validation.error'])
      expect(Object.entries(cause).map(([field, texts]) => `${field}: ${texts.join()}`)).toEqual([expected])
    }
    expect((await call(`${COLLECTION}/${known.qrCodeUid}`)).status).toBe(404)
  })

  it('unless it is null, which means absent', async () => {
    await create(qrCodeBody({ ammount: null }))
  })

  it('and all broken fields are named at once', async () => {
    const body = {
      qrCode: { type: 'X', ttl: 0, image: { width: 1 } },
      amount: { value: 'x' },
      flags: ['X', 'Y'],
      ammount: 1,
    }
    const error = await errorOf(await call(COLLECTION, { body }))
    expect(Object.keys(error.cause ?? {}).sort()).toEqual([
      'ammount',
      'amount.value',
      'flags.0',
      'flags.1',
      'qrCode.image.width',
      'qrCode.ttl',
      'qrCode.type',
      'qrCodeUid',
    ])
  })

  it('and a number that no double holds is not rounded into its bounds', async () => {
    const body = `{"qrCodeUid":"${crypto.randomUUID()}","qrCode":{"type":"DYNAMIC"},"amount":{"value":1.0000000000000000001}}`
    const error = await errorOf(await call(COLLECTION, { body }))
    expect(error.cause).toEqual({
      'amount.value': [expect.stringContaining('more digits than can be kept exactly')],
    })
  })

  it.each([
    ['in PUT, a body with another identifier', 'one', { qrCodeUid: 'two' }],
    ['in PUT, a path that is not UTF-8', '%FF', {}],
    ['in PUT, a path that is not percent-encoded', '%ZZ', {}],
    ['in PUT, a path of 201 characters', 'x'.repeat(201), {}],
    ['in PUT, a control character in the path', '%0A', {}],
  ])('%s', async (_, segment, more) => {
    const response = await call(`${COLLECTION}/${segment}`, {
      method: 'PUT',
      body: { qrCode: { type: 'DYNAMIC' }, ...more },
    })
    expect(response.status).toBe(400)
    expect(Object.keys((await errorOf(response)).cause ?? {})).toEqual(['qrCodeUid'])
  })
})

describe('a path that is at fault', () => {
  it('is named together with the fields that are', async () => {
    const body = { qrCode: { type: 'DYNAMIC', ttl: 0 } }
    const response = await call(`${COLLECTION}/%FF`, { method: 'PUT', body })
    expect(response.status).toBe(400)
    expect(Object.keys((await errorOf(response)).cause ?? {}).sort()).toEqual(['qrCode.ttl', 'qrCodeUid'])
  })

  it('is not looked at before a body that is too large', async () => {
    const response = await call(`${COLLECTION}/%FF`, { method: 'PUT', body: 'x'.repeat(70_000) })
    expect(response.status).toBe(413)
  })
})

describe('a field at its bound is taken', () => {
  it.each([
    ['qrCodeUid of 200 characters', qrCodeBody({ qrCodeUid: '😀'.repeat(200) })],
    ['qrCodeUid of one character', qrCodeBody({ qrCodeUid: ' ' })],
    ['ttl 1', qrCodeBody({}, { ttl: 1 })],
    ['ttl 129600', qrCodeBody({}, { ttl: 129_600 })],
    ['ttl written 60.0', `{"qrCodeUid":"${crypto.randomUUID()}","qrCode":{"type":"DYNAMIC","ttl":60.0}}`],
    ['paymentPurpose of 140 code points', qrCodeBody({ paymentPurpose: '😀'.repeat(140) })],
    [
      'tokenizationPurpose of 140 code points',
      qrCodeBody({ tokenizationPurpose: '😀'.repeat(140) }, { type: 'TOKEN' }),
    ],
    ['tokenizationAccount of 64 code points', qrCodeBody({ tokenizationAccount: '😀'.repeat(64) })],
    ['redirectUrl of 1000 characters', qrCodeBody({ redirectUrl: `http://a.example/${'x'.repeat(983)}` })],
    [
      'redirectUrl with an international host',
      qrCodeBody({ redirectUrl: 'https://магазин.рф/заказ?a=1#b@c' }),
    ],
    ['an amount without a type of its own', qrCodeBody({ amount: { value: 1 } }, { type: 'TOKEN' })],
  ])('%s', async (_, body) => {
    await create(body)
  })
})

describe('an identifier is created once', () => {
  const full = {
    qrCode: { type: 'DYNAMIC', ttl: 60, image: { mediaType: 'image/svg+xml', width: 200, height: 200 } },
    amount: { value: 10, currency: 'RUB' },
    paymentPurpose: 'p',
    redirectUrl: 'https://a.example',
    tokenizationPurpose: 't',
    tokenizationAccount: 'a',
    flags: ['CREATE_TOKEN'],
  }

  it('the same request again is answered the same, and says that it was replayed', async () => {
    const body = { qrCodeUid: crypto.randomUUID(), ...full }
    const first = await call(COLLECTION, { body })
    const again = await call(COLLECTION, { body })
    expect(first.headers.has('Idempotent-Replayed')).toBe(false)
    expect(again.headers.get('Idempotent-Replayed')).toBe('true')
    expect(again.headers.get('Location')).toBe(first.headers.get('Location'))
    expect(await again.json()).toEqual(await first.json())
  })

  it.each<[string, Record<string, unknown>]>([
    ['amount as text', { ...full, amount: { value: '10.00', currency: 'RUB' } }],
    ['the default currency left out', { ...full, amount: { value: 10 } }],
    [
      'the height left out of a square',
      { ...full, qrCode: { ...full.qrCode, image: { mediaType: 'image/svg+xml', width: 200 } } },
    ],
    ['a flag twice', { ...full, flags: ['CREATE_TOKEN', 'CREATE_TOKEN'] }],
    ['the fields in another order', Object.fromEntries(Object.entries(full).reverse())],
  ])('is the same request with %s', async (_, body) => {
    const qrCodeUid = crypto.randomUUID()
    await create({ qrCodeUid, ...full })
    const again = await call(COLLECTION, { body: { qrCodeUid, ...body } })
    expect([again.status, again.headers.get('Idempotent-Replayed')]).toEqual([200, 'true'])
  })

  const image = full.qrCode.image
  it.each<[string[], Record<string, unknown>, Record<string, unknown>?]>([
    [['qrCode.type'], {}, { type: 'TOKEN' }],
    [['qrCode.ttl'], {}, { ttl: 61 }],
    [['qrCode.image.mediaType', 'qrCode.image.width', 'qrCode.image.height'], {}, { image: undefined }],
    [['qrCode.image.mediaType'], {}, { image: { ...image, mediaType: undefined } }],
    [['qrCode.image.width'], {}, { image: { ...image, width: 201 } }],
    [['qrCode.image.height'], {}, { image: { ...image, height: 201 } }],
    [['amount.value'], { amount: { value: 10.01 } }],
    [['amount.value', 'amount.currency'], { amount: undefined }],
    [['paymentPurpose'], { paymentPurpose: 'another purpose' }],
    [['redirectUrl'], { redirectUrl: 'https://a.example/' }],
    [['tokenizationPurpose'], { tokenizationPurpose: undefined }],
    [['tokenizationAccount'], { tokenizationAccount: 'another account' }],
    [['flags'], { flags: [] }],
    [['qrCode.ttl', 'paymentPurpose', 'flags'], { paymentPurpose: undefined, flags: undefined }, { ttl: 61 }],
  ])(
    'with another %j it is refused: cause names what differs, never its value; the first stays',
    async (...row) => {
      const [fields, more, qrCode] = row
      const qrCodeUid = crypto.randomUUID()
      const first = await create({ qrCodeUid, ...full })
      const body = { qrCodeUid, ...full, ...more, qrCode: { ...full.qrCode, ...qrCode } }
      for (const refused of [
        await call(COLLECTION, { body }),
        await call(`${COLLECTION}/${qrCodeUid}`, { method: 'PUT', body }),
      ]) {
        expect(refused.status).toBe(409)
        const { errorCode, cause, description } = await errorOf(refused)
        expect([errorCode, Object.keys(cause ?? {})]).toEqual(['payin.resource.already.exists', fields])
        expect(new Set(Object.values(cause ?? {}).flat())).toEqual(
          new Set(['differs from the first request with this qrCodeUid']),
        )
        expect(description).toBe(`qrCodeUid "${qrCodeUid}" was used for a request with other fields`)
      }
      expect(await create({ qrCodeUid, ...full })).toEqual(first)
    },
  )

  it('where the currency alone differs, cause names it', async () => {
    const service = serviceWith({ settings: { CURRENCIES: 'RUB,USD' } })
    const body = qrCodeBody({ amount: { value: 1, currency: 'USD' } })
    await create(body, {}, service)
    const refused = await call(COLLECTION, { body: { ...body, amount: { value: 1 } } }, service)
    expect(Object.keys((await errorOf(refused)).cause ?? {})).toEqual(['amount.currency'])
  })

  it('byte for byte: what only looks alike is another one', async () => {
    const links = await Promise.all(
      ['é', 'e\u0301', 'É', 'e', ' e', 'e '].map(
        async (qrCodeUid) => (await create(qrCodeBody({ qrCodeUid }))).qrCode.payload,
      ),
    )
    expect(new Set(links).size).toBe(6)
  })

  it('per site', async () => {
    const body = qrCodeBody()
    const token = await tokenOf({ sub: 'other' })
    const mine = await create(body)
    const response = await call('/payin/v1/sites/other/sbp/qrCodes', { body, token })
    expect(response.headers.has('Idempotent-Replayed')).toBe(false)
    expect(await response.json()).not.toEqual(mine)
  })

  it('under 200 simultaneous requests: one creates, all are answered alike', async () => {
    const body = qrCodeBody({ amount: { value: 5 } })
    const responses = await Promise.all(Array.from({ length: 200 }, () => call(COLLECTION, { body })))
    expect(responses.every(({ status }) => status === 200)).toBe(true)
    expect(responses.filter(({ headers }) => !headers.has('Idempotent-Replayed'))).toHaveLength(1)
    const answers = await Promise.all(responses.map((response) => response.text()))
    expect(new Set(answers).size).toBe(1)
  })

  it('under 200 simultaneous requests of two kinds: one creates, those equal to it are replayed, the others refused', async () => {
    const { qrCodeUid } = qrCodeBody()
    const statuses = await Promise.all(
      Array.from({ length: 200 }, async (_, i) => {
        const response = await call(COLLECTION, {
          body: qrCodeBody({ qrCodeUid, amount: { value: 1 + (i % 2) } }),
        })
        return response.status
      }),
    )
    expect(statuses.filter((status) => status === 200)).toHaveLength(100)
    expect(statuses.filter((status) => status === 409)).toHaveLength(100)
  })

  it('and eviction of the object changes nothing', async () => {
    const body = qrCodeBody()
    const before = await create(body)
    await evictDurableObject(env.SITES.getByName('demo'))
    const response = await call(COLLECTION, { body })
    expect(response.headers.get('Idempotent-Replayed')).toBe('true')
    expect(await response.json()).toEqual(before)
  })

  it('whatever the settings become: the link stays as it was issued', async () => {
    const body = qrCodeBody()
    const { qrCode } = await create(body)
    const moved = serviceWith({ settings: { LINK_BASE_URL: 'https://qr.nspk.ru' } })
    expect((await create(body, {}, moved)).qrCode.payload).toBe(qrCode.payload)
  })

  it('canonically equal requests replay', async () => {
    const amount = fc.integer({ min: 1, max: 99_999_999_999 })
    const text = fc.string({ unit: 'binary', maxLength: 60 }).filter((value) => value.isWellFormed())
    const generated = fc.record({
      minorUnits: fc.option(amount),
      purpose: fc.option(text),
      ttl: fc.option(fc.integer({ min: 1, max: 129_600 })),
      side: fc.option(fc.integer({ min: 100, max: 200 })),
      token: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(generated, async ({ minorUnits, purpose, ttl, side, token }) => {
        const { qrCodeUid } = qrCodeBody()
        const terse = qrCodeBody(
          {
            qrCodeUid,
            ...(minorUnits !== null && { amount: { value: Number(formatMinorUnits(minorUnits)) } }),
            ...(purpose !== null && { paymentPurpose: purpose }),
            ...(token && { flags: ['CREATE_TOKEN'] }),
          },
          { ...(ttl !== null && { ttl }), ...(side !== null && { image: { width: side } }) },
        )
        const verbose = qrCodeBody(
          {
            flags: token ? ['CREATE_TOKEN', 'CREATE_TOKEN'] : null,
            paymentPurpose: purpose,
            amount: minorUnits === null ? null : { currency: 'RUB', value: formatMinorUnits(minorUnits) },
            qrCodeUid,
          },
          {
            image: side === null ? null : { height: side, width: side, mediaType: 'image/png' },
            ttl: ttl ?? (token ? 10 : 4320),
          },
        )
        const first = await create(terse)
        const again = await call(COLLECTION, { body: verbose })
        expect(again.headers.get('Idempotent-Replayed')).toBe('true')
        expect(await again.json()).toEqual(first)
      }),
      { numRuns: 50 },
    )
  })
})

describe('the body', () => {
  it.each<[string, string | Uint8Array]>([
    ['empty', ''],
    ['not valid JSON', '{"qrCodeUid":'],
    ['a JSON array', '[]'],
    ['a JSON string', '"x"'],
    ['JSON null', 'null'],
    ['not valid UTF-8', new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ['nested beyond reading', '['.repeat(30_000)],
    ['nested beyond reading, and whole', `${'['.repeat(30_000)}${']'.repeat(30_000)}`],
  ])('that is %s is refused, because it is not a JSON object', async (_, body) => {
    const response = await call(COLLECTION, { body, method: 'POST' })
    expect(response.status).toBe(400)
    expect((await errorOf(response)).errorCode).toBe('http.message.conversion.failed')
  })

  it.each([
    ['', 'empty'],
    ['null', 'null'],
    ['[]', 'an array'],
    ['"x"', '"x"'],
    ['1', '1'],
  ])('%j: the answer says what it is instead of an object', async (body, what) => {
    const { description } = await errorOf(await call(COLLECTION, { body, method: 'POST' }))
    expect(description).toBe(`the body is ${what}, must be a JSON object`)
  })

  it.each<[string, number, number]>([
    ['{"qrCodeUid":', 1, 14],
    ['{"qrCodeUid":"x"', 1, 17],
    ['{"qrCodeUid": order-1}', 1, 15],
    ['{\n  "qrCodeUid": "x",\n  "qrCode": {"type": DYNAMIC}\n}', 3, 22],
    ['{\r\n  "a": 1,\r\n}', 3, 1],
    ['{"a": 01}', 1, 8],
    ["{'a': 1}", 1, 2],
    ['{"a": "x\ny"}', 1, 9],
    ['{"a": 1}}', 1, 9],
    ['{"a": [1, 2}', 1, 12],
  ])('%j is not valid JSON, and the answer says at which line and column', async (body, line, column) => {
    const { errorCode, description } = await errorOf(await call(COLLECTION, { body, method: 'POST' }))
    expect([errorCode, description]).toEqual([
      'http.message.conversion.failed',
      `the body is not valid JSON at line ${line}, column ${column}, must be a JSON object`,
    ])
  })

  it('of any JSON gets 200 or 400, never 500', async () => {
    const field = fc.oneof(
      fc.jsonValue(),
      fc.string(),
      fc.double(),
      fc.constantFrom('DYNAMIC', 'TOKEN', null, {}, []),
    )
    const body = fc.oneof(
      fc.jsonValue(),
      fc.record(
        {
          qrCodeUid: field,
          qrCode: fc.oneof(field, fc.record({ type: field, ttl: field, image: field }, { requiredKeys: [] })),
          amount: fc.oneof(field, fc.record({ value: field, currency: field }, { requiredKeys: [] })),
          paymentPurpose: field,
          redirectUrl: field,
          tokenizationPurpose: field,
          tokenizationAccount: field,
          flags: field,
          ['__proto__']: field,
          constructor: field,
        },
        { requiredKeys: [] },
      ),
    )
    await fc.assert(
      fc.asyncProperty(body, async (json) => {
        const { status } = await call(COLLECTION, { body: JSON.stringify(json), method: 'POST' })
        expect([200, 400, 409]).toContain(status)
      }),
      { numRuns: 300 },
    )
  })

  it.each([
    ['of 64 KiB is read', 65_536, 200],
    ['of one byte more is not', 65_537, 413],
  ])('%s, by its length or without one', async (_, bytes, status) => {
    const make = () => {
      const body = JSON.stringify(qrCodeBody())
      return body + ' '.repeat(bytes - body.length)
    }
    expect((await call(COLLECTION, { body: make() })).status).toBe(status)
    const stream = new Blob([make()]).stream()
    expect((await call(COLLECTION, { body: stream })).status).toBe(status)
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

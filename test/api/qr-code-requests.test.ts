// What a request for a QR code may say: its fields, its path and its body (contract, sections 3 and 4).
import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { ErrorAnswer } from '../../src/contract/error-answer.ts'
import { MAX_PURPOSE } from '../../src/contract/text.ts'
import type { Platform } from '../../src/gateway/context.ts'
import { qrCodeBody } from '../support/client.ts'
import { COLLECTION, call, create, errorOf, serviceWith } from '../support/service.ts'

afterEach(() => vi.useRealTimers())

const MONEY = 'an amount from 0.01 to 999999999.99 with at most two fraction digits'

const URL_RULE =
  'an absolute http or https URL, or scheme://… with a scheme of redirectSchemes in the settings, of at most 1000 characters without user info or white space'

const UID_RULE = '1 to 200 characters of Unicode text without control characters, not . or ..'

const TTL_RULE = 'whole minutes from 1 to 129600'

const SIDE_RULE = 'whole pixels from 100 to 2000'

const PURPOSE_RULE = `Unicode text of at most ${MAX_PURPOSE} characters`
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
    ['qrCode.type', 'PRINTED', 'one of DYNAMIC, TOKEN, STATIC, COUNTER'],
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
    ['paymentPurpose', 'я'.repeat(MAX_PURPOSE + 1), PURPOSE_RULE],
    ['paymentPurpose', 5, PURPOSE_RULE],
    ['paymentPurpose', SURROGATE, PURPOSE_RULE],
    ['tokenizationPurpose', 'x'.repeat(MAX_PURPOSE + 1), PURPOSE_RULE],
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
    ['paymentPurpose of the most code points', qrCodeBody({ paymentPurpose: '😀'.repeat(MAX_PURPOSE) })],
    [
      'tokenizationPurpose of the most code points',
      qrCodeBody({ tokenizationPurpose: '😀'.repeat(MAX_PURPOSE) }, { type: 'TOKEN' }),
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

  it.each<[string, string]>([
    ['{"qrCodeUid":', ': Unexpected end of JSON input'],
    [
      '{"qrCodeUid":"x"',
      ": Expected ',' or '}' after property value in JSON at position 16 (line 1 column 17)",
    ],
    ['{"qrCodeUid": order-1}', ": Unexpected token 'o'"],
    ['{"token": \'secret"secret\'}', ": Unexpected token '''"],
    [
      '{\r\n  "a": 1,\r\n}',
      ': Expected double-quoted property name in JSON at position 14 (line 3 column 1)',
    ],
    ['{"a": 01}', ': Unexpected number in JSON at position 7 (line 1 column 8)'],
    ["{'a': 1}", ": Expected property name or '}' in JSON at position 1 (line 1 column 2)"],
    ['{"a": "x\ny"}', ': Bad control character in string literal in JSON at position 8 (line 1 column 9)'],
    ['{"a": 1}}', ': Unexpected non-whitespace character after JSON at position 8 (line 1 column 9)'],
    ['undefined', ''],
  ])('%j is not valid JSON, and the answer says what the parser says', async (body, message) => {
    const { errorCode, description } = await errorOf(await call(COLLECTION, { body, method: 'POST' }))
    expect([errorCode, description]).toEqual([
      'http.message.conversion.failed',
      `the body is not valid JSON${message}, must be a JSON object`,
    ])
  })

  it('that is not valid JSON is never quoted in the answer', async () => {
    const secret = 'd41d8cd98f00b204'
    const body = fc.tuple(fc.constantFrom(`"${secret}"`, `'${secret}'`, secret), fc.string(), fc.string())
    await fc.assert(
      fc.asyncProperty(body, async ([value, before, behind]) => {
        const text = `{"token":${before}${value}${behind}`
        const { errorCode, description } = await errorOf(
          await call(COLLECTION, { body: text, method: 'POST' }),
        )
        expect(errorCode).toBe('http.message.conversion.failed')
        expect(description).not.toContain(secret.slice(1, 5))
      }),
    )
  })

  it.each<[string, string]>([
    ['{"qrCodeUid":"a","qrCodeUid":"b","qrCode":{"type":"DYNAMIC"}}', 'qrCodeUid'],
    ['{"qrCodeUid":"a","qrCode":{"type":"DYNAMIC"},"amount":{"value":5},"amount":null}', 'amount'],
    ['{"qrCodeUid":"a","qrCode":{"type":"DYNAMIC"},"amount":{"value":5,"value":5}}', 'amount.value'],
    [String.raw`{"qrCodeUid":"a","qrCode":{"type":"DYNAMIC","\u0074ype":"TOKEN"}}`, 'qrCode.type'],
    ['{"qrCodeUid":"a","qrCode":{"type":"DYNAMIC"},"flags":[1,{"x":1,"x":1}]}', 'flags.1.x'],
    ['{"unknown":1,"unknown":1}', 'unknown'],
    ['{"__proto__":1,"__proto__":1}', '__proto__'],
    ['{"":1,"":1}', ''],
  ])('%s has a key twice: 400 names it, and nothing is created', async (body, path) => {
    const site = vi.fn<Platform['site']>()
    const response = await call(COLLECTION, { body, method: 'POST' }, serviceWith({ site }))
    expect(response.status).toBe(400)
    // As it came: a schema would drop `__proto__`.
    const { errorCode, cause } = await response.json<{ errorCode: string; cause: object }>()
    expect(errorCode).toBe('validation.error')
    expect(Object.entries(cause)).toEqual([[path, ['is given more than once, must be given once']]])
    expect(site).not.toHaveBeenCalled()
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

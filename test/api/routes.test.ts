// What every operation of the API owes, walked from its own OpenAPI document.
import { listDurableObjectIds } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { ERRORS } from '../../src/errors.ts'
import { parseLink } from '../../src/fps/link.ts'
import { type Call, call, create, errorOf, order, serviceWith, tokenOf } from '../support/service.ts'

const Servers = z.array(z.object({ url: z.string() }))
const Examples = z.object({ examples: z.record(z.string(), z.object({ value: z.unknown() })) })
const Operation = z.object({
  operationId: z.string(),
  security: z.array(z.object({ accessToken: z.array(z.string()) })),
  requestBody: z.object({ content: z.object({ 'application/json': Examples }) }).optional(),
  responses: z.record(
    z.string(),
    z.object({ description: z.string(), content: z.record(z.string(), z.unknown()).optional() }),
  ),
})
const methods = { get: Operation, post: Operation, put: Operation, delete: Operation }
const Document = z.object({
  servers: Servers,
  paths: z.record(z.string(), z.object({ servers: Servers, ...methods }).partial()),
})

const service = serviceWith({ settings: { PAYMENT_NETWORK: 'sandbox' } })
const send = (path: string, options: Call) => call(path, options, service)
const document = Document.parse(await (await send('/openapi.json', { token: null })).json())

/** A QR code of its own for every request, because some operations end its life. */
async function fill(path: string, method: string): Promise<string> {
  const { qrCodeUid, qrCode } = await create(order({ amount: { value: 0.01 } }), {}, service)
  return path
    .replace('{siteId}', 'demo')
    .replace('{qrCodeUid}', method === 'PUT' ? crypto.randomUUID() : qrCodeUid)
    .replace('{qrcId}', parseLink(qrCode.payload)?.id ?? '')
    .replace('{paymentUid}', crypto.randomUUID())
}

/** The operations of a path that are there. */
const entries = (operations: Record<string, z.infer<typeof Operation> | undefined>) =>
  Object.entries(operations).flatMap(([method, operation]) =>
    operation ? [[method, operation] as const] : [],
  )

const routes = Object.entries(document.paths).flatMap(
  ([path, { servers = document.servers, ...operations }]) =>
    servers.flatMap(({ url }) =>
      entries(operations).map(([method, operation]) => ({
        name: `${method.toUpperCase()} ${url}${path}`,
        path: url + path,
        operation,
        method: method.toUpperCase(),
        examples: Object.values(operation.requestBody?.content['application/json'].examples ?? {}),
        scopes: operation.security.flatMap(({ accessToken }) => accessToken),
        mediaType: Object.keys(operation.responses['200']?.content ?? {})[0] ?? '',
      })),
    ),
)

it('the document has routes', () => expect(routes.length).toBeGreaterThanOrEqual(4))

describe.each(routes)('$name', ({ path, method, examples, scopes, operation, mediaType }) => {
  const scope = scopes[0] ?? ''
  const body = examples[0]?.value
  /** A good request, but for what is given. */
  const request = async (more: Call = {}, at = path) =>
    send(await fill(at, method), {
      method,
      ...(body !== undefined && { body: fresh(body) }),
      ...(more.token === undefined && { token: await tokenOf({ scope }) }),
      ...more,
    })
  const refused = async (more: Call, status: number, code: string, at = path) => {
    const response = await request(more, at)
    expect([response.status, (await errorOf(response)).errorCode]).toEqual([status, code])
    return response.headers
  }
  const site = (siteId: string) => path.replace('{siteId}', siteId)

  it('no token: 401, and the challenge is bare', async () => {
    expect((await refused({ token: null }, 401, 'auth.unauthorized')).get('WWW-Authenticate')).toBe('Bearer')
  })

  it('another scheme: 401, and the challenge is bare', async () => {
    const headers = { Authorization: 'Basic ZGVtbzpkZW1v' }
    expect((await refused({ headers }, 401, 'auth.unauthorized')).get('WWW-Authenticate')).toBe('Bearer')
  })

  it.each<[string, () => string | Promise<string>]>([
    ['no JWT', () => 'secret'],
    ['signed by another', () => tokenOf({}, 'another secret of at least 32 characters')],
    ['expired', () => tokenOf({ exp: Math.floor(Date.now() / 1000) - 1 })],
    ['without expiry', () => tokenOf({ exp: undefined })],
    ['not yet valid', () => tokenOf({ nbf: Math.floor(Date.now() / 1000) + 60 })],
    ['without site', () => tokenOf({ sub: undefined })],
    ['without key id', () => tokenOf({ jti: undefined })],
    [
      'of no algorithm',
      async () =>
        `${btoa('{"alg":"none","typ":"JWT"}').replaceAll('=', '')}.${(await tokenOf()).split('.')[1]}.`,
    ],
    [
      'with a changed site',
      async () => {
        const [head, , signature] = (await tokenOf()).split('.')
        const [, other] = (await tokenOf({ sub: 'other' })).split('.')
        return `${head}.${other}.${signature}`
      },
    ],
  ])('a token %s: 401 invalid_token, on its own site or any other', async (_, make) => {
    const token = await make()
    for (const at of [path, site('other')]) {
      const headers = await refused({ token }, 401, 'auth.unauthorized', at)
      expect(headers.get('WWW-Authenticate')).toBe('Bearer error="invalid_token"')
    }
  })

  it('a token of another site: 403', async () => {
    const headers = await refused({ token: await tokenOf({ sub: 'other', scope }) }, 403, 'auth.forbidden')
    expect(headers.get('WWW-Authenticate')).toBe('Bearer error="insufficient_scope"')
  })

  it('a token without the scope: 403', async () => {
    for (const scope of [
      '',
      'merchants',
      ...['merchant', 'merchant:read', 'network'].filter((one) => !scopes.includes(one)),
    ]) {
      const headers = await refused({ token: await tokenOf({ scope }) }, 403, 'auth.forbidden')
      expect(headers.get('WWW-Authenticate')).toBe('Bearer error="insufficient_scope"')
    }
  })

  it('a stranger learns nothing of the body or the media types', async () => {
    const bad = { body: '{', headers: { 'Content-Type': 'text/plain', Accept: 'text/plain' } }
    await refused({ ...(body !== undefined && bad), token: null }, 401, 'auth.unauthorized')
    await refused(
      { ...(body !== undefined && bad), token: await tokenOf({ sub: 'other' }) },
      403,
      'auth.forbidden',
    )
  })

  it.each(['a b', '..%2f', 'x'.repeat(65), 'demo%00', 'д'])('no such site as %j: 404', async (siteId) => {
    const at = site(encodeURIComponent(decodeURIComponent(siteId)))
    await refused({}, 404, 'http.url.not.found', at)
    await refused(
      { token: await tokenOf({ sub: decodeURIComponent(siteId), scope }) },
      404,
      'http.url.not.found',
      at,
    )
    await refused({ token: null }, 401, 'auth.unauthorized', at)
  })

  it('a method that the address does not know: 405 with those it knows', async () => {
    const headers = await refused({ method: 'PATCH' }, 405, 'http.method.not.supported')
    expect(headers.get('Allow')?.split(', ')).toContain(method)
  })

  it.each(['text/html', 'application/xml, text/*;q=0.5', `${mediaType};q=0`, '*/*;q=0'])(
    'Accept: %s: 406',
    (Accept) => refused({ headers: { Accept } }, 406, 'http.media.type.not.acceptable').then(() => {}),
  )

  it.each([
    mediaType,
    mediaType.toUpperCase(),
    `${mediaType.split('/')[0]}/*`,
    '*/*',
    `text/html, ${mediaType};q=0.1`,
    '',
  ])('Accept: %s is fine', async (Accept) =>
    expect((await request({ headers: { Accept } })).status).toBe(200),
  )

  if (operation.requestBody) {
    it.each([
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/jsonp',
      'application/json-patch+json',
      '',
    ])('Content-Type: %s: 415 with what is taken', async (type) => {
      const headers = await refused(
        { headers: { 'Content-Type': type } },
        415,
        'http.media.type.not.supported',
      )
      expect(headers.get('Accept-Post')).toBe('application/json')
    })

    it.each(['application/json; charset=utf-8', 'application/json;charset="UTF-8"', 'Application/JSON'])(
      'Content-Type: %s is fine',
      async (type) => expect((await request({ headers: { 'Content-Type': type } })).status).toBe(200),
    )

    it('a body that is no JSON object: 400', async () => {
      for (const body of ['', '[]', '{']) await refused({ body }, 400, 'http.message.conversion.failed')
    })

    it('a body with a broken field: 400', () =>
      refused({ body: { qrCode: {}, amount: {} } }, 400, 'validation.error').then(() => {}))

    it('a body over 64 KiB: 413, before it is parsed', () =>
      refused({ body: 'x'.repeat(65_537) }, 413, 'http.message.too.large').then(() => {}))

    it('takes its own examples', async () => {
      for (const { value } of examples) expect((await request({ body: fresh(value) })).status).toBe(200)
    })
  }

  it('documents every error that it can give', () => {
    const documented = Object.values(operation.responses)
      .map(({ description }) => description)
      .join()
    for (const code of [
      'auth.unauthorized',
      'auth.forbidden',
      'internal.error',
      'service.unavailable',
    ] as const) {
      expect(documented).toContain(`\`${code}\`: ${ERRORS[code].when}`)
    }
  })
})

/** The same body for another QR code, where the body names one. */
const fresh = (body: unknown) => ({
  ...Object(body),
  ...('qrCodeUid' in Object(body) && { qrCodeUid: crypto.randomUUID() }),
})

it('an address that is none: 401 for a stranger inside the API, 404 with a token and everywhere else', async () => {
  const at = async (path: string, token?: null) => {
    const response = await call(path, token === null ? { token } : {})
    return [response.status, (await errorOf(response)).errorCode]
  }
  for (const path of [
    '/payin/v1/nothing',
    '/payin/v1/sites/demo/nothing',
    '/partner/payin/v1/sites/demo/sbp/qrCodes/',
  ]) {
    expect(await at(path, null)).toEqual([401, 'auth.unauthorized'])
    expect(await at(path)).toEqual([404, 'http.url.not.found'])
  }
  expect(await at('/nothing', null)).toEqual([404, 'http.url.not.found'])
})

it('whoever is refused leaves no trace: no object is made or woken', async () => {
  const before = await listDurableObjectIds(env.SITES)
  const body = { qrCodeUid: 'x', qrCode: { type: 'DYNAMIC' } }
  const attempts: [string, Call][] = [
    ['stranger-1', { token: null }],
    ['stranger-2', { token: 'forged' }],
    [
      'stranger-3',
      { token: await tokenOf({ sub: 'stranger-3' }, 'another secret of at least 32 characters') },
    ],
    ['stranger-4', { token: await tokenOf() }],
    ['stranger-5', { token: await tokenOf({ sub: 'stranger-5', exp: 1 }) }],
    ['stranger-6', { token: await tokenOf({ sub: 'stranger-6', scope: 'merchant:read' }) }],
    ['stranger-7', { token: await tokenOf({ sub: 'stranger-7' }), body: '{' }],
    ['stranger-8', { token: await tokenOf({ sub: 'stranger-8' }), body: {} }],
  ]
  for (const [siteId, more] of attempts) {
    expect(
      (await call(`/payin/v1/sites/${siteId}/sbp/qrCodes`, { body, ...more })).status,
    ).toBeGreaterThanOrEqual(400)
  }
  expect(await listDurableObjectIds(env.SITES)).toEqual(before)
})

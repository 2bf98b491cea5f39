// What the kernel does for every operation: the operations and their parameters are those of the OpenAPI document.
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { call, errorOf, serviceWith, tokenOf } from '../support/service.ts'

const Parameter = z.object({ name: z.string(), in: z.enum(['path', 'query', 'header']) })
interface Schema {
  $ref?: string | undefined
  properties?: Record<string, Schema> | undefined
  items?: Schema | undefined
}
const Schema: z.ZodMiniType<Schema> = z.looseObject({
  $ref: z.optional(z.string()),
  properties: z.optional(
    z.record(
      z.string(),
      z.lazy(() => Schema),
    ),
  ),
  items: z.optional(z.lazy(() => Schema)),
})
const Operation = z.object({
  operationId: z.string(),
  parameters: z.array(Parameter),
  requestBody: z.optional(z.object({ content: z.record(z.string(), z.object({ schema: Schema })) })),
})
const Document = z.object({
  components: z.object({ schemas: z.record(z.string(), Schema) }),
  paths: z.record(z.string(), z.partialRecord(z.enum(['get', 'post', 'put', 'patch', 'delete']), Operation)),
})

const service = serviceWith({ settings: { PAYMENT_NETWORK: 'sandbox' } })
const { paths, components } = Document.parse(await (await call('/openapi.json', {}, service)).json())
const token = await tokenOf({ scope: 'merchant:admin network' })
const operatorToken = await tokenOf({ sub: '*', scope: 'operator' })

/** The schema of a body that is JSON: a file can be declared as that, too. */
const jsonIn = (content: Record<string, { schema: z.infer<typeof Schema> }> = {}) =>
  'text/csv' in content ? undefined : content['application/json']?.schema

const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { operationId, parameters, requestBody }]) => ({
    operationId,
    method: method.toUpperCase(),
    path,
    mediaType: Object.keys(requestBody?.content ?? {})[0],
    schema: jsonIn(requestBody?.content),
    query: parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name),
    inPath: parameters
      .filter((parameter) => parameter.in === 'path' && parameter.name !== 'siteId')
      .map(({ name }) => name),
  })),
)
type Declared = (typeof operations)[number]

const VALUES: Record<string, string> = {
  siteId: 'demo',
  qrCodeUid: 'order-1',
  qrcId: 'AD100004BAL7227F9BNP6KNE007J9B3K',
  paymentUid: 'payment-1',
  paymentId: 'payment-1',
}

/** A body in which no value has the type that its schema says, at the top or as deep as the schema goes. */
function wrong({ $ref, ...own }: Schema, depth: number): unknown {
  if ($ref !== undefined) {
    return wrong({ ...components.schemas[$ref.replace('#/components/schemas/', '')], ...own }, depth)
  }
  if (depth === 0) return own.properties || own.items ? 5 : {}
  const { properties, items } = own
  if (items) return [wrong(items, depth - 1)]
  return properties
    ? Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, wrong(each, depth - 1)]))
    : {}
}

/** Calls an operation. @param values of the path's parameters, where they are not the usual ones */
const send = (
  { method, path, mediaType }: Pick<Declared, 'method' | 'path' | 'mediaType'>,
  { query = '', values = {}, body = {} }: { query?: string; values?: Record<string, string>; body?: unknown },
) => {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? VALUES[name] ?? name)
  const own = path.includes('/operator/') ? operatorToken : token
  const sent = mediaType !== undefined && { body, headers: { 'Content-Type': mediaType } }
  return call(filled + query, { method, token: own, ...sent }, service)
}

it('the document has the operations', () => expect(operations.length).toBeGreaterThan(10))

describe.each(operations.map((declared) => [declared.operationId, declared] as const))(
  '%s',
  (_, declared) => {
    it('refuses an unknown query parameter', async () => {
      const response = await send(declared, { query: '?unexpected=1' })
      expect(response.status).toBe(400)
      const { errorCode, cause } = await errorOf(response)
      expect(errorCode).toBe('validation.error')
      expect(cause).toMatchObject({ unexpected: ['is unknown'] })
    })

    it('refuses a query parameter that is given twice', async () => {
      for (const name of declared.query) {
        const { cause } = await errorOf(await send(declared, { query: `?${name}=1&${name}=2` }))
        expect(cause?.[name]).toContain('is given 2 times, must be given once')
      }
    })

    it('names 100 causes of 40 KB of repeated parameters, in an answer of less than that', async () => {
      const query = `?${Array.from({ length: 4000 }, (_, i) => `p${i % 2000}=1`).join('&')}`
      const response = await send(declared, { query })
      const text = await response.clone().text()
      const { cause = {} } = await errorOf(response)
      expect(Object.values(cause).flat()).toHaveLength(100)
      expect(text.length).toBeLessThan(query.length)
    })

    it('suggests the parameter that is misspelt, and refuses it in another case', async () => {
      // One letter is near to nothing.
      for (const name of declared.query.filter((each) => each.length > 1)) {
        const [misspelt, upper] = [`${name}x`, name.toUpperCase()]
        const { cause } = await errorOf(await send(declared, { query: `?${misspelt}=1&${upper}=1` }))
        expect(cause).toMatchObject({
          [misspelt]: [`is unknown, did you mean ${name}`],
          [upper]: [`is unknown, did you mean ${name}`],
        })
      }
    })

    it('names a path segment that is not percent-encoded UTF-8, and all else that is wrong', async () => {
      for (const name of declared.inPath) {
        for (const segment of ['%zz', '%ff', '%']) {
          const response = await send(declared, { values: { [name]: segment }, query: '?unexpected=1' })
          expect(response.status).toBe(400)
          expect((await errorOf(response)).cause).toMatchObject({
            [name]: expect.arrayContaining([`is ${segment}, must be percent-encoded UTF-8`]),
            unexpected: ['is unknown'],
          })
        }
      }
    })

    if (declared.schema)
      it('refuses an unknown field of its body, unless the network reports a fact', async () => {
        const body =
          '{"unexpected":1,"__proto__":{"status":"COMPLETED"},"constructor":1,"status":"wrong","qrCode":1}'
        const response = await send(declared, { body })
        expect(response.status).toBe(400)
        const text = await response.text()
        for (const field of ['unexpected', '__proto__', 'constructor']) {
          expect(text.includes(`"${field}":["is unknown"]`)).toBe(!declared.path.startsWith('/network/'))
        }
      })

    const { schema } = declared
    if (schema)
      it('says of every field what it must be', async () => {
        for (const depth of [1, 2, 3]) {
          const response = await send(declared, { body: wrong(schema, depth) })
          expect(response.status).toBe(400)
          const { cause } = await errorOf(response)
          const texts = Object.values(cause ?? {}).flat()
          expect(texts).not.toEqual([])
          for (const text of texts) expect(text).not.toMatch(/must be (Invalid|Too |Expected|undefined)/)
        }
      })

    it('answers 405 to methods that it does not have, and Allow names its own', async () => {
      const others = ['OPTIONS', ...(paths[declared.path]?.patch ? [] : ['PATCH'])]
      for (const method of others) {
        const response = await send({ ...declared, method, mediaType: undefined }, {})
        expect([method, response.status]).toEqual([method, 405])
        expect(response.headers.get('Allow')?.split(', ')).toContain(declared.method)
      }
    })

    it('is at /partner too if it is the merchant’s, and nowhere else', async () => {
      const isMerchants = declared.path.startsWith('/payin/')
      const response = await send(
        { ...declared, path: `/partner${declared.path}` },
        { query: '?unexpected=1' },
      )
      expect(response.status).toBe(isMerchants ? 400 : 404)
    })
  },
)

describe('a path that is nearly an endpoint', () => {
  const SITE = '/payin/v1/sites/demo'
  const [COLLECTION, ITEM] = [
    '/payin/v1/sites/{siteId}/sbp/qrCodes',
    '/payin/v1/sites/{siteId}/sbp/qrCodes/{qrCodeUid}',
  ]

  it.each([
    [`${SITE}/sbp/qrCodes/`, COLLECTION],
    [`${SITE}/sbp/qrCodes//`, COLLECTION],
    [`${SITE}/sbp/qrCodes/order-1/`, ITEM],
    [`${SITE}/sbp/qrCodes/order-1/?a=b`, ITEM],
    [`${SITE}/qrCodes`, COLLECTION],
    [`${SITE}/qrCodes/`, COLLECTION],
    [`${SITE}/qrCodes/order-1`, ITEM],
    [`${SITE}/qrCodes/order%2F1`, ITEM],
    [`${SITE}/qrCodes/order-1/events`, `${ITEM}/events`],
    [`${SITE}/qrCodes/order-1/image/`, `${ITEM}/image`],
    [`${SITE}/events/`, '/payin/v1/sites/{siteId}/events'],
    [`${SITE}/payments/p/`, '/payin/v1/sites/{siteId}/payments/{paymentId}'],
    [`/partner${SITE}/qrCodes`, COLLECTION],
    [
      `/network/v1/sites/demo/qrCodes/${VALUES.qrcId}/payments/p/`,
      '/network/v1/sites/{siteId}/qrCodes/{qrcId}/payments/{paymentUid}',
    ],
    ['/sandbox/v1/sites/demo/qrCodes/a/payments/', '/sandbox/v1/sites/{siteId}/qrCodes/{qrCodeUid}/payments'],
  ])('%s: 404 names %s', async (path, endpoint) => {
    for (const method of ['GET', 'POST', 'DELETE']) {
      const response = await call(path, { token, method }, service)
      expect(response.status).toBe(404)
      expect(await errorOf(response)).toMatchObject({
        errorCode: 'http.url.not.found',
        description: expect.stringMatching(/: no such endpoint, did you mean \//),
      })
    }
    expect((await errorOf(await call(path, { token }, service))).description.split('did you mean ')[1]).toBe(
      endpoint,
    )
  })

  it.each([
    '/nothing',
    '/',
    `${SITE}/sbp/qrcodes`,
    `${SITE}/sbp/qrCodes/order-1/nothing`,
    `${SITE}/qrCodes/order-1/nothing`,
    `${SITE}/sbp/sbp/qrCodes`,
    '/payin/v1/sites',
    '/payin/v2/sites/demo/sbp/qrCodes/',
  ])('%s names none', async (path) => {
    const response = await call(path, { token, method: 'POST' }, serviceWith({}))
    expect([404, 405]).toContain(response.status)
    expect((await errorOf(response)).description).not.toContain('did you mean')
  })

  it('is not named to an unauthenticated caller, nor to the holder of another site’s token', async () => {
    for (const other of [null, await tokenOf({ sub: 'other' })]) {
      const response = await call(`${SITE}/qrCodes`, { token: other }, service)
      expect([401, 403]).toContain(response.status)
      expect((await errorOf(response)).description).not.toContain('sbp')
    }
  })
})

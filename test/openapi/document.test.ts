// What the OpenAPI document claims, so that generators make good clients of it.
import { describe, expect, it } from 'vitest'
import { version } from '../../package.json'
import { operationsOf } from '../../src/api/operations.ts'
import { ErrorAnswer } from '../../src/contract/error-answer.ts'
import { WEBHOOKS } from '../../src/openapi/webhooks.ts'
import { call, ORIGIN, serviceWith } from '../support/service.ts'

type Node = Record<string, unknown>
const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null
const child = (value: unknown, name: string): Node => {
  const found = isNode(value) ? value[name] : undefined
  if (!isNode(found)) throw new Error(`${name} is missing`)
  return found
}

const documentOf = async (settings: Record<string, unknown>): Promise<Node> => {
  const response = await call('/openapi.json', { token: null }, serviceWith({ settings }))
  return response.json()
}

const document = await documentOf({ PAYMENT_NETWORK: 'sandbox' })
const components = child(document, 'components')
const schemas = child(components, 'schemas')
const paths = child(document, 'paths')

/** Every object and array of a value with its JSON pointer; examples are data and have no schemas. */
function* nodesOf(value: unknown, pointer = '#'): Generator<[string, Node]> {
  if (!isNode(value)) return
  yield [pointer, value]
  for (const [name, inner] of Object.entries(value)) {
    if (name !== 'examples')
      yield* nodesOf(inner, `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`)
  }
}
const nodes = [...nodesOf(document)]
const references = nodes.flatMap(([, { $ref }]) => (typeof $ref === 'string' ? [$ref] : []))
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(isNode(methods) ? methods : {}).map(([method, operation]) => ({ path, method, operation })),
)

it('every reference resolves', () => {
  const pointers = new Set(nodes.map(([pointer]) => pointer))
  expect(references.filter((reference) => !pointers.has(reference))).toEqual([])
})

/** The values of requests' examples that are numbers, by where they are. */
function* numbersOf(value: unknown, pointer: string): Generator<string> {
  if (!isNode(value)) return
  for (const [name, inner] of Object.entries(value)) {
    if (name === 'value' && typeof inner === 'number') yield pointer
    yield* numbersOf(inner, `${pointer}/${name}`)
  }
}

it('amounts are text in every example of a request: a number of JSON is a float to most programs', () => {
  const bodies = operations.flatMap(({ path, method, operation }) =>
    isNode(operation) && isNode(operation.requestBody)
      ? [[`${method} ${path}`, operation.requestBody] as const]
      : [],
  )
  expect(JSON.stringify(bodies)).toContain('"value":"149.50"')
  expect(bodies.flatMap(([name, body]) => [...numbersOf(body, name)])).toEqual([])
})

it('every component is used', () => {
  const names = ['schemas', 'responses', 'headers', 'parameters'].flatMap((kind) =>
    Object.keys(child(components, kind)).map((name) => `#/components/${kind}/${name}`),
  )
  expect(names.filter((name) => !references.includes(name))).toEqual([])
})

it('names the shapes that a client handles', () => {
  expect(Object.keys(schemas)).toEqual(
    expect.arrayContaining([
      'QrCode',
      'QrCodeRequest',
      'QrCodeStatus',
      'Amount',
      'Payment',
      'Event',
      'ErrorAnswer',
    ]),
  )
})

it('no schema is a copy of a named one', () => {
  /** What a schema validates, without its documentation. */
  const rule = ({ description, default: _, ...schema }: Node) => JSON.stringify(schema)
  const named = new Map(
    Object.entries(schemas).map(([name, schema]) => [rule(child({ schema }, 'schema')), name]),
  )
  expect(named.size).toBe(Object.keys(schemas).length)
  const copies = nodes
    .filter(([pointer]) => !/^#\/components\/schemas\/\w+$/.test(pointer))
    .flatMap(([pointer, node]) => (named.has(rule(node)) ? [`${pointer} is ${named.get(rule(node))}`] : []))
  expect(copies).toEqual([])
})

it('every path is absolute and belongs to one of the four APIs', () => {
  for (const path of Object.keys(paths)) {
    expect(path).toMatch(/^\/((payin|network|sandbox)\/v1\/sites\/\{siteId\}\/|operator\/v1\/)/)
  }
})

describe('the one server', () => {
  it('is the origin of the request', () => expect(document.servers).toEqual([{ url: ORIGIN }]))

  it('is PUBLIC_URL, if the deployment has one', async () => {
    const { servers } = await documentOf({ PUBLIC_URL: 'https://qr.acquirer.example' })
    expect(servers).toEqual([{ url: 'https://qr.acquirer.example' }])
  })

  it('is the only one: no path and no operation has its own', () =>
    expect(nodes.filter(([, node]) => 'servers' in node).map(([pointer]) => pointer)).toEqual(['#']))
})

it('has the version of the package', () => expect(child(document, 'info').version).toBe(version))

it('has every operation once, with a name of its own', () => {
  const declared = operationsOf({ currencies: ['RUB'], hasSandbox: true })
  expect(operations.map(({ method, path }) => `${method} ${path}`).toSorted()).toEqual(
    declared.map(({ method, path }) => `${method} ${path}`).toSorted(),
  )
  expect(new Set(declared.map(({ operationId }) => operationId)).size).toBe(declared.length)
})

it('describes each group of operations once', () => {
  const names = operations.flatMap(({ operation }) => Object.values(child(operation, 'tags')))
  const described = Object.values(child(document, 'tags')).map((tag) => child({ tag }, 'tag').name)
  expect(described).toEqual([...new Set(names)])
})

it('has the sandbox only where the payment network is the sandbox', async () => {
  const external = child(await documentOf({ PAYMENT_NETWORK: 'external' }), 'paths')
  expect(Object.keys(external)).toEqual(Object.keys(paths).filter((path) => !path.startsWith('/sandbox/')))
})

describe.each(operations)('$method $path', ({ path, operation }) => {
  const parameters = Object.values(child(operation, 'parameters')).filter(isNode)
  const responses = child(operation, 'responses')

  it('declares each parameter of its path, which is required, and no other', () => {
    const inPath = parameters.filter((parameter) => parameter.in === 'path')
    expect(inPath.map(({ name }) => `{${name}}`)).toEqual(path.match(/\{\w+\}/g) ?? [])
    expect(inPath.every(({ required }) => required === true)).toBe(true)
  })

  it('answers 304 if and only if it reads If-None-Match', () => {
    expect('304' in responses).toBe(parameters.some(({ name }) => name === 'If-None-Match'))
  })

  it('refers to the shared response of every error', () => {
    for (const [status, response] of Object.entries(responses).filter(([status]) => Number(status) >= 400)) {
      expect([status, child({ response }, 'response').$ref]).toEqual([
        status,
        expect.stringMatching(/^#\/components\/responses\/\w+$/),
      ])
    }
  })

  it('needs a token with a scope', () => {
    const security = Object.values(child(operation, 'security'))
    expect(security.length).toBeGreaterThan(0)
    for (const requirement of security) expect(requirement).toEqual({ accessToken: [expect.any(String)] })
  })
})

describe('the schemas', () => {
  const typed = nodes.filter(([, { type }]) => typeof type === 'string')

  it('have no bound that is only that of a safe integer', () => {
    expect(JSON.stringify(document)).not.toContain('9007199254740991')
  })

  it('type whole numbers as integers', () => {
    const pointers = typed.filter(([, { type }]) => type === 'number').map(([pointer]) => pointer)
    expect(pointers).toEqual(['#/components/schemas/NotificationAmount/properties/value'])
    const parameters = nodes.filter(([, { in: where }]) => where === 'query')
    const properties = nodes.map(([pointer, node]) => ({
      name: pointer.split('/properties/').at(-1),
      schema: node,
    }))
    const named = [...parameters.map(([, { name, schema }]) => ({ name, schema })), ...properties]
    for (const name of ['limit', 'width', 'height', 'ttl', 'days']) {
      const found = named.filter((one) => one.name === name).map((one) => child(one, 'schema'))
      // The days of a report are not a number of days.
      const schemas = found.filter(({ type }) => type !== 'array')
      expect(schemas.map(({ type }) => type)).toEqual(schemas.map(() => 'integer'))
      expect(schemas).not.toEqual([])
    }
    expect(schemas.Event).toMatchObject({ properties: { id: { type: 'integer' } } })
  })

  it('refuse unknown fields in the requests of a merchant and the operator, and nowhere else', () => {
    const strict = typed
      .filter(([, { additionalProperties }]) => additionalProperties === false)
      .map(([pointer]) => pointer.split('/').at(-1))
    expect(strict.toSorted()).toEqual(
      [
        'AmountFromZero',
        'AmountRequest',
        'ApiKeyRequest',
        'CallbackRequest',
        'CashRegisterRequest',
        'ChargeRequest',
        'ClosingRequest',
        'ImageRequest',
        'LimitsRequest',
        'PartialReceipt',
        'PaymentDecisionRequest',
        'OperatorPatch',
        'OperatorRequest',
        'OwnerRequest',
        'PersonPatch',
        'PersonRequest',
        'QrCodeOptions',
        'QrCodePutRequest',
        'QrCodeRequest',
        'ReceiptBody',
        'ReceiptContact',
        'ReceiptItemRequest',
        'ReceiptRequest',
        'ReceiptSettingsPatch',
        'ReceiptSettingsRequest',
        'RefundAmount',
        'RefundReceiptRequest',
        'RefundRequest',
        'SaleRequest',
        'SandboxBinding',
        'SandboxPayment',
        'SettingsPatch',
        'SettingsRequest',
        'SiteDeletion',
        'TokenDeletion',
      ].toSorted(),
    )
  })

  it('say what the values of `cause` are', () => {
    expect(schemas.ErrorAnswer).toMatchObject({
      properties: { cause: { additionalProperties: { type: 'array', items: { type: 'string' } } } },
    })
  })

  it('make no parameter with a default required', () => {
    const both = nodes.filter(
      ([, { required, schema }]) => required === true && isNode(schema) && 'default' in schema,
    )
    expect(both).toEqual([])
  })

  // Generators take a field with the keyword `default` for one that is always there, in requests too.
  it('show defaults in words alone', () => {
    expect(child(components, 'schemas').ImageRequest).toMatchObject({
      properties: { mediaType: { description: 'By default `image/png`' } },
    })
    const limits = nodes.filter(([, { name }]) => name === 'limit').map(([, { description }]) => description)
    expect(limits.length).toBeGreaterThan(7)
    for (const description of limits) expect(description).toMatch(/By default `(20|50|100)`/)
    // A response, and a field, can have this name.
    const found = nodes.filter(([path, node]) => 'default' in node && !/(responses|properties)$/.test(path))
    expect(found).toEqual([])
  })
})

describe('the examples', () => {
  const declared = operationsOf({ currencies: ['RUB'], hasSandbox: true })
  const requests = declared.flatMap(({ operationId, body }) =>
    Object.entries(body?.examples ?? {}).map(([name, { value }]) => ({
      name: `${operationId}, ${name}`,
      schema: body?.schema,
      value,
    })),
  )
  const answers = declared.flatMap(({ operationId, answer }) =>
    'schema' in answer
      ? Object.entries(answer.examples).map(([name, { value }]) => ({
          name: `${operationId}, ${name}`,
          schema: answer.schema,
          value,
        }))
      : [],
  )

  it.each(requests)('of a request is valid: $name', ({ schema, value }) =>
    expect(schema?.safeParse(value).error).toBeUndefined(),
  )

  it.each(answers)('of an answer has the fields of its schema and no others: $name', ({ schema, value }) =>
    expect(schema.parse(value)).toEqual(value),
  )

  const bodies = Object.entries(WEBHOOKS).flatMap(([type, { schema, examples }]) =>
    Object.entries(examples).map(([name, { value }]) => ({ name: `${type}, ${name}`, type, schema, value })),
  )

  it.each(bodies)('of a notification has the fields of its schema and no others: $name', (body) => {
    expect(body.schema.parse(body.value)).toEqual(body.value)
    expect(body.value).toMatchObject({ type: body.type })
  })

  it('of a notification is what a receiver of the document finds', () => {
    for (const { type, value } of bodies) {
      const { post } = child(child(document, 'webhooks'), type)
      const content = child(child(child({ post }, 'post'), 'requestBody'), 'content')
      const examples = Object.values(child(child(content, 'application/json'), 'examples'))
      expect(examples).toContainEqual(expect.objectContaining({ value }))
    }
  })

  it('of an error is an error answer with a code of its response', () => {
    for (const response of Object.values(child(components, 'responses'))) {
      const { examples, schema } = child(
        child(child({ response }, 'response'), 'content'),
        'application/json',
      )
      const codes = Object.entries(child({ examples }, 'examples')).map(([code, example]) => {
        const { value } = child({ example }, 'example')
        expect(ErrorAnswer.parse(value)).toEqual(value)
        expect(value).toMatchObject({ errorCode: code })
        return code
      })
      expect(schema).toMatchObject({ allOf: [{}, { properties: { errorCode: { enum: codes } } }] })
    }
  })
})

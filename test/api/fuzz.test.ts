// Bodies of creates, broken in every way: each is answered as the contract says, and none is a fault of the service.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ErrorAnswer } from '../../src/contract/error-answer.ts'
import { QrCodeAnswer } from '../../src/contract/qr-code-answer.ts'
import { COLLECTION, call, serviceWith, tokenOf } from '../support/service.ts'
import { strict } from '../support/strict.ts'

const BATCH = 50
const BATCHES = 60

const service = serviceWith({})
const token = await tokenOf()

/** A good body: only its qrCodeUid is new each time. */
const good = fc.record(
  {
    qrCodeUid: fc.uuid(),
    qrCode: fc.record(
      {
        type: fc.constantFrom('DYNAMIC', 'TOKEN'),
        ttl: fc.integer({ min: 1, max: 129_600 }),
        image: fc.record(
          {
            mediaType: fc.constantFrom('image/png', 'image/svg+xml'),
            width: fc.integer({ min: 100, max: 150 }),
            height: fc.integer({ min: 100, max: 150 }),
          },
          { requiredKeys: [] },
        ),
      },
      { requiredKeys: ['type'] },
    ),
    amount: fc.record(
      { value: fc.constantFrom(0.01, 10, 999_999_999.99, '5', '10.50'), currency: fc.constant('RUB') },
      { requiredKeys: ['value'] },
    ),
    paymentPurpose: fc.string({ unit: 'grapheme', maxLength: 20 }),
    redirectUrl: fc.webUrl(),
    tokenizationPurpose: fc.constant('Подписка'),
    tokenizationAccount: fc.string({ maxLength: 20 }),
    flags: fc.constant(['CREATE_TOKEN']),
  },
  { requiredKeys: ['qrCodeUid', 'qrCode'] },
)

/** JSON texts of values that a field should not have, or just may. */
const odd = fc.oneof(
  fc.constantFrom('null', 'true', '""', '[]', '{}', '[null]', '[[]]', '{"":null}', '{"__proto__":{"a":1}}'),
  fc.constantFrom('0', '-0', '-1', '1e400', '-1e400', '1e-400', '1.005', '1E1', '0.1e1', '9007199254740993'),
  fc.constantFrom('99999999999999999999999999999999', '0.30000000000000004', '1.00000000000000000001'),
  fc.constantFrom('"\\u0000"', '"\\ud800"', '"\\udc00\\ud800"', '"\\u001b[2J"', '"\\u202e"', '"\\ufeff"'),
  fc.constantFrom('"👩‍👩‍👧‍👦"', '"e\\u0301"', '"ﷺ"', '"a b"', '"%00"', '"../../x"', '"\\r\\nX: y"', '"<b>"'),
  fc.double().map((value) => JSON.stringify(value)),
  fc.maxSafeInteger().map((value) => JSON.stringify(value)),
  // `.` and `..` have no address (contract, section 1).
  fc
    .string({ unit: 'binary', maxLength: 300 })
    .filter((text) => !/^\.\.?$/.test(text))
    .map((text) => JSON.stringify(text)),
  fc.json({ maxDepth: 4 }),
)

type Tree = { [name: string]: unknown }
const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null

/** Every field of a body, however deep, and what it is a field of. */
const fieldsOf = (tree: Tree): { parent: Tree; name: string }[] =>
  Object.entries(tree).flatMap(([name, value]) => [
    { parent: tree, name },
    ...(isTree(value) ? fieldsOf(value) : []),
  ])

interface Change {
  how: 'drop' | 'replace' | 'rename' | 'duplicate' | 'double' | 'deepen'
  /** Which field. */
  which: number
  /** JSON text. */
  other: string
  depth: number
}
const change = fc.record<Change>({
  how: fc.constantFrom('drop', 'replace', 'rename', 'duplicate', 'double', 'deepen'),
  which: fc.nat(),
  other: odd,
  depth: fc.constantFrom(1, 2, 100, 5000),
})

/** The JSON text of a body of which one field is changed. */
function changed(body: Tree, { how, which, other, depth }: Change): string {
  const tree = structuredClone(body)
  const fields = fieldsOf(tree)
  const field = fields[which % fields.length]
  if (!field) return other
  const { parent, name } = field
  const value = JSON.stringify(parent[name])
  const texts = {
    replace: other,
    duplicate: `${other},${JSON.stringify(name)}:${value}`,
    double: `[${value},${value}]`,
    deepen: `${'{"x":['.repeat(depth)}${value}${']}'.repeat(depth)}`,
  }
  if (how === 'drop' || how === 'rename') {
    if (how === 'rename') parent[`${name} `] = parent[name]
    delete parent[name]
    return JSON.stringify(tree)
  }
  parent[name] = '@changed@'
  return JSON.stringify(tree).replace('"@changed@"', () => texts[how])
}

const utf8 = new TextEncoder()
/** Bodies: one field changed, or the text itself. */
const bodies: fc.Arbitrary<string | Uint8Array> = fc.oneof(
  { weight: 8, arbitrary: fc.tuple(good, change).map(([body, how]) => changed(body, how)) },
  { weight: 1, arbitrary: good.map((body) => JSON.stringify(body)) },
  { weight: 1, arbitrary: fc.tuple(good, fc.nat()).map(([body, at]) => cut(JSON.stringify(body), at)) },
  { weight: 1, arbitrary: good.map((body) => `\ufeff${JSON.stringify(body)}`) },
  {
    weight: 1,
    arbitrary: fc.tuple(good, fc.nat(), fc.constantFrom(0xff, 0xc3, 0xed, 0x00)).map(([body, at, byte]) => {
      const bytes = utf8.encode(JSON.stringify(body))
      bytes[at % bytes.length] = byte
      return bytes
    }),
  },
)
const cut = (text: string, at: number) => text.slice(0, at % text.length)

/** Sends a body and judges the answer. @returns its status */
async function judged(body: string | Uint8Array): Promise<number> {
  const response = await call(COLLECTION, { method: 'POST', body, token }, service)
  const traceId = response.headers.get('X-Trace-Id')
  expect(traceId).toMatch(/^[0-9a-f]{16}$/)
  const answer = await response.json()
  expect([200, 400, 409], JSON.stringify(answer)).toContain(response.status)
  if (response.status !== 200) {
    expect(strict(ErrorAnswer).parse(answer).traceId).toBe(traceId)
    return response.status
  }
  const { qrCodeUid } = strict(QrCodeAnswer).parse(answer)
  const read = await call(`${COLLECTION}/${encodeURIComponent(qrCodeUid)}`, { token }, service)
  expect([qrCodeUid, read.status]).toEqual([qrCodeUid, 200])
  return 200
}

it(`each of ${BATCH * BATCHES} bodies, whatever is wrong with it, gets 200, 400 or 409, and what got 200 is there`, async () => {
  const statuses = new Map<number, number>()
  await fc.assert(
    fc.asyncProperty(fc.array(bodies, { minLength: BATCH, maxLength: BATCH }), async (batch) => {
      for (const status of await Promise.all(batch.map(judged)))
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }),
    { numRuns: BATCHES },
  )
  // It is worth something only if both happen often.
  for (const status of [200, 400]) expect(statuses.get(status)).toBeGreaterThan(BATCHES * 5)
})

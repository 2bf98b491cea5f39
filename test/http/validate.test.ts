import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { strictObject } from '../../src/contract/object.ts'
import { ApiError, type FieldErrors } from '../../src/errors.ts'
import { invalid, quote, validate, validateRequest } from '../../src/http/validate.ts'

const Item = strictObject({ value: z.int('a whole number'), note: z.optional(z.string('text')) })
const Request = strictObject({
  name: z.string('text'),
  item: z.optional(Item),
  items: z.optional(z.array(Item)),
})

function refusalBy(parse: () => unknown): ApiError {
  try {
    parse()
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
  throw new Error('the value is valid')
}

/** The refusal of a value. */
const refusal = (value: unknown, schema: z.ZodMiniType = Request): ApiError =>
  refusalBy(() => validate(schema, value))

const SCHEMAS = {
  path: undefined,
  query: strictObject({ names: z.optional(z.array(z.enum(['a', 'b'], 'a or b'))) }),
  headers: undefined,
  body: Request,
}
/** The refusal of a request. @param also issues found elsewhere */
const refusalOf = (body: unknown, also: FieldErrors = {}, query: unknown = {}): ApiError =>
  refusalBy(() => validateRequest(SCHEMAS, { path: {}, query, headers: {}, body }, also))

it('a valid value is what its schema makes of it', () => {
  const schema = strictObject({
    value: z.pipe(z.string(), z.transform(Number)),
    note: z._default(z.string(), 'none'),
  })
  expect(validate(schema, { value: '5' })).toEqual({ value: 5, note: 'none' })
})

describe('a refusal', () => {
  it.each<[unknown, FieldErrors]>([
    [{}, { name: ['is missing, must be text'] }],
    [{ name: 5 }, { name: ['is 5, must be text'] }],
    [{ name: 'a', item: [] }, { item: ['is an array, must be an object'] }],
    [{ name: 'a', item: { value: 'x' } }, { 'item.value': ['is "x", must be a whole number'] }],
    [
      { name: 'a', items: [{ value: 1 }, { value: {} }] },
      { 'items.1.value': ['is an object, must be a whole number'] },
    ],
    [
      { name: true, item: { note: 1 } },
      {
        name: ['is true, must be text'],
        'item.value': ['is missing, must be a whole number'],
        'item.note': ['is 1, must be text'],
      },
    ],
  ])('of %j names every broken field, its value and its rule', (value, cause) => {
    const { code, fields, message } = refusal(value)
    expect([code, fields]).toEqual(['validation.error', cause])
    for (const [field, texts] of Object.entries(cause)) expect(message).toContain(`${field} ${texts[0]}`)
  })

  it.each<[string, FieldErrors]>([
    ['{"name":"a","nmae":1}', { nmae: ['is unknown, did you mean name'] }],
    ['{"name":"a","NAME":1}', { NAME: ['is unknown, did you mean name'] }],
    ['{"name":"a","other":{"name":1}}', { other: ['is unknown'] }],
    ['{"name":"a","item":{"value":1,"valeu":2}}', { 'item.valeu': ['is unknown, did you mean value'] }],
    ['{"name":"a","items":[{"value":1,"x":2}]}', { 'items.0.x': ['is unknown'] }],
    ['{"name":"a","":1}', { '': ['is unknown'] }],
    ['{"name":"a","constructor":1}', { constructor: ['is unknown'] }],
    [
      '{"name":"a","toString":1,"hasOwnProperty":2}',
      { toString: ['is unknown'], hasOwnProperty: ['is unknown'] },
    ],
    [
      '{"name":"a","item":{"value":1,"constructor":{"prototype":{}}}}',
      { 'item.constructor': ['is unknown'] },
    ],
  ])('of the unknown fields in %s names them', (body, cause) => {
    expect(refusal(JSON.parse(body)).fields).toEqual(cause)
  })

  it('of a field __proto__ names it, at any depth, and changes no prototype', () => {
    for (const [body, field] of [
      ['{"name":"a","__proto__":{"polluted":true}}', '__proto__'],
      ['{"name":"a","item":{"value":1,"__proto__":null}}', 'item.__proto__'],
    ] as const) {
      const { fields } = refusal(JSON.parse(body))
      expect(JSON.stringify(fields)).toBe(JSON.stringify(Object.fromEntries([[field, ['is unknown']]])))
    }
    expect({}).not.toHaveProperty('polluted')
  })

  it('has the issues found elsewhere too, though the value itself is valid', () => {
    const also = { uid: ['differs from the one in the path'] }
    expect(refusalOf({ name: 'a' }, also).fields).toEqual(also)
    expect(refusalOf({}, also).fields).toEqual({ ...also, name: ['is missing, must be text'] })
    expect(refusalOf({}, { name: ['is wrong'] }).fields).toEqual({
      name: ['is wrong', 'is missing, must be text'],
    })
  })

  it('names a field of the body by its path, and a parameter of the query by its name', () => {
    const body = { name: 'a', item: { value: 'x' } }
    expect(refusalOf(body, {}, { names: ['a', 'c'], x: '1' }).fields).toEqual({
      'item.value': ['is "x", must be a whole number'],
      names: ['is "c", must be a or b'],
      x: ['is unknown'],
    })
  })

  it('names a text once', () => {
    const twice = z.string('text').check(
      z.refine(() => false, 'text'),
      z.refine(() => false, 'text'),
    )
    expect(refusal({ a: 'b' }, z.object({ a: twice })).fields).toEqual({ a: ['is "b", must be text'] })
  })

  const many = (count: number, value: unknown) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${i}`, value]))
  const ITEMS = Array.from({ length: 300 }, () => ({ value: 'x' }))
  it.each<[string, ...Parameters<typeof refusalOf>]>([
    ['unknown fields', { name: 'a', ...many(5000, 1) }],
    ['items with a broken field', { name: 'a', items: ITEMS }],
    ['items with unknown fields', { name: 'a', items: ITEMS.map(() => ({ value: 1, ...many(300, 1) })) }],
    ['issues found elsewhere', {}, many(5000, ['is given twice']) as FieldErrors],
    ['texts of one field', { name: 'a' }, {}, { names: [...ITEMS.keys()].map(String) }],
    ['all of them', { name: 1, items: ITEMS, ...many(90, 1) }, many(50, ['is given twice']) as FieldErrors],
  ])('names 100 causes and says so, where there are more: %s', (_, ...request) => {
    const { fields = {}, message } = refusalOf(...request)
    const texts = Object.entries(fields).flatMap(([field, all]) => all.map((text) => `${field} ${text}`))
    expect(texts).toHaveLength(100)
    expect(message).toBe(`${texts.join('; ')}; there are more, only 100 are named`)
  })

  it('names 100 causes, and says nothing of others where there are none', () => {
    const { fields = {}, message } = refusal({ name: 'a', ...many(100, 1) })
    expect(Object.keys(fields)).toHaveLength(100)
    expect(message).toMatch(/f99 is unknown$/)
  })
})

it.each([
  [undefined, 'missing'],
  ['', '""'],
  ['a"b', '"a\\"b"'],
  ['a'.repeat(40), `"${'a'.repeat(40)}"`],
  ['a'.repeat(41), `"${'a'.repeat(40)}…"`],
  [1.5, '1.5'],
  [Number.NaN, 'a number with more digits than can be kept exactly'],
  [false, 'false'],
  [['secret'], 'an array'],
  [{ secret: 1 }, 'an object'],
])('the value %j is quoted as %s', (value, quoted) => expect(quote(value)).toBe(quoted))

it('the description of invalid fields is one sentence for each', () => {
  expect(invalid({ a: ['is 1, must be 2', 'is odd'], b: ['is unknown'] }).message).toBe(
    'a is 1, must be 2; a is odd; b is unknown',
  )
})

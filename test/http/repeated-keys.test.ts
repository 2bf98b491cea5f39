// Keys that stand twice in an object of JSON: each is found wherever it is, and nothing else is taken for one.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { repeatedKey } from '../../src/http/repeated-keys.ts'

/** White space of JSON, between any two tokens. */
const space = fc.stringMatching(/^[ \t\r\n]{0,2}$/)
/** A key, as it can be written: `a`, `\u0061`. */
const spelling = fc.boolean()
const spelled = (key: string, escaped: boolean) =>
  escaped
    ? `"${[...Array(key.length).keys()].map((i) => `\\u${key.charCodeAt(i).toString(16).padStart(4, '0')}`).join('')}"`
    : JSON.stringify(key)

type Json = null | boolean | number | string | Json[] | { [key: string]: Json }
const isObject = (value: Json): value is { [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

// Keys that look like syntax, and few enough that equal ones stand in different objects.
const key = fc.oneof(
  fc.constantFrom(
    'a',
    'b',
    '',
    '__proto__',
    'constructor',
    ':',
    '"',
    '\\',
    '\\"',
    '{"a":1',
    '],[',
    '\u0061\u0301',
    'é',
    '😀',
  ),
  fc.string({ unit: 'binary', maxLength: 3 }),
)
const json = fc.letrec<{ value: Json; array: Json[]; object: { [key: string]: Json } }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom(null, true, 0, -1.5e3, '', 'a', ':', '"a":1,"a":2', '\\', '{', '}'),
    fc.string({ unit: 'binary', maxLength: 4 }),
    tie('array'),
    tie('object'),
  ),
  array: fc.array(tie('value'), { maxLength: 4 }),
  object: fc
    .uniqueArray(fc.tuple(key, tie('value')), { selector: ([name]) => name, maxLength: 4 })
    .map((members) => Object.fromEntries(members)),
}))

interface Style {
  spaces: string[]
  escapes: boolean[]
}
const style = fc.record<Style>({
  spaces: fc.array(space, { minLength: 1, maxLength: 20 }),
  escapes: fc.array(spelling, { minLength: 1, maxLength: 20 }),
})

/** Writes a value with any white space and any spelling of keys. @param more members to write behind those of a path */
function written(
  value: Json,
  { spaces, escapes }: Style,
  more: ReadonlyMap<string, string> = new Map(),
): string {
  let n = 0
  const gap = () => spaces[n++ % spaces.length] ?? ''
  const write = (each: Json, path: string): string => {
    if (Array.isArray(each)) {
      return `[${gap()}${each.map((item, i) => write(item, `${path}/${i}`)).join(`${gap()},${gap()}`)}]`
    }
    if (!isObject(each)) return JSON.stringify(each)
    const members = Object.entries(each).map(
      ([name, item]) =>
        `${spelled(name, escapes[n++ % escapes.length] ?? false)}${gap()}:${gap()}${write(item, `${path}/${name}`)}`,
    )
    const added = more.get(path)
    return `{${gap()}${[...members, ...(added === undefined ? [] : [added])].join(`${gap()},${gap()}`)}${gap()}}`
  }
  return `${gap()}${write(value, '')}${gap()}`
}

/** Every member of a value: where its object is, as written() names it, its key, and its path as an error names it. */
function membersOf(
  value: Json,
  at = '',
  path: readonly string[] = [],
): { at: string; name: string; path: string }[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, item]) => [
    ...(Array.isArray(value) ? [] : [{ at, name, path: [...path, name].join('.') }]),
    ...membersOf(item, `${at}/${name}`, [...path, name]),
  ])
}

it('nothing is found where every key of an object is another one', () => {
  fc.assert(
    fc.property(json.value, style, (value, how) => {
      const text = written(value, how)
      // The text is the value, so the writer above is right too.
      expect(JSON.parse(text)).toEqual(value)
      expect(repeatedKey(text)).toBeUndefined()
    }),
    { numRuns: 2000 },
  )
})

it('a key that is written again is found, in whichever object, however it is spelled', () => {
  let found = 0
  fc.assert(
    fc.property(json.value, style, fc.nat(), spelling, json.value, (value, how, which, escaped, again) => {
      const members = membersOf(value)
      const member = members[which % members.length]
      // Where two paths read alike, an insertion would be made twice.
      if (
        !member ||
        members.filter(({ at, name }) => `${at}/${name}` === `${member.at}/${member.name}`).length > 1
      )
        return
      const repeated = `${spelled(member.name, escaped)}:${written(again, how)}`
      const text = written(value, how, new Map([[member.at, repeated]]))
      JSON.parse(text)
      expect(repeatedKey(text)).toBe(member.path)
      found++
    }),
    { numRuns: 2000 },
  )
  expect(found).toBeGreaterThan(200)
})

it('of several keys that stand twice the first one is named', () => {
  expect(repeatedKey('{"a":{"b":1,"b":2},"a":1}')).toBe('a.b')
  expect(repeatedKey('[{"a":1},{"a":1,"c":[{},{"d":1,"d":1}]}]')).toBe('1.c.1.d')
})

// Values that are wrong, or right at a limit, for whatever reads them: texts, numbers, JSON.
import type { Random } from '../support/random.ts'

/** One of some values, of which there must be one. */
export function anyOf<T>(random: Random, values: readonly T[]): T {
  const value = values[random.below(values.length)]
  if (value === undefined) throw new Error('there is nothing to choose from')
  return value
}

const INSIDE = [
  '\u0000',
  '\n',
  '\r\n',
  '\t',
  '\u202e',
  '\u200b',
  '\ufeff',
  '\ud800',
  '😀',
  'é',
  'e\u0301',
] as const

/** Texts that are often treated as something else. */
const TEXTS = [
  ...[
    '',
    ' ',
    '.',
    '..',
    '../',
    '/',
    '%',
    '%00',
    '%2e%2e',
    '\\',
    '"',
    "'",
    '`',
    '<',
    '&amp;',
    '#{7*7}',
    '{{7*7}}',
  ],
  ...[
    "' OR 1=1 --",
    "'; DROP TABLE payments; --",
    '%_',
    '*',
    'a*b',
    '<script>alert(1)</script>',
    '=1+1',
    '@SUM(1)',
  ],
  ...[
    'null',
    'undefined',
    'true',
    'NaN',
    '[object Object]',
    '__proto__',
    'constructor',
    'prototype',
    'toString',
  ],
  ...[
    '\u0000',
    '\ud800',
    '\udfff\ud800',
    '\u202e',
    '\u200b',
    '\ufeff',
    '😀',
    '\u0130',
    'ﬀ',
    '１０.００',
    '١٠',
  ],
  ...[
    '2026-02-30',
    '2026-13-01T00:00:00Z',
    '9999-12-31T23:59:59Z',
    '0000-01-01',
    '2026-11-24T25:00:00+03:00',
  ],
  ...[
    '+010000-01-01T00:00:00Z',
    '1970-01-01',
    'end',
    'COMPLETED',
    'completed',
    'RUB',
    'rub',
    'DYNAMIC',
    'COUNTER',
  ],
  ...[
    'http://127.0.0.1:1/',
    'https://nobody.invalid/',
    'javascript:alert(1)',
    '//nobody.invalid',
    'http://[::1',
    'data:,a',
  ],
  ...[
    '#000000',
    '#ffffff',
    '#12345g',
    '0000000000',
    '7707083893',
    'whsec_',
    'W/"a"',
    '"a", "b"',
    'merchant network operator',
  ],
] as const

/** JSON literals of numbers. */
const NUMBERS = [
  ...[
    '0',
    '-0',
    '-1',
    '1',
    '0.01',
    '0.001',
    '1.005',
    '10.00',
    '1e1',
    '1E+2',
    '1e-2',
    '999999999.99',
    '1000000000',
  ],
  ...[
    '1.00000000000000001',
    '9007199254740993',
    '9223372036854775808',
    '2147483648',
    '1e21',
    '1e-7',
    '1e308',
    '1e400',
  ],
  ...[
    '0.30000000000000004',
    '129600',
    '129601',
    '100',
    '99',
    '2000',
    '2001',
    '4e0',
    '123456789012345678901234567890',
  ],
] as const

/** What is no JSON, but nearly. */
const BROKEN = [
  ...[
    'NaN',
    'Infinity',
    '01',
    '+1',
    '.5',
    '5.',
    '0x10',
    "'a'",
    'undefined',
    '"\\x"',
    '"\\u12"',
    '"a\nb"',
    '[1,]',
    '{,}',
  ],
  ...['"', '[', '{', '/* a */1', 'tru', '1 2', '"\u0001"'],
] as const

export function textOf(random: Random): string {
  return random.weighted({ known: 6, long: 2, inside: 2 }) === 'known'
    ? anyOf(random, TEXTS)
    : madeText(random)
}

function madeText(random: Random): string {
  const length = anyOf(
    random,
    [1, 2, 59, 60, 61, 64, 65, 100, 140, 141, 200, 201, 255, 256, 1000, 1001, 5000],
  )
  const text = anyOf(random, ['a', 'Я', '😀', ' ', '"', '%', '9', '-']).repeat(length)
  if (random.chance(0.5)) return text
  const at = random.below(text.length)
  return text.slice(0, at) + anyOf(random, INSIDE) + text.slice(at)
}

export const numberOf = (random: Random): string => anyOf(random, NUMBERS)

type Json = null | boolean | number | string | Json[] | { [name: string]: Json }

export type { Json }

/** A literal of JSON, of any kind and mostly of another one than is wanted. */
export function literalOf(random: Random): string {
  switch (random.weighted({ text: 8, number: 8, word: 3, empty: 2, broken: 2, deep: 1, wide: 1 })) {
    case 'text':
      return JSON.stringify(textOf(random))
    case 'number':
      return random.chance(0.3) ? JSON.stringify(numberOf(random)) : numberOf(random)
    case 'word':
      return anyOf(random, ['null', 'true', 'false'])
    case 'empty':
      return anyOf(random, [
        '{}',
        '[]',
        '[[]]',
        '{"":""}',
        '{"a":null}',
        '[null]',
        '{"__proto__":{"value":1}}',
      ])
    case 'broken':
      return anyOf(random, BROKEN)
    case 'deep': {
      const depth = anyOf(random, [10, 100, 1_000, 5_000, 30_000])
      return random.chance(0.5)
        ? '['.repeat(depth) + ']'.repeat(depth)
        : `${'{"a":'.repeat(depth / 5)}1${'}'.repeat(depth / 5)}`
    }
    case 'wide': {
      const count = anyOf(random, [101, 1_000, 5_000])
      return random.chance(0.5)
        ? `[${Array(count).fill('"a"').join(',')}]`
        : `{${Array.from({ length: count }, (_, i) => `"k${i}":${i}`).join(',')}}`
    }
  }
}

/** Bytes of a JSON text in which one thing is wrong, or nothing. */
export function jsonOf(random: Random, value: Json): Buffer {
  const changes = anyOf(random, [1, 1, 1, 2, 3])
  let text = JSON.stringify(value)
  const marks: string[] = []
  for (let i = 0; i < changes; i++) {
    const changed = changedIn(random, JSON.parse(text), marks)
    text = JSON.stringify(changed)
  }
  // What JSON.stringify cannot write stands for a mark until here.
  for (const [i, literal] of marks.entries()) text = text.replace(`"mark ${i}!"`, () => literal)
  if (random.chance(0.12)) text = repeatedKey(random, text)
  return random.chance(0.15) ? brokenBytes(random, text) : Buffer.from(text)
}

/** One member or item, at any depth, becomes something else, goes or comes. */
function changedIn(random: Random, value: Json, marks: string[]): Json {
  const mark = (): string => `mark ${marks.push(literalOf(random)) - 1}!`
  const isIn = random.chance(0.85)
  if (Array.isArray(value)) {
    const i = random.below(value.length + 1)
    const at = value[i]
    return at === undefined || !isIn ? [...value, mark()] : value.with(i, changedIn(random, at, marks))
  }
  if (typeof value === 'object' && value !== null && isIn) {
    const names = Object.keys(value)
    const name = names[random.below(names.length)]
    switch (random.weighted({ change: 6, remove: 2, add: 2 })) {
      case 'change': {
        const old = name === undefined ? undefined : value[name]
        return name === undefined || old === undefined
          ? { ...value, a: mark() }
          : { ...value, [name]: changedIn(random, old, marks) }
      }
      case 'remove':
        return Object.fromEntries(Object.entries(value).filter(([each]) => each !== name))
      case 'add':
        return { ...value, [random.chance(0.5) ? `${name ?? ''}s` : textOf(random)]: mark() }
    }
  }
  return mark()
}

function repeatedKey(random: Random, text: string): string {
  const [member] =
    /"[^"\\]+":(?:"[^"\\]*"|[\d.]+|true|null)/.exec(text.slice(random.below(text.length))) ?? []
  return member === undefined ? text : text.replace(member, () => `${member},${member}`)
}

function brokenBytes(random: Random, text: string): Buffer {
  const bytes = Buffer.from(text)
  const at = random.below(bytes.length + 1)
  switch (random.weighted({ cut: 3, tail: 2, flip: 3, utf16: 1, mark: 1, spaces: 1, limit: 2 })) {
    case 'cut':
      return bytes.subarray(0, at)
    case 'tail':
      return Buffer.concat([bytes, Buffer.from(anyOf(random, ['x', '{}', ',', '\u0000', '//']))])
    case 'flip':
      return Buffer.concat([bytes.subarray(0, at), Buffer.from([random.below(256)]), bytes.subarray(at)])
    case 'utf16':
      return Buffer.from(text, 'utf16le')
    case 'mark':
      return Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes])
    case 'spaces':
      return Buffer.concat([Buffer.alloc(anyOf(random, [1, 1_000, 60_000]), ' '), bytes])
    case 'limit': {
      const size = anyOf(random, [4_096, 4_097, 65_535, 65_536, 65_537, 70_000, 300_000])
      return Buffer.concat([bytes, Buffer.alloc(Math.max(0, size - bytes.length), ' ')])
    }
  }
}

/** A text of a URL in which one place is wrong. */
export function wrongText(random: Random, text: string): string {
  const at = random.below(text.length + 1)
  switch (random.weighted({ other: 4, cut: 2, insert: 3, flip: 2, case: 1, twice: 1 })) {
    case 'other':
      return textOf(random)
    case 'cut':
      return text.slice(0, at)
    case 'insert':
      return text.slice(0, at) + textOf(random).slice(0, 5) + text.slice(at)
    case 'flip':
      return text.slice(0, at) + anyOf(random, ['0', 'A', 'z', '-', '.', '_', '~', '=']) + text.slice(at + 1)
    case 'case':
      return text === text.toUpperCase() ? text.toLowerCase() : text.toUpperCase()
    case 'twice':
      return text + text
  }
}

/** What ends the target of a request would make another request of the rest. */
export const targetSafe = (text: string): string =>
  text.replaceAll(/\s/g, '+').replaceAll('\0', '+').toWellFormed()

/** A text as a part of a URL: encoded, half encoded or not at all; without what ends a request line. */
export function encodedOf(random: Random, text: string): string {
  const how = random.weighted({ right: 8, raw: 2, wrong: 2 })
  if (how === 'right') return encodeURIComponent(text.toWellFormed())
  if (how === 'raw') return targetSafe(text)
  return `${encodeURIComponent(text.toWellFormed())}${anyOf(random, ['%', '%z', '%zz', '%C0%AF', '%FF', '%00', '%ED%A0%80', '%25'])}`
}

/** What ends a line would make another header of the rest. */
export const oneLine = (text: string): string =>
  text
    .replaceAll(/[\r\n]/g, '?')
    .replaceAll('\0', '?')
    .toWellFormed()

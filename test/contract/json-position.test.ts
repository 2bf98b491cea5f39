import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { malformedAt } from '../../src/contract/json-position.ts'

describe('the position of malformed JSON', () => {
  it.each([
    ['', 1, 1],
    [' ', 1, 2],
    ['{', 1, 2],
    ['{"a"', 1, 5],
    ['{"a":', 1, 6],
    ['{"a":}', 1, 6],
    ['{"a" 1}', 1, 6],
    ["{'a':1}", 1, 2],
    ['{"a":1,}', 1, 8],
    ['{,"a":1}', 1, 2],
    ['{"a":1 "b":2}', 1, 8],
    ['{"a":1}}', 1, 8],
    ['{"a":1]', 1, 7],
    ['{}{}', 1, 3],
    ['[1,]', 1, 4],
    ['[1 2]', 1, 4],
    ['[1}', 1, 3],
    [']', 1, 1],
    [',', 1, 1],
    ['1,2', 1, 2],
    ['"a":1', 1, 4],
    ['01', 1, 2],
    ['-', 1, 2],
    ['-a', 1, 2],
    ['+1', 1, 1],
    ['1.', 1, 3],
    ['1.e5', 1, 3],
    ['1e', 1, 3],
    ['1e+', 1, 4],
    ['.5', 1, 1],
    ['1_000', 1, 2],
    ['tru', 1, 4],
    ['truE', 1, 4],
    ['nulls', 1, 5],
    ['NaN', 1, 1],
    ['undefined', 1, 1],
    ['"abc', 1, 5],
    ['"a\nb"', 1, 3],
    ['"\\x"', 1, 3],
    ['"\\u12g4"', 1, 6],
    ['"\\u12', 1, 6],
    ['// comment', 1, 1],
    ['\u00a01', 1, 1],
    ['\ufeff1', 1, 1],
    ['{\n  "amount": {"value": 5,\n  "currency": RUB}\n}', 3, 15],
    ['{\r\n"a": 1\r\n"b": 2}', 3, 1],
    ['[\n\n\n', 4, 1],
  ])('in %j is line %i, column %i', (text, line, column) => {
    expect(() => JSON.parse(text)).toThrow(SyntaxError)
    expect(malformedAt(text)).toEqual({ line, column })
  })

  /** A JSON text with white space and escapes, and an index in it. */
  const written = fc
    .tuple(fc.jsonValue({ noUnicodeString: false }), fc.constantFrom(undefined, 1, '\t'), fc.boolean())
    .map(([value, indent, escapes]) => {
      const text = JSON.stringify(value, null, indent)
      const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
      return escapes ? text.replace(/[\u007f-\uffff]/g, escaped) : text
    })
  const cut = written.chain((text) => fc.tuple(fc.constant(text), fc.nat({ max: text.length })))
  const indexOf = (text: string, { line, column }: { line: number; column: number }) =>
    text
      .split('\n')
      .slice(0, line - 1)
      .reduce((index, { length }) => index + length + 1, column - 1)

  it('is the end of a text that ends too early, wherever that is', () => {
    fc.assert(
      fc.property(cut, ([text, index]) => {
        const beginning = text.slice(0, index)
        expect(indexOf(beginning, malformedAt(beginning))).toBe(index)
      }),
    )
  })

  it('is where an illegal character is inserted, wherever that is', () => {
    fc.assert(
      fc.property(cut, fc.constantFrom('\u0001', '\u0000', '\u001f'), ([text, index], illegal) => {
        const broken = text.slice(0, index) + illegal + text.slice(index)
        expect(() => JSON.parse(broken)).toThrow(SyntaxError)
        expect(indexOf(broken, malformedAt(broken))).toBe(index)
      }),
    )
  })

  it('is not before a character that is replaced or inserted, and what follows does not move it', () => {
    const character = fc.constantFrom(...'{}[]:,"\\ \n0123456789.-+eEtrufalsn/x')
    fc.assert(
      fc.property(cut, character, fc.nat({ max: 1 }), fc.string(), ([text, index], other, length, more) => {
        const changed = text.slice(0, index) + other + text.slice(index + length)
        fc.pre(!isJson(changed))
        const at = indexOf(changed, malformedAt(changed))
        expect(at).toBeGreaterThanOrEqual(index)
        if (at === changed.length) return
        const same = changed.slice(0, at + 1) + more
        expect(isJson(same)).toBe(false)
        expect(indexOf(same, malformedAt(same))).toBe(at)
      }),
    )
  })

  it('is the one that JSON.parse names, where it names one', () => {
    const token = fc.constantFrom(
      ...[
        '{',
        '}',
        '[',
        ']',
        ':',
        ',',
        '"',
        '"a"',
        '"\\u00',
        '\\',
        ' ',
        '\n',
        '0',
        '12',
        '.',
        '-',
        'e',
        'E+',
      ],
      ...['true', 'nul', 'false', '{"a":', '\u0001', '[1,'],
    )
    fc.assert(
      fc.property(fc.array(token, { maxLength: 8 }), (tokens) => {
        const text = tokens.join('')
        const named = positionNamed(text)
        if (named !== undefined) expect([text, indexOf(text, malformedAt(text))]).toEqual([text, named])
      }),
      { numRuns: 2000 },
    )
  })

  it('is found in 64 KiB of one string, of brackets and of digits', () => {
    for (const [begin, end] of [
      ['"', ''],
      ['[', ''],
      ['1', '.'],
      ['{"a":', 'x'],
    ] as const) {
      const text = begin.repeat(begin === '"' ? 1 : 10_000) + (begin === '"' ? 'a'.repeat(65_000) : '') + end
      const at = text.length - (end === 'x' ? 1 : 0)
      expect(malformedAt(text)).toEqual({ line: 1, column: at + 1 })
    }
  })
})

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** The position in the message of JSON.parse; the end, where it says that the text ends too early. */
function positionNamed(text: string): number | undefined {
  try {
    JSON.parse(text)
    return undefined
  } catch (error) {
    const message = String(error)
    if (message.includes('Unexpected end')) return text.length
    const position = /at position (\d+)/.exec(message)?.[1]
    return position === undefined ? undefined : Number(position)
  }
}

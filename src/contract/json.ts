// JSON, parsed without loss of digits.

/**
 * Parses a JSON text.
 * A member that is null is dropped, because null means absent (contract, section 3).
 * A number that a double cannot hold as written becomes NaN, which every schema refuses: `1.00000000000000001` is not 1.
 * @throws SyntaxError where the text is not JSON, RangeError where it is nested too deep
 */
export function parseJson(text: string): unknown {
  return NEEDS_CARE.test(text) ? JSON.parse(text, careful) : JSON.parse(text)
}

/** A double keeps any 15 digits, so only longer numbers, exponents and nulls need care. */
const NEEDS_CARE = /(?:^|[:,[])\s*(?:null|-?[\d.]{16}|-?[\d.]+[eE])/

function careful(_key: string, value: unknown, context?: { source?: string }): unknown {
  if (value === null) return undefined
  if (typeof value === 'number' && !isExact(value, context?.source ?? '')) return Number.NaN
  return value
}

const isExact = (value: number, literal: string): boolean =>
  String(value) === literal || normalForm(String(value)) === normalForm(literal)

/** The significant digits and the power of ten: `10.50`, `10.5` and `105e-1` are all `105e-1`. */
function normalForm(literal: string): string | undefined {
  const parts = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(literal)
  if (!parts) return undefined
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = parts
  const digits = (whole + fraction).replace(/^0+/, '')
  const significant = digits.replace(/0+$/, '')
  if (significant === '') return '0'
  return `${sign}${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`
}

const TOKEN =
  /[\t\n\r ]*(?:([{}[\],:])|("(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*")|(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-]))/y

/** What can come next: a value, a value or `]`, a key, a key or `}`, a colon, or what follows a value. */
type Expected = 'value' | 'firstValue' | 'key' | 'firstKey' | 'colon' | 'next'

/**
 * Where a text stops being the beginning of a JSON text (RFC 8259). JSON.parse does not always say it, and its message
 * shows the text.
 * @returns line and column, from 1, of the first character that cannot stand there
 */
export function malformedAt(text: string): { line: number; column: number } {
  const open: ('{' | '[')[] = []
  let expected: Expected = 'value'
  TOKEN.lastIndex = 0
  for (let end = 0; ; end = TOKEN.lastIndex) {
    const [match, sign, string] = TOKEN.exec(text) ?? []
    const following: Expected | undefined =
      match === undefined ? undefined : after(expected, sign, string, open)
    if (following === undefined)
      return positionOf(text, end + (/^[\t\n\r ]*/.exec(text.slice(end))?.[0].length ?? 0))
    expected = following
  }
}

/** What may follow a token, or undefined where the token itself cannot stand there. */
function after(
  expected: Expected,
  sign: string | undefined,
  string: string | undefined,
  open: ('{' | '[')[],
): Expected | undefined {
  const wantsValue = expected === 'value' || expected === 'firstValue'
  if (sign === '{' || sign === '[') {
    if (!wantsValue) return undefined
    open.push(sign)
    return sign === '{' ? 'firstKey' : 'firstValue'
  }
  if (sign === '}' || sign === ']') {
    const isEmpty = expected === (sign === '}' ? 'firstKey' : 'firstValue')
    const opening = sign === '}' ? '{' : '['
    return (isEmpty || expected === 'next') && open.pop() === opening ? 'next' : undefined
  }
  if (sign === ':') return expected === 'colon' ? 'value' : undefined
  if (sign === ',') {
    if (expected !== 'next' || open.length === 0) return undefined
    return open.at(-1) === '{' ? 'key' : 'value'
  }
  if (expected === 'key' || expected === 'firstKey') return string === undefined ? undefined : 'colon'
  return wantsValue ? 'next' : undefined
}

function positionOf(text: string, index: number): { line: number; column: number } {
  const lines = text.slice(0, index).split('\n')
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 }
}

// Where a malformed JSON text breaks off: JSON.parse does not always say it, and its message shows the text.

const SPACE = String.raw`[\t\n\r ]*`
const CHARACTERS = String.raw`(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*`
const NUMBER = String.raw`-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?`
const TOKEN = new RegExp(
  String.raw`${SPACE}(?:([{}[\],:])|("${CHARACTERS}")|(?:${NUMBER}|true|false|null)(?![\w.+-]))`,
  'y',
)

// The longest beginning of a token that is not complete; it can be empty.
const STRING_BEGINNING = String.raw`"${CHARACTERS}(?:\\(?:u[\da-fA-F]{0,3})?)?`
const NUMBER_BEGINNING = String.raw`-?(?:(?:0|[1-9]\d*)(?:\.\d*)?(?:(?<=\d)[eE][+-]?\d*)?)?`
const LITERAL_BEGINNING = 't(?:r(?:ue?)?)?|f(?:a(?:l(?:se?)?)?)?|n(?:u(?:ll?)?)?'
const KEY = new RegExp(`${SPACE}(?:${STRING_BEGINNING})?`, 'y')
const VALUE = new RegExp(`${SPACE}(?:${STRING_BEGINNING}|${LITERAL_BEGINNING}|${NUMBER_BEGINNING})`, 'y')
const NOTHING = new RegExp(SPACE, 'y')

/** What may come next: a value, a value or `]`, a key, a key or `}`, a colon, or what follows a value. */
type Expected = 'value' | 'firstValue' | 'key' | 'firstKey' | 'colon' | 'next'

/**
 * Where a text stops being the beginning of a JSON text (RFC 8259).
 * @returns line and column, from 1, of the first character that cannot stand there
 */
export function malformedAt(text: string): { line: number; column: number } {
  const open: ('{' | '[')[] = []
  let expected: Expected = 'value'
  TOKEN.lastIndex = 0
  for (;;) {
    const end = TOKEN.lastIndex
    const token = TOKEN.exec(text)
    const following: Expected | undefined = token ? after(expected, token[1], token[2], open) : undefined
    if (!following) return positionOf(text, endOf(token ? NOTHING : beginningOf(expected), text, end))
    expected = following
  }
}

/** What the beginning of an incomplete token can be. */
function beginningOf(expected: Expected): RegExp {
  if (expected === 'value' || expected === 'firstValue') return VALUE
  return expected === 'key' || expected === 'firstKey' ? KEY : NOTHING
}

/** Where a match ends that begins at an index. @param pattern is sticky, and can match nothing */
function endOf(pattern: RegExp, text: string, index: number): number {
  pattern.lastIndex = index
  pattern.exec(text)
  return pattern.lastIndex
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

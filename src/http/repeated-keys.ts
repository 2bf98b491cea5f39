// Finds a key that a JSON object has twice: JSON.parse takes the last one silently (RFC 8259, section 4, leaves it open).

/** An object or an array that is not complete yet. */
interface Container {
  /** The keys of an object so far. */
  keys: Set<string> | undefined
  /** The key, or the index, of the value that is being read. */
  at: string | number
}

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const BACKSLASH = 0x5c
const [OPENING_BRACKET, CLOSING_BRACKET] = [0x5b, 0x5d]
const [OPENING_BRACE, CLOSING_BRACE] = [0x7b, 0x7d]

/**
 * Finds the first key that occurs twice in an object, at any depth.
 * @param text valid JSON: it was parsed before
 * @returns its path, such as `qrCode.ttl`; undefined if no key is repeated
 */
export function repeatedKey(text: string): string | undefined {
  const around: Container[] = []
  let current: Container = { keys: undefined, at: 0 }
  let [start, end] = [0, 0]
  for (let i = 0; i < text.length; i++) {
    switch (text.charCodeAt(i)) {
      case QUOTE:
        start = i
        end = endOfString(text, i)
        i = end
        break
      // Outside of strings it occurs after a key and nowhere else.
      case COLON:
        current.at = keyOf(text, start, end)
        if (current.keys?.has(current.at)) return [...around.slice(1), current].map(({ at }) => at).join('.')
        current.keys?.add(current.at)
        break
      case COMMA:
        if (typeof current.at === 'number') current.at++
        break
      case OPENING_BRACE:
        around.push(current)
        current = { keys: new Set(), at: '' }
        break
      case OPENING_BRACKET:
        around.push(current)
        current = { keys: undefined, at: 0 }
        break
      case CLOSING_BRACE:
      case CLOSING_BRACKET:
        current = around.pop() ?? current
        break
    }
  }
  return undefined
}

/** The index of the quote that ends a string. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end
}

/** Whether an odd number of backslashes is before the character. */
function isEscaped(text: string, index: number): boolean {
  let first = index
  while (text.charCodeAt(first - 1) === BACKSLASH) first--
  return (index - first) % 2 === 1
}

/** A key as it is compared: `"\u0061"` is `a`. */
function keyOf(text: string, start: number, end: number): string {
  const key = text.slice(start + 1, end)
  return key.includes('\\') ? String(JSON.parse(`"${key}"`)) : key
}

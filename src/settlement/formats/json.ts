// Reads JSON as it comes (RFC 8259), with the digits of its numbers. Objects that are elements are given out and not kept.

/** A number, as it is written. */
export class JsonNumber {
  readonly digits: string

  constructor(digits: string) {
    this.digits = digits
  }
}
export type JsonObject = Map<string, Json>
export type Json = string | boolean | null | JsonNumber | Json[] | JsonObject

/** An object that is complete, and where it is. */
export interface Element {
  path: readonly (string | number)[]
  value: JsonObject
}

/** The text is not JSON, is nested too deep, or has a key twice. */
export class NotJson extends Error {
  readonly path: readonly (string | number)[]

  constructor(message: string, path: readonly (string | number)[]) {
    super(message)
    this.path = path
  }
}

/** An object or an array that is not complete. */
interface Container {
  value: JsonObject | Json[]
  /** The key of the value that comes, or its index. */
  at: string | number
}

type Expected = 'value' | 'value or ]' | 'key' | 'key or }' | 'colon' | 'comma' | 'end'

const TOKEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a string has none of them
  /[ \t\r\n]*(?:([{}[\],:])|("(?:[^"\\\0-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)|(true|false|null))/y
const DELIMITER = /[\s,\]}]/
const BLANK = /^[ \t\r\n]*$/
const MAX_TOKEN = 64 * 1024
const MAX_DEPTH = 16

export class JsonReader {
  readonly #isElement: (path: Element['path']) => boolean
  readonly #take: (element: Element) => void
  readonly #around: Container[] = []
  #rest = ''
  #expected: Expected = 'value'

  /** @param take is given each element as soon as it is complete */
  constructor(isElement: (path: Element['path']) => boolean, take: (element: Element) => void) {
    this.#isElement = isElement
    this.#take = take
  }

  /** @throws NotJson */
  push(text: string): void {
    this.#read(this.#rest + text, false)
  }

  /** After the last piece. @throws NotJson where the text is not complete */
  end(): void {
    this.#read(this.#rest, true)
    if (this.#expected !== 'end' || this.#rest !== '') throw this.#error('is not JSON, must be')
  }

  #read(text: string, isLast: boolean): void {
    let at = 0
    for (;;) {
      TOKEN.lastIndex = at
      const [whole, sign, string, number, word] = TOKEN.exec(text) ?? []
      // A number at the end of a piece can go on in the next one: it is whole where something follows that is none of it.
      const end = at + (whole?.length ?? 0)
      const isWhole =
        isLast || sign !== undefined || string !== undefined || DELIMITER.test(text.slice(end, end + 1))
      if (whole === undefined || !isWhole) break
      at = end
      if (sign !== undefined) this.#sign(sign)
      else if (string !== undefined) this.#string(string)
      else this.#value(number === undefined ? JSON.parse(word ?? '') : new JsonNumber(number))
    }
    this.#rest = text.slice(at)
    if (this.#rest.length > MAX_TOKEN && !BLANK.test(this.#rest)) throw this.#error('is not JSON, must be')
    if (BLANK.test(this.#rest)) this.#rest = ''
  }

  #sign(sign: string): void {
    const last = this.#around.at(-1)
    switch (sign) {
      case '{':
      case '[':
        this.#open(sign === '{' ? new Map() : [])
        return
      case ']':
        if (!Array.isArray(last?.value)) throw this.#error('is not JSON, must be')
        this.#expect('comma', 'value or ]')
        this.#close()
        return
      case '}':
        if (!(last?.value instanceof Map)) throw this.#error('is not JSON, must be')
        this.#expect('comma', 'key or }')
        this.#close()
        return
      case ':':
        this.#expect('colon')
        this.#expected = 'value'
        return
      default:
        this.#expect('comma')
        if (!last) throw this.#error('is not JSON, must be')
        if (typeof last.at === 'number') last.at++
        this.#expected = typeof last.at === 'number' ? 'value' : 'key'
    }
  }

  #string(token: string): void {
    if (token.length > MAX_TOKEN) throw this.#error('is not JSON, must be')
    const text = token.includes('\\') ? String(JSON.parse(token)) : token.slice(1, -1)
    const last = this.#around.at(-1)
    const isKey = this.#expected === 'key' || this.#expected === 'key or }'
    if (isKey && last?.value instanceof Map) {
      last.at = text
      if (last.value.has(text)) throw this.#error('is there twice, must be there once')
      this.#expected = 'colon'
    } else this.#value(text)
  }

  #open(value: JsonObject | Json[]): void {
    this.#expect('value', 'value or ]')
    if (this.#around.length === MAX_DEPTH) throw this.#error('is nested too deep')
    const isArray = Array.isArray(value)
    this.#around.push({ value, at: isArray ? 0 : '' })
    this.#expected = isArray ? 'value or ]' : 'key or }'
  }

  #close(): void {
    const value = this.#around.pop()?.value
    if (value === undefined) return
    if (value instanceof Map) {
      const path = this.#path()
      if (this.#isElement(path)) {
        this.#afterValue()
        this.#take({ path, value })
        return
      }
    }
    this.#add(value)
  }

  #value(value: Json): void {
    this.#expect('value', 'value or ]')
    this.#add(value)
  }

  #add(value: Json): void {
    const last = this.#around.at(-1)
    if (Array.isArray(last?.value)) last.value.push(value)
    else last?.value.set(String(last.at), value)
    this.#afterValue()
  }

  #afterValue(): void {
    this.#expected = this.#around.length === 0 ? 'end' : 'comma'
  }

  #expect(...expected: Expected[]): void {
    if (!expected.includes(this.#expected)) throw this.#error('is not JSON, must be')
  }

  #path(): (string | number)[] {
    return this.#around.map(({ at }) => at)
  }

  #error(message: string): NotJson {
    return new NotJson(message, this.#path())
  }
}

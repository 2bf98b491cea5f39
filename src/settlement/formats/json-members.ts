// The members of a JSON object of a file, and what is wrong with them.
import { wrongCharacters } from './characters.ts'
import { ID_RULE, MAX_ID } from './entry.ts'
import { type Faults, shown } from './faults.ts'
import { type Element, type Json, JsonNumber, type JsonObject } from './json.ts'
import { kopecksIn, moneyRule } from './money.ts'

const MONEY = 'point or stripped'

/** `Data.Registry[0].payments[3]`; of the root `file`. */
export function placeOf(path: Element['path']): string {
  const text = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${shown(part)}`)).join('')
  return text.replace(/^\./, '') || 'file'
}

export class Members {
  readonly place: string
  readonly #object: JsonObject
  readonly #faults: Faults

  constructor(place: string, object: JsonObject, faults: Faults) {
    this.place = place
    this.#object = object
    this.#faults = faults
  }

  fault(key: string, text: string): void {
    this.#faults.add(this.place === 'file' ? key : `${this.place}.${key}`, text)
  }

  value(key: string): Json | undefined {
    return this.#object.get(key) ?? undefined
  }

  /** That it has the keys that it must have, no others, and texts of characters. */
  check({ needed, optional }: { needed: readonly string[]; optional: readonly string[] }): void {
    for (const key of needed) if (this.value(key) === undefined) this.fault(key, 'is missing, must be there')
    for (const [key, value] of this.#object) {
      const wrong = typeof value === 'string' ? wrongCharacters(value, 'utf-8') : undefined
      if (wrong !== undefined) this.fault(key, wrong)
      if (![...needed, ...optional].includes(key))
        this.fault(shown(key), 'is not a field of this file, must be absent')
    }
  }

  /** A text, or the digits of a number; '' where it is neither. */
  text(key: string): string {
    const value = this.value(key)
    if (value instanceof JsonNumber) return value.digits
    return typeof value === 'string' ? value : ''
  }

  /** A text that is not long. */
  short(key: string): string {
    const text = this.text(key)
    if (text.length > MAX_ID) this.fault(key, `is ${shown(text)}, ${ID_RULE}`)
    return text
  }

  /** What a function makes of a text; undefined where it is missing, or, with a fault, where it makes nothing. */
  parsed<Value>(key: string, parse: (text: string) => Value | undefined, rule: string): Value | undefined {
    const value = this.value(key)
    if (value === undefined) return undefined
    const parsed = typeof value === 'string' ? parse(value) : undefined
    if (parsed === undefined) this.fault(key, `is ${shown(this.text(key))}, ${rule}`)
    return parsed
  }

  /** A number, by its digits. */
  kopecks(key: string): number | undefined {
    const value = this.value(key)
    if (value === undefined) return undefined
    const kopecks = value instanceof JsonNumber ? kopecksIn(value.digits, MONEY) : undefined
    if (kopecks === undefined) this.fault(key, `is ${shown(this.text(key))}, ${moneyRule(MONEY)}`)
    return kopecks
  }
}

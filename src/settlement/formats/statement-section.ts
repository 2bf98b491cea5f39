// The fields of a section of a statement, each with its line.
import { type Faults, shown } from './faults.ts'

/** Sections have about forty keys. */
const MAX_KEYS = 200

export class Section {
  /** The line with which it begins. */
  readonly line: number
  readonly #faults: Faults
  readonly #fields = new Map<string, { value: string; line: number }>()

  constructor(line: number, faults: Faults) {
    this.line = line
    this.#faults = faults
  }

  set(key: string, value: string, line: number): void {
    if (this.#fields.has(key))
      this.#faults.add(`lines[${line}].${shown(key)}`, 'is there twice, must be there once')
    if (this.#fields.size === MAX_KEYS)
      this.#faults.stop(`lines[${line}]`, `is another key of its section, must be one of at most ${MAX_KEYS}`)
    this.#fields.set(key, { value, line })
  }

  value(key: string): string {
    return this.#fields.get(key)?.value ?? ''
  }

  /** @param text the whole of the fault: `is 5, must be 6` */
  fault(key: string, text: string): void {
    this.#faults.add(`lines[${this.#fields.get(key)?.line ?? this.line}].${key}`, text)
  }

  /** A field that must be there. */
  need(key: string): string | undefined {
    const field = this.#fields.get(key)
    if (!field) this.fault(key, 'is missing, must be there')
    return field?.value
  }

  /** What a function makes of a field that must be there; undefined, and a fault, where it makes nothing. */
  parsed<Value>(key: string, parse: (value: string) => Value | undefined, rule: string): Value | undefined {
    const text = this.need(key)
    const value = text === undefined ? undefined : parse(text)
    if (text !== undefined && value === undefined) this.fault(key, `is ${shown(text)}, ${rule}`)
    return value
  }
}

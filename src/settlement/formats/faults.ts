// Collects the faults of a file, until there are enough of them to be told.
import { Unreadable } from './entry.ts'

const MAX_FAULTS = 10
const MAX_SHOWN = 40

export class Faults {
  // A file can name a place `__proto__`.
  readonly #texts = new Map<string, string[]>()
  #count = 0

  /** @param place such as `lines[17].SUM`. @throws Unreadable with the last one that is told */
  add(place: string, text: string): void {
    this.#texts.set(place, [...(this.#texts.get(place) ?? []), text])
    this.#count++
    if (this.#count === MAX_FAULTS) this.end()
  }

  /** A fault after which nothing of the file can be read. */
  stop(place: string, text: string): never {
    this.add(place, text)
    throw this.#unreadable()
  }

  get count(): number {
    return this.#count
  }

  /** @throws Unreadable if there are any */
  end(): void {
    if (this.#count > 0) throw this.#unreadable()
  }

  #unreadable(): Unreadable {
    return new Unreadable(Object.fromEntries(this.#texts))
  }
}

/** A value of a file as a fault shows it. */
export function shown(value: string): string {
  if (value === '') return 'empty'
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a file can have them
  const text = value.replace(/[\0-\x1f\x7f-\x9f]/g, '\ufffd')
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text
}

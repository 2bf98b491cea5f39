// Texts as Tochka Pay Gateway takes them: only some characters, and at most 140 of them.
import { Refused } from '../bank-errors.ts'

const MAX_LENGTH = 140
/** Latin and Russian letters without `ё`, digits, space, ASCII punctuation and `№`. */
const OTHER = /[^A-Za-zА-Яа-я0-9 !-/:-@[-`{-~№]/gu

/** A text in the characters of the bank: `ё` becomes `е`, each other one a space. */
export const textOf = (text: string): string =>
  text.replaceAll('ё', 'е').replaceAll('Ё', 'Е').replace(OTHER, ' ').slice(0, MAX_LENGTH)

/** The field `name` with the text; none where nothing is left of it. */
export function optionalText<Name extends string>(name: Name, text: string): Partial<Record<Name, string>> {
  const taken = textOf(text)
  const field: Partial<Record<Name, string>> = {}
  if (taken.trim() !== '') field[name] = taken
  return field
}

/** @param name of the field, for the error @throws Refused where nothing is left of the text */
export function requiredText(name: string, text: string): string {
  const taken = textOf(text)
  if (taken.trim() !== '') return taken
  throw new Refused(`Tochka Pay Gateway: ${name} has no character that the bank takes`)
}

// A sum as a person types it.
import { type Amount, parseMinorUnits } from './amount.ts'

/** The amount of a typed sum, or undefined where it is none: a comma or a point, spaces anywhere, `1 500,50`. */
export function typedAmount(text: string, currency: string): Amount | undefined {
  const minorUnits = parseMinorUnits(text.replaceAll(/\s/gu, '').replace(',', '.'))
  return minorUnits === undefined ? undefined : { minorUnits, currency }
}

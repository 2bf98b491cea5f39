// The faults of a settlement file, in which no card and no telephone can be read.
import type { FaultTexts } from './formats/entry.ts'

/** One line for each fault: its place, and what is wrong. */
export const faultLines = (faults: FaultTexts): string[] =>
  Object.entries(masked(faults)).flatMap(([place, texts]) => texts.map((text) => `${place} ${text}`))

/** The faults without cards and telephones. */
export function masked(faults: FaultTexts): FaultTexts {
  // A map, because a file can name a place `__proto__`; and places that become alike are one.
  const all = new Map<string, string[]>()
  for (const [place, texts] of Object.entries(faults)) {
    const shown = maskedText(place)
    all.set(shown, [...(all.get(shown) ?? []), ...texts.map(maskedText)])
  }
  return Object.fromEntries(all)
}

/** A fault quotes its cell. Where the columns are not those that the bank describes, that can be a card or a telephone. */
const PAYERS = [
  // As banks write them, without some of the digits: 1234 56** **** 7890, +7(903)XXX-XX-11.
  /(?<![\dA-Za-z])(?:[+\d][\d ()-]*[*Xx•]|[*•])[*Xx•]+(?:[ ()-]*[\d*Xx•]+)*/g,
  // A telephone: +7 (903) 123-45-67, 89031234567, 0079031234567.
  /(?<![\dA-Za-z])(?:\+?7|8|007)[ (-]*\d{3}[ )-]*\d{3}[ -]*\d\d[ -]*\d\d(?![\dA-Za-z])/g,
  // A card: 13 to 19 digits.
  /(?<![\dA-Za-z])(?:\d{4}[ -]?){3}\d{1,7}(?![\dA-Za-z])/g,
  // Either of them at the end of what is quoted.
  /(?<![\dA-Za-z])\+?\d[\d ()-]{4,}(?=…)/g,
]

const maskedText = (text: string): string =>
  PAYERS.reduce((rest, payer) => rest.replaceAll(payer, '***'), text)

// Converts amounts: kopecks as integers inside the connector, roubles where a bank or the service counts in them.
import * as z from 'zod'

/** An amount as the service writes it. */
export const AmountField = z.object({ value: z.union([z.string(), z.number()]), currency: z.string() })

const ROUBLES = /^(\d{1,13})(?:\.(\d{1,2})0*)?$/

/**
 * Kopecks of an amount in roubles, as it is written.
 * @returns undefined if the text is no amount, or has a fraction of a kopeck
 */
export function kopecksOf(roubles: string): number | undefined {
  const [, units, fraction = ''] = ROUBLES.exec(roubles) ?? []
  return units === undefined ? undefined : Number(units) * 100 + Number(fraction.padEnd(2, '0'))
}

/** @returns roubles with two fraction digits: `10.00` */
export function roublesOf(kopecks: number): string {
  return `${Math.floor(kopecks / 100)}.${String(kopecks % 100).padStart(2, '0')}`
}

// Rates of VAT on a receipt: the words, the computed rates of prepayments, and which rate holds at a time.
import * as z from 'zod/mini'
import { meta } from '../meta.ts'

/** The rates that a request names, in per cent; `none` is a sale without VAT. */
export const VAT_RATES = ['none', '0', '5', '7', '10', '20', '22'] as const
export type VatRate = (typeof VAT_RATES)[number]

/** What a document has: the rates, and those that are computed of a prepayment, such as 22/122. */
export const VATS = [...VAT_RATES, '5/105', '7/107', '10/110', '20/120', '22/122'] as const
export type Vat = (typeof VATS)[number]

export const VatRate = z.enum(VAT_RATES, `one of ${VAT_RATES.join(', ')}`).apply(meta, {
  id: 'VatRate',
  description: 'The rate of VAT in per cent. A prepayment takes the computed rate by itself, such as 22/122',
})
export const Vat = z.enum(VATS).apply(meta, { id: 'Vat' })

/** The computed rate of a prepayment; without VAT, and at 0, it is the rate itself. */
const COMPUTED: Record<VatRate, Vat> = {
  none: 'none',
  '0': '0',
  '5': '5/105',
  '7': '7/107',
  '10': '10/110',
  '20': '20/120',
  '22': '22/122',
}

/** The rate as a document states it. @param isPrepayment of the item's method */
export const vatOf = (rate: VatRate, isPrepayment: boolean): Vat => (isPrepayment ? COMPUTED[rate] : rate)

/** The rate of which a rate on a document is computed; a rate that is not computed is itself. */
export function rateOf(vat: Vat): VatRate {
  const found = VAT_RATES.find((rate) => rate === vat || COMPUTED[rate] === vat)
  if (found === undefined) throw new Error(`no rate has the computed rate ${vat}`)
  return found
}

/** 2026-01-01 00:00 in Moscow, as Unix seconds: from then on the general rate is 22, before it was 20 (425-FZ of 2025-11-28). */
export const RATE_22_SINCE = Date.UTC(2025, 11, 31, 21) / 1000

/** Whether a rate holds at a time, in Unix seconds. */
export const isRateAt = (rate: VatRate, at: number): boolean =>
  rate === '20' ? at < RATE_22_SINCE : rate === '22' ? at >= RATE_22_SINCE : true

/** The rate that holds at a time, in Unix seconds, in place of a rate of another time. */
export const rateOn = (rate: VatRate, at: number): VatRate =>
  isRateAt(rate, at) ? rate : rate === '20' ? '22' : '20'

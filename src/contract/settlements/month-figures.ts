// What a site tells the registry of each of its months of settlement.
import type { SettlementMonth } from '../settlement.ts'

/** Amounts are kopecks; with the signs of entries. */
export const AMOUNTS = ['gross', 'refunded', 'fee', 'feeVat', 'net'] as const
export const COUNTS = [
  ...(['payments', 'refunds', 'withoutFee', 'withoutVat'] as const),
  ...(['matched', 'mismatched', 'unknown', 'expected'] as const),
] as const
export const FIGURES = [...AMOUNTS, ...COUNTS] as const

/** The figures of a month of a site, or of all sites. */
export type SettlementFigures = Pick<SettlementMonth, (typeof FIGURES)[number]>

/** What a site tells of one of its months, such as `2026-11`. */
export interface MonthFigures extends SettlementFigures {
  month: string
}

/** The figures of a site in a month. */
export interface SiteSettlement extends SettlementFigures {
  siteId: string
  name?: string | undefined
}

export const figuresWith = (value: (name: (typeof FIGURES)[number]) => number): SettlementFigures => ({
  gross: value('gross'),
  refunded: value('refunded'),
  fee: value('fee'),
  feeVat: value('feeVat'),
  net: value('net'),
  payments: value('payments'),
  refunds: value('refunds'),
  withoutFee: value('withoutFee'),
  withoutVat: value('withoutVat'),
  matched: value('matched'),
  mismatched: value('mismatched'),
  unknown: value('unknown'),
  expected: value('expected'),
})

/** The sum of the figures; kopecks of all merchants are exact numbers. */
export const sumOf = (all: readonly SettlementFigures[]): SettlementFigures =>
  figuresWith((name) => all.reduce((sum, figures) => sum + figures[name], 0))

// ATOL's words that are its own; the others are in ../words.ts.

/** The numbers of tag 1212. */
export const OBJECTS: Readonly<Record<string, number>> = {
  commodity: 1,
  excise: 2,
  job: 3,
  service: 4,
  payment: 10,
  agentCommission: 11,
  composite: 12,
  other: 13,
}

/** The types of payment: cashless, and the offset of what was prepaid. */
export const CASHLESS = 1
export const PREPAID = 2

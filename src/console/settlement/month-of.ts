// The month of the pages of settlement: which one is asked for, its name, the ones beside it.
import { dayText } from '../formats.ts'
import { asked } from '../parts.ts'
import type { Visit } from '../visit.ts'

const MONTH = /^(?:19[7-9]\d|[2-8]\d{3}|9[0-8]\d\d|99[0-8]\d|999[0-8])-(?:0[1-9]|1[0-2])$/

/** The month that is asked for, by default the present one: `2026-11`. */
export function askedMonth(visit: Visit): string {
  const month = asked(visit, 'month')
  return MONTH.test(month) ? month : presentMonth(visit)
}

/** What a page needs to know which day it is. */
export type Clock = Pick<Visit, 'now'> & { config: Pick<Visit['config'], 'utcOffset'> }

export const presentMonth = (visit: Clock): string => dayText(visit.now, visit).slice(0, 7)

/** The month so many months later, where there is one. */
export function besideMonth(month: string, months: number): string | undefined {
  const [year = 0, number = 0] = month.split('-').map(Number)
  const text = new Date(Date.UTC(year, number - 1 + months)).toISOString().slice(0, 7)
  return MONTH.test(text) ? text : undefined
}

export const monthAddress = (base: string, month: string): string => `${base}settlement?month=${month}`

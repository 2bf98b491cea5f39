// The days of a filter, `from` and `to`: validation, and conversion to query parameters of the API.
import type { Html } from '../web/layout.ts'
import { asked, field, textsOf } from './parts.ts'
import type { Visit } from './visit.ts'

type Bound = 'from' | 'to'

/** A day that a filter asks for: `2026-11-22`; undefined if the filter is empty, or is not a day. */
export function askedDay(visit: Visit, name: Bound): string | undefined {
  const day = asked(visit, name)
  const time = /^\d{4}-\d\d-\d\d$/.test(day) ? Date.parse(day) : Number.NaN
  // Date.parse takes 30 February as 2 March.
  return Number.isNaN(time) || new Date(time).toISOString().slice(0, 10) !== day ? undefined : day
}

/** What is wrong with the days that a filter asks for, by their fields; undefined if nothing is. */
export function dayFaults(visit: Visit): Partial<Record<Bound, string>> | undefined {
  const { noSuchDay, beforeFrom } = textsOf(visit)
  const isNone = (name: Bound) => asked(visit, name) !== '' && askedDay(visit, name) === undefined
  const [from = '', to] = [askedDay(visit, 'from'), askedDay(visit, 'to')]
  const faults = {
    ...(isNone('from') && { from: noSuchDay }),
    ...(isNone('to') && { to: noSuchDay }),
    ...(to !== undefined && to < from && { to: beforeFrom }),
  }
  return Object.keys(faults).length > 0 ? faults : undefined
}

/** The fields of both days. */
export function dayFields(visit: Visit): Html[] {
  const faults = dayFaults(visit)
  return (['from', 'to'] as const).map((name) =>
    field({
      name,
      label: textsOf(visit)[name],
      type: 'date',
      value: askedDay(visit, name),
      fault: faults?.[name],
    }),
  )
}

/** The beginning or the end of a day of the filter, as a time of the API. */
export function dayBound(visit: Visit, name: Bound): string | undefined {
  const day = askedDay(visit, name)
  return day && boundOf(day, name, visit)
}

/** The beginning or the end of a day, as a time of the API. */
export const boundOf = (day: string, bound: Bound, { config }: Visit): string =>
  `${day}T${bound === 'from' ? '00:00:00' : '23:59:59'}${config.utcOffset}`

// Formats counts and sizes for the operator.
import { html } from 'hono/html'
import type { Language } from '../../http/negotiation.ts'
import type { Html } from '../../web/layout.ts'
import { badge } from '../parts.ts'
import type { Visit } from '../visit.ts'

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const

/** `1 000 000`. */
export const count = (value: number, language: Language): string =>
  new Intl.NumberFormat(language).format(value)

/** `1,2 МБ`, of 1000 each; the exact number is its title. */
export function size(bytes: number, language: Language): Html {
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), UNITS.length - 1)
  const inUnit = (value: number, unit = 'byte') =>
    new Intl.NumberFormat(language, { style: 'unit', unit, maximumFractionDigits: 1 }).format(value)
  return html`<span title="${inUnit(bytes)}">${inUnit(bytes / 1000 ** power, UNITS[power])}</span>`
}

/** How many there are in each status; the statuses are names of STATES. */
export const counts = (byState: readonly (readonly [state: string, value: number])[], visit: Visit): Html =>
  byState.length === 0
    ? html`0`
    : html`<span class="counts">${byState.map(([state, value]) => html`<span>${badge(state, visit)} ${count(value, visit.language)}</span>`)}</span>`

// npx node bench/fill.ts FILE… <LINE: writes the figures of a run, whose last line is on standard input, into the tables of documents.
import { readFileSync, writeFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import * as z from 'zod'
import { figure } from './table.ts'

const Named = z.record(z.string(), z.unknown())
const NUMBER = /\d+(?:,\d{3})*(?:\.\d+)?|–/g

/**
 * Fills each row whose last cell is the name of a figure, such as `startup_ms` or `console_ms.today`: the numbers after the row's
 * first cell, from left to right, become those of the figure, one or those of an object. What the figures lack stays.
 */
export function fill(document: string, figures: unknown): string {
  return document.replace(/^\|([^|]*)\|(.*)\| `([^`]+)` *\|$/gm, (row, label, cells, name) => {
    const values = valuesAt(figures, name.split('.'))
    if (values.length === 0) return row
    const filled = cells.split('|').map((cell: string) => {
      const content = cell.trim().replace(NUMBER, (old) => (values.length > 0 ? shown(values.shift()) : old))
      return ` ${content.padStart(cell.length - 2)} `
    })
    return row.replace(`|${label}|${cells}|`, () => `|${label}|${filled.join('|')}|`)
  })
}

function valuesAt(figures: unknown, path: readonly string[]): unknown[] {
  const value = path.reduce((of, name) => Named.safeParse(of).data?.[name], figures)
  if (value === undefined) return []
  const named = Named.safeParse(value)
  return named.success ? Object.values(named.data) : [value]
}

/** What was not measured is null. */
function shown(value: unknown): string {
  if (typeof value !== 'number') return '–'
  if (value >= 1000) return value.toLocaleString('en', { maximumFractionDigits: 0 })
  return Number.isInteger(value) ? String(value) : figure(value)
}

if (import.meta.main) {
  const figures: unknown = JSON.parse((await text(process.stdin)).trimEnd().split('\n').at(-1) ?? '')
  for (const file of process.argv.slice(2)) writeFileSync(file, fill(readFileSync(file, 'utf8'), figures))
}

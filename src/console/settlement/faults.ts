// What is wrong with a file of a bank, by line and column.
import { html } from 'hono/html'
import type { Html } from '../../web/layout.ts'
import { table } from '../parts.ts'
import { SETTLEMENT_TEXTS } from '../texts-settlement.ts'
import type { Visit } from '../visit.ts'
import { faultInRussian } from './fault-texts.ts'

/** @param faults such as `{"lines[17].SUM": ["is 1,234, must have two digits"]}` */
export function faultsTable(faults: Readonly<Record<string, readonly string[]>>, visit: Visit): Html {
  const texts = SETTLEMENT_TEXTS[visit.language]
  return table(
    [[texts.faultLine, 'name'], [texts.faultColumn], [texts.fault]],
    Object.entries(faults).flatMap(([place, rules]) => {
      const { line, column } = placeOf(place)
      return rules.map((rule) => [
        line === undefined ? html`<bdi>${column || texts.wholeFile}</bdi>` : `${texts.faultLine} ${line}`,
        line !== undefined && column && html`<bdi>${numbered(column)}</bdi>`,
        faultText(rule, visit),
      ])
    }),
    texts.fault,
  )
}

function faultText(rule: string, { language }: Visit): Html {
  const text = language === 'ru' ? faultInRussian(rule) : rule
  return text === undefined ? html`<span lang="en"><bdi>${rule}</bdi></span>` : html`<bdi>${text}</bdi>`
}

/** T-Bank numbers its columns, and docs/settlement.md names them: an accountant counts. */
const NUMBERS = [
  ...['number', 'payer', 'system', 'order', 'date', 'time', 'zone', 'operationId', 'terminal', 'processedOn'],
  ...['paidOn', 'amount', 'fee', 'toBePaid', 'type', 'rrn', 'paymentId'],
]

function numbered(column: string): string {
  if (column === 'fiscalFee') return `13.1 (${column})`
  const index = NUMBERS.indexOf(column)
  return index < 0 ? column : `${index + 1} (${column})`
}

/** `lines[17].SUM` is line 17 and its column; a path of JSON has no line. */
export function placeOf(place: string): { line?: number; column: string } {
  const [, line, column = ''] = /^lines\[(\d+)\](?:\.([\s\S]*))?$/.exec(place) ?? []
  if (line !== undefined) return { line: Number(line), column }
  return { column: place === 'file' ? '' : place }
}

// The audit: what operators did, and commands on the machine, newest first.
import { html } from 'hono/html'
import type { Values } from '../../api/operations.ts'
import { parseMinorUnits } from '../../contract/amount.ts'
import type { AuditRow } from '../../contract/audit.ts'
import { ApiError } from '../../errors.ts'
import type { Html } from '../../web/layout.ts'
import { money } from '../../web/payer/formats.ts'
import { dayBound, dayFaults, dayFields } from '../days.ts'
import { exactly } from '../formats.ts'
import { consolePage } from '../page.ts'
import { asked, empty, field, filters, nothingFound, pageCursor, pager, table } from '../parts.ts'
import { AUDIT_TEXTS } from '../texts-audit.ts'
import { OPERATOR_READERS, type Route, type Visit } from '../visit.ts'
import { siteAddress } from './sites.ts'

export const AUDIT: Route = {
  method: 'get',
  path: '/operator/audit',
  scopes: OPERATOR_READERS,
  handle: showAudit,
}

async function showAudit(visit: Visit): Promise<Response> {
  const texts = AUDIT_TEXTS[visit.language]
  const [siteId, key] = [asked(visit, 'siteId').trim(), asked(visit, 'key').trim()]
  const isFiltered = [siteId, key, asked(visit, 'from'), asked(visit, 'to')].some((value) => value !== '')
  const { rows, next } = await rowsBy(visit, { siteId, key })
  return consolePage(visit, {
    title: texts.title,
    active: 'operator/audit',
    main: html`<h1>${texts.title}</h1><p class="hint">${texts.lead}</p>
      ${filters(
        visit,
        [
          field({ name: 'siteId', label: texts.site, value: siteId, type: 'search', maxLength: 64 }),
          field({ name: 'key', label: texts.key, value: key, type: 'search', maxLength: 128 }),
          ...dayFields(visit),
        ],
        isFiltered,
      )}
      ${
        rows.length > 0
          ? html`<section class="card">${listOf(rows, visit)}</section>`
          : isFiltered
            ? nothingFound(visit, dayFaults(visit) !== undefined)
            : empty(texts.none, texts.noneAdvice)
      }
      ${pager(visit, pageCursor(next))}`,
  })
}

/** A value that no row can have finds nothing: it is no error. */
async function rowsBy(visit: Visit, query: { siteId: string; key: string }): Promise<Values['listAudit']> {
  if (dayFaults(visit)) return { rows: [] }
  try {
    return await visit.call('listAudit', {
      query: {
        ...query,
        from: dayBound(visit, 'from'),
        to: dayBound(visit, 'to'),
        cursor: asked(visit, 'cursor'),
      },
    })
  } catch (error) {
    if (error instanceof ApiError && (error.fields?.siteId || error.fields?.key)) return { rows: [] }
    throw error
  }
}

/** An act with its result; or, where the page has only one of the two rows, that one. */
interface Entry {
  row: AuditRow
  intent?: AuditRow | undefined
}

/** The acts of the rows of a page, newest first. */
function entriesOf(rows: readonly AuditRow[]): Entry[] {
  const ended = new Set(rows.flatMap(({ intent }) => intent ?? []))
  return rows
    .filter(({ number }) => !ended.has(number))
    .map((row) => ({ row, intent: rows.find(({ number }) => number === row.intent) }))
}

function listOf(rows: readonly AuditRow[], visit: Visit): Html {
  const texts = AUDIT_TEXTS[visit.language]
  return table(
    [
      [texts.number],
      [texts.act, 'name'],
      [texts.by],
      [texts.result, 'state'],
      [texts.details],
      [texts.time, 'when'],
    ],
    entriesOf(rows).map(({ row, intent }) => [
      numbersOf(row),
      html`${texts.acts[row.act] ?? html`<code>${row.act}</code>`}${
        row.siteId &&
        html` <a href="${siteAddress(visit, row.siteId)}"><bdi class="whole">${row.siteId}</bdi></a>`
      }`,
      whose(row, visit),
      html`<span class="badge ${TONES[row.result] ?? ''}">${texts.results[row.result] ?? row.result}</span>${
        row.result === 'STARTED' && html`<small>${texts.noResult}</small>`
      }`,
      detailsOf(row, visit),
      html`${exactly(row.at, visit)}${
        intent && intent.at !== row.at && html`<small>${texts.begun}: ${exactly(intent.at, visit)}</small>`
      }`,
    ]),
    texts.title,
  )
}

/** `5, 6`: the row of the intent and that of the result. */
const numbersOf = ({ number, intent }: AuditRow): string =>
  intent === undefined ? String(number) : `${intent}, ${number}`

function whose({ act, keyId, label, personId, name }: AuditRow, visit: Visit): Html {
  const texts = AUDIT_TEXTS[visit.language]
  if (act === 'token.end') return html`${texts.payer}`
  if (personId !== undefined) return html`<bdi class="whole">${name ?? personId}</bdi>`
  if (keyId === undefined)
    return html`<bdi class="whole">${label ?? ''}</bdi> <small>${texts.machine}</small>`
  return html`<bdi class="whole">${label ?? texts.unnamed}</bdi> <code class="whole">${keyId}</code>`
}

function detailsOf({ details }: AuditRow, visit: Visit): Html {
  const { names, yes, no } = AUDIT_TEXTS[visit.language]
  const said = (value: string | number | boolean) =>
    typeof value === 'boolean'
      ? value
        ? yes
        : no
      : (sumOf(value, visit) ?? html`<code class="whole">${value}</code>`)
  return html`${Object.entries(details).map(
    ([name, value]) => html`<div><small>${names[name] ?? name}:</small> ${said(value)}</div>`,
  )}`
}

/** `15000.00 RUB` as a person reads it; undefined for what is no sum. */
function sumOf(value: string | number, { language }: Visit): Html | undefined {
  const [, units = '', currency = ''] = /^(\d+\.\d\d) ([A-Z]{3})$/.exec(`${value}`) ?? []
  const minorUnits = parseMinorUnits(units)
  return minorUnits === undefined
    ? undefined
    : html`<span class="sum">${money({ minorUnits, currency }, language)}</span>`
}

const TONES: Record<string, string> = { DONE: 'good', REFUSED: 'off', FAILED: 'bad' }

// The audit: what operators did, and commands on the machine, newest first.
import { html } from 'hono/html'
import type { Values } from '../../api/operations.ts'
import type { AuditRow } from '../../contract/audit.ts'
import { ApiError } from '../../errors.ts'
import type { Html } from '../../web/layout.ts'
import { dayBound, dayFaults, dayFields } from '../days.ts'
import { when } from '../formats.ts'
import { consolePage } from '../page.ts'
import { asked, empty, field, filters, nothingFound, pageCursor, pager, table } from '../parts.ts'
import { OPERATOR_TEXTS } from '../texts-operator.ts'
import { OPERATORS, type Route, type Visit } from '../visit.ts'
import { siteAddress } from './sites.ts'

export const AUDIT: Route = { method: 'get', path: '/operator/audit', scopes: OPERATORS, handle: showAudit }

async function showAudit(visit: Visit): Promise<Response> {
  const texts = OPERATOR_TEXTS[visit.language].audit
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

/** What no row can have is in no row, so that is not an error. */
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

function listOf(rows: readonly AuditRow[], visit: Visit): Html {
  const texts = OPERATOR_TEXTS[visit.language].audit
  return table(
    [[texts.act, 'name'], [texts.by], [texts.result, 'state'], [texts.details], [texts.time, 'when']],
    rows.map(({ number, at, act, siteId, keyId, label, details, result, intent }) => [
      html`<small>${number}</small> ${texts.acts[act]}${
        siteId && html` <a href="${siteAddress(visit, siteId)}"><bdi>${siteId}</bdi></a>`
      }`,
      html`<bdi>${label ?? (keyId ? texts.unnamed : '')}</bdi> ${keyId ? html`<code class="uid">${keyId}</code>` : texts.machine}`,
      html`<span class="badge ${TONES[result]}">${texts.results[result]}</span>${
        intent !== undefined && html` <small>${texts.of} ${intent}</small>`
      }`,
      html`${Object.entries(details).map(
        ([name, value]) => html`<div><small>${name}</small> <code>${String(value)}</code></div>`,
      )}`,
      when(at, visit),
    ]),
    texts.title,
  )
}

const TONES: Record<AuditRow['result'], string> = { STARTED: '', DONE: 'good', REFUSED: 'off', FAILED: 'bad' }

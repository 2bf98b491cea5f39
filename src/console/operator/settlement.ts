// The operator's page of settlement: the figures of each site in a month, and their sums.
import { html } from 'hono/html'
import { dayOf, dayText } from '../../contract/days.ts'
import { Month } from '../../contract/settlements/month.ts'
import type { SettlementFigures, SiteSettlement } from '../../contract/settlements/month-figures.ts'
import { sumOf } from '../../contract/settlements/month-figures.ts'
import type { Html } from '../../web/layout.ts'
import { money } from '../../web/payer/formats.ts'
import { consolePage } from '../page.ts'
import { asked, empty, field, filters, stateName, table } from '../parts.ts'
import { OPERATOR_SETTLEMENT_TEXTS } from '../texts-operator-settlement.ts'
import { OPERATOR_READERS, type Route, type Visit } from '../visit.ts'
import { count } from './figures.ts'
import { siteAddress } from './sites.ts'

export const SETTLEMENT: Route = {
  method: 'get',
  path: '/operator/settlement',
  scopes: OPERATOR_READERS,
  handle: showSettlement,
}

/** Banks pay out in roubles alone. */
const CURRENCY = 'RUB'

async function showSettlement(visit: Visit): Promise<Response> {
  const texts = OPERATOR_SETTLEMENT_TEXTS[visit.language]
  const given = asked(visit, 'month').trim()
  const isMonth = Month.safeParse(given).success
  const month = isMonth ? given : thisMonth(visit)
  const fault = given !== '' && !isMonth ? texts.noSuchMonth : undefined
  const { sites } = await visit.call('listSettlementsOfSites', { query: { month } })
  const choice = field({ name: 'month', label: texts.month, value: month, maxLength: 7, fault })
  return consolePage(visit, {
    title: texts.title,
    active: 'operator/settlement',
    main: html`<h1>${texts.title}</h1><p class="hint">${texts.lead}</p>
      ${filters(visit, [choice], given !== '')}
      <nav class="pager"><a href="?month=${besides(month, -1)}">← ${texts.back}</a><a href="?month=${besides(month, 1)}">${texts.forward} →</a></nav>
      ${sites.length > 0 ? listOf(sites, visit) : empty(texts.none, texts.noneAdvice)}`,
  })
}

/** Of the deployment's offset from UTC. */
const thisMonth = ({ now, config }: Visit): string => dayText(dayOf(now, config.utcOffset)).slice(0, 7)

/** A month before or after. */
function besides(month: string, by: number): string {
  const [year = 0, number = 0] = month.split('-').map(Number)
  return new Date(Date.UTC(year, number - 1 + by)).toISOString().slice(0, 7)
}

function listOf(sites: readonly SiteSettlement[], visit: Visit): Html {
  const texts = OPERATOR_SETTLEMENT_TEXTS[visit.language]
  const columns = [
    [texts.site, 'name'],
    [texts.gross],
    [texts.refunded],
    [texts.fee],
    [texts.net],
    [texts.states, 'state'],
  ] as const
  const rows = sites.map((site) => [
    html`<a href="${siteAddress(visit, site.siteId)}"><bdi>${site.siteId}</bdi></a>${
      site.name && html` <small><bdi>${site.name}</bdi></small>`
    }`,
    ...cellsOf(site, visit),
  ])
  const total = [html`<strong>${texts.total}</strong>`, ...cellsOf(sumOf(sites), visit)]
  return html`<section class="card">${table(columns, [...rows, total], texts.title)}</section>`
}

function cellsOf(figures: SettlementFigures, visit: Visit): Html[] {
  const texts = OPERATOR_SETTLEMENT_TEXTS[visit.language]
  const sum = (minorUnits: number) =>
    html`<span class="sum">${money({ minorUnits, currency: CURRENCY }, visit.language)}</span>`
  const { withoutFee } = figures
  const shown = (value: number) => count(value, visit.language)
  return [
    sum(figures.gross),
    sum(figures.refunded),
    html`${sum(figures.fee)}${withoutFee > 0 && html` <small>${texts.withoutFee(shown(withoutFee))}</small>`}`,
    sum(figures.net),
    statesOf(figures, visit),
  ]
}

/** What does not match is in view; what is 0 is left out. */
function statesOf({ matched, mismatched, unknown, expected }: SettlementFigures, visit: Visit): Html {
  const found = [
    ['MATCHED', matched, 'good'],
    ['MISMATCHED', mismatched, 'bad'],
    ['UNKNOWN', unknown, 'bad'],
    ['EXPECTED', expected, 'bad'],
  ] as const
  return html`<ul class="counts">${found.map(
    ([state, value, tone]) =>
      value > 0 &&
      html`<li><span class="badge ${tone}">${stateName(`SETTLEMENT_${state}`, visit)}: ${count(value, visit.language)}</span></li>`,
  )}</ul>`
}

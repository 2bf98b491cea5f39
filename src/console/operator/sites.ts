// The operator's lists: all sites, and those in which something is stuck.
import { html } from 'hono/html'
import type { Values } from '../../api/operations.ts'
import { type ListedSite, type Stuck, siteCursorOf } from '../../contract/site-list.ts'
import { ApiError } from '../../errors.ts'
import { networkOf } from '../../gateway/connection.ts'
import type { Html } from '../../web/layout.ts'
import { seconds, when } from '../formats.ts'
import { consolePage } from '../page.ts'
import { asked, empty, field, filters, notice, pager, select, table, textsOf } from '../parts.ts'
import { OPERATOR_TEXTS } from '../texts-operator.ts'
import { OPERATOR_READERS, type Route, type Visit } from '../visit.ts'
import { count } from './figures.ts'

export const SITES: readonly Route[] = [
  { method: 'get', path: '/operator/sites', scopes: OPERATOR_READERS, handle: showSites },
  { method: 'get', path: '/operator/stuck', scopes: OPERATOR_READERS, handle: showStuck },
]

async function showSites(visit: Visit): Promise<Response> {
  const texts = OPERATOR_TEXTS[visit.language]
  const q = asked(visit, 'q').trim()
  const deleted = asked(visit, 'deleted') === 'true' ? 'true' : ''
  const { sites, next } = await sitesBy(visit, { q, deleted, cursor: asked(visit, 'cursor') })
  const search = field({ name: 'q', label: texts.search, value: q, type: 'search', maxLength: 64 })
  return consolePage(visit, {
    title: texts.title,
    active: 'operator/sites',
    main: html`<div class="head"><h1>${texts.title}</h1><a class="button" href="new-site">${texts.newSite}</a></div>${notice(visit, texts.done)}
      ${filters(visit, [search, deletedFilter(visit, deleted)], q !== '' || deleted !== '')}
      ${sites.length > 0 ? listOf(sites, visit) : empty(texts.none, q ? texts.noneFound : texts.noneAdvice)}
      ${pager(visit, next && siteCursorOf(next))}`,
  })
}

const deletedFilter = (visit: Visit, chosen: string): Html => {
  const texts = OPERATOR_TEXTS[visit.language]
  const options = [
    { value: '', text: texts.existing },
    { value: 'true', text: texts.deletedSites },
  ]
  return select('deleted', texts.which, options, chosen)
}

/** A prefix that no siteId can have finds nothing: it is no error. */
async function sitesBy(visit: Visit, query: Record<string, string>): Promise<Values['listSites']> {
  try {
    return await visit.call('listSites', { query })
  } catch (error) {
    if (error instanceof ApiError && error.fields?.q) return { sites: [] }
    throw error
  }
}

async function showStuck(visit: Visit): Promise<Response> {
  const texts = OPERATOR_TEXTS[visit.language]
  const { sites, next } = await sitesBy(visit, { stuck: 'true', cursor: asked(visit, 'cursor') })
  return consolePage(visit, {
    title: texts.stuckTitle,
    active: 'operator/stuck',
    refresh: 60,
    main: html`<h1>${texts.stuckTitle}</h1><p class="hint">${texts.stuckLead}</p>
      ${sites.length > 0 ? listOf(sites, visit) : empty(texts.allWell, texts.allWellAdvice)}
      ${pager(visit, next && siteCursorOf(next))}`,
  })
}

function listOf(sites: readonly ListedSite[], visit: Visit): Html {
  const texts = OPERATOR_TEXTS[visit.language]
  const rows = sites.map(({ siteId, name, createdAt, stuck, closing }) => [
    html`<a href="${siteAddress(visit, siteId)}"><bdi>${siteId}</bdi></a>${testBadge(visit, siteId)}${
      name && html` <small><bdi>${name}</bdi></small>`
    }`,
    html`${
      closing &&
      html`<p><span class="badge bad">${texts.dataDeletedOn}</span> ${when(closing.deletesAt, visit)}</p>`
    }${stuck && stuckText(stuck, visit)}`,
    when(createdAt, visit),
  ])
  const columns = [
    [texts.site, 'name'],
    [texts.stuck, 'state'],
    [texts.created, 'when'],
  ] as const
  return html`<section class="card">${table(columns, rows, texts.title)}</section>`
}

/** The badge of a test site; false for other sites. */
export const testBadge = ({ config, language }: Visit, siteId: string): Html | false =>
  networkOf(config, siteId).isTest && html` <span class="badge">${OPERATOR_TEXTS[language].test}</span>`

/** The address of a site's page. */
export const siteAddress = ({ base }: Visit, siteId: string): string =>
  `${base}operator/sites/${encodeURIComponent(siteId)}`

/** What is stuck, and since when. Rows that only wait can go on by themselves: that is no fault yet. */
function stuckText(stuck: Stuck, visit: Visit): Html {
  const texts = OPERATOR_TEXTS[visit.language]
  const shared = textsOf(visit)
  const found = [
    [texts.overdue, stuck.overdueInstructions, 'bad'],
    [texts.failed, stuck.failedNotifications, 'bad'],
    [texts.instructions, stuck.instructions, ''],
    [texts.notifications, stuck.notifications, ''],
    [shared.lateReceipts, stuck.lateReceipts ?? 0, 'bad'],
    [shared.failedReceipts, stuck.failedReceipts ?? 0, 'bad'],
  ] as const
  const item = (text: string, tone: string) => html`<li><span class="badge ${tone}">${text}</span></li>`
  return html`<ul class="counts">${[
    stuck.isRestored && item(texts.restored, 'bad'),
    stuck.lacksKey && item(texts.withoutKey, 'bad'),
    stuck.isLarge && item(texts.large, 'bad'),
    ...found.map(
      ([label, value, tone]) => value > 0 && item(`${label}: ${count(value, visit.language)}`, tone),
    ),
  ]}${stuck.since && html`<li>${texts.since} ${when(seconds(stuck.since), visit)}</li>`}</ul>`
}

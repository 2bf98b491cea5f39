// The operator's pages: all sites, what is stuck, and one site with all that can be done to it.
import { html } from 'hono/html'
import type { DeliveryAnswer } from '../contract/notifications/log.ts'
import type { SiteAnswer } from '../contract/site.ts'
import type { SitesAnswer } from '../contract/site-list.ts'
import { ApiError, ERRORS } from '../errors.ts'
import { respond, seeOther } from '../http/response.ts'
import type { Html } from '../web/layout.ts'
import { when } from './formats.ts'
import { consolePage } from './page.ts'
import { asked, empty, facts, field, notice, pager, pathOf, type Refusal, refusal, table } from './parts.ts'
import { OPERATOR_TEXTS } from './texts-operator.ts'
import { OPERATORS, type Route, type Visit } from './visit.ts'

type Texts = (typeof OPERATOR_TEXTS)['en']
type Listed = SitesAnswer['sites'][number]

const textsOf = ({ language }: Visit): Texts => OPERATOR_TEXTS[language]

async function showSites(visit: Visit): Promise<Response> {
  const texts = textsOf(visit)
  const q = asked(visit, 'q').trim()
  const { sites, nextCursor } = await sitesBy(visit, { q, cursor: asked(visit, 'cursor') })
  return consolePage(visit, {
    title: texts.title,
    active: 'operator/sites',
    main: html`<h1>${texts.title}</h1>${notice(visit, texts.done)}
      <form class="filters" role="search">${field({ name: 'q', label: texts.search, value: q, type: 'search', maxLength: 64 })}<div class="actions"><button>${texts.find}</button></div></form>
      ${sites.length > 0 ? listOf(sites, visit) : empty(texts.none, q ? texts.noneFound : texts.noneAdvice)}
      ${pager(visit, nextCursor)}`,
  })
}

/** What no siteId begins with is in no list, so that is not an error. */
async function sitesBy(visit: Visit, query: Record<string, string>): Promise<SitesAnswer> {
  try {
    return await visit.call<SitesAnswer>('listSites', { query })
  } catch (error) {
    if (error instanceof ApiError && error.fields?.q) return { sites: [] }
    throw error
  }
}

async function showStuck(visit: Visit): Promise<Response> {
  const texts = textsOf(visit)
  const { sites, nextCursor } = await sitesBy(visit, { stuck: 'true', cursor: asked(visit, 'cursor') })
  return consolePage(visit, {
    title: texts.stuckTitle,
    active: 'operator/stuck',
    refresh: 60,
    main: html`<h1>${texts.stuckTitle}</h1><p>${texts.stuckLead}</p>
      ${sites.length > 0 ? listOf(sites, visit) : empty(texts.allWell, texts.allWellAdvice)}
      ${pager(visit, nextCursor)}`,
  })
}

const siteAddress = ({ base }: Visit, siteId: string): string =>
  `${base}operator/sites/${encodeURIComponent(siteId)}`

function listOf(sites: readonly Listed[], visit: Visit): Html {
  const texts = textsOf(visit)
  const rows = sites.map(({ siteId, name, createdOn, stuck }) => [
    html`<a href="${siteAddress(visit, siteId)}"><bdi>${siteId}</bdi></a>`,
    name && html`<bdi>${name}</bdi>`,
    stuck ? stuckText(stuck, visit) : texts.nothing,
    when(createdOn, visit),
  ])
  const columns = [
    [texts.site, 'name'],
    [texts.shop],
    [texts.stuck, 'state'],
    [texts.created, 'when'],
  ] as const
  return html`<section class="card">${table(columns, rows, texts.title)}</section>`
}

/** What is stuck, and since when. */
function stuckText(stuck: NonNullable<Listed['stuck']>, visit: Visit): Html {
  const texts = textsOf(visit)
  const counts = [
    [texts.overdue, stuck.overdueInstructions],
    [texts.instructions, stuck.instructions],
    [texts.failed, stuck.failedNotifications],
    [texts.notifications, stuck.notifications],
  ] as const
  return html`<ul class="stuck">${stuck.restored && html`<li><span class="badge bad">${texts.restored}</span></li>`}${counts.map(
    ([label, count]) => count > 0 && html`<li><span class="badge bad">${label}: ${count}</span></li>`,
  )}${stuck.since && html`<li>${texts.since} ${when(stuck.since, visit)}</li>`}</ul>`
}

const siteIdOf = (visit: Visit, template: string): string => pathOf(visit, template).siteId ?? ''

/** What a form of the site's page has, and why it was refused. */
interface Refused extends Omit<Refusal, 'fields'> {
  typed?: string
}

async function showSite(visit: Visit, template: string, refused?: Refused): Promise<Response> {
  const texts = textsOf(visit)
  const siteId = siteIdOf(visit, template)
  const site = await visit.call<SiteAnswer>('getSite', { path: { siteId } })
  const { notifications, instructions } = site
  return consolePage(visit, {
    title: siteId,
    active: 'operator/sites',
    status: refused?.status ?? 200,
    main: html`<h1><bdi>${siteId}</bdi></h1>${notice(visit, texts.done)}${refused?.alert}
      ${site.restored && html`<p class="alert"><strong>${texts.restored}</strong></p>`}
      <section class="card">${facts([
        [texts.shop, site.name],
        [texts.created, when(site.createdOn, visit)],
        [texts.lastChange, when(site.lastChange, visit)],
        [texts.notifications, waiting(notifications, visit)],
        [texts.failed, `${notifications.failed}`],
        [texts.instructions, waiting(instructions, visit)],
        [texts.bytes, `${site.bytes}`],
        [texts.epoch, html`<code>${site.epoch}</code>`],
      ])}</section>
      ${instructions.overdue.length > 0 && overdueOf(site, visit)}
      <section class="card"><h2>${texts.counts}</h2>${facts([
        [texts.qrCodes, counts(site.qrCodes)],
        [texts.payments, counts(site.payments)],
        [texts.refunds, counts(site.refunds)],
        [texts.tokens, counts(site.tokens)],
      ])}</section>
      ${site.restored && resumeForm(siteId, visit)}
      <section class="card"><h2>${texts.exportTitle}</h2><p>${texts.exportLead}</p>
        <p><a class="button" href="${siteAddress(visit, siteId)}/export">${texts.download}</a></p></section>
      ${deletionForm(siteId, visit, refused?.typed)}`,
  })
}

const counts = (byStatus: Partial<Record<string, number>>): string =>
  Object.entries(byStatus)
    .map(([status, count]) => `${status} ${count}`)
    .join(', ') || '0'

const waiting = (
  { pending, oldestPending }: SiteAnswer['notifications'] | SiteAnswer['instructions'],
  visit: Visit,
) => html`${pending}${oldestPending && html`. ${textsOf(visit).since} ${when(oldestPending, visit)}`}`

function overdueOf({ siteId, instructions }: SiteAnswer, visit: Visit): Html {
  const texts = textsOf(visit)
  const rows = instructions.overdue.map(({ id, type, since, taken, ...of }) => [
    html`<code>${type}</code> <small><code>${id}</code></small>`,
    html`<bdi>${of.refundUid ?? of.paymentUid ?? of.bindingUid ?? of.qrcId ?? ''}</bdi>`,
    taken ? texts.yes : texts.no,
    when(since, visit),
    html`<form method="post" action="${siteAddress(visit, siteId)}/instructions/${encodeURIComponent(id)}/send"><button>${texts.send}</button></form>`,
  ])
  return html`<section class="card"><h2>${texts.overdue}</h2>${table(
    [
      [texts.instruction, 'name'],
      [texts.about],
      [texts.taken, 'state'],
      [texts.since, 'when'],
      [texts.action],
    ],
    rows,
    texts.overdue,
  )}</section>`
}

const resumeForm = (siteId: string, visit: Visit): Html => {
  const texts = textsOf(visit)
  return html`<section class="card"><h2>${texts.resumeTitle}</h2><p>${texts.resumeLead}</p>
    <form method="post" action="${siteAddress(visit, siteId)}/resume"><button class="primary">${texts.resume}</button></form></section>`
}

const deletionForm = (siteId: string, visit: Visit, typed = ''): Html => {
  const texts = textsOf(visit)
  return html`<section class="card"><h2>${texts.deleteTitle}</h2><p>${texts.deleteLead}</p>
    <form method="post" action="${siteAddress(visit, siteId)}/delete">
      ${field({ name: 'siteId', label: texts.typeName(siteId), value: typed, isRequired: true, maxLength: 64 })}
      <label class="check"><input type="checkbox" name="force" value="yes"> ${texts.force}</label>
      <button class="danger">${texts.delete}</button>
    </form></section>`
}

async function deleteSite(visit: Visit): Promise<Response> {
  const texts = textsOf(visit)
  const template = '/{siteId}/delete'
  const siteId = siteIdOf(visit, template)
  const form = await visit.form()
  const typed = form.get('siteId') ?? ''
  try {
    await visit.send('deleteSite', { path: { siteId }, body: { siteId: typed, force: form.has('force') } })
    return seeOther(visit.c, `${visit.base}operator/sites?done=deleted`)
  } catch (error) {
    const said = error instanceof ApiError && reasonOf(error, texts)
    if (!said) throw error
    const alert = html`<div class="alert" role="alert"><strong>${said}</strong></div>`
    return showSite(visit, template, { typed, status: ERRORS[error.code].status, alert })
  }
}

function reasonOf({ code, fields }: ApiError, texts: Texts): string | undefined {
  if (fields?.siteId) return texts.mismatch
  return code === 'payin.incorrect-method-invocation' ? texts.inFlight : undefined
}

async function sendInstruction(visit: Visit): Promise<Response> {
  const template = '/{siteId}/instructions/{instructionId}/send'
  const path = pathOf(visit, template)
  try {
    const { httpStatus } = await visit.call<DeliveryAnswer>('sendInstruction', { path })
    const isTaken = httpStatus !== undefined && httpStatus >= 200 && httpStatus < 300
    return seeOther(visit.c, `${siteAddress(visit, path.siteId ?? '')}?done=${isTaken ? 'sent' : 'failed'}`)
  } catch (error) {
    return showSite(visit, template, refusal(error, visit))
  }
}

async function resumeSite(visit: Visit): Promise<Response> {
  const siteId = siteIdOf(visit, '/{siteId}/resume')
  await visit.send('resumeSite', { path: { siteId } })
  return seeOther(visit.c, `${siteAddress(visit, siteId)}?done=resumed`)
}

/** The file as the API makes it, with the headers of every response. */
async function exportSite(visit: Visit): Promise<Response> {
  const siteId = siteIdOf(visit, '/{siteId}/export')
  const file = await visit.send('exportSite', { path: { siteId } })
  return respond(visit.c, file.body, file.status, {
    'Content-Type': file.headers.get('Content-Type') ?? undefined,
    'Content-Disposition': file.headers.get('Content-Disposition') ?? undefined,
  })
}

const SITE = '/operator/sites/:siteId'

export const OPERATOR_ROUTES: readonly Route[] = [
  { method: 'get', path: '/operator/sites', scopes: OPERATORS, handle: showSites },
  { method: 'get', path: '/operator/stuck', scopes: OPERATORS, handle: showStuck },
  { method: 'get', path: SITE, scopes: OPERATORS, handle: (visit) => showSite(visit, '/{siteId}') },
  { method: 'get', path: `${SITE}/export`, scopes: OPERATORS, handle: exportSite },
  { method: 'post', path: `${SITE}/resume`, scopes: OPERATORS, handle: resumeSite },
  { method: 'post', path: `${SITE}/delete`, scopes: OPERATORS, handle: deleteSite },
  {
    method: 'post',
    path: `${SITE}/instructions/:instructionId/send`,
    scopes: OPERATORS,
    handle: sendInstruction,
  },
]

// The operator's page of one site: how it is, and all that can be done to it.
import { html } from 'hono/html'
import { isAccepted } from '../../contract/delivery.ts'
import type { SiteHealth } from '../../contract/site.ts'
import type { Closing } from '../../contract/site-list.ts'
import { ApiError, ERRORS } from '../../errors.ts'
import { seeOther } from '../../http/response.ts'
import type { Html } from '../../web/layout.ts'
import { seconds, when } from '../formats.ts'
import { consolePage } from '../page.ts'
import { type FormError, facts, field, formError, notice, pathOf } from '../parts.ts'
import { tokenState } from '../states.ts'
import { CODE_TEXTS } from '../texts-codes.ts'
import { OPERATOR_TEXTS } from '../texts-operator.ts'
import { OPERATOR_READERS, OPERATORS, type Route, type Visit } from '../visit.ts'
import { registerOf, setCashRegister, type TypedRegister } from './cash-register.ts'
import { count, counts, size } from './figures.ts'
import { limitsForm, type TypedLimits, typedLimits } from './limits.ts'
import { overdueOf } from './overdue.ts'
import { inviteAgain, inviteOwner, ownersOf, type RefusedOwner } from './owners.ts'
import { siteAddress, testBadge } from './sites.ts'

const PATH = '/operator/sites/:siteId'

export const SITE: readonly Route[] = [
  { method: 'get', path: PATH, scopes: OPERATOR_READERS, handle: (visit) => showSite(visit, '/{siteId}') },
  { method: 'get', path: `${PATH}/export`, scopes: OPERATORS, handle: exportSite },
  { method: 'post', path: `${PATH}/resume`, scopes: OPERATORS, handle: resumeSite },
  { method: 'post', path: `${PATH}/limits`, scopes: OPERATORS, handle: setLimits },
  { method: 'post', path: `${PATH}/cash-register`, scopes: OPERATORS, handle: setRegister },
  { method: 'post', path: `${PATH}/owners`, scopes: OPERATORS, handle: addOwner },
  { method: 'post', path: `${PATH}/owners/:id/invite`, scopes: OPERATORS, handle: inviteAgain },
  { method: 'post', path: `${PATH}/restore`, scopes: OPERATORS, handle: restoreSite },
  { method: 'post', path: `${PATH}/delete`, scopes: OPERATORS, handle: deleteSite },
  {
    method: 'post',
    path: `${PATH}/instructions/:instructionId/send`,
    scopes: OPERATORS,
    handle: sendInstruction,
  },
]

const siteIdOf = (visit: Visit, template: string): string => pathOf(visit, template).siteId ?? ''

/** Why a form of the page was refused; of the deletion, the limits and the owner also what was typed, and its faults. */
interface Refused extends Omit<FormError, 'fields'> {
  typed?: string
  fault?: string | undefined
  limits?: TypedLimits
  owner?: RefusedOwner
  register?: TypedRegister
}

async function showSite(visit: Visit, template: string, refused?: Refused): Promise<Response> {
  const texts = OPERATOR_TEXTS[visit.language]
  const siteId = siteIdOf(visit, template)
  const [site, owners] = await Promise.all([
    visit.call('getSite', { path: { siteId } }),
    visit.call('listOwners', { path: { siteId } }),
  ])
  const { notifications, instructions } = site
  const register = await registerOf(site, visit, refused?.register)
  const isOperator = visit.may(...OPERATORS)
  return consolePage(visit, {
    title: siteId,
    active: 'operator/sites',
    status: refused?.status ?? 200,
    main: html`<a class="back" href="${visit.base}operator/sites">← ${texts.title}</a>
      <h1><bdi>${siteId}</bdi>${testBadge(visit, siteId)}</h1>${notice(visit, texts.done)}${refused?.alert}
      ${site.closing && isOperator && restoreForm(siteId, site.closing, visit)}
      ${site.isRestored && isOperator && resumeForm(siteId, visit)}
      ${instructions.overdue.length > 0 && overdueOf(site, visit)}
      <section class="card">${facts([
        [texts.shop, site.name],
        [texts.created, when(site.createdAt, visit)],
        [texts.lastChange, when(site.changedAt, visit)],
        [texts.notifications, waiting(notifications, visit)],
        [texts.failed, notifications.failed > 0 ? counts([['FAILED', notifications.failed]], visit) : '0'],
        [texts.instructions, waiting(instructions, visit)],
        [texts.bytes, size(site.bytes, visit.language)],
        [texts.epoch, html`<code>${site.epoch}</code> <small>${texts.epochHint}</small>`],
      ])}</section>
      ${!site.closing && ownersOf(siteId, owners, visit, refused?.owner)}
      ${countsOf(site, visit)}
      ${isOperator && limitsForm(siteId, site.limits, visit, refused?.limits)}
      ${register}
      ${
        isOperator &&
        html`<section class="card"><h2>${texts.exportTitle}</h2><p>${texts.exportLead}</p>
        <a class="button" href="${siteAddress(visit, siteId)}/export">${texts.download}</a></section>`
      }
      ${isOperator && !site.closing && deletionForm(siteId, visit, refused)}`,
  })
}

function countsOf({ qrCodes, payments, refunds, tokens }: SiteHealth, visit: Visit): Html {
  const texts = OPERATOR_TEXTS[visit.language]
  const linked = Object.entries(tokens).map(([status, value]) => [tokenState(status), value] as const)
  return html`<section class="card"><h2>${texts.counts}</h2>${facts([
    [texts.qrCodes, counts(Object.entries(qrCodes), visit)],
    [texts.payments, counts(Object.entries(payments), visit)],
    [texts.refunds, counts(Object.entries(refunds), visit)],
    [texts.tokens, counts(linked, visit)],
  ])}</section>`
}

const waiting = (
  { pending, oldest }: SiteHealth['notifications'] | SiteHealth['instructions'],
  visit: Visit,
) => {
  const since =
    oldest !== undefined && html`. ${OPERATOR_TEXTS[visit.language].since} ${when(seconds(oldest), visit)}`
  return html`${count(pending, visit.language)}${since}`
}

const resumeForm = (siteId: string, visit: Visit): Html => {
  const texts = OPERATOR_TEXTS[visit.language]
  return html`<section class="card"><h2>${texts.resumeTitle}</h2><p class="alert"><strong>${texts.restored}</strong></p><p>${texts.resumeLead}</p>
    <form method="post" action="${siteAddress(visit, siteId)}/resume"><button class="primary">${texts.resume}</button></form></section>`
}

const restoreForm = (siteId: string, { closedAt, deletesAt }: Closing, visit: Visit): Html => {
  const texts = OPERATOR_TEXTS[visit.language]
  return html`<section class="card"><h2>${texts.deletedTitle}</h2>${facts([
    [texts.deletedOn, when(closedAt, visit)],
    [texts.dataDeletedOn, when(deletesAt, visit)],
  ])}<p>${texts.deletedLead}</p>
    <form method="post" action="${siteAddress(visit, siteId)}/restore"><button class="primary">${texts.restore}</button></form></section>`
}

const deletionForm = (siteId: string, visit: Visit, { typed = '', fault }: Partial<Refused> = {}): Html => {
  const texts = OPERATOR_TEXTS[visit.language]
  return html`<section class="card"><h2>${texts.deleteTitle}</h2><p>${texts.deleteLead(visit.config.deletionDays)}</p>
    <form method="post" action="${siteAddress(visit, siteId)}/delete">
      ${field({
        name: 'siteId',
        label: texts.typeName(siteId),
        value: typed,
        isRequired: true,
        maxLength: 64,
        fault,
      })}
      <label class="check"><input type="checkbox" name="force" value="yes"> ${texts.force}</label>
      <button class="danger">${texts.delete}</button>
    </form></section>`
}

async function deleteSite(visit: Visit): Promise<Response> {
  const texts = OPERATOR_TEXTS[visit.language]
  const template = '/{siteId}/delete'
  const siteId = siteIdOf(visit, template)
  const form = await visit.form()
  const typed = form.get('siteId') ?? ''
  try {
    const body = { siteId: typed, force: form.has('force') }
    const closing = await visit.call('deleteSite', { path: { siteId }, body })
    const address = closing ? siteAddress(visit, siteId) : `${visit.base}operator/sites`
    return seeOther(visit.c, `${address}?done=deleted`)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const fault = error.fields?.siteId && texts.mismatch
    const said = error.code === 'payin.incorrect-method-invocation' ? texts.inFlight : fault
    if (!said) throw error
    const alert = html`<div class="alert" role="alert"><strong>${said}</strong></div>`
    return showSite(visit, template, { typed, fault, status: ERRORS[error.code].status, alert })
  }
}

async function sendInstruction(visit: Visit): Promise<Response> {
  const template = '/{siteId}/instructions/{instructionId}/send'
  const path = pathOf(visit, template)
  try {
    const isTaken = isAccepted(await visit.call('sendInstruction', { path }))
    return seeOther(visit.c, `${siteAddress(visit, path.siteId ?? '')}?done=${isTaken ? 'sent' : 'failed'}`)
  } catch (error) {
    return showSite(visit, template, formError(error, visit))
  }
}

async function resumeSite(visit: Visit): Promise<Response> {
  const siteId = siteIdOf(visit, '/{siteId}/resume')
  await visit.call('resumeSite', { path: { siteId } })
  return seeOther(visit.c, `${siteAddress(visit, siteId)}?done=resumed`)
}

async function restoreSite(visit: Visit): Promise<Response> {
  const siteId = siteIdOf(visit, '/{siteId}/restore')
  await visit.call('restoreSite', { path: { siteId } })
  return seeOther(visit.c, `${siteAddress(visit, siteId)}?done=undeleted`)
}

async function setLimits(visit: Visit): Promise<Response> {
  const template = '/{siteId}/limits'
  const siteId = siteIdOf(visit, template)
  const { values, body } = typedLimits(await visit.form())
  try {
    await visit.call('putLimits', { path: { siteId }, body })
    return seeOther(visit.c, `${siteAddress(visit, siteId)}?done=limited`)
  } catch (error) {
    const { badAmount } = CODE_TEXTS[visit.language].fresh
    const own = { 'maxPayment.value': badAmount, 'maxRefundsPerDay.value': badAmount }
    const { fields: faults, ...refused } = formError(error, visit, own)
    return showSite(visit, template, { ...refused, limits: { values, faults } })
  }
}

function setRegister(visit: Visit): Promise<Response> {
  const template = '/{siteId}/cash-register'
  return setCashRegister(visit, siteIdOf(visit, template), ({ fields: _, ...refused }) =>
    showSite(visit, template, refused),
  )
}

async function addOwner(visit: Visit): Promise<Response> {
  const template = '/{siteId}/owners'
  const form = await visit.form()
  return inviteOwner(visit, siteIdOf(visit, template), form, (owner) =>
    showSite(visit, template, { status: owner.status, owner, alert: owner.alert }),
  )
}

function exportSite(visit: Visit): Promise<Response> {
  return visit.file('exportSite', { path: { siteId: siteIdOf(visit, '/{siteId}/export') } })
}

// A new site: the operator brings in a merchant, by an invitation of its first owner.
import { html } from 'hono/html'
import { ApiError } from '../../errors.ts'
import { consolePage } from '../page.ts'
import { field, formError } from '../parts.ts'
import { OPERATOR_TEXTS } from '../texts-operator.ts'
import { OPERATORS, type Route, type Visit } from '../visit.ts'
import { inviteOwner, ownerFields, type RefusedOwner } from './owners.ts'

// Beside the sites: a site can have any name.
const PATH = '/operator/new-site'

export const NEW_SITE: readonly Route[] = [
  { method: 'get', path: PATH, scopes: OPERATORS, handle: (visit) => newSite(visit, '') },
  { method: 'post', path: PATH, scopes: OPERATORS, handle: addSite },
]

async function newSite(visit: Visit, siteId: string, refused?: RefusedOwner): Promise<Response> {
  const texts = OPERATOR_TEXTS[visit.language]
  return consolePage(visit, {
    title: texts.newSite,
    active: 'operator/sites',
    isNarrow: true,
    status: refused?.status ?? 200,
    main: html`<a class="back" href="${visit.base}operator/sites">← ${texts.title}</a><h1>${texts.newSite}</h1>${refused?.alert}
      <section class="card"><p>${texts.owners.newSiteLead}</p><form method="post">
        ${field({
          name: 'siteId',
          label: texts.owners.siteId,
          value: siteId,
          isRequired: true,
          maxLength: 64,
          hint: texts.owners.siteIdHint,
        })}
        ${ownerFields(visit, refused)}<button class="primary">${texts.owners.invite}</button></form></section>`,
  })
}

async function addSite(visit: Visit): Promise<Response> {
  const texts = OPERATOR_TEXTS[visit.language].owners
  const form = await visit.form()
  const siteId = (form.get('siteId') ?? '').trim()
  const typed = { id: form.get('id') ?? '', name: form.get('name') ?? '' }
  try {
    if (await isAnothers(visit, siteId, typed.id)) {
      throw new ApiError('payin.resource.already.exists', `the site ${siteId} exists`)
    }
  } catch (error) {
    const own = {
      'payin.resource.already.exists': texts.siteExists,
      'http.url.not.found': texts.badSiteId,
      'site.deleted': texts.siteDeleted,
    }
    return newSite(visit, siteId, { ...formError(error, visit, own), typed })
  }
  return inviteOwner(visit, siteId, form, (refused) => newSite(visit, siteId, refused))
}

/** Whether the site exists, and this form did not make it: a mistyped siteId must not give a merchant's site to somebody else. */
async function isAnothers(visit: Visit, siteId: string, ownerId: string): Promise<boolean> {
  try {
    const owners = await visit.call('listOwners', { path: { siteId } })
    return !owners.some(({ id }) => id === ownerId)
  } catch (error) {
    if (error instanceof ApiError && error.code === 'payin.resource.not.found') return false
    throw error
  }
}

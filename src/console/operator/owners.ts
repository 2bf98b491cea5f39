// The owners of a site at the operator's: the first invitation brings in a merchant, another one replaces a lost passkey.
import { html } from 'hono/html'
import type { Person } from '../../contract/person.ts'
import { ApiError } from '../../errors.ts'
import type { Html } from '../../web/layout.ts'
import { invitationPage, personState } from '../pages/people.ts'
import { type FormError, field, formError, pathOf, table } from '../parts.ts'
import { OPERATOR_TEXTS } from '../texts-operator.ts'
import { PEOPLE_TEXTS } from '../texts-people.ts'
import type { Visit } from '../visit.ts'
import { siteAddress } from './sites.ts'

/** The form of an owner that was refused, and what was typed. */
export interface RefusedOwner extends FormError {
  typed: { id: string; name: string }
}

/** The owners, and the form that invites one. */
export function ownersOf(
  siteId: string,
  owners: readonly Person[],
  visit: Visit,
  refused?: RefusedOwner,
): Html {
  const texts = OPERATOR_TEXTS[visit.language].owners
  const shared = PEOPLE_TEXTS[visit.language]
  const address = `${siteAddress(visit, siteId)}/owners`
  const rows = owners.map((owner) => [
    html`<bdi>${owner.name}</bdi>`,
    personState(owner, visit),
    html`<form method="post" action="${address}/${encodeURIComponent(owner.id)}/invite"><button>${texts.again}</button></form>`,
  ])
  return html`<section class="card" id="owners"><h2>${texts.title}</h2>${
    owners.length > 0
      ? html`${table([[shared.name, 'name'], [shared.state, 'state'], [shared.action]], rows, texts.title)}<p class="hint">${texts.againLead}</p>`
      : html`<p>${texts.none}</p>`
  }<form method="post" action="${address}">${ownerFields(visit, refused)}<button class="primary">${
    texts.invite
  }</button></form></section>`
}

/** The name of an owner, and an id that the form is sent twice with. */
export const ownerFields = (visit: Visit, refused?: Pick<RefusedOwner, 'typed' | 'fields'>): Html =>
  html`<input type="hidden" name="id" value="${refused?.typed.id ?? visit.newUid()}">${field({
    name: 'name',
    label: OPERATOR_TEXTS[visit.language].owners.name,
    value: refused?.typed.name,
    isRequired: true,
    maxLength: 60,
    fault: refused?.fields.name,
  })}`

/** Invites the owner whom a form names. @param show the page of the form, where it is refused */
export async function inviteOwner(
  visit: Visit,
  siteId: string,
  form: URLSearchParams,
  show: (refused: RefusedOwner) => Promise<Response>,
): Promise<Response> {
  const typed = { id: form.get('id') ?? '', name: form.get('name') ?? '' }
  try {
    const { person, invitation } = await visit.call('inviteOwner', { path: { siteId }, body: typed })
    return await invitationOf(visit, siteId, person, invitation)
  } catch (error) {
    const { badName } = PEOPLE_TEXTS[visit.language]
    return show({ ...formError(error, visit, { name: badName }), typed })
  }
}

/** Invites an owner again. */
export async function inviteAgain(visit: Visit): Promise<Response> {
  const { siteId = '', id = '' } = pathOf(visit, '/{siteId}/owners/{id}/invite')
  const invitation = await visit.call('inviteOwnerAgain', { path: { siteId, personId: id } })
  const owner = (await visit.call('listOwners', { path: { siteId } })).find((each) => each.id === id)
  if (!owner) throw new ApiError('payin.resource.not.found', 'there is no such owner')
  return invitationOf(visit, siteId, owner, invitation)
}

const invitationOf = (
  visit: Visit,
  siteId: string,
  person: Person,
  invitation: { url: string; expiresAt: number } | undefined,
): Promise<Response> =>
  invitationPage(visit, person, invitation, {
    active: 'operator/sites',
    links: html`<a href="${siteAddress(visit, siteId)}"><bdi>${siteId}</bdi></a>`,
  })

// One person: role and tills, another invitation, passkeys, sessions, and the removal.
import { html } from 'hono/html'
import type { Person } from '../../contract/person.ts'
import { ApiError } from '../../errors.ts'
import { seeOther } from '../../http/response.ts'
import type { Html } from '../../web/layout.ts'
import { when } from '../formats.ts'
import { consolePage } from '../page.ts'
import { type FormError, facts, formError, notice, pathOf, table } from '../parts.ts'
import { OF_DEPLOYMENT, OF_SITE, peopleAddress, peopleOf, personAddress } from '../people-of.ts'
import { PEOPLE_TEXTS } from '../texts-people.ts'
import type { Confirmed, Route, Visit } from '../visit.ts'
import {
  invitationPage,
  personFields,
  personState,
  roleName,
  tillsFor,
  tillsOf,
  typedPerson,
  typedRows,
} from './people.ts'

export const PERSON: readonly Route[] = [OF_SITE, OF_DEPLOYMENT].flatMap(
  ({ path: list, scopes }): Route[] => {
    const path = `/${list}/:id`
    return [
      { method: 'get', path, scopes, handle: (visit) => showPerson(visit, '/{id}') },
      { method: 'post', path, scopes, handle: change, confirms: changed },
      { method: 'post', path: `${path}/invite`, scopes, handle: inviteAgain, confirms: invitedAgain },
      { method: 'post', path: `${path}/sign-out`, scopes, handle: signOut },
      {
        method: 'post',
        path: `${path}/passkeys/:passkeyId/remove`,
        scopes,
        handle: removePasskey,
        confirms: passkeyRemoved,
      },
      { method: 'get', path: `${path}/remove`, scopes, handle: (visit) => askToRemove(visit) },
      { method: 'post', path: `${path}/remove`, scopes, handle: remove, confirms: removed },
    ]
  },
)

const idOf = (visit: Visit, template: string): string => pathOf(visit, template).id ?? ''

async function personOf(visit: Visit, id: string): Promise<Person> {
  const person = (await visit.call(peopleOf(visit).list)).find((each) => each.id === id)
  if (!person) throw new ApiError('payin.resource.not.found', 'there is no such person')
  return person
}

const refusedBy = (error: unknown, visit: Visit): FormError => {
  const { lastOwner, lastOperator, badName } = PEOPLE_TEXTS[visit.language]
  const last = visit.siteId === '' ? lastOperator : lastOwner
  return formError(error, visit, { 'payin.incorrect-method-invocation': last, name: badName })
}

async function showPerson(visit: Visit, template: string, refused?: FormError): Promise<Response> {
  const texts = PEOPLE_TEXTS[visit.language]
  const id = idOf(visit, template)
  const [person, tills] = await Promise.all([personOf(visit, id), tillsOf(visit)])
  const address = personAddress(visit, id)
  const { name, role, removedAt } = person
  return consolePage(visit, {
    title: name,
    active: peopleOf(visit).path,
    status: refused?.status ?? 200,
    main: html`<a class="back" href="${peopleAddress(visit)}">← ${texts.title}</a><h1><bdi>${name}</bdi></h1>
      ${notice(visit, texts.done)}${refused?.alert}
      <section class="card">${facts([
        [texts.role, roleName(role, visit.language)],
        [texts.tills, role === 'cashier' && (person.tills?.join(', ') ?? texts.allTills)],
        [texts.state, personState(person, visit)],
        [texts.lastUsed, person.lastUsedAt === undefined ? texts.never : when(person.lastUsedAt, visit)],
      ])}</section>
      ${
        removedAt === undefined &&
        html`<section class="card"><h2>${texts.change}</h2><form method="post" action="${address}">
        ${personFields(visit, { ...person, tills: person.tills ?? [] }, tills, refused)}<button class="primary">${texts.save}</button></form></section>
      <section class="card"><h2>${texts.again}</h2><p>${texts.againLead}</p>
        <form method="post" action="${address}/invite"><button>${texts.create}</button></form></section>
      ${passkeysOf(person, visit)}
      <section class="card"><a class="button danger" href="${address}/remove">${texts.remove}</a></section>`
      }`,
  })
}

function passkeysOf({ id, passkeys }: Person, visit: Visit): Html {
  const texts = PEOPLE_TEXTS[visit.language]
  const address = personAddress(visit, id)
  if (passkeys.length === 0)
    return html`<section class="card"><h2>${texts.passkeys}</h2><p class="hint">${texts.noPasskeys}</p></section>`
  const rows = passkeys.map((passkey) => [
    html`<bdi>${passkey.label}</bdi>`,
    when(passkey.createdAt, visit),
    passkey.lastUsedAt !== undefined && when(passkey.lastUsedAt, visit),
    html`<form method="post" action="${address}/passkeys/${encodeURIComponent(passkey.id)}/remove"><button>${texts.removePasskey}</button></form>`,
  ])
  return html`<section class="card"><h2>${texts.passkeys}</h2>${table(
    [[texts.name, 'name'], [texts.created, 'when'], [texts.used], [texts.action]],
    rows,
    texts.passkeys,
  )}<p>${texts.signOutLead}</p><form method="post" action="${address}/sign-out"><button>${texts.signOutAll}</button></form></section>`
}

async function changed(visit: Visit, form: URLSearchParams): Promise<Confirmed> {
  const { id, name } = await personOf(visit, idOf(visit, '/{id}'))
  const { change: text } = PEOPLE_TEXTS[visit.language]
  return {
    title: `${text}: ${name}`,
    back: personAddress({ ...visit, base: '' }, id),
    rows: typedRows(form, visit),
  }
}

async function invitedAgain(visit: Visit): Promise<Confirmed> {
  const { rows, back } = await about(visit, '/{id}/invite')
  return { title: PEOPLE_TEXTS[visit.language].again, back, rows }
}

async function passkeyRemoved(visit: Visit): Promise<Confirmed> {
  const template = '/{id}/passkeys/{passkeyId}/remove'
  const texts = PEOPLE_TEXTS[visit.language]
  const { passkeyId } = pathOf(visit, template)
  const { rows, back, person } = await about(visit, template)
  const label = person.passkeys.find(({ id }) => id === passkeyId)?.label
  return { title: texts.removePasskeyTitle, back, rows: [...rows, [texts.passkeys, label]] }
}

async function removed(visit: Visit): Promise<Confirmed> {
  const { rows, back, person } = await about(visit, '/{id}/remove')
  return { title: PEOPLE_TEXTS[visit.language].removeTitle(person.name), back, rows }
}

/** Whom a form is about. */
async function about(visit: Visit, template: string) {
  const texts = PEOPLE_TEXTS[visit.language]
  const person = await personOf(visit, idOf(visit, template))
  const rows = [
    [texts.name, person.name],
    [texts.role, roleName(person.role, visit.language)],
  ] as const
  return { person, rows, back: personAddress({ ...visit, base: '' }, person.id) }
}

async function change(visit: Visit): Promise<Response> {
  const id = idOf(visit, '/{id}')
  const typed = typedPerson(await visit.form())
  try {
    const tills = tillsFor(typed) ?? null
    const body = { name: typed.name, role: typed.role, ...(visit.siteId !== '' && { tills }) }
    await visit.call(peopleOf(visit).change, { path: { personId: id }, body })
  } catch (error) {
    return showPerson(visit, '/{id}', refusedBy(error, visit))
  }
  return seeOther(visit.c, '?done=changed')
}

async function inviteAgain(visit: Visit): Promise<Response> {
  const template = '/{id}/invite'
  const id = idOf(visit, template)
  try {
    const invitation = await visit.call(peopleOf(visit).invite, { path: { personId: id } })
    return await invitationPage(visit, await personOf(visit, id), invitation)
  } catch (error) {
    return showPerson(visit, template, refusedBy(error, visit))
  }
}

async function signOut(visit: Visit): Promise<Response> {
  const id = idOf(visit, '/{id}/sign-out')
  await visit.call(peopleOf(visit).endSessions, { path: { personId: id } })
  return seeOther(visit.c, `${personAddress(visit, id)}?done=signedOut`)
}

async function removePasskey(visit: Visit): Promise<Response> {
  const template = '/{id}/passkeys/{passkeyId}/remove'
  const { id = '', passkeyId = '' } = pathOf(visit, template)
  try {
    await visit.call(peopleOf(visit).removePasskey, { path: { personId: id, passkeyId } })
  } catch (error) {
    return showPerson(visit, template, refusedBy(error, visit))
  }
  return seeOther(visit.c, `${personAddress(visit, id)}?done=passkeyRemoved`)
}

async function askToRemove(visit: Visit, refused?: FormError): Promise<Response> {
  const texts = PEOPLE_TEXTS[visit.language]
  const id = idOf(visit, '/{id}/remove')
  const [person, keys] = await Promise.all([
    personOf(visit, id),
    // Operators make keys on the machine.
    visit.siteId === '' ? [] : visit.call('listApiKeys'),
  ])
  const made = keys.filter(
    ({ personId, revokedAt, expiresAt = 0 }) =>
      personId === id && revokedAt === undefined && expiresAt > visit.now,
  )
  const title = texts.removeTitle(person.name)
  return consolePage(visit, {
    title,
    active: peopleOf(visit).path,
    isNarrow: true,
    status: refused?.status ?? 200,
    main: html`<h1><bdi>${title}</bdi></h1>${refused?.alert}<section class="card"><p>${texts.removeLead}</p>
      ${
        made.length > 0 &&
        html`<p>${texts.keysLeft}</p><ul>${made.map(
          (key) =>
            html`<li><a href="${visit.base}keys/${encodeURIComponent(key.id)}/revoke"><bdi>${key.label || key.id}</bdi></a></li>`,
        )}</ul>`
      }
      <form method="post" class="actions"><button class="danger">${texts.remove}</button> <a href="${personAddress(visit, id)}">${texts.keep}</a></form></section>`,
  })
}

async function remove(visit: Visit): Promise<Response> {
  const id = idOf(visit, '/{id}/remove')
  try {
    await visit.call(peopleOf(visit).remove, { path: { personId: id } })
  } catch (error) {
    return askToRemove(visit, refusedBy(error, visit))
  }
  return seeOther(visit.c, `${peopleAddress(visit)}?done=removed`)
}

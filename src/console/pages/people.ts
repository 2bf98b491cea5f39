// The people of a site, or of the deployment: who can sign in, and an invitation for one more.
import { html } from 'hono/html'
import type { Person } from '../../contract/person.ts'
import { ROLES, type Role } from '../../contract/role.ts'
import type { Language } from '../../http/negotiation.ts'
import type { Html } from '../../web/layout.ts'
import { picture } from '../../web/picture.ts'
import { when } from '../formats.ts'
import { consolePage } from '../page.ts'
import { empty, type FormError, facts, field, formError, notice, secret, table } from '../parts.ts'
import { OF_DEPLOYMENT, OF_SITE, peopleAddress, peopleOf, personAddress } from '../people-of.ts'
import { ROLE_RIGHTS } from '../role-rights.ts'
import { PEOPLE_TEXTS } from '../texts-people.ts'
import type { Confirmed, Route, Rows, Visit } from '../visit.ts'

export const PEOPLE_PAGES: readonly Route[] = [OF_SITE, OF_DEPLOYMENT].flatMap(
  ({ path, scopes }): Route[] => [
    { method: 'get', path: `/${path}`, scopes, handle: (visit) => people(visit) },
    { method: 'post', path: `/${path}`, scopes, handle: add, confirms: newPerson },
  ],
)

/** The name of a role, as people read it. */
export const roleName = (role: Role, language: Language): string => PEOPLE_TEXTS[language].roles[role][0]

/** What a form of a person has. */
export interface TypedPerson {
  name: string
  role: string
  tills: readonly string[]
}

interface Tried extends FormError {
  typed: TypedPerson & { id: string }
}

async function people(visit: Visit, tried?: Tried): Promise<Response> {
  const texts = PEOPLE_TEXTS[visit.language]
  const [all, tills] = await Promise.all([visit.call(peopleOf(visit).list), tillsOf(visit)])
  const present = all.filter(({ removedAt }) => removedAt === undefined)
  const former = all.filter(({ removedAt }) => removedAt !== undefined)
  const { typed } = tried ?? {}
  return consolePage(visit, {
    title: texts.title,
    active: peopleOf(visit).path,
    status: tried?.status ?? 200,
    main: html`<div class="head"><h1>${texts.title}</h1><a class="button" href="#new">${texts.invite}</a></div>${notice(
      visit,
      texts.done,
    )}<p>${texts.lead}</p>
      <section class="card">${present.length > 0 ? peopleTable(present, visit) : empty(texts.none, texts.noneAdvice)}</section>
      <section class="card" id="new"><h2>${texts.inviteTitle}</h2>${tried?.alert}
      <form method="post" action="${peopleAddress(visit)}">
        <input type="hidden" name="id" value="${typed?.id ?? visit.newUid()}">
        ${personFields(visit, typed ?? { name: '', role: peopleOf(visit).invited[present.length === 0 ? 0 : 1], tills: [] }, tills, tried)}
        <button class="primary">${texts.create}</button>
      </form></section>
      ${former.length > 0 && html`<details class="card"><summary>${texts.former}</summary>${peopleTable(former, visit)}</details>`}`,
  })
}

/** The tills that a cashier can be bound to: the newest ones that are open. */
export const tillsOf = async (visit: Visit): Promise<string[]> => {
  if (visit.siteId === '') return []
  const { qrCodes } = await visit.call('listQrCodes', {
    query: { type: 'COUNTER', status: 'CREATED', limit: '50' },
  })
  return qrCodes.map(({ qrCodeUid }) => qrCodeUid)
}

/** The fields of a person: name, role and tills. @param tills those that are offered */
export function personFields(
  visit: Visit,
  typed: TypedPerson,
  tills: readonly string[],
  tried?: FormError,
): Html {
  const texts = PEOPLE_TEXTS[visit.language]
  const offered = [...new Set([...typed.tills, ...tills])]
  return html`${field({
    name: 'name',
    label: texts.name,
    value: typed.name,
    isRequired: true,
    maxLength: 60,
    fault: tried?.fields.name,
  })}
    <fieldset class="roles"><legend>${texts.role}</legend>${peopleOf(visit).roles.map((role) => {
      const [name, rights] = texts.roles[role]
      return html`<label class="check"><input type="radio" name="role" value="${role}"${
        role === typed.role && html` checked`
      } required> <span>${name} <small>${rights}</small></span></label>`
    })}</fieldset>
    ${visit.siteId !== '' && html`<details><summary>${texts.allRights}</summary>${rightsTable(visit)}</details>`}
    ${
      offered.length > 0 &&
      html`<fieldset class="roles tills-of"><legend>${texts.tills}</legend><p class="hint">${texts.tillsHint}</p>${offered.map(
        (uid) =>
          html`<label class="check"><input type="checkbox" name="tills" value="${uid}"${
            typed.tills.includes(uid) && html` checked`
          }> <bdi>${uid}</bdi></label>`,
      )}</fieldset>`
    }`
}

/** What each role may do with what the site has. */
function rightsTable({ language }: Visit): Html {
  const [heading = [], ...rows] = ROLE_RIGHTS[language]
  return table(
    heading.map((name, i) => (i === 0 ? [name, 'name'] : [name])),
    rows,
    PEOPLE_TEXTS[language].allRights,
  )
}

/** What the form of a person has. */
export const typedPerson = (form: URLSearchParams): TypedPerson => ({
  name: form.get('name') ?? '',
  role: form.get('role') ?? '',
  tills: form.getAll('tills'),
})

/** The tills that count: only a cashier has some. */
export const tillsFor = ({ role, tills }: TypedPerson): readonly string[] | undefined =>
  role === 'cashier' && tills.length > 0 ? tills : undefined

function newPerson(visit: Visit, form: URLSearchParams): Confirmed {
  const { inviteTitle: title } = PEOPLE_TEXTS[visit.language]
  return { title, back: peopleOf(visit).path, rows: typedRows(form, visit) }
}

/** What a form of a person has, as a person reads it. */
export function typedRows(form: URLSearchParams, { language }: Visit): Rows {
  const texts = PEOPLE_TEXTS[language]
  const typed = typedPerson(form)
  const role = ROLES.find((each) => each === typed.role)
  return [
    [texts.name, typed.name],
    [texts.role, role ? roleName(role, language) : typed.role],
    [texts.tills, role === 'cashier' && (tillsFor(typed)?.join(', ') ?? texts.allTills)],
  ]
}

function peopleTable(all: readonly Person[], visit: Visit): Html {
  const texts = PEOPLE_TEXTS[visit.language]
  return table(
    [
      [texts.name, 'name'],
      [texts.state, 'state'],
      [texts.lastUsed, 'when'],
    ],
    all.map((person) => [
      html`<a href="${personAddress(visit, person.id)}"><bdi>${person.name}</bdi></a> <small>${roleName(
        person.role,
        visit.language,
      )}${person.tills && html`: <bdi>${person.tills.join(', ')}</bdi>`}</small>`,
      personState(person, visit),
      person.lastUsedAt === undefined ? texts.never : when(person.lastUsedAt, visit),
    ]),
    texts.title,
  )
}

/** Whether a person can sign in. */
export function personState({ removedAt, passkeys, invitedUntil }: Person, visit: Visit): Html {
  const { states, until } = PEOPLE_TEXTS[visit.language]
  if (removedAt !== undefined)
    return html`<span class="badge off">${states.removed}</span> ${when(removedAt, visit)}`
  if (passkeys.length > 0) return html`<span class="badge good">${states.active}</span>`
  if (invitedUntil === undefined) return html`<span class="badge off">${states.locked}</span>`
  return invitedUntil > visit.now
    ? html`<span class="badge">${states.invited}</span> ${until} ${when(invitedUntil, visit)}`
    : html`<span class="badge off">${states.expired}</span>`
}

async function add(visit: Visit): Promise<Response> {
  const texts = PEOPLE_TEXTS[visit.language]
  const form = await visit.form()
  const typed = { ...typedPerson(form), id: form.get('id') ?? '' }
  const { id, name, role } = typed
  const tills = tillsFor(typed)
  try {
    const added = await visit.call(peopleOf(visit).add, { body: { id, name, role, ...(tills && { tills }) } })
    return await invitationPage(visit, added.person, added.invitation)
  } catch (error) {
    return people(visit, { ...formError(error, visit, { name: texts.badName }), typed })
  }
}

/** The page that shows an invitation, once. @param invitation undefined where the same form was sent before @param links where it leads */
export function invitationPage(
  visit: Visit,
  person: Pick<Person, 'id' | 'name' | 'role'>,
  invitation: { url: string; expiresAt: number } | undefined,
  { active = peopleOf(visit).path, links }: { active?: string; links?: Html } = {},
): Promise<Response> {
  const texts = PEOPLE_TEXTS[visit.language]
  const title = texts.invitedTitle(person.name)
  return consolePage(visit, {
    title,
    active,
    isNarrow: true,
    main: html`<h1><bdi>${title}</bdi></h1>${
      invitation
        ? html`<p>${texts.invitedLead}</p>
      <section class="card invitation">${picture(invitation.url, 300, texts.picture)}
        ${secret(texts.link, invitation.url, visit)}
        ${facts([
          [texts.role, roleName(person.role, visit.language)],
          [texts.validUntil, when(invitation.expiresAt, visit)],
        ])}<p class="hint">${texts.invitedOnce}</p></section>`
        : html`<p class="warn">${texts.added}</p>`
    }<p>${
      links ??
      html`<a href="${personAddress(visit, person.id)}">${person.name}</a> · <a href="${peopleAddress(visit)}">${texts.back}</a>`
    }</p>`,
  })
}

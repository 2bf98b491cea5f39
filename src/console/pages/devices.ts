// My devices: where a person is signed in, and with which passkeys.
import { html } from 'hono/html'
import type { Passkey } from '../../contract/person.ts'
import { originOf } from '../../http/path.ts'
import { seeOther, withCookies } from '../../http/response.ts'
import { relyingParty } from '../../passkeys/relying-party.ts'
import type { Html } from '../../web/layout.ts'
import { deviceName } from '../device-name.ts'
import { when } from '../formats.ts'
import {
  addOwnPasskey,
  endOwnSessions,
  keyOfSession,
  type OwnAccess,
  personOf,
  readOwnAccess,
  readOwnPerson,
  removeOwnPasskey,
} from '../own-access.ts'
import { consolePage } from '../page.ts'
import { type FormError, formError, notice, table } from '../parts.ts'
import { passkeyForm, RESPONSE } from '../passkey-form.ts'
import { passkeys } from '../passkeys.ts'
import { noSession } from '../sessions.ts'
import { PEOPLE_TEXTS } from '../texts-people.ts'
import { type Confirmed, EVERYBODY, type Route, type Visit } from '../visit.ts'
import { roleName } from './people.ts'

export const DEVICES: readonly Route[] = ['/me', '/operator/me'].flatMap((path): Route[] => [
  { method: 'get', path, scopes: EVERYBODY, handle: (visit) => devices(visit) },
  { method: 'post', path: `${path}/sessions`, scopes: EVERYBODY, handle: endSessions },
  {
    method: 'post',
    path: `${path}/passkeys`,
    scopes: EVERYBODY,
    handle: addPasskey,
    confirms: newPasskey,
  },
  {
    method: 'post',
    path: `${path}/passkeys/remove`,
    scopes: EVERYBODY,
    handle: removePasskey,
    confirms: removedPasskey,
  },
])

/** The page of a person of the site, or of the deployment, below `visit.base`. */
const ownPath = ({ siteId }: Pick<Visit, 'siteId'>): string => (siteId === '' ? 'operator/me' : 'me')
const ownPage = (visit: Visit): string => `${visit.base}${ownPath(visit)}`

async function devices(visit: Visit, refused?: FormError): Promise<Response> {
  const texts = PEOPLE_TEXTS[visit.language]
  const access = await readOwnAccess(visit)
  const { person } = access
  return consolePage(visit, {
    title: texts.me.title,
    active: ownPath(visit),
    status: refused?.status ?? 200,
    main: html`<h1>${texts.me.title}</h1>${notice(visit, texts.done)}${refused?.alert}
      <p><bdi>${texts.me.lead(person.name, roleName(person.role, visit.language))}</bdi></p>
      ${sessionsCard(visit, access)}${await passkeysCard(visit, person.passkeys)}`,
  })
}

function sessionsCard(visit: Visit, { person, sessions }: OwnAccess): Html {
  const { me } = PEOPLE_TEXTS[visit.language]
  const current = personOf(visit).person.session
  const rows = sessions.map((session) => [
    html`<bdi>${person.passkeys.find(({ id }) => id === session.passkeyId)?.label}</bdi>${
      session.id === current && html` <small>${me.here}</small>`
    }`,
    when(session.startedAt, visit),
    when(session.usedAt, visit),
    html`<form method="post" action="${ownPage(visit)}/sessions"><input type="hidden" name="session" value="${keyOfSession(
      session,
    )}"><button>${me.end}</button></form>`,
  ])
  return html`<section class="card"><h2>${me.sessions}</h2>${table(
    [[me.sessions, 'name'], [me.started, 'when'], [me.lastUse], [PEOPLE_TEXTS[visit.language].action]],
    rows,
    me.sessions,
  )}<form method="post" action="${ownPage(visit)}/sessions"><button>${me.endAll}</button></form></section>`
}

async function passkeysCard(visit: Visit, known: readonly Passkey[]): Promise<Html> {
  const texts = PEOPLE_TEXTS[visit.language]
  const rows = known.map((passkey) => [
    html`<bdi>${passkey.label}</bdi>`,
    when(passkey.createdAt, visit),
    passkey.lastUsedAt !== undefined && when(passkey.lastUsedAt, visit),
    html`<form method="post" action="${ownPage(visit)}/passkeys/remove"><input type="hidden" name="passkey" value="${passkey.id}"><button>${texts.removePasskey}</button></form>`,
  ])
  return html`<section class="card"><h2>${texts.passkeys}</h2>${table(
    [[texts.name, 'name'], [texts.created, 'when'], [texts.used], [texts.action]],
    rows,
    texts.passkeys,
  )}<p class="hint">${texts.me.addLead}</p>${await addForm(visit, known)}</section>`
}

/** The challenge counts for this session alone. */
const challengeOf = (visit: Visit) =>
  ({ purpose: 'add', bound: personOf(visit).person.session, now: visit.now }) as const

async function addForm(visit: Visit, known: readonly Passkey[]): Promise<Html | ''> {
  const { service, config, language, c, root } = visit
  const party = relyingParty(config, originOf(c))
  if (!party) return ''
  const texts = PEOPLE_TEXTS[language]
  const { me } = texts
  const { creationOptions } = await passkeys()
  const { handle } = (await readOwnAccess(visit)).person
  return passkeyForm({
    language,
    root,
    method: 'create',
    options: await creationOptions({
      relyingParty: party,
      challenge: { secret: config.secrets[0], id: service.random(16), ...challengeOf(visit) },
      shop: visit.shop || texts.join.deployment,
      person: { handle, name: personOf(visit).person.name },
      passkeys: known.map(({ id }) => id),
    }),
    action: `${ownPage(visit)}/passkeys`,
    button: me.add,
    exists: me.exists,
  })
}

async function addPasskey(visit: Visit): Promise<Response> {
  const { c, config } = visit
  const form = await visit.form()
  const party = relyingParty(config, originOf(c))
  const { verifyRegistration } = await passkeys()
  const verified =
    party &&
    (await verifyRegistration({
      relyingParty: party,
      challenge: { secrets: config.secrets, ...challengeOf(visit) },
      response: form.get(RESPONSE),
    }))
  if (!verified?.ok) return devices(visit, refusedPasskey(visit))
  const { challenge, ...made } = verified.value
  const passkey = { ...made, label: deviceName(c.req.header('User-Agent')) }
  try {
    await addOwnPasskey(visit, passkey, { id: challenge.id, expiresAt: challenge.exp })
  } catch (error) {
    return devices(visit, formError(error, visit))
  }
  return seeOther(c, '../me?done=passkeyAdded')
}

function newPasskey(visit: Visit): Confirmed {
  return { title: PEOPLE_TEXTS[visit.language].me.add, back: ownPath(visit) }
}

async function removedPasskey(visit: Visit, form: URLSearchParams): Promise<Confirmed> {
  const texts = PEOPLE_TEXTS[visit.language]
  const { passkeys: own } = await readOwnPerson(visit)
  const label = own.find(({ id }) => id === form.get('passkey'))?.label
  return { title: texts.removePasskeyTitle, back: ownPath(visit), rows: [[texts.passkeys, label]] }
}

function refusedPasskey(visit: Visit): FormError {
  const { failedNow } = PEOPLE_TEXTS[visit.language].join
  return {
    status: 400,
    fields: {},
    alert: html`<div class="alert" role="alert"><strong>${failedNow}</strong></div>`,
  }
}

async function removePasskey(visit: Visit): Promise<Response> {
  const id = (await visit.form()).get('passkey') ?? ''
  try {
    await removeOwnPasskey(visit, id)
  } catch (error) {
    const { last } = PEOPLE_TEXTS[visit.language].me
    return devices(visit, formError(error, visit, { 'payin.incorrect-method-invocation': last }))
  }
  // The session may have ended with its passkey: then the page leads to the sign-in.
  return seeOther(visit.c, '../../me?done=passkeyRemoved')
}

async function endSessions(visit: Visit): Promise<Response> {
  const key = (await visit.form()).get('session') ?? undefined
  const isOwn = key === undefined || key === keyOfSession({ id: personOf(visit).person.session })
  await endOwnSessions(visit, key)
  return isOwn
    ? withCookies(
        seeOther(visit.c, `${visit.console}sign-in`),
        noSession(visit.c, visit.config, visit.claims.sub),
      )
    : seeOther(visit.c, '../me?done=sessionEnded')
}

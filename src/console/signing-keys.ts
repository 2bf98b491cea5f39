// The pages of the keys that sign notifications.
import { html } from 'hono/html'
import { DEFAULT_CALLBACK } from '../contract/callback.ts'
import { seeOther } from '../http/response.ts'
import { when } from './formats.ts'
import { consolePage } from './page.ts'
import { addressPath } from './pages/address-list.ts'
import { empty, facts, notice, pathOf, secret, table } from './parts.ts'
import { KEY_TEXTS } from './texts-keys.ts'
import { SETTINGS_TEXTS } from './texts-settings.ts'
import { ADMINS, type Confirmed, type Route, type Visit } from './visit.ts'

/** Whose keys a page shows. */
interface Owner {
  callbackId: string
  /** The page, from the root of the console. */
  path: string
}

const OF_SETTINGS = { callbackId: DEFAULT_CALLBACK, path: 'notification-keys' }

/** @param rest what follows the path of the page */
function ownerOf(visit: Visit, rest = ''): Owner {
  const { callback: callbackId = '' } = pathOf(visit, `/{callback}/keys${rest}`)
  return { callbackId, path: `addresses/${callbackId}/keys` }
}

const KEYS_OF_ADDRESS = '/addresses/:callback/keys'

export const SIGNING_KEY_ROUTES: readonly Route[] = [
  {
    method: 'get',
    path: '/notification-keys',
    scopes: ADMINS,
    handle: (visit) => showSigningKeys(visit, OF_SETTINGS),
  },
  {
    method: 'post',
    path: '/notification-keys',
    scopes: ADMINS,
    handle: (visit) => createSigningKey(visit, OF_SETTINGS),
    confirms: (visit) => newSigningKey(visit, OF_SETTINGS),
  },
  {
    method: 'post',
    path: '/notification-keys/:id/activate',
    scopes: ADMINS,
    handle: (visit) => activateSigningKey(visit, OF_SETTINGS),
    confirms: (visit) => activation(visit, OF_SETTINGS),
  },
  {
    method: 'get',
    path: KEYS_OF_ADDRESS,
    scopes: ADMINS,
    handle: (visit) => showSigningKeys(visit, ownerOf(visit)),
  },
  {
    method: 'post',
    path: KEYS_OF_ADDRESS,
    scopes: ADMINS,
    handle: (visit) => createSigningKey(visit, ownerOf(visit)),
    confirms: (visit) => newSigningKey(visit, ownerOf(visit)),
  },
  {
    method: 'post',
    path: `${KEYS_OF_ADDRESS}/:id/activate`,
    scopes: ADMINS,
    handle: (visit) => activateSigningKey(visit, ownerOf(visit, '/{id}/activate')),
    confirms: (visit) => activation(visit, ownerOf(visit, '/{id}/activate')),
  },
]

async function showSigningKeys(visit: Visit, { callbackId, path }: Owner): Promise<Response> {
  const { signing, id: idName, created, state: stateName, done, action } = KEY_TEXTS[visit.language]
  const notificationKeys = await visit.call('listCallbackKeys', { path: { callbackId } })
  const make = (text: string) =>
    html`<form method="post" action="${visit.base}${path}"><button class="primary">${text}</button></form>`
  const activationPath = (id: string) => `${visit.base}${path}/${encodeURIComponent(id)}/activate`
  const rows = notificationKeys.map(({ id, active, createdAt }) => [
    html`<code>${id}</code>`,
    active
      ? html`<span class="badge good">${signing.active}</span>`
      : html`<span class="badge">${signing.waiting}</span>`,
    when(createdAt, visit),
    !active &&
      html`<form method="post" action="${activationPath(id)}"><button>${signing.activate}</button></form>`,
  ])
  return consolePage(visit, {
    title: signing.title,
    active: activeOf(callbackId),
    main: html`${wayBack(visit, callbackId)}<h1>${signing.title}</h1>${notice(visit, done)}<p>${signing.lead}</p>
      ${
        rows.length === 0
          ? empty(signing.empty, signing.emptyAdvice, make(signing.make))
          : html`<section class="card">${table(
              [[idName, 'name'], [stateName, 'state'], [created, 'when'], [action]],
              rows,
              signing.title,
            )}<p>${signing.rotate}</p>${rows.length === 1 && make(signing.makeAnother)}</section>`
      }`,
  })
}

/** The section of the navigation. */
const activeOf = (callbackId: string) => (callbackId === DEFAULT_CALLBACK ? 'notification-keys' : 'settings')

const wayBack = ({ base }: Visit, callbackId: string) =>
  callbackId !== DEFAULT_CALLBACK &&
  html`<a class="back" href="${addressPath(base, callbackId)}">← <bdi>${callbackId}</bdi></a>`

async function createSigningKey(visit: Visit, { callbackId, path }: Owner): Promise<Response> {
  const { signing, id: idName, madeTitle, back } = KEY_TEXTS[visit.language]
  const { made, key } = await visit.call('createCallbackKey', { path: { callbackId } })
  return consolePage(visit, {
    title: madeTitle,
    active: activeOf(callbackId),
    isNarrow: true,
    main: html`<h1>${madeTitle}</h1><p class="done" role="status"><strong>${signing.madeLead}</strong></p>
      <section class="card">${secret(signing.key, key, visit)}
      ${facts([[idName, html`<code>${made.id}</code>`]])}</section>
      <p><a href="${visit.base}${path}">${back}</a></p>`,
  })
}

function newSigningKey(visit: Visit, { callbackId, path }: Owner): Confirmed {
  const { signing } = KEY_TEXTS[visit.language]
  return { title: signing.make, back: path, rows: [addressRow(visit, callbackId)] }
}

function activation(visit: Visit, { callbackId, path }: Owner): Confirmed {
  const { signing, id } = KEY_TEXTS[visit.language]
  const { id: keyId } = pathOf(visit, '/{id}/activate')
  return { title: signing.activate, back: path, rows: [[id, keyId], addressRow(visit, callbackId)] }
}

/** Of an address besides that of the settings. */
const addressRow = ({ language }: Visit, callbackId: string) =>
  [SETTINGS_TEXTS[language].addresses.id, callbackId !== DEFAULT_CALLBACK && callbackId] as const

async function activateSigningKey(visit: Visit, { callbackId, path }: Owner): Promise<Response> {
  const { id: keyId = '' } = pathOf(visit, '/{id}/activate')
  await visit.call('activateCallbackKey', { path: { callbackId, keyId } })
  return seeOther(visit.c, `${visit.base}${path}?done=activated`)
}

// The pages of the keys that sign notifications.
import { html } from 'hono/html'
import { seeOther } from '../http/response.ts'
import { when } from './formats.ts'
import { consolePage } from './page.ts'
import { empty, facts, notice, pathOf, secret, table } from './parts.ts'
import { KEY_TEXTS } from './texts-keys.ts'
import { ADMINS, type Route, type Visit } from './visit.ts'

export const SIGNING_KEY_ROUTES: readonly Route[] = [
  { method: 'get', path: '/notification-keys', scopes: ADMINS, handle: showSigningKeys },
  { method: 'post', path: '/notification-keys', scopes: ADMINS, handle: createSigningKey },
  { method: 'post', path: '/notification-keys/:id/activate', scopes: ADMINS, handle: activateSigningKey },
]

async function showSigningKeys(visit: Visit): Promise<Response> {
  const { signing, id: idName, created, state: stateName, done, action } = KEY_TEXTS[visit.language]
  const notificationKeys = await visit.call('listNotificationKeys')
  const make = (text: string) =>
    html`<form method="post" action="${visit.base}notification-keys"><button class="primary">${text}</button></form>`
  const activation = (id: string) => `${visit.base}notification-keys/${encodeURIComponent(id)}/activate`
  const rows = notificationKeys.map(({ id, active, createdAt }) => [
    html`<code>${id}</code>`,
    active
      ? html`<span class="badge good">${signing.active}</span>`
      : html`<span class="badge">${signing.waiting}</span>`,
    when(createdAt, visit),
    !active &&
      html`<form method="post" action="${activation(id)}"><button>${signing.activate}</button></form>`,
  ])
  return consolePage(visit, {
    title: signing.title,
    active: 'notification-keys',
    main: html`<h1>${signing.title}</h1>${notice(visit, done)}<p>${signing.lead}</p>
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

async function createSigningKey(visit: Visit): Promise<Response> {
  const { signing, id: idName, madeTitle, back } = KEY_TEXTS[visit.language]
  const { made, key } = await visit.call('createNotificationKey')
  return consolePage(visit, {
    title: madeTitle,
    active: 'notification-keys',
    isNarrow: true,
    main: html`<h1>${madeTitle}</h1><p class="done" role="status"><strong>${signing.madeLead}</strong></p>
      <section class="card">${secret(signing.key, key, visit)}
      ${facts([[idName, html`<code>${made.id}</code>`]])}</section>
      <p><a href="${visit.base}notification-keys">${back}</a></p>`,
  })
}

async function activateSigningKey(visit: Visit): Promise<Response> {
  const { id: keyId = '' } = pathOf(visit, '/{id}/activate')
  await visit.call('activateNotificationKey', { path: { keyId } })
  return seeOther(visit.c, `${visit.base}notification-keys?done=activated`)
}

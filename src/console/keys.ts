// The pages of API keys, and of the keys that sign notifications.
import { html } from 'hono/html'
import type { ApiKeyAnswer, NewApiKeyAnswer } from '../contract/api-key.ts'
import type { NewNotificationKeyAnswer, NotificationKeyAnswer } from '../contract/settings.ts'
import { ApiError } from '../errors.ts'
import { seeOther } from '../http/response.ts'
import type { Html } from '../web/layout.ts'
import { when } from './formats.ts'
import { consolePage } from './page.ts'
import {
  copyButton,
  empty,
  facts,
  field,
  notice,
  pathOf,
  type Refusal,
  refusal,
  select,
  table,
} from './parts.ts'
import { noSession } from './sessions.ts'
import { KEY_TEXTS } from './texts-keys.ts'
import { ADMINS, type Route, type Visit } from './visit.ts'

type Key = ApiKeyAnswer
type Texts = (typeof KEY_TEXTS)['en']

const SCOPES = ['merchant', 'merchant:read', 'merchant:admin'] as const
const DAYS = 365

const keysOf = (visit: Visit) => visit.call<{ apiKeys: Key[] }>('listApiKeys')

/** What a form has, and why it was refused. */
interface Typed {
  label?: string
  scope?: string
  days?: string
  refused?: Refusal
}

async function showKeys(visit: Visit, typed: Typed = {}): Promise<Response> {
  const texts = KEY_TEXTS[visit.language]
  const { apiKeys } = await keysOf(visit)
  const rows = apiKeys
    .toReversed()
    .map((key) => [
      html`<bdi>${key.label || texts.unnamed}</bdi> <small>${scopeText(key.scope, texts.scopeNames)}${key.id === visit.claims.jti && `, ${texts.own}`}</small> <code class="uid">${key.id}</code>`,
      state(key, visit, texts),
      key.lastUsed ? when(key.lastUsed, visit) : texts.never,
      when(key.expires, visit),
      key.revoked === undefined &&
        html`<a class="button" href="${visit.base}keys/${encodeURIComponent(key.id)}/revoke">${texts.revoke}</a>`,
    ])
  return consolePage(visit, {
    title: texts.title,
    active: 'keys',
    status: typed.refused?.status ?? 200,
    main: html`<div class="head"><h1>${texts.title}</h1><a class="button" href="#new">${texts.make}</a></div>${notice(visit, texts.done)}<p>${texts.lead}</p>
      <section class="card">${table([[texts.name, 'name'], [texts.state, 'state'], [texts.lastUsed], [texts.expires], [texts.action]], rows, texts.title)}<p class="hint">${texts.lastUsedHint}</p></section>
      <section class="card" id="new"><h2>${texts.make}</h2>${typed.refused?.alert}
      <form method="post" action="${visit.base}keys">
        ${field({ name: 'label', label: texts.label, value: typed.label, isRequired: true, maxLength: 60, fault: typed.refused?.fields.label })}
        ${select(
          'scope',
          texts.scope,
          SCOPES.map((value) => ({ value, text: texts.scopes[value] })),
          typed.scope ?? 'merchant',
        )}
        ${field({ name: 'days', label: texts.days, value: typed.days ?? `${DAYS}`, type: 'number', isRequired: true, fault: typed.refused?.fields.days })}
        <button class="primary">${texts.create}</button>
      </form></section>`,
  })
}

/** @param names of the scopes, as a person reads them */
const scopeText = (scope: string, names: Texts['scopes']): string =>
  Object.entries(names)
    .flatMap(([name, text]) => (scope.split(' ').includes(name) ? [text] : []))
    .join('; ')

function state({ revoked, expires }: Key, visit: Visit, texts: Texts): Html {
  if (revoked) return html`<span class="badge off">${texts.revoked}</span> ${when(revoked, visit)}`
  return expires && Date.parse(expires) / 1000 <= visit.now
    ? html`<span class="badge off">${texts.expired}</span>`
    : html`<span class="badge good">${texts.works}</span>`
}

async function createKey(visit: Visit): Promise<Response> {
  const texts = KEY_TEXTS[visit.language]
  const form = await visit.form()
  const typed = {
    label: form.get('label') ?? '',
    scope: form.get('scope') ?? '',
    days: form.get('days') ?? '',
  }
  try {
    const body = { label: typed.label, scope: typed.scope, days: Number(typed.days) }
    const key = await visit.call<NewApiKeyAnswer>('createApiKey', { body })
    return await consolePage(visit, {
      title: texts.madeTitle,
      active: 'keys',
      isNarrow: true,
      main: html`<h1>${texts.madeTitle}</h1><p class="done" role="status"><strong>${texts.madeLead}</strong></p>
        <section class="card">${secret(texts.token, key.token, visit)}
        ${facts([
          [texts.name, key.label],
          [texts.scope, scopeText(key.scope, texts.scopes)],
          [texts.expires, when(key.expires, visit)],
        ])}</section>
        <p><a href="${visit.base}keys">${texts.back}</a></p>`,
    })
  } catch (error) {
    return showKeys(visit, { ...typed, refused: refusal(error, visit) })
  }
}

/** A secret that is shown once: it is on no other page, and a browser keeps no copy of this one. */
const secret = (label: string, text: string, visit: Visit): Html =>
  html`<label>${label}<textarea class="secret" rows="4" readonly spellcheck="false" autocomplete="off">${text}</textarea></label>${copyButton(text, visit)}`

async function askToRevoke(visit: Visit): Promise<Response> {
  const texts = KEY_TEXTS[visit.language]
  const { id = '' } = pathOf(visit, '/{id}/revoke')
  const key = (await keysOf(visit)).apiKeys.find((each) => each.id === id)
  if (!key) throw new ApiError('payin.resource.not.found', 'there is no such key')
  return consolePage(visit, {
    title: texts.revokeTitle,
    active: 'keys',
    isNarrow: true,
    main: html`<h1>${texts.revokeTitle}</h1>
      <section class="card">${facts([
        [texts.name, key.label || texts.unnamed],
        [texts.id, html`<code>${key.id}</code>`],
        [texts.scope, scopeText(key.scope, texts.scopes)],
      ])}
      <p>${texts.revokeLead}</p>${id === visit.claims.jti && html`<p class="alert"><strong>${texts.revokeOwn}</strong></p>`}
      <form method="post" class="actions"><button class="danger">${texts.revoke}</button> <a href="${visit.base}keys">${texts.cancel}</a></form></section>`,
  })
}

async function revokeKey(visit: Visit): Promise<Response> {
  const { id: keyId = '' } = pathOf(visit, '/{id}/revoke')
  await visit.send('revokeApiKey', { path: { keyId } })
  // The session has ended with its key.
  if (keyId === visit.claims.jti) return seeOther(visit.c, `${visit.base}sign-in`, noSession(visit))
  return seeOther(visit.c, `${visit.base}keys?done=revoked`)
}

async function showSigningKeys(visit: Visit): Promise<Response> {
  const { signing, id: idName, created, state: stateName, done, action } = KEY_TEXTS[visit.language]
  const { notificationKeys } = await visit.call<{ notificationKeys: NotificationKeyAnswer[] }>(
    'listNotificationKeys',
  )
  const make = (text: string) =>
    html`<form method="post" action="${visit.base}notification-keys"><button class="primary">${text}</button></form>`
  const rows = notificationKeys.map(({ id, active, created: made }) => [
    html`<code>${id}</code>`,
    active
      ? html`<span class="badge good">${signing.active}</span>`
      : html`<span class="badge">${signing.waiting}</span>`,
    when(made, visit),
    !active &&
      html`<form method="post" action="${visit.base}notification-keys/${encodeURIComponent(id)}/activate"><button>${signing.activate}</button></form>`,
  ])
  return consolePage(visit, {
    title: signing.title,
    active: 'notification-keys',
    main: html`<h1>${signing.title}</h1>${notice(visit, done)}<p>${signing.lead}</p>
      ${
        rows.length === 0
          ? empty(signing.empty, signing.emptyAdvice, make(signing.make))
          : html`<section class="card">${table([[idName, 'name'], [stateName, 'state'], [created, 'when'], [action]], rows, signing.title)}<p>${signing.rotate}</p>${rows.length === 1 && make(signing.makeAnother)}</section>`
      }`,
  })
}

async function createSigningKey(visit: Visit): Promise<Response> {
  const { signing, id: idName, madeTitle, back } = KEY_TEXTS[visit.language]
  const { id, key } = await visit.call<NewNotificationKeyAnswer>('createNotificationKey')
  return consolePage(visit, {
    title: madeTitle,
    active: 'notification-keys',
    isNarrow: true,
    main: html`<h1>${madeTitle}</h1><p class="done" role="status"><strong>${signing.madeLead}</strong></p>
      <section class="card">${secret(signing.key, key, visit)}
      ${facts([[idName, html`<code>${id}</code>`]])}</section>
      <p><a href="${visit.base}notification-keys">${back}</a></p>`,
  })
}

async function activateSigningKey(visit: Visit): Promise<Response> {
  const { id: keyId = '' } = pathOf(visit, '/{id}/activate')
  await visit.send('activateNotificationKey', { path: { keyId } })
  return seeOther(visit.c, `${visit.base}notification-keys?done=activated`)
}

export const KEY_ROUTES: readonly Route[] = [
  { method: 'get', path: '/keys', scopes: ADMINS, handle: showKeys },
  { method: 'post', path: '/keys', scopes: ADMINS, handle: createKey },
  { method: 'get', path: '/keys/:id/revoke', scopes: ADMINS, handle: askToRevoke },
  { method: 'post', path: '/keys/:id/revoke', scopes: ADMINS, handle: revokeKey },
  { method: 'get', path: '/notification-keys', scopes: ADMINS, handle: showSigningKeys },
  { method: 'post', path: '/notification-keys', scopes: ADMINS, handle: createSigningKey },
  { method: 'post', path: '/notification-keys/:id/activate', scopes: ADMINS, handle: activateSigningKey },
]

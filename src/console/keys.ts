// The pages of API keys.
import { html } from 'hono/html'
import type { ApiKey } from '../contract/api-key.ts'
import { ApiError } from '../errors.ts'
import { seeOther, withCookies } from '../http/response.ts'
import type { Html } from '../web/layout.ts'
import { hourOf, when } from './formats.ts'
import { consolePage } from './page.ts'
import { type FormError, facts, field, formError, notice, pathOf, secret, select, table } from './parts.ts'
import { noSession } from './sessions.ts'
import { KEY_TEXTS } from './texts-keys.ts'
import { ADMINS, type Confirmed, type Route, type Visit } from './visit.ts'

type Texts = (typeof KEY_TEXTS)['en']

const SCOPES = ['merchant', 'merchant:read', 'merchant:accounting', 'merchant:admin'] as const
const DAYS = 365

/** What a form has, and why it was refused. */
interface Typed {
  label?: string
  scope?: string
  days?: string
  refused?: FormError
}

async function showKeys(visit: Visit, typed: Typed = {}): Promise<Response> {
  const texts = KEY_TEXTS[visit.language]
  const apiKeys = await visit.call('listApiKeys')
  const rows = apiKeys
    .toReversed()
    .map((key) => [
      html`<bdi>${key.label || texts.unnamed}</bdi> <small>${scopeText(key.scope, texts.scopeNames)}${
        key.id === visit.claims.jti && `, ${texts.own}`
      }</small> <code class="uid">${key.id}</code>`,
      keyState(key, visit),
      lastUse(key, visit),
      when(key.expiresAt, visit),
      key.revokedAt === undefined &&
        html`<a class="button" href="${visit.base}keys/${encodeURIComponent(key.id)}/revoke">${texts.revoke}</a>`,
    ])
  return consolePage(visit, {
    title: texts.title,
    active: 'keys',
    status: typed.refused?.status ?? 200,
    main: html`<div class="head"><h1>${texts.title}</h1><a class="button" href="#new">${texts.make}</a></div>${notice(
      visit,
      texts.done,
    )}<p>${texts.lead}</p>
      <section class="card">${table(
        [[texts.name, 'name'], [texts.state, 'state'], [texts.lastUsed], [texts.expires], [texts.action]],
        rows,
        texts.title,
      )}<p class="hint">${texts.lastUsedHint}</p></section>
      <section class="card" id="new"><h2>${texts.make}</h2>${typed.refused?.alert}
      <form method="post" action="${visit.base}keys">
        ${field({
          name: 'label',
          label: texts.label,
          value: typed.label,
          isRequired: true,
          maxLength: 60,
          fault: typed.refused?.fields.label,
        })}
        ${select(
          'scope',
          texts.scope,
          SCOPES.map((value) => ({ value, text: texts.scopes[value] })),
          typed.scope ?? 'merchant',
        )}
        ${field({
          name: 'days',
          label: texts.days,
          value: typed.days ?? `${DAYS}`,
          type: 'number',
          isRequired: true,
          fault: typed.refused?.fields.days,
        })}
        <button class="primary">${texts.create}</button>
      </form></section>`,
  })
}

/** @param names of the scopes, as a person reads them */
const scopeText = (scope: string, names: Texts['scopes']): string =>
  Object.entries(names)
    .flatMap(([name, text]) => (scope.split(' ').includes(name) ? [text] : []))
    .join('; ')

/** The last use of a key, of a site or of an operator: no more than the hour of it is known. */
export function lastUse({ lastUsedAt }: Pick<ApiKey, 'lastUsedAt'>, visit: Visit): Html | string {
  const texts = KEY_TEXTS[visit.language]
  if (lastUsedAt === undefined) return texts.never
  return visit.now - lastUsedAt < 3600 ? texts.withinHour : hourOf(lastUsedAt, visit)
}

/** Whether a key works, of a site or of an operator. */
export function keyState(
  { revokedAt, expiresAt }: Pick<ApiKey, 'revokedAt' | 'expiresAt'>,
  visit: Visit,
): Html {
  const texts = KEY_TEXTS[visit.language]
  if (revokedAt !== undefined)
    return html`<span class="badge off">${texts.revoked}</span> ${when(revokedAt, visit)}`
  return expiresAt !== undefined && expiresAt <= visit.now
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
    const days = Number(typed.days)
    const body = { label: typed.label, scope: typed.scope, days: Number.isNaN(days) ? typed.days : days }
    const { key, token } = await visit.call('createApiKey', { body })
    return await consolePage(visit, {
      title: texts.madeTitle,
      active: 'keys',
      isNarrow: true,
      main: html`<h1>${texts.madeTitle}</h1><p class="done" role="status"><strong>${texts.madeLead}</strong></p>
        <section class="card">${secret(texts.token, token, visit)}
        ${facts([
          [texts.name, key.label],
          [texts.scope, scopeText(key.scope, texts.scopes)],
          [texts.expires, when(key.expiresAt, visit)],
        ])}</section>
        <p><a href="${visit.base}keys">${texts.back}</a></p>`,
    })
  } catch (error) {
    return showKeys(visit, { ...typed, refused: formError(error, visit) })
  }
}

function newKey(visit: Visit, fields: URLSearchParams): Confirmed {
  const texts = KEY_TEXTS[visit.language]
  return {
    title: texts.make,
    back: 'keys',
    rows: [
      [texts.name, fields.get('label') ?? ''],
      [texts.scope, scopeText(fields.get('scope') ?? '', texts.scopes)],
      [texts.days, fields.get('days') ?? ''],
    ],
  }
}

async function askToRevoke(visit: Visit): Promise<Response> {
  const texts = KEY_TEXTS[visit.language]
  const key = await keyOf(visit)
  return consolePage(visit, {
    title: texts.revokeTitle,
    active: 'keys',
    isNarrow: true,
    main: html`<h1>${texts.revokeTitle}</h1>
      <section class="card">${facts(factsOf(key, visit))}
      ${revocationForm(key.id, visit, `${visit.base}keys`)}</section>`,
  })
}

async function keyOf(visit: Visit): Promise<ApiKey> {
  const { id = '' } = pathOf(visit, '/{id}/revoke')
  const key = (await visit.call('listApiKeys')).find((each) => each.id === id)
  if (!key) throw new ApiError('payin.resource.not.found', 'there is no such key')
  return key
}

function factsOf(key: ApiKey, visit: Visit): Parameters<typeof facts>[0] {
  const texts = KEY_TEXTS[visit.language]
  return [
    [texts.name, key.label || texts.unnamed],
    [texts.id, html`<code>${key.id}</code>`],
    [texts.scope, scopeText(key.scope, texts.scopes)],
  ]
}

const revokedKey = async (visit: Visit): Promise<Confirmed> => ({
  title: KEY_TEXTS[visit.language].revokeTitle,
  back: 'keys',
  rows: factsOf(await keyOf(visit), visit),
})

/** The form that revokes a key, of a site or of an operator. @param list the address of the list of keys */
export function revocationForm(id: string, visit: Visit, list: string): Html {
  const texts = KEY_TEXTS[visit.language]
  return html`<p>${texts.revokeLead}</p>${
    id === visit.claims.jti && html`<p class="alert"><strong>${texts.revokeOwn}</strong></p>`
  }
      <form method="post" class="actions"><button class="danger">${texts.revoke}</button> <a href="${list}">${texts.cancel}</a></form>`
}

/** Goes back to the list of keys, or to the sign-in: the session has ended with its own key. */
export const afterRevocation = (id: string, visit: Visit, list: string): Response =>
  id === visit.claims.jti
    ? withCookies(
        seeOther(visit.c, `${visit.console}sign-in`),
        noSession(visit.c, visit.config, visit.claims.sub),
      )
    : seeOther(visit.c, `${list}?done=revoked`)

async function revokeKey(visit: Visit): Promise<Response> {
  const { id: keyId = '' } = pathOf(visit, '/{id}/revoke')
  await visit.call('revokeApiKey', { path: { keyId } })
  return afterRevocation(keyId, visit, `${visit.base}keys`)
}

export const KEY_ROUTES: readonly Route[] = [
  { method: 'get', path: '/keys', scopes: ADMINS, handle: showKeys },
  { method: 'post', path: '/keys', scopes: ADMINS, handle: createKey, confirms: newKey },
  { method: 'get', path: '/keys/:id/revoke', scopes: ADMINS, handle: askToRevoke },
  { method: 'post', path: '/keys/:id/revoke', scopes: ADMINS, handle: revokeKey, confirms: revokedKey },
]

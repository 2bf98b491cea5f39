// The addresses for notifications besides that of the settings: one to add or to change, its test and its removal.
import { html } from 'hono/html'
import { NOTIFICATION_TYPES } from '../../contract/settings.ts'
import { ApiError } from '../../errors.ts'
import { seeOther } from '../../http/response.ts'
import { invalid } from '../../http/validate.ts'
import type { Html } from '../../web/layout.ts'
import { consolePage } from '../page.ts'
import { type FormError, facts, field, formError, notice, pathOf, textsOf } from '../parts.ts'
import { LIST_TEXTS } from '../texts-lists.ts'
import { SETTINGS_TEXTS } from '../texts-settings.ts'
import { ADMINS, type Confirmed, type Route, type Visit } from '../visit.ts'
import { addressPath, nameOf, typesField } from './address-list.ts'
import { testNow, testResult } from './tests.ts'
import { undelivered } from './undelivered.ts'

export const ADDRESSES: readonly Route[] = [
  { method: 'get', path: '/addresses', scopes: ADMINS, handle: (visit) => newAddress(visit) },
  { method: 'post', path: '/addresses', scopes: ADMINS, handle: add, confirms: entered },
  { method: 'get', path: '/addresses/:id', scopes: ADMINS, handle: (visit) => address(visit) },
  { method: 'post', path: '/addresses/:id', scopes: ADMINS, handle: change, confirms: entered },
  { method: 'post', path: '/addresses/:id/test', scopes: ADMINS, handle: sendTest },
  { method: 'get', path: '/addresses/:id/remove', scopes: ADMINS, handle: askToRemove },
  { method: 'post', path: '/addresses/:id/remove', scopes: ADMINS, handle: remove, confirms: removal },
]

/** What a form has; `id` is typed of a new address alone. */
interface Typed {
  id?: string
  url?: string
  label?: string | undefined
  types: readonly string[]
}

interface Tried extends FormError {
  typed: Typed
}

const idOf = (visit: Visit, template = '/{id}'): { callbackId: string } => ({
  callbackId: pathOf(visit, template).id ?? '',
})

interface FormOf {
  /** Of the settings. */
  revision: string
  typed: Typed
  tried: Tried | undefined
  isNew?: boolean
}

function form(visit: Visit, { revision, typed, tried, isNew = false }: FormOf): Html {
  const all = SETTINGS_TEXTS[visit.language]
  const texts = all.addresses
  const fault = (name: string) => tried?.fields[name]
  const { id, label, url } = typed
  return html`<form class="card" method="post">${tried?.alert}
      <input type="hidden" name="etag" value="${`"${revision}"`}">
      ${field({ name: 'label', label: texts.name, value: label, hint: texts.nameHint, maxLength: 60, fault: fault('label') })}
      ${field({ name: 'url', label: all.callback, value: url, hint: texts.urlHint, maxLength: 500, isRequired: true, fault: fault('url') })}
      ${isNew && field({ name: 'id', label: texts.id, value: id, hint: texts.idHint, maxLength: 64, isRequired: true, fault: fault('callbackId') })}
      ${typesField(visit, 'types', typed.types)}
      <div class="actions"><button class="primary">${isNew ? texts.add : all.save}</button><a href="${visit.base}settings#addresses">${texts.back}</a></div></form>`
}

async function newAddress(visit: Visit, tried?: Tried): Promise<Response> {
  const { callbacks, revision } = await visit.call('listCallbacks')
  const texts = SETTINGS_TEXTS[visit.language].addresses
  const free = ['shop-2', 'shop-3', 'shop-4', 'shop-5'].find(
    (id) => !callbacks.some((each) => each.id === id),
  )
  const typed = tried?.typed ?? { id: free ?? '', types: ['PAYMENT', 'REFUND', 'TOKEN'] }
  return consolePage(visit, {
    title: texts.added,
    active: 'settings',
    isNarrow: true,
    status: tried?.status ?? 200,
    main: html`<h1>${texts.added}</h1>${form(visit, { revision, typed, tried, isNew: true })}`,
  })
}

async function typedIn(visit: Visit): Promise<{ typed: Typed; etag: string }> {
  const fields = await visit.form()
  const of = (name: string) => fields.get(name)?.trim() ?? ''
  return {
    typed: { id: of('id'), label: of('label'), url: of('url'), types: fields.getAll('types') },
    etag: of('etag'),
  }
}

const put = (visit: Visit, id: string, { url, types, label }: Typed, etag: string) =>
  visit.call('putCallback', {
    path: { callbackId: id },
    body: { url, types, ...(label && { label }) },
    headers: { 'If-Match': etag },
  })

/** An address as it is to be. */
async function entered(visit: Visit): Promise<Confirmed> {
  const { addresses: texts } = SETTINGS_TEXTS[visit.language]
  const { types: typeNames } = LIST_TEXTS[visit.language].notifications
  const { typed } = await typedIn(visit)
  const isNew = typed.id !== ''
  return {
    title: isNew ? texts.added : idOf(visit).callbackId,
    back: 'settings#addresses',
    rows: [
      [texts.id, typed.id],
      [texts.name, typed.label],
      [texts.url, typed.url],
      [
        texts.types,
        NOTIFICATION_TYPES.filter((type) => typed.types.includes(type))
          .map((type) => typeNames[type])
          .join(', ') || texts.nothing,
      ],
    ],
  }
}

async function removal(visit: Visit): Promise<Confirmed> {
  const { addresses: texts } = SETTINGS_TEXTS[visit.language]
  const { callback } = await visit.call('getCallback', { path: idOf(visit, '/{id}/remove') })
  return {
    title: texts.removeTitle,
    back: 'settings#addresses',
    rows: [
      [texts.name, nameOf(callback)],
      [texts.url, callback.url],
    ],
  }
}

async function add(visit: Visit): Promise<Response> {
  const { typed, etag } = await typedIn(visit)
  const { id = '' } = typed
  try {
    const { callbacks } = await visit.call('listCallbacks')
    if (callbacks.some((each) => each.id === id)) throw invalid({ callbackId: ['is there already'] })
    await put(visit, id, typed, etag)
    return seeOther(visit.c, `${addressPath(visit.base, id)}?done=saved`)
  } catch (error) {
    return newAddress(visit, { ...refusal(error, visit), typed })
  }
}

function refusal(error: unknown, visit: Visit): FormError {
  const all = SETTINGS_TEXTS[visit.language]
  const { addresses: texts } = all
  const isTaken = error instanceof ApiError && error.fields?.callbackId?.[0] === 'is there already'
  return formError(error, visit, {
    url: all.urlRule,
    label: texts.nameHint,
    callbackId: isTaken ? texts.idTaken : texts.idHint,
    'payin.incorrect-method-invocation': texts.full,
  })
}

/** The page of an address: how it stands, and what can be changed. */
async function address(visit: Visit, tried?: Tried): Promise<Response> {
  const { base, language } = visit
  const texts = SETTINGS_TEXTS[language].addresses
  const path = idOf(visit)
  const { callback, revision } = await visit.call('getCallback', { path })
  const [keys, causes] = await Promise.all([
    visit.call('listCallbackKeys', { path }),
    undelivered(visit, callback.id),
  ])
  const own = addressPath(base, callback.id)
  const typed: Typed = tried?.typed ?? callback
  const main = html`<a class="back" href="${base}settings#addresses">← ${textsOf(visit).nav.settings}</a>
    ${notice(visit)}${testResult(visit)}
    <div class="head"><h1><bdi>${nameOf(callback)}</bdi></h1>${
      keys.length > 0 &&
      html`<form method="post" action="${own}/test" class="inline"><button>${LIST_TEXTS[language].notifications.test}</button></form>`
    }</div>
    <div class="stack" data-live>${causes}</div>
    ${form(visit, { revision, typed, tried })}
    <section class="card">${facts([[texts.id, html`<code>${callback.id}</code>`]])}
    <div class="actions"><a class="button" href="${own}/keys">${SETTINGS_TEXTS[language].keys}</a>
    <a class="button" href="${base}notifications?callback=${callback.id}">${texts.log}</a>
    <a class="button" href="${own}/remove">${texts.remove}</a></div></section>`
  return consolePage(visit, {
    title: nameOf(callback),
    main,
    active: 'settings',
    isNarrow: true,
    status: tried?.status ?? 200,
  })
}

async function change(visit: Visit): Promise<Response> {
  const { typed, etag } = await typedIn(visit)
  try {
    await put(visit, idOf(visit).callbackId, typed, etag)
    return seeOther(visit.c, '?done=saved')
  } catch (error) {
    return address(visit, { ...refusal(error, visit), typed })
  }
}

async function sendTest(visit: Visit): Promise<Response> {
  const { callbackId } = idOf(visit, '/{id}/test')
  return seeOther(visit.c, `${addressPath(visit.base, callbackId)}?done=${await testNow(visit, callbackId)}`)
}

async function askToRemove(visit: Visit): Promise<Response> {
  const texts = SETTINGS_TEXTS[visit.language].addresses
  const { callback } = await visit.call('getCallback', { path: idOf(visit, '/{id}/remove') })
  return consolePage(visit, {
    title: texts.removeTitle,
    active: 'settings',
    isNarrow: true,
    main: html`<h1>${texts.removeTitle}</h1>
      <section class="card">${facts([
        [texts.name, nameOf(callback)],
        [texts.url, callback.url],
      ])}<p>${texts.removeLead}</p>
      <form method="post" class="actions"><button class="danger">${texts.remove}</button> <a href="${addressPath(visit.base, callback.id)}">${texts.keep}</a></form></section>`,
  })
}

async function remove(visit: Visit): Promise<Response> {
  const path = idOf(visit, '/{id}/remove')
  // To remove one that is not there is no error of the API.
  await visit.call('getCallback', { path })
  await visit.call('deleteCallback', { path })
  return seeOther(visit.c, `${visit.base}settings?done=addressRemoved`)
}

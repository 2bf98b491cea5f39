// The settings of a site: what its payers see, and where notifications go.
import { html } from 'hono/html'
import { NOTIFICATION_TYPES, type Settings } from '../../contract/settings.ts'
import { ApiError } from '../../errors.ts'
import { seeOther } from '../../http/response.ts'
import { consolePage } from '../page.ts'
import { type FormError, field, formError, notice, textsOf } from '../parts.ts'
import { CODE_TEXTS } from '../texts-codes.ts'
import { LIST_TEXTS } from '../texts-lists.ts'
import { ADMINS, type Route, type Visit } from '../visit.ts'

const NAMES = ['name', 'supportContact', 'legalName', 'taxId', 'logoUrl', 'color', 'callbackUrl'] as const
type Typed = Partial<Pick<Settings, (typeof NAMES)[number]>> & { notificationTypes: readonly string[] }

export const SETTINGS: readonly Route[] = [
  { method: 'get', path: '/settings', scopes: ADMINS, handle: (visit) => settings(visit) },
  { method: 'post', path: '/settings', scopes: ADMINS, handle: save },
]

interface Tried extends FormError {
  /** What was typed, unless somebody else changed the settings meanwhile. */
  typed?: Typed
}

async function settings(visit: Visit, tried?: Tried): Promise<Response> {
  const { settings: present, revision } = await visit.call('getSettings')
  const known: Typed = tried?.typed ?? present
  const texts = CODE_TEXTS[visit.language].settings
  const title = textsOf(visit).nav.settings
  const fieldOf = (name: (typeof NAMES)[number], label: string, hint: string, maxLength: number) =>
    field({ name, label, value: known[name], hint, maxLength, fault: tried?.fields[name] })
  const { types } = LIST_TEXTS[visit.language].notifications
  const main = html`<h1>${title}</h1>${notice(visit)}
    <form method="post">${tried?.alert}
      <input type="hidden" name="etag" value="${`"${revision}"`}">
      <h2>${texts.shop}</h2>
      ${fieldOf('name', texts.name, texts.nameHint, 60)}
      ${fieldOf('supportContact', texts.contact, texts.contactHint, 100)}
      ${fieldOf('legalName', texts.legalName, texts.legalNameHint, 160)}
      ${fieldOf('taxId', texts.taxId, texts.taxIdHint, 12)}
      ${fieldOf('logoUrl', texts.logo, texts.logoHint, 500)}
      ${fieldOf('color', texts.color, texts.colorHint, 7)}
      <h2>${texts.server}</h2>
      ${fieldOf('callbackUrl', texts.callback, texts.callbackHint, 500)}
      <fieldset><legend>${texts.types}</legend>${NOTIFICATION_TYPES.map(
        (type) =>
          html`<label class="check"><input type="checkbox" name="notificationTypes" value="${type}"${
            known.notificationTypes.includes(type) && html` checked`
          }>${types[type]}</label>`,
      )}</fieldset>
      <div class="actions"><button class="primary">${texts.save}</button><a href="${visit.base}notification-keys">${texts.keys}</a></div></form>`
  return consolePage(visit, { title, main, active: 'settings', isNarrow: true, status: tried?.status ?? 200 })
}

async function save(visit: Visit): Promise<Response> {
  const form = await visit.form()
  const typed: Typed = {
    ...Object.fromEntries(NAMES.map((name) => [name, form.get(name)?.trim() ?? ''])),
    notificationTypes: form.getAll('notificationTypes'),
  }
  try {
    // What stands as it was is not sent: an empty `logoUrl` would remove an uploaded logo.
    const { settings: present } = await visit.call('getSettings')
    const changed = NAMES.filter((name) => (typed[name] ?? '') !== (present[name] ?? ''))
    const body = {
      ...Object.fromEntries(changed.map((name) => [name, typed[name] || null])),
      notificationTypes: typed.notificationTypes,
    }
    await visit.call('patchSettings', { body, headers: { 'If-Match': form.get('etag') ?? '' } })
  } catch (error) {
    const isStale = error instanceof ApiError && error.code === 'http.precondition.failed'
    const own = { color: CODE_TEXTS[visit.language].settings.colorHint }
    return settings(visit, { ...formError(error, visit, own), ...(!isStale && { typed }) })
  }
  return seeOther(visit.c, '?done=saved')
}

// The addresses for notifications besides that of the settings: their list, and what their form and that of the settings share.
import { html } from 'hono/html'
import { type Callback, DEFAULT_CALLBACK, MAX_CALLBACKS } from '../../contract/callback.ts'
import { NOTIFICATION_TYPES } from '../../contract/settings.ts'
import type { Html } from '../../web/layout.ts'
import { table } from '../parts.ts'
import { LIST_TEXTS } from '../texts-lists.ts'
import { SETTINGS_TEXTS } from '../texts-settings.ts'
import type { Visit } from '../visit.ts'

export const addressPath = (base: string, id: string): string => `${base}addresses/${id}`
export const nameOf = ({ id, label }: Pick<Callback, 'id' | 'label'>): string => label ?? id

/** The part of the settings with the addresses besides that of the form. */
export function otherAddresses(visit: Visit, callbacks: readonly Callback[]): Html {
  const { base, language } = visit
  const texts = SETTINGS_TEXTS[language].addresses
  const { types: typeNames } = LIST_TEXTS[language].notifications
  const others = callbacks.filter(({ id }) => id !== DEFAULT_CALLBACK)
  return html`<section class="card" id="addresses"><h2>${texts.others}</h2><p>${texts.lead}</p>${
    others.length > 0 &&
    table(
      [[texts.name, 'name'], [texts.url], [texts.types]],
      others.map((callback) => [
        html`<a href="${addressPath(base, callback.id)}"><bdi>${nameOf(callback)}</bdi></a>`,
        html`<bdi>${callback.url}</bdi>`,
        callback.types.map((type) => typeNames[type]).join(', ') || texts.nothing,
      ]),
      texts.others,
    )
  }${
    callbacks.length < MAX_CALLBACKS
      ? html`<a class="button" href="${base}addresses">${texts.add}</a>`
      : html`<p class="hint">${texts.full}</p>`
  }</section>`
}

/** What a server is told of. */
export function typesField({ language }: Visit, name: string, chosen: readonly string[]): Html {
  const { types } = LIST_TEXTS[language].notifications
  return html`<fieldset><legend>${SETTINGS_TEXTS[language].types}</legend>${NOTIFICATION_TYPES.map(
    (type) =>
      html`<label class="check"><input type="checkbox" name="${name}" value="${type}"${
        chosen.includes(type) && html` checked`
      }>${types[type]}</label>`,
  )}</fieldset>`
}

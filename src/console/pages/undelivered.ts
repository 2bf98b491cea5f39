// Why notifications do not arrive: a card for each cause, with what to do.
import { html } from 'hono/html'
import { DEFAULT_CALLBACK } from '../../contract/callback.ts'
import { type NotificationGroup, WAITING_CAUSES } from '../../contract/notifications/groups.ts'
import type { Html } from '../../web/layout.ts'
import { seconds, when } from '../formats.ts'
import { textsOf } from '../parts.ts'
import { LIST_TEXTS } from '../texts-lists.ts'
import { UNDELIVERED_TEXTS } from '../texts-undelivered.ts'
import { ADMINS, type Visit } from '../visit.ts'

/** The causes of what is not delivered, to one address or to all; empty if all is. */
export async function undelivered(visit: Visit, callback?: string): Promise<Html | ''> {
  const { groups: all, isComplete } = await visit.call('groupNotifications')
  const groups = callback === undefined ? all : all.filter((group) => group.callback === callback)
  if (groups.length === 0) return ''
  const texts = UNDELIVERED_TEXTS[visit.language]
  return html`<section class="card"><h2>${texts.title}</h2>${groups.map((group) => cause(group, visit))}${
    !isComplete && html`<p class="hint">${texts.tooMany}</p>`
  }</section>`
}

function cause(group: NotificationGroup, visit: Visit): Html {
  const { callback, origin, cause: name, since, waiting, failed } = group
  const texts = UNDELIVERED_TEXTS[visit.language]
  const [, advice] = texts.causes.find(([beginning]) => name.startsWith(beginning)) ?? []
  const page = PAGES.get(name)
  const isOther = callback !== DEFAULT_CALLBACK
  const href = isOther ? `addresses/${callback}/keys` : page
  const counts = [
    waiting > 0 ? `${texts.waiting}: ${waiting}` : '',
    failed > 0 ? `${texts.failed}: ${failed}` : '',
  ].filter(Boolean)
  return html`<div class="cause"><p><strong>${advice?.happens}</strong>${
    isResult(name) && html` ${result(name, visit)}`
  }</p>
    <p class="hint">${isOther && html`<code>${callback}</code>, `}${origin && html`<bdi>${origin}</bdi>, `}${texts.since} ${when(seconds(since), visit)}; ${counts.join(', ')}</p>
    <p>${advice?.todo}${page && visit.may(...ADMINS) && html`. <a href="${visit.base}${href}">${textsOf(visit).nav[page]}</a>`}</p></div>`
}

/** The result of the latest attempt, in the page's language where that has words for it. */
function result(name: string, { language }: Visit): Html {
  const known = LIST_TEXTS[language].notifications.errors[name]
  return known ? html`<small>${known}</small>` : html`<small lang="en">${name}</small>`
}

/** Where an administrator does what is advised. */
const PAGES = new Map<string, 'notification-keys' | 'settings'>([
  [WAITING_CAUSES.key, 'notification-keys'],
  [WAITING_CAUSES.address, 'settings'],
])

const isResult = (name: string): boolean => !Object.values<string>(WAITING_CAUSES).includes(name)

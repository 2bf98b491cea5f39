// The menu of the sites to which a browser is signed in: it is on each page once there are two.
import { html } from 'hono/html'
import { OPERATOR } from '../contract/access-token.ts'
import type { Language } from '../http/negotiation.ts'
import type { Html } from '../web/layout.ts'
import { icon } from './icons.ts'
import { homeOf } from './locations.ts'
import { CONSOLE_TEXTS } from './texts.ts'

interface Sites {
  language: Language
  /** Those of the browser's sessions, OPERATOR for the operator's. */
  sites: readonly string[]
}

/** The name of the page's site: where there are others, the button that opens the menu. */
export const shownSite = ({ name, language, sites }: Sites & { name: string }): Html =>
  sites.length < 2
    ? html`<bdi>${name}</bdi>`
    : html`<button class="site" popovertarget="sites"><bdi>${name}</bdi><span class="unseen">: ${
        CONSOLE_TEXTS[language].switcher.open
      }</span>${icon('open')}</button>`

/**
 * The menu itself; nothing for a browser with less than two sessions.
 * @param console from the page to /console/
 * @param present the site of the page
 */
export function switcher({
  language,
  sites,
  console,
  present,
}: Sites & { console: string; present: string | undefined }): Html | '' {
  if (sites.length < 2) return ''
  const texts = CONSOLE_TEXTS[language].switcher
  const links = sites
    .toSorted()
    .map(
      (siteId) =>
        html`<a href="${console}${homeOf(siteId)}"${siteId === present && html` aria-current="true"`}>${icon(
          siteId === OPERATOR ? 'settings' : 'operator',
        )}<bdi>${siteId === OPERATOR ? texts.operator : siteId}</bdi></a>`,
    )
  return html`<nav class="sites" id="sites" popover aria-label="${texts.title}">${links}<a href="${console}sign-in">${icon(
    'add',
  )}${texts.another}</a></nav>`
}

// The frame of the console's pages: what stands around each of them.
import { html, raw } from 'hono/html'
import type { Scope } from '../contract/access-token.ts'
import { DEFAULT_CALLBACK } from '../contract/callback.ts'
import { networkOf } from '../gateway/connection.ts'
import type { Language } from '../http/negotiation.ts'
import type { Html } from '../web/layout.ts'
import { icon } from './icons.ts'
import { shownSite, switcher } from './switcher.ts'
import { CONSOLE_TEXTS, type ConsoleTexts } from './texts.ts'
import {
  ADMINS,
  EVERYBODY,
  OPERATOR_READERS,
  OPERATORS,
  PEOPLE,
  READERS,
  type Visit,
  WRITERS,
} from './visit.ts'

export interface Frame {
  title: string
  main: Html
  language: Language
  /** From the page to /console/. */
  console: string
  /** From the page to where its own pages begin. */
  base: string
  /** The sites of the browser's sessions, OPERATOR for the operator's. */
  sites: readonly string[]
  /** The one of the page. */
  present?: string | undefined
  /** The first segment of the page's address. */
  active?: string
  /** Undefined if nobody is signed in. */
  visit?: Visit
  /** Whether the page is of a site of the sandbox, or the operator's of a deployment of it. */
  isSandbox?: boolean
  /** The query of the page's address: the link to another language keeps its filters. */
  query?: Record<string, string>
  /** Whether the page answers a form: then its address does not lead to it again, in another language or with the secret that it shows. */
  isAnswer?: boolean
  /** The cursor of the site's feed that the page shows: what happens after it is shown by the script. */
  feed?: string | undefined
  /** Where the script asks for another cursor; by default the site's feed. */
  poll?: string | undefined
  /** Rules that are the page's own. */
  theme?: string | undefined
  /** One column of text and fields. */
  isNarrow?: boolean
  /** Seconds after which a page without script loads again. */
  refresh?: number | false
  /** Whether notifications are not delivered: the navigation says so on every page. */
  hasUndelivered?: boolean
}

/** The first segment of its address, its name, and whom it is for. */
type Section = readonly [path: string, name: keyof ConsoleTexts['nav'], scopes: readonly Scope[]]

/** Of a site with a cash register. */
const RECEIPTS: Section = ['receipts', 'receipts', READERS]

/** No bank pays out what a test site sold. */
const SETTLEMENT: Section = ['settlement', 'settlement', READERS]

/** On a phone these are always in view. */
const TABS: readonly Section[] = [
  ['', 'today', READERS],
  ['qr', 'qr', READERS],
  ['payments', 'payments', READERS],
  ['tills', 'tills', PEOPLE],
]
const REST: readonly Section[] = [
  ['accounts', 'accounts', WRITERS],
  ['notifications', 'notifications', READERS],
  RECEIPTS,
  SETTLEMENT,
  ['events', 'events', READERS],
  ['settings', 'settings', ADMINS],
  ['keys', 'keys', ADMINS],
  ['notification-keys', 'notification-keys', ADMINS],
  ['people', 'people', ADMINS],
]
/** Of a person: a session of a token has no devices. */
const OWN: Section = ['me', 'me', EVERYBODY]
const OWN_OF_OPERATOR: Section = ['operator/me', 'me', EVERYBODY]
const OPERATOR: readonly Section[] = [
  ['operator/sites', 'operator', OPERATOR_READERS],
  ['operator/stuck', 'stuck', OPERATOR_READERS],
  ['operator/settlement', 'operator-settlement', OPERATOR_READERS],
  ['operator/people', 'people', OPERATORS],
  ['operator/keys', 'operator-keys', OPERATOR_READERS],
  ['operator/audit', 'audit', OPERATOR_READERS],
]

const OTHER = { ru: { tag: 'en', name: 'English' }, en: { tag: 'ru', name: 'Русский' } } as const

export function frame({
  title,
  main,
  language,
  console,
  base,
  sites,
  present,
  active = '',
  visit,
  query = {},
  ...more
}: Frame): Html {
  const texts = CONSOLE_TEXTS[language]
  const { tag, name } = OTHER[language]
  const root = `${console}../`
  const className = [more.isNarrow && 'narrow', !visit && 'alone'].filter(Boolean).join(' ')
  return html`<!doctype html>
<html lang="${language}">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
    <meta name="robots" content="noindex">
    <meta name="color-scheme" content="light dark">
    <title>${title} · ${visit?.shop || texts.console}</title>
    <link rel="icon" href="${root}icon.svg">
    <link rel="stylesheet" href="${root}console.css">
    ${more.theme && html`<style>${raw(more.theme)}</style>`}
    ${more.refresh && html`<noscript><meta http-equiv="refresh" content="${more.refresh}"></noscript>`}
    <script src="${root}console.js" type="module"></script>
  </head>
  <body>
    <a class="skip" href="#main">${texts.skip}</a>
    <header class="bar">
      <strong>${shownSite({ name: visit?.shop || texts.console, language, sites })}</strong>
      ${more.isSandbox && html`<span class="sandbox">${texts.sandbox}</span>`}
      ${visit?.siteId && visit.may(...READERS) && searchField(visit)}
      ${!more.isAnswer && html`<a href="${addressIn(tag, query)}" lang="${tag}" hreflang="${tag}">${name}</a>`}
      ${visit && html`<form method="post" action="${base}${visit.siteId ? '' : 'operator/'}sign-out"><button>${texts.signOut}</button></form>`}
    </header>
    ${switcher({ language, console, sites, present })}
    ${visit && navigation(visit, active, more.hasUndelivered)}
    <main id="main" tabindex="-1" class="${className}"${visit && html` data-now="${visit.now}"`}${
      more.feed !== undefined && html` data-feed="${more.feed}" data-poll="${more.poll ?? `${base}feed`}"`
    }>${visit?.undelivered.keyless && visit.may(...READERS) && !more.isAnswer && noKey(visit, visit.undelivered.keyless)}${main}</main>
  </body>
</html>`
}

/** One field for everything, on every page of a site. */
function searchField({ base, language, c }: Visit): Html {
  const { label, hint } = CONSOLE_TEXTS[language].searchField
  const q = c.req.path.endsWith('/search') ? (c.req.query('q') ?? '') : ''
  return html`<form class="find" role="search" action="${base}search"><input type="search" name="q" value="${q}" required
      minlength="2" maxlength="100" aria-label="${label}" placeholder="${hint}" enterkeyhint="search" autocomplete="off"></form>`
}

/** Without a key nothing is sent, and no list says so: nothing was tried. The answer to a form can have made the first key. */
function noKey({ base, language, may }: Visit, callback: string): Html {
  const { lead, leadOf, make, ask } = CONSOLE_TEXTS[language].noKey
  const isDefault = callback === DEFAULT_CALLBACK
  const keys = isDefault ? 'notification-keys' : `addresses/${callback}/keys`
  return html`<p class="warn">${isDefault ? lead : leadOf(callback)} ${may(...ADMINS) ? html`<a href="${base}${keys}">${make}</a>` : ask}</p>`
}

/** The page in another language: with its query, without what a form before it did. */
function addressIn(tag: Language, query: Record<string, string>): string {
  const kept = new URLSearchParams(query)
  kept.delete('done')
  kept.set('lang', tag)
  return `?${kept}`
}

function navigation(visit: Visit, active: string, hasUndelivered: boolean | undefined): Html {
  const texts = CONSOLE_TEXTS[visit.language]
  const markOf = (text: string | false | undefined) =>
    html`<span class="mark" data-live>${text && html`<span class="unseen">${text}</span>`}</span>`
  const marks: Readonly<Record<string, string | false | undefined>> = {
    notifications: hasUndelivered && texts.undelivered,
    receipts: visit.receipts?.hasFailed && texts.unregistered,
  }
  const allowed = (sections: readonly Section[]) =>
    sections.filter(
      (section) =>
        visit.may(...section[2]) &&
        (section !== RECEIPTS || visit.receipts !== undefined) &&
        (section !== SETTLEMENT || !networkOf(visit.config, visit.siteId).isTest),
    )
  const items = (sections: readonly Section[]) =>
    allowed(sections).map(
      ([path, name]) =>
        html`<a href="${visit.base}${path}"${path === active && html` aria-current="page"`}>${icon(name)}${texts.nav[name]}${
          name in marks && markOf(marks[name])
        }</a>`,
    )
  const rest = allowed(visit.claims.jti === undefined ? [...REST, OWN] : REST)
  return visit.siteId === ''
    ? html`<nav class="tabs" aria-label="${texts.sections}">${items(visit.claims.jti === undefined ? [...OPERATOR, OWN_OF_OPERATOR] : OPERATOR)}</nav>`
    : rest.length < 2
      ? // A menu of one entry is a tab: a cashier has their devices besides the tills.
        html`<nav class="tabs" aria-label="${texts.sections}">${items([...TABS, ...rest])}</nav>`
      : html`<nav class="tabs" aria-label="${texts.sections}">${items(TABS)}
      <button popovertarget="more"${
        rest.some(([path]) => path === active) && html` aria-current="true"`
      }>${icon('more')}${texts.more}${markOf(Object.values(marks).find(Boolean))}</button></nav>
    <nav class="more" id="more" popover aria-label="${texts.more}">${items(rest)}</nav>`
}

// The frame of every page: head, language switch, notice of the sandbox. The style and the script are static files.
import { html, raw } from 'hono/html'
import type { Language } from '../http/negotiation.ts'

export type Html = ReturnType<typeof html>

export interface Layout {
  language: Language
  title: string
  /** From the page's address to the root of the service, such as `../../`: PUBLIC_URL may have a path. */
  root: string
  /** The address of this page in another language. */
  addressIn?: (language: Language) => string
  /** The content of the meta element, for a browser without script. */
  refresh?: string | false | undefined
  sandbox?: boolean
  /** The style sheet: by default that of the start page. */
  style?: 'payer' | 'print'
  /** Rules that are the page's own. The page's policy must name their hash; see page.ts. */
  theme?: string | undefined
  /** Whose page it is, at the start of the header. */
  brand?: Html | undefined
  /** A line below the content. */
  foot?: Html | string | undefined
  /** Another script besides page.js. */
  script?: 'banks' | 'print'
  /** Whether search engines may list the page. */
  isPublic?: boolean
  main: Html
}

const SANDBOX = { ru: 'Тестовый стенд: деньги не списываются', en: 'Sandbox: no money moves' }
const OTHER = { ru: { tag: 'en', name: 'English' }, en: { tag: 'ru', name: 'Русский' } } as const

export const layout = ({ language, title, root, main, ...more }: Layout): Html => html`<!doctype html>
<html lang="${language}">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
    ${!more.isPublic && html`<meta name="robots" content="noindex">`}
    <meta name="color-scheme" content="light dark">
    <title>${title}</title>
    <link rel="icon" href="${root}icon.svg">
    <link rel="stylesheet" href="${root}${more.style ?? 'style'}.css">
    ${more.theme && html`<style>${raw(more.theme)}</style>`}
    <noscript>
      <link rel="stylesheet" href="${root}noscript.css">
      ${more.refresh && html`<meta http-equiv="refresh" content="${more.refresh}">`}
    </noscript>
    <script src="${root}page.js" type="module"></script>
    ${more.script && html`<script src="${root}${more.script}.js" type="module"></script>`}
  </head>
  <body>
    <header class="top">
      ${more.brand}
      ${more.sandbox && html`<p class="sandbox">${SANDBOX[language]}</p>`}
      ${more.addressIn && languageSwitch(OTHER[language], more.addressIn)}
    </header>
    ${main}
    ${more.foot && html`<footer class="foot">${more.foot}</footer>`}
  </body>
</html>`

const languageSwitch = ({ tag, name }: (typeof OTHER)[Language], addressIn: (language: Language) => string) =>
  html`<a class="language" href="${addressIn(tag)}" lang="${tag}" hreflang="${tag}">${name}</a>`

// The frame of the console's pages.
import { html } from 'hono/html'
import type { Language } from '../http/negotiation.ts'
import type { Html } from '../web/layout.ts'
import type { Visit } from './visit.ts'

export interface Frame {
  title: string
  main: Html
  language: Language
  root: string
  base: string
  /** The first segment of the page's address. */
  active?: string
  /** Undefined where nobody is signed in. */
  visit?: Visit
}

export const frame = ({ title, main, language, root, base, visit }: Frame): Html => html`<!doctype html>
<html lang="${language}">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="robots" content="noindex">
    <title>${title}</title>
    <link rel="icon" href="${root}icon.svg">
    <link rel="stylesheet" href="${root}style.css">
  </head>
  <body>
    <header class="top">${visit?.siteId}
      ${visit && html`<form method="post" action="${base}sign-out"><button>Sign out</button></form>`}
    </header>
    <main>${main}</main>
  </body>
</html>`

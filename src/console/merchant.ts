// The merchant's pages.
import { html } from 'hono/html'
import { consolePage } from './page.ts'
import type { Route } from './visit.ts'

export const MERCHANT_ROUTES: readonly Route[] = [
  {
    method: 'get',
    path: '/',
    scopes: ['merchant', 'merchant:read'],
    handle: (visit) => consolePage(visit, { title: visit.siteId, main: html`<h1>${visit.siteId}</h1>` }),
  },
]

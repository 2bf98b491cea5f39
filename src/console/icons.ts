// The icons of the sections: strokes on a grid of 24 units, in the colour of the text beside them.
import { html } from 'hono/html'
import type { Html } from '../web/layout.ts'

const ICONS = {
  today: 'M4 20v-9m5.3 9V4m5.4 16v-6M20 20V8',
  qr: 'M4 4h6v6H4zm10 0h6v6h-6zM4 14h6v6H4zm10 0h2v2h-2zm4 0h2m-2 4h2v2h-2zm-4 2v0',
  payments: 'M3 6h18v12H3zm6.5 6a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0-5 0M6.5 12v0m11 0v0',
  tills: 'M6 10V4h9v6M4 20h16v-4l-2-6H6l-2 6zm0-4h16m-9-3v0m3 0v0',
  accounts: 'M3 7h18v11H3zm0 4h18M7 15h4m8-8 0-3H6a3 3 0 0 0-3 3',
  notifications: 'M6 16v-5a6 6 0 0 1 12 0v5l1.5 2h-15zm4 5h4',
  receipts: 'M6 3h12v18l-2-1.5-2 1.5-2-1.5-2 1.5-2-1.5L6 21zm3 5h6m-6 4h6',
  settlement: 'M3 9l9-5 9 5v2H3zm2 2v7m5-7v7m4-7v7m5-7v7M3 20h18',
  events: 'M8 6h12M8 12h12M8 18h12M4 6v0m0 6v0m0 6v0',
  settings:
    'M4 7h9m5 0h2M4 17h2m5 0h9M13 7a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0-5 0M6 17a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0-5 0',
  keys: 'M4 15a4 4 0 1 0 8 0a4 4 0 1 0-8 0m7-3 9-9m-4 4 3 3',
  'notification-keys': 'm12 3 8 3v6c0 4.5-3.4 7.6-8 9c-4.6-1.4-8-4.5-8-9V6zm-3.5 9 2.5 2.5 4.5-5',
  people:
    'M5 8a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0M2 20c0-4 3-6 6.5-6s6.5 2 6.5 6m1-15.5a3.5 3.5 0 0 1 0 7m2 3c2.5.8 4 2.7 4 5.5',
  me: 'M7 3h10v18H7zm5 15v0',
  audit: 'M6 3h12v18H6zm3 5h6m-6 4h6m-6 4h3',
  'operator-settlement': 'M3 10h18M5 10v8m5-8v8m4-8v8m5-8v8M3 18h18v2H3zm9-15 9 5H3z',
  'operator-keys': 'M4 15a4 4 0 1 0 8 0a4 4 0 1 0-8 0m7-3 9-9m-4 4 3 3',
  operator: 'm3 10 2-6h14l2 6M3 10a3 3 0 0 0 6 0a3 3 0 0 0 6 0a3 3 0 0 0 6 0M5 13v7h14v-7M9 20v-4h6v4',
  stuck: 'M12 4 3 20h18zm0 6v4m0 3v0',
  more: 'M4 7h16M4 12h16M4 17h16',
  open: 'm7 10 5 5 5-5',
  add: 'M12 5v14M5 12h14',
} as const

/** The name of the section is beside it, so that a screen reader passes over it. */
export const icon = (name: keyof typeof ICONS): Html =>
  html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d="${ICONS[name]}"/></svg>`

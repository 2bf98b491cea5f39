// Test notifications: they are not stored, so the address of the next page has the result.
import { html } from 'hono/html'
import { isAccepted } from '../../contract/delivery.ts'
import type { Html } from '../../web/layout.ts'
import { asked } from '../parts.ts'
import { LIST_TEXTS } from '../texts-lists.ts'
import type { Visit } from '../visit.ts'

/** Sends one. @returns the value of `done` of the next page */
export async function testNow(visit: Visit, callback: string): Promise<string> {
  const { httpStatus, error, ms } = await visit.call('testNotification', { query: { callback } })
  return encodeURIComponent(`tested:${httpStatus ?? error}:${ms}`)
}

/** The result of a test, where the address has one. Only known results are shown: the query of the address can be forged. */
export function testResult(visit: Visit): Html | '' {
  const texts = LIST_TEXTS[visit.language].notifications
  const [, answer = '', ms] = /^tested:(.+):(\d{1,6})$/.exec(asked(visit, 'done')) ?? []
  const httpStatus = /^[1-5]\d\d$/.test(answer) ? Number(answer) : undefined
  const said = httpStatus ?? new Map(Object.entries(texts.errors)).get(answer)
  if (said === undefined) return ''
  const tone = isAccepted({ httpStatus }) ? 'done' : 'alert'
  const text = texts.tested(`${said}, ${ms} ${texts.ms}`)
  return html`<p class="${tone}" role="status"><strong>${text}</strong></p>`
}

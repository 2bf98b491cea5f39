// The console's pages as responses.
import { isSandbox } from '../gateway/connection.ts'
import { page } from '../web/page.ts'
import { type Frame, frame } from './layout.ts'
import type { Visit } from './visit.ts'

type Content = Omit<
  Frame,
  | 'visit'
  | 'sites'
  | 'present'
  | 'isSandbox'
  | 'query'
  | 'isAnswer'
  | 'language'
  | 'console'
  | 'base'
  | 'hasUndelivered'
>

/** A page of a signed-in user. */
export function consolePage(
  visit: Visit,
  { status = 200, ...content }: Content & { status?: number },
): Promise<Response> {
  const { c, config, siteId, language, console, base, sites, undelivered } = visit
  const hasUndelivered = undelivered.hasFailed || undelivered.hasDelayed
  const { method } = c.req
  const shown = {
    visit,
    present: visit.claims.sub,
    isSandbox: isSandbox(config, siteId),
    query: c.req.query(),
    isAnswer: method === 'POST',
    hasUndelivered,
  }
  return page(c, frame({ ...content, ...shown, language, console, base, sites }), {
    status,
    forms: true,
    theme: content.theme,
  })
}

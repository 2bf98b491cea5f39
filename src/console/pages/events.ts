// The events of the site, the latest first.
import { html } from 'hono/html'
import type { FeedAnswer } from '../../contract/event.ts'
import { sum, when } from '../formats.ts'
import { consolePage } from '../page.ts'
import { asked, codeLink, empty, pager, paymentLink, table, textsOf } from '../parts.ts'
import { actorName, eventName } from '../texts.ts'
import { CODE_TEXTS } from '../texts-codes.ts'
import { LIST_TEXTS } from '../texts-lists.ts'
import { READERS, type Route, type Visit } from '../visit.ts'
import { cursorOf } from './feed.ts'

const PAGE = 30

export const EVENTS: Route = { method: 'get', path: '/events', scopes: READERS, handle: events }

async function events(visit: Visit): Promise<Response> {
  const { language, base } = visit
  const texts = LIST_TEXTS[language].events
  const shared = textsOf(visit)
  const before = asked(visit, 'cursor') || 'end'
  const feed = before === 'end' ? await cursorOf(visit) : undefined
  const { events, nextCursor } = await visit.call<FeedAnswer>('listEvents', {
    query: { before, limit: `${PAGE}` },
  })
  const title = shared.nav.events
  const main = html`<h1>${title}</h1>
    <section class="card" data-live>${
      events.length === 0
        ? empty(texts.none, texts.advice)
        : table(
            [
              [texts.event, 'name'],
              [CODE_TEXTS[language].codes.code],
              [texts.by],
              [shared.time, 'when'],
              [shared.amount, 'sum'],
            ],
            events.map(({ id, type, dateTime, by, qrCodeUid, payment, refund, sale }) => {
              const paymentUid = (refund ?? payment)?.paymentUid
              const amount = (refund ?? payment ?? sale)?.amount
              return [
                html`<small>${id}</small> ${eventName(type, language, payment)}`,
                qrCodeUid ? codeLink(base, qrCodeUid) : paymentUid && paymentLink(base, paymentUid),
                html`${actorName(by.actor, language)} ${by.keyId && html`<code class="uid">${by.keyId}</code>`}`,
                when(dateTime, visit),
                amount && sum(amount, language),
              ]
            }),
            title,
          )
    }</section>${pager(visit, events.length === PAGE ? nextCursor : undefined)}`
  return consolePage(visit, { title, main, active: 'events', feed })
}

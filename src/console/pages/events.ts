// The events of the site, the latest first.
import { html } from 'hono/html'
import { type EventApiKey, feedCursorOf } from '../../contract/event.ts'
import type { EventSettlement } from '../../contract/event-settlement.ts'
import type { EventType } from '../../contract/event-type.ts'
import type { Html } from '../../web/layout.ts'
import { money } from '../../web/payer/formats.ts'
import { when } from '../formats.ts'
import { consolePage } from '../page.ts'
import { asked, codeLink, empty, pager, paymentLink, purpose, stateName, table, textsOf } from '../parts.ts'
import { fileAddress, shortName } from '../settlement/file-address.ts'
import { CODE_TEXTS } from '../texts-codes.ts'
import { actorName, eventName } from '../texts-events.ts'
import { LIST_TEXTS } from '../texts-lists.ts'
import { READERS, type Route, type Visit } from '../visit.ts'

const PAGE = 30

export const EVENTS: Route = { method: 'get', path: '/events', scopes: READERS, handle: events }

/** A key by its label; by its id where it has none. */
const nameOfKey = ({ id, label }: EventApiKey): Html =>
  label ? html`<bdi title="${id}">${label}</bdi>` : html`<code class="uid">${id}</code>`

/** The file of a bank, and how many of its operations do not match. */
function fileOf(
  type: EventType,
  { settlementUid, entries, mismatched, unknown }: EventSettlement,
  visit: Visit,
): Html {
  const name = html`<bdi title="${settlementUid}">${shortName(settlementUid)}</bdi>`
  const counts = [
    [LIST_TEXTS[visit.language].events.ofFile, entries],
    [stateName('SETTLEMENT_MISMATCHED', visit), mismatched],
    [stateName('SETTLEMENT_UNKNOWN', visit), unknown],
  ] as const
  const said = counts.flatMap(([label, count], i) => (i === 0 || count > 0 ? [`${label}: ${count}`] : []))
  return html` ${type === 'settlement.deleted' ? name : html`<a href="${fileAddress(visit.base, settlementUid)}">${name}</a>`} <small>${said.join(', ')}</small>`
}

async function events(visit: Visit): Promise<Response> {
  const { language, base } = visit
  const texts = LIST_TEXTS[language].events
  const shared = textsOf(visit)
  const before = asked(visit, 'cursor') || 'end'
  const feed = before === 'end' ? visit.feed : undefined
  const { page } = await visit.call('listEvents', { query: { before, limit: `${PAGE}` } })
  const { events, next } = page
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
            events.map(
              ({
                number,
                type,
                at,
                actor,
                keyId,
                name,
                qrCodeUid,
                payment,
                refund,
                sale,
                apiKey,
                person,
                settlement,
              }) => {
                const paymentUid = (refund ?? payment)?.paymentUid
                const amount = (refund ?? payment ?? sale)?.amount
                return [
                  html`<small>${number}</small> ${eventName(type, language, payment)}${purpose(payment?.decision?.note)}${apiKey && html` ${nameOfKey(apiKey)}`}${person && html` <bdi>${person.name}</bdi>`}${settlement && fileOf(type, settlement, visit)}`,
                  qrCodeUid ? codeLink(base, qrCodeUid) : paymentUid && paymentLink(base, paymentUid),
                  html`${actorName(actor, language)} ${keyId ? nameOfKey({ id: keyId, label: name ?? '' }) : name && html`<bdi>${name}</bdi>`}`,
                  when(at, visit),
                  amount && money(amount, language),
                ]
              },
            ),
            title,
          )
    }</section>${pager(visit, events.length === PAGE ? feedCursorOf(next) : undefined)}`
  return consolePage(visit, { title, main, active: 'events', feed })
}

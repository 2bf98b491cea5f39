// The QR codes of a site, by status, type and day.
import { html } from 'hono/html'
import type { Values } from '../../api/operations.ts'
import { isReusable, type QrCode } from '../../contract/qr-code.ts'
import type { Html } from '../../web/layout.ts'
import { dayBound, dayFaults, dayFields } from '../days.ts'
import { moneyOrStruck, when } from '../formats.ts'
import { consolePage } from '../page.ts'
import {
  asked,
  badge,
  codeAddress,
  empty,
  filters,
  nothingFound,
  pageCursor,
  pager,
  purpose,
  select,
  states,
  table,
  textsOf,
} from '../parts.ts'
import { codeState } from '../states.ts'
import { TYPES } from '../texts.ts'
import { CODE_TEXTS } from '../texts-codes.ts'
import { READERS, type Route, type Visit, WRITERS } from '../visit.ts'

const STATUSES = ['CREATED', 'PAYED', 'DECLINED', 'EXPIRED', 'CANCELLED', 'ACCEPTED', 'INIT_PAYMENT_BY_TOKEN']

export const QR_CODES: Route = { method: 'get', path: '/qr', scopes: READERS, handle: qrCodes }

async function qrCodes(visit: Visit): Promise<Response> {
  const { language, base } = visit
  const texts = CODE_TEXTS[language].codes
  const shared = textsOf(visit)
  const [status, type] = [asked(visit, 'status'), asked(visit, 'type')]
  const isFiltered = Boolean(status || type || asked(visit, 'from') || asked(visit, 'to'))
  const isRefused = dayFaults(visit) !== undefined
  const { qrCodes, next }: Values['listQrCodes'] = isRefused
    ? { qrCodes: [] }
    : await visit.call('listQrCodes', {
        query: {
          status,
          type,
          cursor: asked(visit, 'cursor'),
          createdFrom: dayBound(visit, 'from'),
          createdTo: dayBound(visit, 'to'),
        },
      })
  const title = shared.nav.qr
  const types = Object.entries(TYPES[language]).map(([value, text]) => ({ value, text }))
  const create =
    visit.may(...WRITERS) && html`<a class="button primary" href="${base}new">${texts.newCode}</a>`
  const main = html`<div class="head"><h1>${title}</h1>${create}</div>
    ${filters(
      visit,
      [
        select('status', shared.status, states(STATUSES, visit), status),
        select('type', shared.type, [{ value: '', text: shared.any }, ...types], type),
        ...dayFields(visit),
      ],
      isFiltered,
    )}
    <section class="card" data-live>${
      qrCodes.length > 0
        ? codesTable(qrCodes, visit)
        : isFiltered
          ? nothingFound(visit, isRefused)
          : empty(texts.none, texts.noneAdvice, create)
    }</section>
    ${pager(visit, pageCursor(next))}`
  return consolePage(visit, {
    title,
    main,
    active: 'qr',
    status: isRefused ? 400 : 200,
    ...(!asked(visit, 'cursor') && { feed: visit.feed }),
  })
}

function codesTable(qrCodes: readonly QrCode[], visit: Visit): Html {
  const { language, base } = visit
  const texts = CODE_TEXTS[language].codes
  const shared = textsOf(visit)
  return table(
    [
      [texts.code, 'name'],
      [shared.status, 'state'],
      [shared.type],
      [shared.time, 'when'],
      [shared.amount, 'sum'],
    ],
    qrCodes.map((each) => [
      html`<a href="${codeAddress(base, each.qrCodeUid)}"><bdi>${each.qrCodeUid}</bdi></a>${purpose(each.paymentPurpose)}`,
      badge(codeState(each), visit),
      TYPES[language][each.type],
      when(each.createdAt, visit),
      sumOf(each, visit),
    ]),
    shared.nav.qr,
  )
}

function sumOf(code: QrCode, { language }: Visit): Html | '' {
  const amount = (isReusable(code) ? undefined : code.payment?.amount) ?? code.amount
  return amount ? moneyOrStruck(amount, codeState(code) === 'REFUNDED', language) : ''
}

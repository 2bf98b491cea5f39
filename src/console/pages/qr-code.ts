// One QR code: its picture and link, what happened to it, and what can be done with it.
import { html } from 'hono/html'
import type { EventsAnswer } from '../../contract/event.ts'
import type { NotificationsAnswer } from '../../contract/notifications/log.ts'
import type { PaymentAnswer, PaymentsAnswer } from '../../contract/payment.ts'
import type { QrCodeAnswer } from '../../contract/qr-code-answer.ts'
import type { RefundsAnswer } from '../../contract/refund.ts'
import { seeOther } from '../../http/response.ts'
import type { Html } from '../../web/layout.ts'
import { sum, sumOrStruck, when } from '../formats.ts'
import { consolePage } from '../page.ts'
import {
  asked,
  badge,
  codeAddress,
  copyButton,
  facts,
  notice,
  pager,
  pathOf,
  type Refusal,
  refusal,
  textsOf,
} from '../parts.ts'
import { codeState } from '../states.ts'
import { actorName, eventName, TYPES } from '../texts.ts'
import { CODE_TEXTS } from '../texts-codes.ts'
import { LIST_TEXTS } from '../texts-lists.ts'
import { READERS, type Route, type Visit, WRITERS } from '../visit.ts'
import { cursorOf } from './feed.ts'
import { notificationsTable } from './notifications.ts'
import { refundForm, refundsTable } from './payment.ts'
import { paymentsTable } from './payments.ts'

export const QR_CODE: readonly Route[] = [
  { method: 'get', path: '/qr/:uid', scopes: READERS, handle: (visit) => qrCode(visit) },
  { method: 'post', path: '/qr/:uid', scopes: WRITERS, handle: cancel },
  {
    method: 'get',
    path: '/qr/:uid/:file{picture\\.(png|svg)}',
    scopes: READERS,
    handle: (visit) => picture(visit),
  },
]

/** Events of a page of the history. */
const HISTORY = '20'

/** Statuses in which nobody is to pay any more, whatever the time. */
const ENDED: ReadonlySet<string> = new Set(['PAYED', 'ACCEPTED', 'CANCELLED'])

const pathOfCode = (visit: Visit) => ({ qrCodeUid: pathOf(visit, '/qr/{uid}').uid ?? '' })

async function qrCode(visit: Visit, tried?: Refusal): Promise<Response> {
  const { language, base } = visit
  const path = pathOfCode(visit)
  const feed = await cursorOf(visit)
  const found = await visit.call<QrCodeAnswer>('getQrCode', { path })
  const [{ payments, nextCursor }, history, { notifications }] = await Promise.all([
    visit.call<PaymentsAnswer>('listPayments', {
      query: { ...path, limit: '100', cursor: asked(visit, 'cursor') },
    }),
    visit.call<EventsAnswer>('listQrCodeEvents', {
      path,
      query: { order: 'desc', limit: HISTORY, cursor: asked(visit, 'before') },
    }),
    visit.call<NotificationsAnswer>('listNotifications', { query: { ...path, limit: '50' } }),
  ])
  const completed = payments.filter(({ status }) => status.value === 'COMPLETED')
  const isAlone = completed.length === 1 && nextCursor === undefined && !asked(visit, 'cursor')
  const paid = payments.find(({ paymentId }) => paymentId === found.payment?.paymentUid)
  const refunds = paid
    ? await visit.call<RefundsAnswer>('listRefunds', { path: { paymentId: paid.paymentId } })
    : []
  const texts = CODE_TEXTS[language].codes
  const shared = textsOf(visit)
  const { qrCodeUid } = found
  const state = codeState(found)
  const main = html`<a class="back" href="${base}qr">← ${shared.nav.qr}</a>
    ${notice(visit)}${tried?.alert}
    <div class="head"><h1><bdi>${qrCodeUid}</bdi></h1><span data-live role="status">${badge(state, visit)}</span></div>
    <div class="columns"><div>
      ${pictureCard(found, visit)}
      <div class="later" data-live>${isAlone && paid && state !== 'REFUNDED' ? refundForm(paid, refunds, visit, { from: qrCodeUid }) : ''}${cancelForm(found, visit)}</div>
    </div><div>
      <section class="card" data-live><p class="amount">${amountOf(found, visit)}</p>${facts([
        [shared.type, TYPES[language][found.qrCode.type]],
        [texts.created, when(found.createdOn, visit)],
        [texts.expires, ENDED.has(found.qrCode.status) ? '' : when(found.expiresOn, visit)],
        [texts.page, html`<a href="${found.pageUrl}">${texts.open}</a>`],
        [
          texts.link,
          found.qrCode.payload &&
            html`<code>${found.qrCode.payload}</code> ${copyButton(found.qrCode.payload, visit)}`,
        ],
      ])}</section>
      <section class="card" data-live><h2>${texts.payments}</h2>${paymentsOf(payments, visit)}
        ${completed.length > 0 && !(isAlone && paid) && visit.may(...WRITERS) && html`<p class="hint">${texts.refundThere}</p>`}
        ${refunds.length > 0 && html`<h2>${LIST_TEXTS[language].payments.refunds}</h2>${refundsTable(refunds, visit)}`}</section>${pager(visit, nextCursor)}
      <section class="card" data-live><h2>${texts.history}</h2>${timeline(history, visit)}</section>
      <div data-live>${
        notifications.length > 0 &&
        html`<section class="card"><h2>${texts.notifications}</h2>${notificationsTable(notifications, visit)}</section>`
      }</div>
    </div></div>`
  return consolePage(visit, {
    title: qrCodeUid,
    main,
    active: 'qr',
    feed,
    status: tried?.status ?? 200,
    refresh: state === 'CREATED' && 15,
  })
}

const paymentsOf = (payments: readonly PaymentAnswer[], visit: Visit): Html =>
  payments.length > 0
    ? paymentsTable(payments, visit, true)
    : html`<p class="hint">${CODE_TEXTS[visit.language].codes.noPayments}</p>`

/** What was paid, else what is to be paid; struck out where it was returned. Without an amount, who sets it. */
function amountOf(code: QrCodeAnswer, { language }: Visit): Html {
  const { type, status } = code.qrCode
  const shown = status === 'PAYED' ? code.payment?.amount : code.amount
  if (shown) return sumOrStruck(shown, codeState(code) === 'REFUNDED', language)
  const { anyAmount, tillAmount } = CODE_TEXTS[language].codes
  if (type === 'TOKEN') return html`${TYPES[language].TOKEN}`
  return html`${type === 'COUNTER' ? tillAmount : anyAmount}`
}

/** The picture, and files of it. */
export function pictureCard({ qrCodeUid, qrCode, pageUrl }: QrCodeAnswer, visit: Visit): Html {
  const texts = CODE_TEXTS[visit.language].codes
  if (!qrCode.payload) return html`<section class="card"><p>${texts.noPicture}</p></section>`
  const file = (type: string) => `${codeAddress(visit.base, qrCodeUid)}/picture.${type}`
  const isPrinted = codeState({ qrCode }) === 'OPEN'
  const sheet = pageUrl.replace('?', '/print?')
  return html`<section class="card code"><img src="${file('svg')}" width="256" height="256" alt="${texts.picture}">
      <div class="actions"><a class="button" href="${file('png')}" download="${qrCodeUid}.png" aria-label="${texts.png}">↓ PNG</a>
      <a class="button" href="${file('svg')}" download="${qrCodeUid}.svg" aria-label="${texts.svg}">↓ SVG</a>
      ${isPrinted && html`<a class="button" href="${sheet}">${texts.print}</a>`}</div></section>`
}

function cancelForm({ qrCode }: QrCodeAnswer, visit: Visit): Html | '' {
  if (!['CREATED', 'DECLINED'].includes(qrCode.status) || !visit.may(...WRITERS)) return ''
  const texts = CODE_TEXTS[visit.language].codes
  const advice = codeState({ qrCode }) === 'OPEN' ? texts.cancelPrinted : texts.cancelAdvice
  return html`<details class="card"><summary>${texts.cancel}</summary><p class="hint">${advice}</p>
      <form method="post"><button class="danger">${texts.doCancel}</button></form></details>`
}

/** What happened, the latest last, with a way to what was before. */
function timeline({ events, nextCursor }: EventsAnswer, visit: Visit): Html {
  const { earlier, latest } = CODE_TEXTS[visit.language].codes
  const back = pager(visit, nextCursor, { name: 'before', first: latest, more: earlier })
  return html`${back}<ol class="timeline">${events
    .toReversed()
    .map(({ type, by, dateTime, payment, refund, sale }) => {
      const amount = (refund ?? payment ?? sale)?.amount
      return html`<li>${eventName(type, visit.language, payment)}${amount && html` <b class="sum">${sum(amount, visit.language)}</b>`}
      <small>${when(dateTime, visit)} · ${actorName(by.actor, visit.language)}</small></li>`
    })}</ol>`
}

async function cancel(visit: Visit): Promise<Response> {
  const path = pathOfCode(visit)
  try {
    await visit.send('cancelQrCode', { path })
  } catch (error) {
    return qrCode(visit, refusal(error, visit))
  }
  return seeOther(visit.c, '?done=cancelled')
}

/** The picture as a file, which a browser may keep. */
const picture = (visit: Visit): Promise<Response> => {
  const { uid = '', file = '' } = pathOf(visit, '/qr/{uid}/{file}')
  const isPng = file.endsWith('png')
  return visit.send('getQrCodeImage', {
    path: { qrCodeUid: uid },
    query: isPng ? { width: '800', height: '800' } : {},
    headers: { Accept: isPng ? 'image/png' : 'image/svg+xml' },
  })
}

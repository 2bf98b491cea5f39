// One QR code: its picture and link, what happened to it, and what can be done with it.
import { html } from 'hono/html'
import type { Values } from '../../api/operations.ts'
import type { Payment } from '../../contract/payment.ts'
import { isReusable, type QrCode } from '../../contract/qr-code.ts'
import { shownPayload } from '../../contract/qr-code-answer.ts'
import { seeOther } from '../../http/response.ts'
import type { Html } from '../../web/layout.ts'
import { money } from '../../web/payer/formats.ts'
import { moneyOrStruck, when } from '../formats.ts'
import { consolePage } from '../page.ts'
import {
  asked,
  badge,
  codeAddress,
  copyButton,
  type FormError,
  facts,
  formError,
  notice,
  pageCursor,
  pager,
  pathOf,
  purpose,
  textsOf,
} from '../parts.ts'
import { codeState } from '../states.ts'
import { TYPES } from '../texts.ts'
import { CODE_TEXTS } from '../texts-codes.ts'
import { actorName, eventName } from '../texts-events.ts'
import { LIST_TEXTS } from '../texts-lists.ts'
import { PEOPLE, READERS, type Route, type Visit, WRITERS } from '../visit.ts'
import { notificationsTable } from './notifications.ts'
import { leftHint, refundsTable } from './payment.ts'
import { paymentsTable } from './payments.ts'
import { refundButton, refundNotice } from './refund.ts'

export const QR_CODE: readonly Route[] = [
  { method: 'get', path: '/qr/:uid', scopes: READERS, handle: (visit) => qrCode(visit) },
  { method: 'post', path: '/qr/:uid', scopes: WRITERS, handle: cancel },
  {
    method: 'get',
    path: '/qr/:uid/:file{picture\\.(png|svg)}',
    scopes: PEOPLE,
    handle: (visit) => picture(visit),
  },
]

/** Events of a page of the history. */
const HISTORY = '20'

/** Statuses in which nobody is to pay any more, whatever the time. */
const ENDED: ReadonlySet<string> = new Set(['PAYED', 'ACCEPTED', 'CANCELLED'])

const pathOfCode = (visit: Visit) => ({ qrCodeUid: pathOf(visit, '/qr/{uid}').uid ?? '' })

async function qrCode(visit: Visit, tried?: FormError): Promise<Response> {
  const { language, base } = visit
  const path = pathOfCode(visit)
  const { qrCode: found } = await visit.call('getQrCode', { path })
  const [{ payments, next }, history, { notifications }] = await Promise.all([
    visit.call('listPayments', {
      query: { ...path, limit: '100', cursor: asked(visit, 'cursor') },
    }),
    visit.call('listQrCodeEvents', {
      path,
      query: { order: 'desc', limit: HISTORY, cursor: asked(visit, 'before') },
    }),
    visit.call('listNotifications', { query: { ...path, limit: '50' } }),
  ])
  const completed = payments.filter(({ status }) => status === 'COMPLETED')
  const isAlone = completed.length === 1 && next === undefined && !asked(visit, 'cursor')
  const paid = payments.find(({ paymentUid }) => paymentUid === appliedTo(found)?.paymentUid)
  const refunds = paid ? await visit.call('listRefunds', { path: { paymentId: paid.paymentUid } }) : []
  const texts = CODE_TEXTS[language].codes
  const shared = textsOf(visit)
  const { qrCodeUid } = found
  const payload = shownPayload(found)
  const state = codeState(found)
  // On the page of a paid code the money comes first, and the picture is small.
  const isPaid = found.status === 'PAYED'
  const picture = html`<div class="${isPaid ? 'paid' : ''}">${pictureCard(found, visit)}
      <div class="later" data-live>${cancelForm(found, visit)}</div></div>`
  const main = html`<a class="back" href="${base}qr">← ${shared.nav.qr}</a>
    ${notice(visit)}<div data-live>${refundNotice(refunds, visit)}</div>${tried?.alert}
    <div class="head"><h1><bdi>${qrCodeUid}</bdi></h1><span data-live role="status">${badge(state, visit)}</span></div>
    <div class="columns${isPaid ? ' even' : ''}">${!isPaid && picture}<div>
      <section class="card" data-live><p class="amount">${amountOf(found, visit)}</p>${
        isAlone &&
        paid &&
        html`<div class="actions">${refundButton(paid, visit, qrCodeUid)}${paid.refunded > 0 && leftHint(paid, visit)}</div>`
      }${facts([
        [texts.paidAt, isPaid && when(found.payment?.at, visit)],
        [shared.purpose, found.paymentPurpose],
        [shared.type, TYPES[language][found.type]],
        [texts.created, when(found.createdAt, visit)],
        [texts.expires, ENDED.has(found.status) ? '' : when(found.expiresAt, visit)],
        [texts.tokenPurpose, found.tokenizationPurpose],
        [texts.page, html`<a href="${visit.pageUrl(found)}">${texts.open}</a>`],
        [texts.link, payload && html`<code>${payload}</code> ${copyButton(payload, visit)}`],
      ])}</section>
      <section class="card" data-live><h2>${texts.payments}</h2>${paymentsOf(payments, visit)}
        ${completed.length > 0 && !(isAlone && paid) && visit.may(...WRITERS) && html`<p class="hint">${texts.refundThere}</p>`}
        ${
          refunds.length > 0 &&
          html`<h2>${LIST_TEXTS[language].payments.refunds}</h2>${refundsTable(refunds, visit)}`
        }</section>${pager(visit, pageCursor(next))}
      <section class="card" data-live><h2>${texts.history}</h2>${timeline(history, visit)}</section>
      <div data-live>${
        notifications.length > 0 &&
        html`<section class="card"><h2>${texts.notifications}</h2>${notificationsTable(notifications, visit)}</section>`
      }</div>
    </div>${isPaid && picture}</div>`
  return consolePage(visit, {
    title: qrCodeUid,
    main,
    active: 'qr',
    feed: visit.feed,
    status: tried?.status ?? 200,
    refresh: state === 'CREATED' && 15,
  })
}

const paymentsOf = (payments: readonly Payment[], visit: Visit): Html =>
  payments.length > 0
    ? paymentsTable(payments, visit, true)
    : html`<p class="hint">${CODE_TEXTS[visit.language].codes.noPayments}</p>`

/** The payment that the code took; undefined for a code that takes many. */
const appliedTo = (code: QrCode) => (isReusable(code) ? undefined : code.payment)

/** What was paid, else what is to be paid; struck out where it was returned. Without an amount, who sets it. */
function amountOf(code: QrCode, { language }: Visit): Html {
  const { type, status } = code
  const shown = status === 'PAYED' ? code.payment?.amount : code.amount
  if (shown) return moneyOrStruck(shown, codeState(code) === 'REFUNDED', language)
  const { anyAmount, tillAmount } = CODE_TEXTS[language].codes
  if (type === 'TOKEN') return html`${TYPES[language].TOKEN}`
  return html`${type === 'COUNTER' ? tillAmount : anyAmount}`
}

/** The picture, and files of it. */
export function pictureCard(code: QrCode, visit: Visit): Html {
  const texts = CODE_TEXTS[visit.language].codes
  const { qrCodeUid } = code
  if (shownPayload(code) === '') return html`<section class="card"><p>${texts.noPicture}</p></section>`
  const file = (type: string) => `${codeAddress(visit.base, qrCodeUid)}/picture.${type}`
  const isPrinted = codeState(code) === 'OPEN'
  const sheet = visit.pageUrl(code).replace('?', '/print?')
  return html`<section class="card code"><img src="${file('svg')}" width="256" height="256" alt="${texts.picture}">
      <div class="actions"><a class="button" href="${file('png')}" download="${qrCodeUid}.png" aria-label="${texts.png}">↓ PNG</a>
      <a class="button" href="${file('svg')}" download="${qrCodeUid}.svg" aria-label="${texts.svg}">↓ SVG</a>
      ${isPrinted && html`<a class="button" href="${sheet}">${texts.print}</a>`}</div></section>`
}

function cancelForm(code: QrCode, visit: Visit): Html | '' {
  if (!['CREATED', 'DECLINED'].includes(code.status) || !visit.may(...WRITERS)) return ''
  const texts = CODE_TEXTS[visit.language].codes
  const advice = codeState(code) === 'OPEN' ? texts.cancelPrinted : texts.cancelAdvice
  return html`<details class="card"><summary>${texts.cancel}</summary><p class="hint">${advice}</p>
      <form method="post"><button class="danger">${texts.doCancel}</button></form></details>`
}

/** What happened, the latest last, with a way to what was before. */
function timeline({ events, next }: Values['listQrCodeEvents'], visit: Visit): Html {
  const { earlier, latest } = CODE_TEXTS[visit.language].codes
  const back = pager(visit, pageCursor(next), { name: 'before', first: latest, more: earlier })
  return html`${back}<ol class="timeline">${events
    .toReversed()
    .map(({ type, actor, name, at, payment, refund, sale }) => {
      const amount = (refund ?? payment ?? sale)?.amount
      return html`<li>${eventName(type, visit.language, payment)}${amount && html` <b class="sum">${money(amount, visit.language)}</b>`}${purpose(payment?.decision?.note)}
      <small>${when(at, visit)} · ${actorName(actor, visit.language)}${name && html` <bdi>${name}</bdi>`}</small></li>`
    })}</ol>`
}

async function cancel(visit: Visit): Promise<Response> {
  const path = pathOfCode(visit)
  try {
    await visit.call('cancelQrCode', { path })
  } catch (error) {
    return qrCode(visit, formError(error, visit))
  }
  return seeOther(visit.c, '?done=cancelled')
}

/** The picture as a file, which a browser may keep. */
const picture = (visit: Visit): Promise<Response> => {
  const { uid = '', file = '' } = pathOf(visit, '/qr/{uid}/{file}')
  const isPng = file.endsWith('png')
  return visit.file('getQrCodeImage', {
    path: { qrCodeUid: uid },
    query: isPng ? { width: '800', height: '800' } : {},
    headers: { Accept: isPng ? 'image/png' : 'image/svg+xml' },
  })
}

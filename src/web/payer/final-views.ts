// The payer's page of a QR code that cannot be paid, or not now: what happened, and what the payer can do.
import { html } from 'hono/html'
import { refundedOf } from '../../contract/qr-code.ts'
import { parseHttpUrl } from '../../contract/url.ts'
import type { FollowedSale } from '../../gateway/followed-sale.ts'
import type { Html } from '../layout.ts'
import { accountSection } from './account.ts'
import { formatAddress } from './address.ts'
import { money, receiptTime } from './formats.ts'
import {
  backLink,
  following,
  noticeOf,
  ownResult,
  type PayerView,
  payerLayout,
  purposes,
  refreshOf,
  row,
  sumLine,
  sumOf,
  support,
} from './parts.ts'
import { type PayerState, stateOf } from './state.ts'
import { PAYER_TEXTS } from './texts.ts'

/** Seconds until a paid page leads back to the shop, and how long after the payment it does so. */
const LEAVING = 10
const LEADS_BACK_FOR = 600

/** The receipt. Who saw the payment happen is led back to the shop, unless it is refused. */
export function paidView(view: PayerView): Html {
  const { qrCode, language, now, address } = view
  const texts = PAYER_TEXTS[language]
  const { payment, redirectUrl } = qrCode
  const part = refundedPart(view)
  const site = redirectUrl === undefined ? undefined : parseHttpUrl(redirectUrl)
  // An app is not opened by itself: a phone without it shows an error.
  const leaves = site && address.until !== 0 && payment !== undefined && now - payment.at < LEADS_BACK_FOR
  const [before, after] = site ? texts.leaving(site.host) : []
  return finalView(view, {
    refresh: leaves && `${LEAVING};url=${redirectUrl}`,
    sum: shownSum(view),
    ...(part && { advice: texts.refundedPart(part) }),
    rows: receiptRows(view),
    bar:
      redirectUrl &&
      html`${backLink(view, 'button primary', leaves && html` data-leaves="${LEAVING}"`)}
        ${leaves && html`<p class="leaving"><span>${before}<span>${LEAVING}</span>${after}</span> <a data-stay href="${formatAddress({ ...address, until: 0 })}">${texts.stay}</a></p>`}`,
    more: receiptLinks(view),
  })
}

/** The receipt of a payment that the shop returned. */
export const refundedView = (view: PayerView): Html =>
  finalView(view, {
    sum: shownSum(view),
    rows: receiptRows(view),
    bar: backLink(view, 'button primary'),
    more: receiptLinks(view),
  })

/** The sale of a counter that this tab followed: what its payer knows anyway. The code itself waits for the next one. */
export function paidSaleView(view: PayerView, { amount, paidAt, refunded, left }: FollowedSale): Html {
  const { language, utcOffset, address } = view
  const texts = PAYER_TEXTS[language]
  return finalView(view, {
    state: 'PAYED',
    title: texts.notices.DYNAMIC.PAYED?.title,
    advice: '',
    left,
    sum: shownSum(view),
    rows: [
      row(texts.time, receiptTime(paidAt, utcOffset, language)),
      row(texts.refunded, refunded > 0 && money({ ...amount, minorUnits: refunded }, language)),
    ],
    bar: html`<a class="button quiet" data-anew href="${formatAddress(address)}">${texts.payAgain}</a>`,
  })
}

/** What a payer does with a receipt; public/receipt.js draws the picture, and the buttons can be pressed once they work. */
function receiptLinks({ language }: PayerView): Html {
  const { title, share, save, print } = PAYER_TEXTS[language].receipt
  return html`<p class="links scripted" data-receipt="${title}" inert><button type="button" data-share hidden>${share}</button><button type="button" data-save>${save}</button><button type="button" data-print>${print}</button></p>`
}

function shownSum(view: PayerView) {
  const sum = sumOf(view)
  return sum && sumLine(sum)
}

function receiptRows(view: PayerView) {
  const { qrCode, bank, utcOffset, language } = view
  const { payment } = qrCode
  if (!payment) return []
  const texts = PAYER_TEXTS[language]
  // The heading says that everything was returned, and the sum how much.
  const isReturned = stateOf(qrCode) === 'REFUNDED'
  const waiting = refundedOf(qrCode.refunds, 'WAITING')
  return [
    row(isReturned ? texts.paidOn : texts.time, receiptTime(payment.at, utcOffset, language)),
    row(texts.bank, bank),
    row(texts.operation, payment.paymentUid),
    row(texts.refunded, !isReturned && refundedPart(view)),
    row(texts.refunding, waiting > 0 && money({ ...payment.amount, minorUnits: waiting }, language)),
  ]
}

/** What was returned, as a sum; undefined if nothing was. */
function refundedPart({ qrCode: { payment, refunds }, language }: PayerView): string | undefined {
  const minorUnits = refundedOf(refunds)
  return payment && minorUnits > 0 ? money({ ...payment.amount, minorUnits }, language) : undefined
}

/** The account is linked. */
export const acceptedView = (view: PayerView): Html =>
  finalView(view, { bar: backLink(view, 'button primary') })

/** The QR code cannot be paid any more; but a payment that is on its way can still arrive. */
export const endedView = (view: PayerView): Html =>
  finalView(view, {
    follows: true,
    refresh: refreshOf(view),
    rows: [row(PAYER_TEXTS[view.language].amount, sumOf(view))],
    bar: backLink(view, 'button primary'),
  })

/** The till has not armed the code, or its sale is over: a later one changes the page. */
export const notArmedView = (view: PayerView): Html =>
  finalView(view, { follows: true, refresh: refreshOf(view), more: ownResult(view) })

/** A charge of a stored authorisation is on its way: the payer has nothing to do. */
export const chargingView = (view: PayerView): Html =>
  finalView(view, { follows: true, refresh: refreshOf(view), sum: shownSum(view) })

interface Final {
  sum?: Html | '' | undefined
  /** Instead of the QR code's own. */
  state?: PayerState
  title?: string | undefined
  advice?: string
  /** Seconds for which it is shown, if not for ever. */
  left?: number
  rows?: readonly (Html | string | false | undefined)[]
  /** What stays on the first screen: the way on. */
  bar?: Html | string | undefined
  /** What follows it. */
  more?: Html | undefined
  refresh?: string | false | undefined
  /** Whether the page changes if the status does. */
  follows?: boolean
}

function finalView(view: PayerView, { sum, rows, bar, more, refresh, follows, left, ...rest }: Final): Html {
  const { qrCode } = view
  const { state, title = '', advice } = { state: stateOf(qrCode), ...noticeOf(view), ...rest }
  return payerLayout(view, {
    title,
    refresh,
    main: html`
    <main class="final" data-status="${state}"${left !== undefined && html` data-kept="${left}"`} ${follows && following(view)}>
      <section>
        <h1 class="end" tabindex="-1">${title}</h1>
        ${sum}
        ${advice && html`<p class="advice">${advice}</p>`}
        ${more}
        <dl>${rows}${purposes(view)}${support(view)}</dl>
      </section>
      ${accountSection(view)}
      ${bar && html`<div class="bar">${bar}</div>`}
    </main>`,
  })
}

// The payer's page of a QR code that cannot be paid, or not now: what happened, and what the payer can do.
import { html } from 'hono/html'
import type { PaymentMethod } from '../../contract/payment.ts'
import { refundedOf } from '../../contract/qr-code.ts'
import { parseHttpUrl } from '../../contract/url.ts'
import type { Receipt } from '../../gateway/receipt.ts'
import type { Language } from '../../http/negotiation.ts'
import type { Html } from '../layout.ts'
import { METHOD_TEXTS } from '../method-texts.ts'
import { accountSection } from './account.ts'
import { formatAddress } from './address.ts'
import { money, receiptTime } from './formats.ts'
import {
  backLink,
  following,
  noticeOf,
  ownDecline,
  type PayerView,
  payerLayout,
  purposes,
  refreshOf,
  row,
  sumLine,
  sumOf,
  support,
} from './parts.ts'
import { asksContact, isMade, receiptSection } from './receipt-section.ts'
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
  const isRecent = payment !== undefined && now - payment.at < LEADS_BACK_FOR
  const leaves = site && address.until !== 0 && isRecent && !asksContact(view)
  const [before, after] = site ? texts.leaving(site.host) : []
  return finalView(view, {
    refresh: leaves ? `${LEAVING};url=${redirectUrl}` : isMade(view) && refreshOf(view),
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

/** The receipt of the payer's own payment of a printed code, which can be paid again. */
export function ownReceiptView(view: PayerView, paid: Receipt): Html {
  const { language, utcOffset } = view
  const texts = PAYER_TEXTS[language]
  const isReturned = paid.refunded >= paid.amount.minorUnits
  const state = isReturned ? 'REFUNDED' : 'PAYED'
  const { title, advice } = { title: '', advice: '', ...texts.notices.DYNAMIC[state] }
  const refunded = money({ ...paid.amount, minorUnits: paid.refunded }, language)
  return finalView(view, {
    ...{ state, title, advice },
    left: paid.left,
    sum: shownSum(view),
    rows: [
      row(isReturned ? texts.paidOn : texts.time, receiptTime(paid.paidAt, utcOffset, language)),
      row(texts.method, methodText(paid.method, language)),
      row(texts.operation, paid.paymentUid),
      row(texts.refunded, !isReturned && paid.refunded > 0 && refunded),
    ],
    bar: payAgain(view),
    more: receiptLinks(view),
  })
}

/** The way on to the code. In the sandbox the browser forgets its payment by a form, which needs no script. */
function payAgain({ sandbox, address, language }: PayerView): Html {
  const { payAgain } = PAYER_TEXTS[language]
  return sandbox
    ? html`<form method="post"><button class="button quiet" data-anew name="action" value="again">${payAgain}</button></form>`
    : html`<a class="button quiet" data-anew href="${formatAddress(address)}">${payAgain}</a>`
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

const methodText = (method: PaymentMethod | undefined, language: Language) =>
  method && METHOD_TEXTS[language][method]

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
    row(texts.method, methodText(payment.method, language)),
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
  finalView(view, { follows: true, refresh: refreshOf(view), more: ownDecline(view) })

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
      ${receiptSection(view)}
      ${accountSection(view)}
      ${bar && html`<div class="bar">${bar}</div>`}
    </main>`,
  })
}

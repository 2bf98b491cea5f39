// The console's page of one payment: its state, the way to a refund, its refunds.
import { html } from 'hono/html'
import type { Amount } from '../../contract/amount.ts'
import { isOverRefunded, type Payment } from '../../contract/payment.ts'
import type { Refund } from '../../contract/refund.ts'
import { networkOf } from '../../gateway/connection.ts'
import type { Html } from '../../web/layout.ts'
import { METHOD_TEXTS } from '../../web/method-texts.ts'
import { money } from '../../web/payer/formats.ts'
import { when } from '../formats.ts'
import { consolePage } from '../page.ts'
import {
  badge,
  codeLink,
  copyButton,
  facts,
  givenUid,
  notice,
  pathOf,
  refundName,
  table,
  textsOf,
} from '../parts.ts'
import { receiptPages } from '../receipts/load.ts'
import { settlementPages } from '../settlement/load.ts'
import { needsDecision, paymentState } from '../states.ts'
import { CODE_TEXTS } from '../texts-codes.ts'
import { LIST_TEXTS } from '../texts-lists.ts'
import { READERS, type Route, type Visit } from '../visit.ts'
import { decisionButton } from './decision.ts'
import { paidSum } from './payments.ts'
import { leftOf, refundButton, refundNotice } from './refund.ts'

export const PAYMENT: Route = { method: 'get', path: '/payments/:id', scopes: READERS, handle: payment }

const idOf = (visit: Visit) => pathOf(visit, '/payments/{id}').id ?? ''

async function payment(visit: Visit): Promise<Response> {
  const { language, base } = visit
  const texts = LIST_TEXTS[language].payments
  const { found, refunds } = await withRefunds(visit, idOf(visit))
  const { paymentUid, qrCodeUid, saleUid, amount, refunded } = found
  const shared = textsOf(visit)
  const title = `${texts.payment} ${paymentUid}`
  const [{ part, said }, entries] = await Promise.all([
    receipts(found, refunds, visit),
    settlement(found, visit),
  ])
  const main = html`<a class="back" href="${base}payments">← ${shared.nav.payments}</a>
    ${notice(visit)}${said}<div data-live>${refundNotice(refunds, visit)}</div>
    <div class="head"><h1 data-live>${paidSum(found, visit)}</h1><span data-live role="status">${badge(paymentState(found), visit)}</span></div>
    <div data-live>${needsDecision(found) && html`<p class="warn">${texts.why[found.notAppliedReason ?? '']}</p>`}${
      isOverRefunded(found) && html`<p class="warn">${texts.over}</p>`
    }</div>
    <div class="actions" data-live>${refundButton(found, visit)}${decisionButton(found, visit)}${refunded > 0 && leftHint(found, visit)}</div>
      <section class="card" data-live>${facts([
        [texts.payment, html`<code>${paymentUid}</code> ${copyButton(paymentUid, visit)}`],
        [CODE_TEXTS[language].codes.code, codeLink(base, qrCodeUid)],
        [shared.purpose, found.paymentPurpose],
        [texts.sale, givenUid(saleUid)],
        [shared.time, when(found.createdAt, visit)],
        [texts.method, methodOf(found, visit)],
        [texts.refundedAmount, refunded > 0 && money({ ...amount, minorUnits: refunded }, language)],
        [texts.reason, found.reason],
        [texts.decision, decisionOf(found, visit)],
      ])}</section>
      <section class="card" data-live><h2>${texts.refunds}</h2>${refundsTable(refunds, visit)}</section>
      <section class="card" id="receipts" data-live>${part}</section>
      <section class="card" id="settlement" data-live>${entries}</section>`
  return consolePage(visit, { title, main, active: 'payments', feed: visit.feed })
}

/** The receipts of the payment; the pages of receipts are loaded where it can have one. */
const receipts = async (
  found: Payment,
  refunds: readonly Refund[],
  visit: Visit,
): Promise<{ part: Html | ''; said: Html | '' }> =>
  visit.receipts || found.receipt
    ? (await receiptPages()).receiptsOf(found, refunds, visit)
    : { part: '', said: '' }

/** What the files of banks have of it; no bank pays out what a test site sold. */
const settlement = async (found: Payment, visit: Visit): Promise<Html | ''> =>
  networkOf(visit.config, visit.siteId).isTest ? '' : (await settlementPages()).entriesOf(found, visit)

/** How it was paid, as far as that is known. */
const methodOf = ({ byToken, method }: Payment, { language }: Visit): string =>
  [byToken && LIST_TEXTS[language].payments.byToken, method && METHOD_TEXTS[language][method]]
    .filter(Boolean)
    .join(', ')

/** What was decided about a payment that is not applied, with its note. */
const decisionOf = ({ decision }: Payment, visit: Visit): Html | false =>
  decision !== undefined &&
  html`${LIST_TEXTS[visit.language].payments.handedOver}${decision.note && html`: ${decision.note}`} <small>${when(decision.at, visit)}</small>`

/** What was returned, and what is left after that. */
export const leftHint = (found: Payment, visit: Visit): Html => {
  const { partly, nothingLeft } = LIST_TEXTS[visit.language].payments
  const [left, returned] = [leftOf(found), { ...found.amount, minorUnits: found.refunded }]
  const sum = (amount: Amount) => money(amount, visit.language)
  return html`<span class="hint">${left.minorUnits > 0 ? partly(sum(returned), sum(left)) : nothingLeft}</span>`
}

async function withRefunds(visit: Visit, paymentId: string) {
  const path = { paymentId }
  const [found, refunds] = await Promise.all([
    visit.call('getPayment', { path }),
    visit.call('listRefunds', { path }),
  ])
  return { found, refunds }
}

export const refundsTable = (refunds: readonly Refund[], visit: Visit): Html => {
  const texts = LIST_TEXTS[visit.language].payments
  const shared = textsOf(visit)
  return refunds.length === 0
    ? html`<p class="hint">${texts.noRefunds}</p>`
    : table(
        [
          [texts.refund, 'name'],
          [shared.status, 'state'],
          [texts.comment],
          [shared.time, 'when'],
          [shared.amount, 'sum'],
        ],
        refunds.map((refund) => [
          givenUid(refund.refundUid)
            ? html`<code class="uid">${refund.refundUid}</code>`
            : html`<bdi>${refundName(refund, visit)}</bdi>`,
          html`${badge(refund.status, visit)} ${refund.reason && html`<small>${refund.reason}</small>`}`,
          refund.comment,
          when(refund.createdAt, visit),
          money(refund.amount, visit.language),
        ]),
        texts.refunds,
      )
}

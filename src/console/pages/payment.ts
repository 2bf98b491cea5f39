// The console's page of one payment: its state, its refunds, and the form that makes a refund.
import { html } from 'hono/html'
import { isOverRefunded, type Payment } from '../../contract/payment.ts'
import type { Refund } from '../../contract/refund.ts'
import { ApiError } from '../../errors.ts'
import { seeOther } from '../../http/response.ts'
import type { Html } from '../../web/layout.ts'
import { money } from '../../web/payer/formats.ts'
import { typedAmount } from '../../web/typed-amount.ts'
import { typed, typedValue, when } from '../formats.ts'
import { consolePage } from '../page.ts'
import {
  badge,
  codeAddress,
  codeLink,
  copyButton,
  facts,
  field,
  formError,
  notice,
  pathOf,
  table,
  textsOf,
} from '../parts.ts'
import { needsDecision, paymentState } from '../states.ts'
import { CODE_TEXTS } from '../texts-codes.ts'
import { LIST_TEXTS } from '../texts-lists.ts'
import { READERS, type Route, type Visit, WRITERS } from '../visit.ts'
import { paidSum } from './payments.ts'

export const PAYMENT: readonly Route[] = [
  { method: 'get', path: '/payments/:id', scopes: READERS, handle: (visit) => payment(visit) },
  { method: 'post', path: '/payments/:id', scopes: WRITERS, handle: refundPayment },
]

const idOf = (visit: Visit) => pathOf(visit, '/payments/{id}').id ?? ''

async function payment(visit: Visit, tried?: { status: number; form: Html }): Promise<Response> {
  const { language, base } = visit
  const texts = LIST_TEXTS[language].payments
  const { found, refunds } = await withRefunds(visit, idOf(visit))
  const { paymentUid, qrCodeUid, saleUid, amount, refunded } = found
  const shared = textsOf(visit)
  const title = `${texts.payment} ${paymentUid}`
  const main = html`<a class="back" href="${base}payments">← ${shared.nav.payments}</a>
    ${notice(visit)}
    <div class="head"><h1 data-live>${paidSum(found, visit)}</h1><span data-live role="status">${badge(paymentState(found), visit)}</span></div>
    <div data-live>${needsDecision(found) && html`<p class="warn">${texts.why[found.notAppliedReason ?? '']}</p>`}${
      isOverRefunded(found) && html`<p class="warn">${texts.over}</p>`
    }</div>
    <div class="columns even"><div>
      <section class="card" data-live>${facts([
        [texts.payment, html`<code>${paymentUid}</code> ${copyButton(paymentUid, visit)}`],
        [CODE_TEXTS[language].codes.code, codeLink(base, qrCodeUid)],
        [texts.sale, saleUid],
        [shared.time, when(found.createdAt, visit)],
        [texts.method, texts.methods[found.byToken ? 'TOKEN' : 'SBP']],
        [texts.refundedAmount, refunded > 0 && money({ ...amount, minorUnits: refunded }, language)],
        [texts.reason, found.reason],
      ])}</section>
      <section class="card" data-live><h2>${texts.refunds}</h2>${refundsTable(refunds, visit)}</section>
    </div><div><div class="later" data-live>${tried?.form ?? refundForm(found, visit)}</div></div></div>`
  return consolePage(visit, {
    title,
    main,
    active: 'payments',
    feed: visit.feed,
    status: tried?.status ?? 200,
  })
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
        refunds.map(({ refundUid, status, reason, comment, createdAt, amount }) => [
          html`<code class="uid">${refundUid}</code>`,
          html`${badge(status, visit)} ${reason && html`<small>${reason}</small>`}`,
          comment,
          when(createdAt, visit),
          money(amount, visit.language),
        ]),
        texts.refunds,
      )
}

/** What is neither returned nor about to be, in minor units. */
const leftOf = ({ amount, acceptedRefunds, status }: Payment): number =>
  status === 'COMPLETED' ? Math.max(amount.minorUnits - acceptedRefunds, 0) : 0

const sumLeft = (payment: Payment, { language }: Visit): string => {
  const left = { ...payment.amount, minorUnits: leftOf(payment) }
  return LIST_TEXTS[language].payments.left(money(left, language))
}

interface Typed {
  amount: string
  comment: string
  /** Of the form, unless it belongs to another refund. */
  refundId?: string
  alert?: Html
}

/** The form of a refund of what is left; nothing where nothing is. The same form that is sent twice asks for one refund. */
export function refundForm(
  payment: Payment,
  visit: Visit,
  { from = '', tried }: { from?: string; tried?: Typed } = {},
): Html | '' {
  const { language, base } = visit
  const texts = LIST_TEXTS[language].payments
  const left = leftOf(payment)
  if (payment.status !== 'COMPLETED' || !visit.may(...WRITERS)) return ''
  if (left === 0)
    return html`<section class="card"><h2>${texts.refundTitle}</h2><p class="hint">${texts.nothingLeft}</p></section>`
  const { amount = typed(left, language), comment = '', refundId = visit.newUid(), alert = '' } = tried ?? {}
  // Money is not returned by one press.
  return html`<details class="card"${tried && html` open`}><summary>${texts.refundTitle}</summary>
      <form method="post" action="${base}payments/${encodeURIComponent(payment.paymentUid)}">${alert}
      <p class="hint">${sumLeft(payment, visit)}</p>
      ${field({
        name: 'amount',
        label: textsOf(visit).amount,
        value: amount,
        isRequired: true,
        isAmount: true,
        maxLength: 20,
      })}
      ${field({ name: 'comment', label: texts.comment, value: comment, hint: texts.commentHint, maxLength: 255 })}
      <input type="hidden" name="refundId" value="${refundId}"><input type="hidden" name="from" value="${from}">
      <button class="primary">${texts.doRefund}</button></form></details>`
}

async function refundPayment(visit: Visit): Promise<Response> {
  const form = await visit.form()
  const paymentId = idOf(visit)
  const fieldOf = (name: string) => form.get(name) ?? ''
  const [amount, comment, from, refundId] = [
    fieldOf('amount'),
    fieldOf('comment'),
    fieldOf('from'),
    fieldOf('refundId'),
  ]
  try {
    await visit.call('refundPayment', {
      path: { paymentId, refundId },
      body: { amount: { value: typedValue(amount) }, ...(comment && { comment }) },
    })
  } catch (error) {
    const found = await visit.call('getPayment', { path: { paymentId } })
    const left = sumLeft(found, visit)
    const texts = LIST_TEXTS[visit.language].payments
    const { status, alert } = formError(error, visit, {
      'amount.value': typedAmount(amount, '') ? left : CODE_TEXTS[visit.language].fresh.badAmount,
      comment: texts.badComment,
      'payin.resource.already.exists': texts.isMade,
    })
    // Of a refund that is made already, the form is for another one, whose amount nobody has typed.
    const isMade = error instanceof ApiError && error.code === 'payin.resource.already.exists'
    // A site that restarts can have taken the refund: sent again, it must be the same one.
    const tried = { amount: isMade ? '' : amount, comment, alert, ...(status !== 409 && { refundId }) }
    return payment(visit, {
      status,
      form: html`${refundForm(found, visit, { from, tried }) || alert}`,
    })
  }
  const address = from
    ? codeAddress(visit.base, from)
    : `${visit.base}payments/${encodeURIComponent(paymentId)}`
  return seeOther(visit.c, `${address}?done=refunded`)
}

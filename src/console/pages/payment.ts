// One payment: what became of it, its refunds, and another one.
import { html } from 'hono/html'
import type { PaymentAnswer } from '../../contract/payment.ts'
import type { RefundAnswer, RefundsAnswer } from '../../contract/refund.ts'
import { ApiError } from '../../errors.ts'
import { seeOther } from '../../http/response.ts'
import type { Html } from '../../web/layout.ts'
import { money } from '../../web/payer/formats.ts'
import { typedAmount } from '../../web/typed-amount.ts'
import { minorUnits, sum, typed, typedValue, when } from '../formats.ts'
import { consolePage } from '../page.ts'
import {
  badge,
  codeAddress,
  codeLink,
  copyButton,
  facts,
  field,
  notice,
  pathOf,
  refusal,
  table,
  textsOf,
} from '../parts.ts'
import { needsDecision, paymentState } from '../states.ts'
import { CODE_TEXTS } from '../texts-codes.ts'
import { LIST_TEXTS } from '../texts-lists.ts'
import { READERS, type Route, type Visit, WRITERS } from '../visit.ts'
import { cursorOf } from './feed.ts'
import { paidSum } from './payments.ts'

export const PAYMENT: readonly Route[] = [
  { method: 'get', path: '/payments/:id', scopes: READERS, handle: (visit) => payment(visit) },
  { method: 'post', path: '/payments/:id', scopes: WRITERS, handle: refundPayment },
]

const idOf = (visit: Visit) => pathOf(visit, '/payments/{id}').id ?? ''

async function payment(visit: Visit, tried?: { status: number; form: Html }): Promise<Response> {
  const { language, base } = visit
  const texts = LIST_TEXTS[language].payments
  const path = { paymentId: idOf(visit) }
  const feed = await cursorOf(visit)
  const [found, refunds] = await Promise.all([
    visit.call<PaymentAnswer>('getPayment', { path }),
    visit.call<RefundsAnswer>('listRefunds', { path }),
  ])
  const { paymentId, status, refundedAmount, qrCodeUid, saleUid, paymentMethod } = found
  const shared = textsOf(visit)
  const title = `${texts.payment} ${paymentId}`
  const main = html`<a class="back" href="${base}payments">← ${shared.nav.payments}</a>
    ${notice(visit)}
    <div class="head"><h1 data-live>${paidSum(found, visit)}</h1><span data-live role="status">${badge(paymentState(found), visit)}</span></div>
    <div data-live>${needsDecision(found) && html`<p class="warn">${texts.why[found.notAppliedReason ?? '']}</p>`}${found.overRefunded && html`<p class="warn">${texts.over}</p>`}</div>
    <div class="columns even"><div>
      <section class="card" data-live>${facts([
        [texts.payment, html`<code>${paymentId}</code> ${copyButton(paymentId, visit)}`],
        [CODE_TEXTS[language].codes.code, codeLink(base, qrCodeUid)],
        [texts.sale, saleUid],
        [shared.time, when(found.createdDateTime, visit)],
        [texts.method, texts.methods[paymentMethod.type]],
        [texts.refundedAmount, minorUnits(refundedAmount) > 0 && sum(refundedAmount, language)],
        [texts.reason, status.reason],
      ])}</section>
      <section class="card" data-live><h2>${texts.refunds}</h2>${refundsTable(refunds, visit)}</section>
    </div><div><div class="later" data-live>${tried?.form ?? refundForm(found, refunds, visit)}</div></div></div>`
  return consolePage(visit, { title, main, active: 'payments', feed, status: tried?.status ?? 200 })
}

export const refundsTable = (refunds: readonly RefundAnswer[], visit: Visit): Html => {
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
        refunds.map(({ refundId, status, comment, createdDateTime, amount }) => [
          html`<code class="uid">${refundId}</code>`,
          html`${badge(status.value, visit)} ${status.reason && html`<small>${status.reason}</small>`}`,
          comment,
          when(createdDateTime, visit),
          sum(amount, visit.language),
        ]),
        texts.refunds,
      )
}

/** What is neither returned nor about to be, in minor units. */
const leftOf = ({ amount, status }: PaymentAnswer, refunds: readonly RefundAnswer[]): number => {
  const taken = refunds.filter(({ status: { value } }) => value !== 'DECLINED')
  const left = taken.reduce((rest, each) => rest - minorUnits(each.amount), minorUnits(amount))
  return status.value === 'COMPLETED' ? Math.max(left, 0) : 0
}

const sumLeft = (payment: PaymentAnswer, refunds: readonly RefundAnswer[], { language }: Visit): string => {
  const left = { minorUnits: leftOf(payment, refunds), currency: payment.amount.currency }
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
  payment: PaymentAnswer,
  refunds: readonly RefundAnswer[],
  visit: Visit,
  { from = '', tried }: { from?: string; tried?: Typed } = {},
): Html | '' {
  const { language, base } = visit
  const texts = LIST_TEXTS[language].payments
  const left = leftOf(payment, refunds)
  if (payment.status.value !== 'COMPLETED' || !visit.may(...WRITERS)) return ''
  if (left === 0)
    return html`<section class="card"><h2>${texts.refundTitle}</h2><p class="hint">${texts.nothingLeft}</p></section>`
  const { amount = typed(left, language), comment = '', refundId = visit.newUid(), alert = '' } = tried ?? {}
  // Money is not returned by one press.
  return html`<details class="card"${tried && html` open`}><summary>${texts.refundTitle}</summary>
      <form method="post" action="${base}payments/${encodeURIComponent(payment.paymentId)}">${alert}
      <p class="hint">${sumLeft(payment, refunds, visit)}</p>
      ${field({ name: 'amount', label: textsOf(visit).amount, value: amount, isRequired: true, isAmount: true, maxLength: 20 })}
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
    await visit.send('refundPayment', {
      path: { paymentId, refundId },
      body: { amount: { value: typedValue(amount) }, ...(comment && { comment }) },
    })
  } catch (error) {
    const path = { paymentId }
    const [found, refunds] = await Promise.all([
      visit.call<PaymentAnswer>('getPayment', { path }),
      visit.call<RefundsAnswer>('listRefunds', { path }),
    ])
    const left = sumLeft(found, refunds, visit)
    const texts = LIST_TEXTS[visit.language].payments
    const { status, alert } = refusal(error, visit, {
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
      form: html`${refundForm(found, refunds, visit, { from, tried }) || alert}`,
    })
  }
  const address = from
    ? codeAddress(visit.base, from)
    : `${visit.base}payments/${encodeURIComponent(paymentId)}`
  return seeOther(visit.c, `${address}?done=refunded`)
}

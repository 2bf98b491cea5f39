// A refund: the form, the question that names the amount, and then the refund. One press alone moves no money.
import { html } from 'hono/html'
import type { Amount } from '../../contract/amount.ts'
import type { Payment } from '../../contract/payment.ts'
import { MAX_COMMENT, type Refund } from '../../contract/refund.ts'
import { hasAtMost } from '../../contract/text.ts'
import { ApiError } from '../../errors.ts'
import { seeOther } from '../../http/response.ts'
import type { Html } from '../../web/layout.ts'
import { money } from '../../web/payer/formats.ts'
import { typedAmount } from '../../web/typed-amount.ts'
import { currencySign, typed, typedValue } from '../formats.ts'
import { consolePage } from '../page.ts'
import {
  asked,
  codeAddress,
  type FormError,
  facts,
  field,
  formError,
  pathOf,
  paymentAddress,
  textsOf,
} from '../parts.ts'
import { CODE_TEXTS } from '../texts-codes.ts'
import { LIST_TEXTS } from '../texts-lists.ts'
import { type Confirmed, type Route, type Visit, WRITERS } from '../visit.ts'

export const REFUND: readonly Route[] = [
  {
    method: 'get',
    path: '/payments/:id/refund',
    scopes: WRITERS,
    handle: async (visit) => form(visit, await paymentOf(visit)),
  },
  { method: 'post', path: '/payments/:id/refund', scopes: WRITERS, handle: refund, confirms },
]

/** The beginning of the parameter `done` after a refund was requested; its identifier follows. */
const MADE = 'refund:'

/** The state of the refund that the form before requested; the page follows it while it changes. */
export function refundNotice(refunds: readonly Refund[], visit: Visit): Html | '' {
  const made = refunds.find(({ refundUid }) => asked(visit, 'done') === MADE + refundUid)
  if (!made) return ''
  const { status, amount } = made
  const text = LIST_TEXTS[visit.language].payments.made[status](money(amount, visit.language))
  return html`<p class="${status === 'DECLINED' ? 'alert' : 'done'}" role="status"><strong>${text}</strong></p>`
}

/** The sum that is neither returned nor about to be. */
export const leftOf = ({ amount, acceptedRefunds, status }: Payment): Amount => ({
  ...amount,
  minorUnits: status === 'COMPLETED' ? Math.max(amount.minorUnits - acceptedRefunds, 0) : 0,
})

/** The way to a refund of what is left, or of a part of it; nothing where nothing is. @param code whose page it is on */
export function refundButton(payment: Payment, visit: Visit, code = ''): Html | '' {
  const left = leftOf(payment)
  if (left.minorUnits === 0 || !visit.may(...WRITERS)) return ''
  const query = code && `?${new URLSearchParams({ from: code })}`
  return html`<a class="button primary" href="${paymentAddress(visit.base, payment.paymentUid)}/refund${query}">${LIST_TEXTS[
    visit.language
  ].payments.refundUpTo(money(left, visit.language))}</a>`
}

/** What the forms have. The same refundId that is sent twice asks for one refund. */
interface Typed {
  amount: string
  comment: string
  from: string
  refundId: string
}

const pathOfPayment = (visit: Visit) => ({ paymentId: pathOf(visit, '/payments/{id}/refund').id ?? '' })

const paymentOf = (visit: Visit) => visit.call('getPayment', { path: pathOfPayment(visit) })

const backTo = ({ from }: Pick<Typed, 'from'>, visit: Visit): string =>
  from ? codeAddress(visit.base, from) : paymentAddress(visit.base, pathOfPayment(visit).paymentId)

function form(visit: Visit, found: Payment, tried?: Partial<Typed>, refused?: FormError): Promise<Response> {
  const texts = LIST_TEXTS[visit.language].payments
  const left = leftOf(found)
  const { from = asked(visit, 'from'), refundId = visit.newUid(), comment = '' } = tried ?? {}
  const { amount = typed(left.minorUnits, visit.language) } = tried ?? {}
  const sum = money(left, visit.language)
  const fault = refused?.fields['amount.value']
  // What is wrong with the amount is said at its field alone.
  const alert = fault
    ? html`<div class="alert" role="alert"><strong>${textsOf(visit).faults['validation.error']}</strong></div>`
    : refused?.alert
  const main =
    left.minorUnits === 0
      ? html`${refused?.alert}<p class="hint">${texts.nothingLeft}</p>`
      : html`<form method="post">${alert}
      ${fault !== texts.atMost(sum) && html`<p class="hint">${texts.left(sum)}</p>`}
      ${field({
        name: 'amount',
        label: `${textsOf(visit).amount}, ${currencySign(found.amount.currency, visit.language)}`,
        value: amount,
        isRequired: true,
        isAmount: true,
        maxLength: 20,
        fault,
      })}
      ${field({
        name: 'comment',
        label: texts.comment,
        value: comment,
        hint: texts.commentHint,
        maxLength: MAX_COMMENT,
        fault: refused?.fields.comment,
      })}
      ${hidden({ refundId, from })}<button class="primary">${texts.goOn}</button></form>`
  const content = html`<h1>${texts.refundTitle}</h1>${aboutPayment(found, visit)}${main}`
  return pageOf(visit, { found, from, content, refused })
}

const hidden = (values: Record<string, string>): Html[] =>
  Object.entries(values).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)

/** Which payment it is. */
export const aboutPayment = (found: Payment, visit: Visit): Html => {
  return html`<section class="card">${facts(factsOf(found, visit))}</section>`
}

function factsOf(found: Payment, visit: Visit): Parameters<typeof facts>[0] {
  const texts = LIST_TEXTS[visit.language].payments
  return [
    [CODE_TEXTS[visit.language].codes.code, found.qrCodeUid],
    [textsOf(visit).purpose, found.paymentPurpose],
    [texts.payment, money(found.amount, visit.language)],
    [
      texts.refundedAmount,
      found.acceptedRefunds > 0 &&
        money({ ...found.amount, minorUnits: found.acceptedRefunds }, visit.language),
    ],
  ]
}

interface Page {
  found: Payment
  from: string
  content: Html
  refused?: FormError | undefined
}

const pageOf = (visit: Visit, { found, from, content, refused }: Page): Promise<Response> =>
  consolePage(visit, {
    title: `${LIST_TEXTS[visit.language].payments.refundTitle} ${found.paymentUid}`,
    main: html`<a class="back" href="${backTo({ from }, visit)}">← ${textsOf(visit).back}</a>${content}`,
    active: 'payments',
    isNarrow: true,
    status: refused?.status ?? 200,
  })

async function refund(visit: Visit): Promise<Response> {
  const sent = await visit.form()
  const of = (name: string) => sent.get(name) ?? ''
  const given = { amount: of('amount'), comment: of('comment'), from: of('from'), refundId: of('refundId') }
  const path = pathOfPayment(visit)
  if (of('confirmed') !== 'yes') return question(visit, given)
  try {
    await visit.call('refundPayment', {
      path: { ...path, refundId: given.refundId },
      body: { amount: { value: typedValue(given.amount) }, ...(given.comment && { comment: given.comment }) },
    })
  } catch (error) {
    const found = await paymentOf(visit)
    return form(visit, found, ...refusedBy(error, given, found, visit))
  }
  return seeOther(visit.c, `${backTo(given, visit)}?done=${MADE}${encodeURIComponent(given.refundId)}`)
}

/** Asks once more, with the amount and what is left behind it; or says what is wrong with the form. */
async function question(visit: Visit, given: Typed): Promise<Response> {
  const found = await paymentOf(visit)
  const texts = LIST_TEXTS[visit.language].payments
  const left = leftOf(found)
  const { minorUnits = 0 } = typedAmount(given.amount, found.amount.currency) ?? {}
  const fields = {
    ...((minorUnits === 0 || minorUnits > left.minorUnits) && { 'amount.value': ['rule'] }),
    ...(!hasAtMost(MAX_COMMENT, given.comment) && { comment: ['rule'] }),
  }
  if (Object.keys(fields).length > 0) {
    const error = new ApiError('validation.error', 'the form is not valid', { fields })
    return form(visit, found, ...refusedBy(error, given, found, visit))
  }
  const sum = money({ ...left, minorUnits }, visit.language)
  const rest = left.minorUnits - minorUnits
  const restText = rest > 0 ? texts.rest(money({ ...left, minorUnits: rest }, visit.language)) : texts.noRest
  const content = html`<h1>${texts.question(sum)}</h1>${aboutPayment(found, visit)}
      <form method="post"><p>${restText}</p>${given.comment && html`<p class="hint"><bdi>${given.comment}</bdi></p>`}
      ${hidden({ ...given, confirmed: 'yes' })}
      <div class="actions"><button class="primary">${texts.refundSum(sum)}</button><a href="?${new URLSearchParams({ from: given.from })}">${
        texts.otherAmount
      }</a></div></form>`
  return pageOf(visit, { found, from: given.from, content })
}

/** The sum, and what was paid by it. */
async function confirms(visit: Visit, fields: URLSearchParams): Promise<Confirmed> {
  const found = await paymentOf(visit)
  const texts = LIST_TEXTS[visit.language].payments
  const sum = typedAmount(fields.get('amount') ?? '', found.amount.currency)
  return {
    title: texts.question(sum ? money(sum, visit.language) : (fields.get('amount') ?? '')),
    back: backTo({ from: fields.get('from') ?? '' }, visit).slice(visit.base.length),
    rows: [...factsOf(found, visit), [texts.comment, fields.get('comment') ?? '']],
  }
}

/** What the form shows after a refusal. */
function refusedBy(error: unknown, given: Typed, found: Payment, visit: Visit): [Partial<Typed>, FormError] {
  const texts = LIST_TEXTS[visit.language].payments
  const left = leftOf(found)
  const refused = formError(error, visit, {
    'amount.value': typedAmount(given.amount, '')
      ? texts.atMost(money(left, visit.language))
      : CODE_TEXTS[visit.language].fresh.badAmount,
    comment: texts.badComment,
    'payin.resource.already.exists': texts.isMade,
  })
  const { refundId, ...rest } = given
  // Where the refund is made already, the form is for another refund, whose amount nobody has typed.
  const isMade = error instanceof ApiError && error.code === 'payin.resource.already.exists'
  // A site that restarts can have taken the refund: sent again, it must be the same one.
  return [{ ...rest, ...(isMade && { amount: '' }), ...(refused.status !== 409 && { refundId }) }, refused]
}

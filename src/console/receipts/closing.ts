// Closes a prepayment: what was paid before is delivered, and the register makes a receipt of the full payment.
import { html } from 'hono/html'
import { type Amount, formatMinorUnits } from '../../contract/amount.ts'
import { type Item, MAX_NAME } from '../../contract/receipts/item.ts'
import { sumOf } from '../../contract/receipts/shares.ts'
import { ApiError } from '../../errors.ts'
import { seeOther } from '../../http/response.ts'
import type { Html } from '../../web/layout.ts'
import { money } from '../../web/payer/formats.ts'
import { RECEIPT_WORDS } from '../../web/receipts/words.ts'
import { currencySign, typed, typedValue } from '../formats.ts'
import { consolePage } from '../page.ts'
import { aboutPayment } from '../pages/refund.ts'
import { type FormError, field, formError, pathOf, paymentAddress, textsOf } from '../parts.ts'
import { RECEIPT_TEXTS } from '../texts-receipts.ts'
import type { Visit } from '../visit.ts'
import { itemRequest, receiptError } from './fields.ts'

const pathOfPayment = (visit: Visit) => ({ paymentId: pathOf(visit, '/payments/{id}/closing').id ?? '' })

/** What the form has after a refusal. */
interface Tried {
  sent: URLSearchParams
  refused: FormError
}

export const closingForm = (visit: Visit): Promise<Response> => show(visit)

async function show(visit: Visit, tried?: Tried): Promise<Response> {
  const texts = RECEIPT_TEXTS[visit.language]
  const path = pathOfPayment(visit)
  const [payment, { prepayment: left }] = await Promise.all([
    visit.call('getPayment', { path }),
    visit.call('listPaymentReceipts', { path }),
  ])
  const sum = { ...payment.amount, minorUnits: sumOf(left) }
  return consolePage(visit, {
    title: texts.closingTitle,
    active: 'payments',
    isNarrow: true,
    status: tried?.refused.status ?? 200,
    main: html`<a class="back" href="${paymentAddress(visit.base, path.paymentId)}#receipts">← ${textsOf(visit).back}</a>
      <h1>${texts.closingTitle}</h1>${aboutPayment(payment, visit)}${
        left.length === 0
          ? html`<p class="hint">${texts.nothingToClose}</p>`
          : html`<form method="post">${tried?.refused.alert}<p>${texts.closingLead}</p>
      <p class="hint">${texts.leftToClose(money(sum, visit.language))}</p>
      <input type="hidden" name="closingUid" value="${tried?.sent.get('closingUid') ?? visit.newUid()}">
      ${left.some(isAdvance) ? advanceFields(sum, visit, tried) : deliveredFields(left, sum, visit)}
      <button class="primary">${texts.close}</button></form>`
      }`,
  })
}

const isAdvance = ({ method }: Item): boolean => method === 'advance'

/** What was sold is known: it is ticked. */
function deliveredFields(left: readonly Item[], sum: Amount, visit: Visit): Html {
  const texts = RECEIPT_TEXTS[visit.language]
  return html`<fieldset><legend>${texts.delivered}</legend>${left.map(
    ({ name, amount, method }, i) =>
      html`<label class="check explained"><input type="checkbox" name="delivered" value="${i}" checked> <span><bdi>${name}</bdi> <small>${money(
        { ...sum, minorUnits: amount },
        visit.language,
      )}, ${RECEIPT_WORDS[visit.language].methods[method]}</small></span></label>`,
  )}</fieldset>`
}

/** Of an advance nobody has said what it is for. */
function advanceFields(sum: Amount, visit: Visit, tried: Tried | undefined): Html {
  const texts = RECEIPT_TEXTS[visit.language]
  const { sent, refused } = tried ?? {}
  return html`${field({
    name: 'name',
    label: texts.deliveredName,
    value: sent?.get('name') ?? '',
    isRequired: true,
    maxLength: MAX_NAME,
    fault: refused?.fields['items.0.name'],
  })}${field({
    name: 'sum',
    label: `${texts.deliveredSum}, ${currencySign(sum.currency, visit.language)}`,
    value: sent?.get('sum') ?? typed(sum.minorUnits, visit.language),
    isRequired: true,
    isAmount: true,
    maxLength: 20,
    fault: refused?.fields['items.0.price'],
  })}`
}

/** What the form does. The same form that is sent twice makes one receipt. */
export async function makeClosing(visit: Visit): Promise<Response> {
  const sent = await visit.form()
  const path = pathOfPayment(visit)
  const { prepayment: left } = await visit.call('listPaymentReceipts', { path })
  const delivered = new Set(sent.getAll('delivered'))
  const chosen = left.filter((_, i) => delivered.has(`${i}`))
  const name = sent.get('name')
  try {
    if (name === null && chosen.length === 0) throw nothingChosen()
    const items =
      name === null ? chosen.map(itemRequest) : [{ name, price: typedValue(sent.get('sum') ?? '') }]
    // Without items, all that is left is closed, also what a refund freed meanwhile.
    const isAll = name === null && chosen.length === left.length
    await visit.call('closeReceipt', {
      path: { ...path, closingUid: sent.get('closingUid') ?? '' },
      body: { kind: 'closing', ...(!isAll && { items }) },
    })
  } catch (error) {
    return show(visit, { sent, refused: refusedBy(error, sumOf(left), left.length, visit) })
  }
  return seeOther(visit.c, `${paymentAddress(visit.base, path.paymentId)}?done=closed#receipts`)
}

const nothingChosen = () =>
  new ApiError('validation.error', 'nothing is ticked', { fields: { items: ['must have an item'] } })

function refusedBy(error: unknown, sum: number, items: number, visit: Visit): FormError {
  const texts = RECEIPT_TEXTS[visit.language]
  if (error instanceof ApiError && error.fields?.items)
    return formError(error, visit, { items: texts.chooseOne })
  const atMost = texts.leftToClose(formatMinorUnits(sum))
  return receiptError(error, visit, Math.max(items, 1), {
    'items.0.price': atMost,
    'items.0.amount': atMost,
    'payin.resource.already.exists': texts.isClosed,
  })
}

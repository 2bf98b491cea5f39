// The receipt of a payment that has none: one that no QR code took, or one whose QR code stated none.
import { html } from 'hono/html'
import { formatMinorUnits } from '../../contract/amount.ts'
import type { Payment } from '../../contract/payment.ts'
import { MAX_NAME } from '../../contract/receipts/item.ts'
import { seeOther } from '../../http/response.ts'
import { consolePage } from '../page.ts'
import { aboutPayment } from '../pages/refund.ts'
import { type FormError, field, pathOf, paymentAddress, textsOf } from '../parts.ts'
import { RECEIPT_TEXTS } from '../texts-receipts.ts'
import type { Visit } from '../visit.ts'
import { contactField, contactOf, receiptError, taxationField, vatField } from './fields.ts'

const pathOfPayment = (visit: Visit) => ({ paymentId: pathOf(visit, '/payments/{id}/receipt').id ?? '' })

const paymentOf = (visit: Visit) => visit.call('getPayment', { path: pathOfPayment(visit) })

export const makeForm = async (visit: Visit): Promise<Response> => show(visit, await paymentOf(visit))

function show(visit: Visit, payment: Payment, sent?: URLSearchParams, tried?: FormError): Promise<Response> {
  const texts = RECEIPT_TEXTS[visit.language]
  const of = (name: string) => sent?.get(name) ?? ''
  return consolePage(visit, {
    title: texts.makeTitle,
    active: 'payments',
    isNarrow: true,
    status: tried?.status ?? 200,
    main: html`<a class="back" href="${paymentAddress(visit.base, payment.paymentUid)}">← ${textsOf(visit).back}</a>
      <h1>${texts.makeTitle}</h1>${aboutPayment(payment, visit)}
      <form method="post">${tried?.alert}<p class="hint">${texts.makeLead}</p>
      ${field({
        name: 'name',
        label: texts.name,
        value: sent ? of('name') : payment.paymentPurpose,
        maxLength: MAX_NAME,
        hint: texts.nameHint,
        fault: tried?.fields['receipt.items.0.name'],
      })}
      ${contactField(visit, undefined, tried)}
      <div class="choices">${taxationField(visit, of('taxation'), texts.bySettings)}
      ${vatField(visit, { name: 'vat', label: texts.vat, chosen: of('vat'), none: texts.bySettings })}</div>
      <button class="primary">${texts.make}</button></form>`,
  })
}

/** What the form does. */
export async function makeReceipt(visit: Visit): Promise<Response> {
  const sent = await visit.form()
  const payment = await paymentOf(visit)
  const of = (name: string) => sent.get(name)?.trim() ?? ''
  const [name, vat, taxation] = [of('name'), of('vat'), of('taxation')]
  const item = { name, price: formatMinorUnits(payment.amount.minorUnits), ...(vat && { vat }) }
  const receipt = {
    ...contactOf(sent, visit),
    ...(taxation && { taxation }),
    ...((name || vat) && { items: [item] }),
  }
  try {
    const body = Object.keys(receipt).length > 0 ? { receipt } : {}
    await visit.call('requestReceipt', { path: pathOfPayment(visit), body })
  } catch (error) {
    return show(visit, payment, sent, receiptError(error, visit, 1))
  }
  return seeOther(visit.c, `${paymentAddress(visit.base, payment.paymentUid)}?done=requested#receipts`)
}

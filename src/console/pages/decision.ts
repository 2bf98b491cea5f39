// The decision about a payment that no QR code took: the goods were handed over. A note says to whom, and it can be undone.
import { html } from 'hono/html'
import type { Payment } from '../../contract/payment.ts'
import { MAX_NOTE } from '../../contract/payment-decision.ts'
import { seeOther } from '../../http/response.ts'
import type { Html } from '../../web/layout.ts'
import { consolePage } from '../page.ts'
import { type FormError, field, formError, pathOf, paymentAddress, textsOf } from '../parts.ts'
import { needsDecision } from '../states.ts'
import { LIST_TEXTS } from '../texts-lists.ts'
import { type Route, type Visit, WRITERS } from '../visit.ts'
import { aboutPayment } from './refund.ts'

export const DECISION: readonly Route[] = [
  { method: 'get', path: '/payments/:id/decision', scopes: WRITERS, handle: (visit) => form(visit) },
  { method: 'post', path: '/payments/:id/decision', scopes: WRITERS, handle: decide },
]

/** The way to the decision, or the button that undoes it; nothing where there is nothing to decide. */
export function decisionButton(payment: Payment, visit: Visit): Html | '' {
  if (!visit.may(...WRITERS)) return ''
  const texts = LIST_TEXTS[visit.language].payments
  const address = `${paymentAddress(visit.base, payment.paymentUid)}/decision`
  if (needsDecision(payment)) return html`<a class="button" href="${address}">${texts.handedOver}</a>`
  return payment.decision && !payment.applied
    ? html`<form method="post" action="${address}"><input type="hidden" name="value" value="OPEN"><button>${texts.undo}</button></form>`
    : ''
}

const pathOfPayment = (visit: Visit) => ({ paymentId: pathOf(visit, '/payments/{id}/decision').id ?? '' })

async function form(visit: Visit, note = '', refused?: FormError): Promise<Response> {
  const path = pathOfPayment(visit)
  const found = await visit.call('getPayment', { path })
  const texts = LIST_TEXTS[visit.language].payments
  const back = paymentAddress(visit.base, path.paymentId)
  const main = html`<a class="back" href="${back}">← ${textsOf(visit).back}</a>
    <h1>${texts.isHandedOver}</h1>${aboutPayment(found, visit)}
    <form method="post">${refused?.alert}<p class="hint">${texts.decisionHint}</p>
      ${field({
        name: 'note',
        label: `${texts.note} (${textsOf(visit).optional})`,
        value: note,
        hint: texts.noteHint,
        maxLength: MAX_NOTE,
        fault: refused?.fields.note,
      })}
      <input type="hidden" name="value" value="DELIVERED"><button class="primary">${texts.markHandedOver}</button></form>`
  return consolePage(visit, {
    title: `${texts.handedOver} ${path.paymentId}`,
    main,
    active: 'payments',
    isNarrow: true,
    status: refused?.status ?? 200,
  })
}

async function decide(visit: Visit): Promise<Response> {
  const sent = await visit.form()
  const path = pathOfPayment(visit)
  const [value, note = ''] = [sent.get('value'), sent.get('note')?.trim()]
  try {
    await visit.call('decidePayment', { path, body: { value, ...(note && { note }) } })
  } catch (error) {
    return form(visit, note, formError(error, visit, { note: LIST_TEXTS[visit.language].payments.badNote }))
  }
  const done = value === 'OPEN' ? 'reopened' : 'handedOver'
  return seeOther(visit.c, `${paymentAddress(visit.base, path.paymentId)}?done=${done}`)
}

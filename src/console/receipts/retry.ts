// Another attempt of a receipt that failed: the same sum, with what is corrected.
import { html } from 'hono/html'
import type { ReceiptDocument } from '../../contract/receipts/document.ts'
import { ApiError } from '../../errors.ts'
import { seeOther } from '../../http/response.ts'
import type { Html } from '../../web/layout.ts'
import { money } from '../../web/payer/formats.ts'
import { consolePage } from '../page.ts'
import { type FormError, facts, pathOf, paymentAddress, paymentLink, textsOf } from '../parts.ts'
import { RECEIPT_TEXTS } from '../texts-receipts.ts'
import { ADMINS, type Visit } from '../visit.ts'
import { adviceOf, canRetry, lateAdviceOf } from './advice.ts'
import {
  contactField,
  contactOf,
  correctedItems,
  itemFields,
  receiptError,
  taxationField,
  vatField,
} from './fields.ts'

/** @throws ApiError 404 for what can be no receipt */
function pathOfReceipt(visit: Visit): { receiptUid: string } {
  const { id = '' } = pathOf(visit, '/receipts/{id}/retry')
  if (!/^[A-Z0-9]{32}$/.test(id)) throw new ApiError('payin.resource.not.found', 'there is no such receipt')
  return { receiptUid: id }
}

const documentOf = (visit: Visit) => visit.call('getReceipt', { path: pathOfReceipt(visit) })

export const retryForm = async (visit: Visit): Promise<Response> => show(visit, await documentOf(visit))

function show(visit: Visit, document: ReceiptDocument, tried?: FormError): Promise<Response> {
  const texts = RECEIPT_TEXTS[visit.language]
  const back = `${paymentAddress(visit.base, document.paymentUid)}#receipts`
  const late = lateAdviceOf(document, visit.now)
  return consolePage(visit, {
    title: texts.retryTitle,
    active: 'receipts',
    isNarrow: true,
    status: tried?.status ?? 200,
    main: html`<a class="back" href="${back}">← ${textsOf(visit).back}</a><h1>${texts.retryTitle}</h1>
      ${aboutDocument(document, visit)}${
        canRetry(document, visit.now)
          ? form(document, visit, tried)
          : html`${tried?.alert}<p class="warn">${late ? texts.late[late] : textsOf(visit).faults['payin.incorrect-method-invocation']}</p>`
      }`,
  })
}

/** Which document it is, and why it failed. */
function aboutDocument(document: ReceiptDocument, visit: Visit): Html {
  const texts = RECEIPT_TEXTS[visit.language]
  const { kind, amount, paymentUid, qrCodeUid, error } = document
  const name = adviceOf(document)
  return html`<section class="card">${facts([
    [texts.one, texts.kinds[kind]],
    [textsOf(visit).amount, money(amount, visit.language)],
    [texts.of, paymentLink(visit.base, paymentUid, qrCodeUid ?? paymentUid)],
    [texts.why, name && texts.advice[name].happens],
    [texts.words, error?.text],
  ])}</section>`
}

function form(document: ReceiptDocument, visit: Visit, tried: FormError | undefined): Html {
  const texts = RECEIPT_TEXTS[visit.language]
  const { contact, items, amount } = document
  return html`<form method="post">${tried?.alert}<p class="hint">${texts.retryLead}${
    visit.may(...ADMINS) && html`. <a href="${visit.base}receipts/settings">${texts.settings}</a>`
  }</p>
      ${contactField(visit, contact, tried)}
      <div class="choices">${taxationField(visit, '', texts.keep)}
      ${vatField(visit, { name: 'vat', label: texts.vatOfAll, chosen: '', none: texts.keep })}</div>
      ${itemFields(items, amount.currency, visit)}
      <button class="primary">${texts.retry}</button></form>`
}

/** What the form does. */
export async function retry(visit: Visit): Promise<Response> {
  const sent = await visit.form()
  const document = await documentOf(visit)
  const taxation = sent.get('taxation') ?? ''
  const receipt = {
    ...contactOf(sent, visit),
    ...(taxation && { taxation }),
    ...correctedItems(sent, document.items),
  }
  try {
    const body = Object.keys(receipt).length > 0 ? { receipt } : {}
    await visit.call('retryReceipt', { path: pathOfReceipt(visit), body })
  } catch (error) {
    return show(visit, await documentOf(visit), receiptError(error, visit, document.items.length))
  }
  return seeOther(visit.c, `${paymentAddress(visit.base, document.paymentUid)}?done=retried#receipts`)
}

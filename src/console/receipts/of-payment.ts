// The receipts of a payment, on its page: each with its state, why it is not registered, its numbers and items, and what can be done.
import { html } from 'hono/html'
import type { Values } from '../../api/operations.ts'
import type { Payment } from '../../contract/payment.ts'
import { maskedContact } from '../../contract/receipts/contact.ts'
import type { ReceiptDocument } from '../../contract/receipts/document.ts'
import { vatOf } from '../../contract/receipts/vat.ts'
import type { Refund } from '../../contract/refund.ts'
import { receiptUrl } from '../../gateway/sandbox-receipt.ts'
import { originOf } from '../../http/path.ts'
import type { Html } from '../../web/layout.ts'
import { money } from '../../web/payer/formats.ts'
import { quantityText, RECEIPT_WORDS, vatName } from '../../web/receipts/words.ts'
import { exactly, when } from '../formats.ts'
import { badge, facts, notice, paymentAddress, table } from '../parts.ts'
import { RECEIPT_TEXTS } from '../texts-receipts.ts'
import { type Visit, WRITERS } from '../visit.ts'
import { adviceOf, lateAdviceOf, receiptState } from './advice.ts'
import { retryLink } from './list.ts'

/** The part of the payment's page; nothing where there is no receipt, and none can be made. */
export async function receiptsOf(
  payment: Payment,
  refunds: readonly Refund[],
  visit: Visit,
): Promise<{ part: Html | ''; said: Html | '' }> {
  const texts = RECEIPT_TEXTS[visit.language]
  const said = notice(visit, texts.done)
  const path = { paymentId: payment.paymentUid }
  const { documents, prepayment } = await visit.call('listPaymentReceipts', { path })
  const present = documents.filter(({ isReplaced }) => !isReplaced)
  const earlier = documents.filter(({ isReplaced }) => isReplaced)
  const actions = actionsOf(payment, { documents, prepayment }, visit)
  const hasNone = refunds.some(({ receipt }) => receipt?.state === 'NONE')
  if (documents.length === 0 && !actions && !hasNone) return { part: '', said }
  const part = html`<h2>${texts.title}</h2>
    ${hasNone && html`<p class="hint">${texts.refundOfNone}</p>`}${present.map((document) => receipt(document, visit))}
    ${earlier.length > 0 && html`<details><summary>${texts.earlier}: ${earlier.length}</summary>${earlier.map((document) => receipt(document, visit))}</details>`}
    ${actions && html`<div class="actions">${actions}</div>`}`
  return { part, said }
}

/** The ways to a receipt of a payment that has none, and to the closing of a prepayment. */
function actionsOf(
  payment: Payment,
  { documents, prepayment }: Values['listPaymentReceipts'],
  visit: Visit,
): Html | undefined {
  const texts = RECEIPT_TEXTS[visit.language]
  const address = paymentAddress(visit.base, payment.paymentUid)
  if (!visit.may(...WRITERS)) return undefined
  if (documents.length === 0)
    return payment.status === 'COMPLETED' && visit.receipts?.register
      ? html`<a class="button" href="${address}/receipt">${texts.make}</a>`
      : undefined
  return prepayment.length > 0
    ? html`<a class="button" href="${address}/closing">${texts.close}</a>`
    : undefined
}

function receipt(document: ReceiptDocument, visit: Visit): Html {
  const texts = RECEIPT_TEXTS[visit.language]
  const { language } = visit
  const { kind, amount, fiscal = {}, contact, taxation, createdAt } = document
  const { fn, fd, fpd, registration, shift, number, dateTime } = fiscal
  const url = addressOf(document, visit)
  return html`<article class="cause">
      <div class="head"><h3>${texts.kinds[kind]}</h3><span>${badge(receiptState(document), visit)}</span>${
        url !== undefined &&
        html`<a href="${url}" target="_blank" rel="noopener noreferrer">${texts.openFiscal}</a>`
      }</div>
      ${reasonOf(document, visit)}
      ${facts([
        [texts.sum, money(amount, language)],
        [texts.made, when(createdAt, visit)],
        [texts.contact, contact && Object.values(maskedContact(contact))[0]],
        [texts.taxation, taxation && RECEIPT_WORDS[language].taxations[taxation]],
        [texts.number, number && `${number}${shift ? `, ${texts.shift.toLowerCase()} ${shift}` : ''}`],
        [texts.registeredOn, dateTime !== undefined && exactly(dateTime, visit)],
        [texts.fiscal, fn !== undefined && html`${[fn, fd, fpd].filter(Boolean).join(' / ')}`],
        [texts.register, registration],
      ])}
      <details><summary>${texts.items}: ${document.items.length}</summary>${itemsTable(document, visit)}</details></article>`
}

/** Where it can be read, once it is registered. */
function addressOf({ state, receiptUid, fiscal }: ReceiptDocument, visit: Visit): string | undefined {
  const { config, siteId, c } = visit
  const registered = state === 'REGISTERED' ? { receiptUid, url: fiscal?.url } : undefined
  return receiptUrl(config, siteId, registered, originOf(c))
}

/** Why it is not registered, and what to do. */
function reasonOf(document: ReceiptDocument, visit: Visit): Html | '' {
  const texts = RECEIPT_TEXTS[visit.language]
  const name = adviceOf(document)
  if (!name || document.isReplaced) return ''
  const { happens, todo } = texts.advice[name]
  const words = document.error?.text ?? document.held
  const late = lateAdviceOf(document, visit.now)
  return html`<p><strong>${happens}</strong>${!late && html`. ${todo}`}</p>${
    words && html`<p>${texts.words}: <q lang="ru"><bdi>${words}</bdi></q></p>`
  }${late && html`<p class="warn">${texts.late[late]}</p>`}${retryLink(document, visit)}`
}

function itemsTable({ items, amount: { currency } }: ReceiptDocument, visit: Visit): Html {
  const { language } = visit
  const texts = RECEIPT_TEXTS[language]
  const words = RECEIPT_WORDS[language]
  const sum = (minorUnits: number) => money({ minorUnits, currency }, language)
  return table(
    [[texts.item, 'name'], [texts.quantity], [texts.vat], [texts.method], [texts.sum, 'sum']],
    items.map(({ name, price, amount, vat, method, object, ...counted }) => [
      html`<bdi>${name}</bdi> <small>${words.objects[object]}</small>`,
      `${quantityText(counted, language)} × ${sum(price)}`,
      vatName(vatOf(vat, method !== 'fullPayment'), language),
      words.methods[method],
      sum(amount),
    ]),
    texts.items,
  )
}

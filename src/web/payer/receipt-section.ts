// The receipt (54-FZ) on the payer's page: where it goes, and the link once it is registered (contract, section 13).
import { html } from 'hono/html'
import type { ContactKind, PayerReceipt } from '../../contract/receipts/payer-receipt.ts'
import type { Html } from '../layout.ts'
import { CONTACT, GIVES_CONTACT, SALE_MARK } from './contact-form.ts'
import type { PayerView } from './parts.ts'
import { PAYER_RECEIPT_TEXTS } from './receipt-texts.ts'

/** Whether the page has the field open: a page that reloads would empty it. */
export const asksContact = ({ receipt, hasInvalidContact }: PayerView): boolean =>
  receipt?.contact !== undefined && (!receipt.contact.isGiven || hasInvalidContact)

/** Whether the receipt is being made, and the page waits for its link. */
export const isMade = (view: PayerView): boolean => view.receipt?.isPending === true && !asksContact(view)

/** The part of the page; nothing where there is no receipt, or it is not this payer's. */
export function receiptSection(view: PayerView): Html | undefined {
  const { receipt, receiptUrl, language } = view
  if (!receipt) return undefined
  const { contact, isPending } = receipt
  if (!contact && receiptUrl === undefined && !isPending) return undefined
  const { title } = PAYER_RECEIPT_TEXTS[language]
  return html`<section class="fiscal" id="receipt" aria-label="${title}"${isPending && html` data-pending`}>${content(view, receipt)}</section>`
}

function content(view: PayerView, { contact }: PayerReceipt): Html {
  const texts = PAYER_RECEIPT_TEXTS[view.language]
  const { receiptUrl } = view
  if (receiptUrl !== undefined)
    return html`<a class="button quiet" href="${receiptUrl}" target="_blank" rel="noopener noreferrer">${texts.open}</a>`
  if (!contact) return html`<p class="advice" role="status">${texts.pending}</p>`
  if (asksContact(view)) return contactForm(view, contact.kinds)
  return html`<p role="status"><strong>${texts.given}</strong></p>
    <details><summary>${texts.correct}</summary>${contactForm(view, contact.kinds)}</details>`
}

/** What was typed is in no page: an address that is wrong is typed again. */
function contactForm(
  { language, saleMark, hasInvalidContact }: PayerView,
  kinds: readonly ContactKind[],
): Html {
  const texts = PAYER_RECEIPT_TEXTS[language]
  const [only] = kinds
  const takes = kinds.length > 1 || only === undefined ? 'both' : only
  const attributes = FIELDS[takes]
  return html`<form method="post" data-contact>
      ${saleMark && html`<input type="hidden" name="${SALE_MARK}" value="${saleMark}">`}
      <label for="contact">${texts.label[takes]}</label>
      <div class="beside"><input id="contact" name="${CONTACT}" required maxlength="100" spellcheck="false" autocapitalize="off"${attributes}${
        hasInvalidContact && html` aria-invalid="true" aria-describedby="contact-fault" autofocus`
      }><button class="button quiet" name="action" value="${GIVES_CONTACT}">${texts.save}</button></div>
      ${hasInvalidContact && html`<p id="contact-fault" class="alert" role="alert">${texts.fault[takes]}</p>`}
    </form>`
}

const FIELDS = {
  email: html` type="email" autocomplete="email" inputmode="email"`,
  phone: html` type="tel" autocomplete="tel" inputmode="tel"`,
  both: html` type="text" autocomplete="email" inputmode="email"`,
} as const

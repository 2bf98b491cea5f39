// The fields of a receipt that a person corrects or makes: where it goes, the taxation, the VAT, each item.
import { html } from 'hono/html'
import { formatMinorUnits } from '../../contract/amount.ts'
import { capabilitiesOf } from '../../contract/receipts/cash-register.ts'
import { maskedContact } from '../../contract/receipts/contact.ts'
import type { ReceiptDocument } from '../../contract/receipts/document.ts'
import { formatQuantity, type Item, MAX_NAME, METHODS, OBJECTS } from '../../contract/receipts/item.ts'
import { type ContactKind, typedContact } from '../../contract/receipts/payer-receipt.ts'
import { TAXATIONS } from '../../contract/receipts/receipt.ts'
import { VAT_RATES } from '../../contract/receipts/vat.ts'
import type { Html } from '../../web/layout.ts'
import { money } from '../../web/payer/formats.ts'
import { quantityText, RECEIPT_WORDS, vatName } from '../../web/receipts/words.ts'
import { type FormError, field, formError, select } from '../parts.ts'
import { RECEIPT_TEXTS } from '../texts-receipts.ts'
import type { Visit } from '../visit.ts'

/** What the cash register of the site can do; with none, what any can. */
const contactKinds = ({ receipts }: Visit): readonly ContactKind[] =>
  receipts?.register ? capabilitiesOf(receipts.register).contacts : ['email', 'phone']

export function taxationField(visit: Visit, chosen: string, none: string): Html {
  const { taxations } = RECEIPT_WORDS[visit.language]
  return select(
    'taxation',
    RECEIPT_TEXTS[visit.language].taxation,
    [{ value: '', text: none }, ...TAXATIONS.map((value) => ({ value, text: taxations[value] }))],
    chosen,
  )
}

/** @param none what is said of no choice; without it there is none */
export function vatField(
  { language }: Visit,
  { name, label, chosen, none }: { name: string; label: string; chosen: string; none?: string },
): Html {
  const rates = VAT_RATES.map((value) => ({ value, text: vatName(value, language) }))
  return select(name, label, [...(none === undefined ? [] : [{ value: '', text: none }]), ...rates], chosen)
}

/** Where the receipt goes. @param kept the contact that the document has */
export function contactField(
  visit: Visit,
  kept: ReceiptDocument['contact'],
  tried: FormError | undefined,
): Html {
  const texts = RECEIPT_TEXTS[visit.language]
  const masked = kept && Object.values(maskedContact(kept))[0]
  const fault = Object.entries(tried?.fields ?? {}).find(([name]) => name.startsWith('receipt.contact'))?.[1]
  return field({
    name: 'contact',
    label: contactKinds(visit).includes('phone') ? texts.contactField : texts.emailField,
    hint: masked === undefined ? texts.contactHint : texts.contactKept(masked),
    maxLength: 100,
    fault,
  })
}

/** The field of the API that what was typed gives: what is no contact is for the API to refuse. */
export function contactOf(form: URLSearchParams, visit: Visit): { contact?: object } {
  const text = form.get('contact')?.trim() ?? ''
  if (text === '') return {}
  return { contact: typedContact(text, contactKinds(visit)) ?? { email: text } }
}

const PARTS = ['name', 'vat', 'method', 'object'] as const

/** The items of a document, each to be corrected. */
export function itemFields(items: readonly Item[], currency: string, visit: Visit): Html {
  const { language } = visit
  const texts = RECEIPT_TEXTS[language]
  const words = RECEIPT_WORDS[language]
  const options = <Value extends string>(values: readonly Value[], names: Record<Value, string>) =>
    values.map((value) => ({ value, text: names[value] }))
  return html`<details><summary>${texts.eachItem}</summary>${items.map(
    ({ name, vat, method, object, price, amount, ...counted }, i) =>
      html`<fieldset class="item"><legend>${quantityText(counted, language)} × ${money({ minorUnits: price, currency }, language)} = ${money({ minorUnits: amount, currency }, language)}</legend>
      ${field({ name: `name.${i}`, label: texts.name, value: name, isRequired: true, maxLength: MAX_NAME })}
      <div class="choices">${vatField(visit, { name: `vat.${i}`, label: texts.vat, chosen: vat })}
      ${select(`method.${i}`, texts.method, options(METHODS, words.methods), method)}
      ${select(`object.${i}`, texts.object, options(OBJECTS, words.objects), object)}</div></fieldset>`,
  )}</details>`
}

/** The items of the API, where the form changes one. @param items those of the document */
export function correctedItems(form: URLSearchParams, items: readonly Item[]): { items?: object[] } {
  const vatOfAll = form.get('vat') ?? ''
  const typed = items.map((item, i) =>
    Object.fromEntries(PARTS.map((part) => [part, form.get(`${part}.${i}`) ?? item[part]])),
  )
  const isChanged = items.some((item, i) => PARTS.some((part) => typed[i]?.[part] !== item[part]))
  if (vatOfAll === '' && !isChanged) return {}
  return {
    items: items.map((item, i) => ({
      ...itemRequest(item),
      ...typed[i],
      ...(vatOfAll && { vat: vatOfAll }),
    })),
  }
}

/** An item as a request states it. */
export const itemRequest = ({
  name,
  price,
  quantity,
  object,
  unit,
}: Omit<Item, 'vat' | 'method' | 'amount'>) => ({
  name,
  price: formatMinorUnits(price),
  quantity: formatQuantity(quantity),
  object,
  unit,
})

/** The error of a form of a receipt, with the rules of its fields in the page's language. @param items of the document @param more rules of the form */
export function receiptError(
  error: unknown,
  visit: Visit,
  items: number,
  more: Record<string, string> = {},
): FormError {
  const texts = RECEIPT_TEXTS[visit.language]
  const badContact = contactKinds(visit).includes('phone') ? texts.badContact : texts.badEmail
  const ofItems = Array.from({ length: items }, (_, i) => [
    [`receipt.items.${i}.name`, texts.badName],
    [`items.${i}.name`, texts.badName],
    [`receipt.items.${i}.vat`, texts.badVat],
    [`items.${i}.vat`, texts.badVat],
  ]).flat()
  return formError(error, visit, {
    ...Object.fromEntries(ofItems),
    'receipt.contact': badContact,
    'receipt.contact.email': badContact,
    'receipt.contact.phone': badContact,
    'payin.incorrect-method-invocation': texts.notAccepted,
    ...more,
  })
}

// A receipt as it is printed: the seller, the items, the sums, the rates of VAT, the fiscal data (public/paper.css).
import { html } from 'hono/html'
import { maskedContact } from '../../contract/receipts/contact.ts'
import type { ReceiptDocument } from '../../contract/receipts/document.ts'
import type { Item } from '../../contract/receipts/item.ts'
import { type Vat, vatOf } from '../../contract/receipts/vat.ts'
import type { Language } from '../../http/negotiation.ts'
import type { Html } from '../layout.ts'
import { money, receiptTime } from '../payer/formats.ts'
import { quantityText, RECEIPT_WORDS, vatName } from './words.ts'

/** What is printed of a document; `place` and `email` are of the settings. */
export interface Printed
  extends Pick<ReceiptDocument, 'kind' | 'amount' | 'items' | 'taxation' | 'contact' | 'fiscal'> {
  /** Unix seconds. */
  at: number
  place?: string | undefined
  email?: string | undefined
}

export interface Seller {
  name: string
  legalName?: string | undefined
  taxId?: string | undefined
}

interface Look {
  language: Language
  utcOffset: string
  /** The line across a receipt that no tax service has. */
  stamp: string
}

const LABELS = {
  ru: {
    title: 'Кассовый чек',
    taxId: 'ИНН',
    total: 'Итог',
    electronic: 'Безналичными',
    offset: 'Зачёт предоплаты',
    ofThem: 'в т. ч.',
    taxation: 'СНО',
    place: 'Место расчётов',
    sentTo: 'Чек отправлен',
    sender: 'Адрес отправителя',
    registration: 'РН ККТ',
    shift: 'Смена',
    number: 'Чек №',
    fn: 'ФН',
    fd: 'ФД',
    fpd: 'ФПД',
  },
  en: {
    title: 'Cash receipt',
    taxId: 'INN',
    total: 'Total',
    electronic: 'Paid electronically',
    offset: 'From the prepayment',
    ofThem: 'of it',
    taxation: 'Taxation',
    place: 'Place of payment',
    sentTo: 'Sent to',
    sender: 'Sender',
    registration: 'Register',
    shift: 'Shift',
    number: 'Receipt no.',
    fn: 'FN',
    fd: 'FD',
    fpd: 'FPD',
  },
} as const

/** The receipt, as a figure on white whatever the screen is. */
export function paper(printed: Printed, seller: Seller, { language, utcOffset, stamp }: Look): Html {
  const { kind, amount, items, taxation, contact, fiscal = {}, at, place, email } = printed
  const labels = LABELS[language]
  const words = RECEIPT_WORDS[language]
  const { legalName, name, taxId } = seller
  return html`<article class="receipt" aria-label="${labels.title}">
    <header><strong><bdi>${legalName || name}</bdi></strong>${taxId && html`<span>${labels.taxId} ${taxId}</span>`}
      <span>${labels.title}</span><span>${words.kinds[kind]}</span></header>
    <p class="stamp">${stamp}</p>
    <ol>${items.map((item) => line(item, amount.currency, language))}</ol>
    <dl class="sums">${pair(labels.total, money(amount, language), 'total')}
      ${pair(kind === 'closing' ? labels.offset : labels.electronic, money(amount, language))}
      ${vatSums(items).map(([vat, minorUnits]) =>
        vat === 'none'
          ? pair(words.noVat, money({ ...amount, minorUnits: sumOf(items, vat) }, language))
          : pair(`${labels.ofThem} ${vatName(vat, language)}`, money({ ...amount, minorUnits }, language)),
      )}</dl>
    <dl>${pair(labels.taxation, taxation && words.taxations[taxation])}
      ${pair(labels.place, place)}${pair(labels.sentTo, contact && sentTo(contact))}${pair(labels.sender, email)}</dl>
    <dl>${pair(labels.registration, fiscal.registration)}${pair(labels.shift, fiscal.shift)}${pair(labels.number, fiscal.number)}
      ${pair(labels.fn, fiscal.fn)}${pair(labels.fd, fiscal.fd)}${pair(labels.fpd, fiscal.fpd)}</dl>
    <p><time>${receiptTime(fiscal.dateTime ?? at, utcOffset, language)}</time></p>
  </article>`
}

const pair = (term: string, content: string | undefined, className = '') =>
  content && html`<div class="${className}"><dt>${term}</dt><dd><bdi>${content}</bdi></dd></div>`

function line(item: Item, currency: string, language: Language): Html {
  const { name, price, amount, method, object } = item
  const words = RECEIPT_WORDS[language]
  const sum = (minorUnits: number) => money({ minorUnits, currency }, language)
  return html`<li><strong><bdi>${name}</bdi></strong>
      <span class="times"><span>${sum(price)} × ${quantityText(item, language)}</span><span>${sum(amount)}</span></span>
      <small>${vatName(shownVat(item), language)} · ${words.methods[method]} · ${words.objects[object]}</small></li>`
}

/** What is left of a masked contact. */
function sentTo(contact: NonNullable<ReceiptDocument['contact']>): string {
  const masked = maskedContact(contact)
  return 'email' in masked ? masked.email : masked.phone
}

const shownVat = ({ vat, method }: Item): Vat => vatOf(vat, method !== 'fullPayment')

const sumOf = (items: readonly Item[], vat: Vat): number =>
  items.filter((item) => shownVat(item) === vat).reduce((sum, { amount }) => sum + amount, 0)

/** The VAT of each rate that the items have, in minor units, half a unit up. */
function vatSums(items: readonly Item[]): [Vat, number][] {
  const vats = [...new Set(items.map(shownVat))]
  return vats.map((vat) => {
    const [rate = '0'] = vat === 'none' ? [] : vat.split('/')
    const [part, whole] = [BigInt(rate), 100n + BigInt(rate)]
    return [vat, Number((BigInt(sumOf(items, vat)) * part * 2n + whole) / (2n * whole))]
  })
}

// Parts of HTML that several views of the payer's page share.
import { html } from 'hono/html'
import { isReusable, type QrCode, requestsToken } from '../../contract/qr-code.ts'
import type { PayerReceipt } from '../../contract/receipts/payer-receipt.ts'
import { parseHttpUrl } from '../../contract/url.ts'
import type { Device } from '../../fps/bank-link.ts'
import type { Receipt } from '../../gateway/receipt.ts'
import type { Language } from '../../http/negotiation.ts'
import type { SavedAccount } from '../../site/payments/saved-account.ts'
import { type Html, type Layout, layout } from '../layout.ts'
import { formatAddress, type PageAddress } from './address.ts'
import { money } from './formats.ts'
import { kindOf, stateOf } from './state.ts'
import { PAYER_TEXTS, type PayerTexts, type Ways } from './texts.ts'

/** The shop as its payers see it. */
export interface Shop {
  name: string
  supportContact?: string | undefined
  legalName?: string | undefined
  taxId?: string | undefined
  /** How its codes can be paid. */
  ways: Ways
  /** Rules of its own colour; see theme.ts. */
  theme?: string | undefined
  /** The path of its logo, from the root of the service. */
  logo?: string | undefined
}

export interface PayerView {
  qrCode: QrCode
  /** The name of the payer's bank, where it is known. */
  bank: string | undefined
  /** Whether it was declined by the customer's own decision. */
  isRefused: boolean
  /** The account that was saved by the link; `several`: the page shows none of them. */
  saved: SavedAccount | 'several' | undefined
  /** The name of its bank, where it is known. */
  bankOfAccount: string | undefined
  /** The link's id, with which its addresses begin. */
  id: string
  shop: Shop
  language: Language
  device: Device
  address: PageAddress
  /** Unix seconds. */
  now: number
  utcOffset: string
  /** For how many days a token can be charged. */
  tokenDays: number
  /** The state's ETag, for the script's long polls. */
  etag: string
  /** Set if payments are simulated: the currency in which an amount is typed. */
  sandbox: { currency: string } | undefined
  /** Why payments are not simulated, for a developer. */
  noSimulation: Html | undefined
  /** The address of the page, without what was added to it. */
  pageUrl: string
  /** Whether the link leads to this page, and to no bank. */
  isOwnLink: boolean
  /** Whether there is a list of banks. */
  hasBanks: boolean
  /** Whether the operator has deleted the site. */
  isDeleted: boolean
  /** This browser's own test payment of a QR code that is paid many times was declined: shown once. */
  isDeclined: boolean
  /** The mark of the ACTIVE sale that the page shows. */
  saleMark: string | undefined
  /** The payer's own payment of a QR code that is paid many times. */
  paid: Receipt | undefined
  /** What the payer typed, if it is not an amount. */
  invalidAmount: string | undefined
  /** The receipt (54-FZ) of the payment of a DYNAMIC code, or of the sale that this browser follows. */
  receipt: PayerReceipt | undefined
  /** Where it can be read, once it is registered. */
  receiptUrl: string | undefined
  /** Whether what the payer typed is no contact. */
  hasInvalidContact: boolean
}

/** Whether the page changes by itself. */
export const isFollowed = ({ qrCode }: PayerView): boolean => qrCode.type !== 'STATIC'

/** A page of the shop: its name at the top, unless another brand is given; the payment system at the bottom. */
export const shopLayout = ({ shop, ...page }: { shop?: Shop | undefined } & Omit<Layout, 'style'>): Html =>
  layout({
    brand: shop && shopLine(shop, page.root),
    theme: shop?.theme,
    ...page,
    style: 'payer',
  })

/** A view of the QR code as a whole page. @param refresh the content of the meta element */
export function payerLayout(
  view: PayerView,
  { title, refresh, main }: { title: string; refresh?: string | false | undefined; main: Html },
): Html {
  const { language, address, shop, sandbox } = view
  return shopLayout({
    shop,
    language,
    title: [title, sumOf(view), shop.name].filter(Boolean).join(' · '),
    root: '../../',
    addressIn: (other) => formatAddress({ ...address, language: other }),
    refresh,
    sandbox: sandbox !== undefined,
    foot: html`${sellerLine(shop, language)}${systemLine(view)}`,
    main,
  })
}

/**
 * What public/page.js needs to follow the QR code: the state that the page shows, where it is long polled, and what to
 * say meanwhile. A STATIC QR code is not followed: its state does not tell of payments.
 */
export const following = (view: PayerView): Html | false =>
  isFollowed(view) &&
  html`data-state="${view.etag}" data-poll="${view.id}/state${view.address.query}" data-texts="${JSON.stringify(progressOf(view))}"${view.saleMark && html` data-sale="${view.saleMark}"`}`

/** What the line below the buttons says. */
export function progressOf({ qrCode, language }: PayerView): PayerTexts['progress'] {
  const { progress, bindingProgress, counterProgress } = PAYER_TEXTS[language]
  if (qrCode.type === 'TOKEN') return { ...progress, ...bindingProgress }
  return qrCode.type === 'COUNTER' ? { ...progress, ...counterProgress } : progress
}

/** Seconds between the reloads of a page without script, and how long they go on. */
const REFRESH = 10
const REFRESHED_FOR = 600

/** The meta element's content that reloads an open page, until it has been open for ten minutes. */
export function refreshOf(view: PayerView): string | false {
  const { address, now } = view
  if (!isFollowed(view)) return false
  const { until = now + REFRESHED_FOR } = address
  return now < until && `${REFRESH};url=${formatAddress({ ...address, until })}`
}

/** What was paid, or is to be paid. A link that binds an account has no amount. */
export function sumOf({
  qrCode: { type, status, amount, payment },
  language,
}: PayerView): string | undefined {
  const shown = status === 'PAYED' ? payment?.amount : amount
  return type !== 'TOKEN' && shown ? money(shown, language) : undefined
}

/** The sum on one line, whatever its length: the style sheet fits the font to the width by data-em. */
export const sumLine = (sum: string) => html`<span class="sum" data-em="${emOf(sum)}">${sum}</span>`

/** At least the width of a sum in a bold font: digits are the widest, but for letters of a currency. */
const emOf = (sum: string): number =>
  Math.ceil(Array.from(sum, widthOf).reduce((width, each) => width + each, 0))
const widthOf = (character: string) =>
  /\d/.test(character) ? 0.7 : /\p{L}|\p{Sc}/u.test(character) ? 0.8 : 0.4

/** Isolated, so that a right-to-left text of a merchant does not reorder the text beside it. */
const shopLine = ({ name, logo }: Shop, root: string) =>
  html`<p class="shop">${markOf(name, logo && root + logo)}<bdi>${name}</bdi></p>`

/** What the code is, and how it is paid; of a link that only binds an account the payment system. */
export function systemLine({
  qrCode,
  shop,
  language,
}: Pick<PayerView, 'qrCode' | 'shop' | 'language'>): string {
  const { system, universal } = PAYER_TEXTS[language]
  return qrCode.type === 'TOKEN' ? system : universal[shop.ways]
}

/** Who the seller is in law, where the shop has said so. */
function sellerLine({ legalName, taxId }: Shop, language: Language) {
  const texts = PAYER_TEXTS[language]
  const parts = [legalName, taxId && `${texts.taxId} ${taxId}`].filter(Boolean).join(', ')
  return parts && html`<p>${texts.seller}: <bdi>${parts}</bdi></p> `
}

/** A logo; without one the first letter of the name. */
export const markOf = (name: string, logo: string | undefined, isLazy = false): Html =>
  logo
    ? html`<img class="mark" src="${logo}" width="40" height="40" alt=""${isLazy && html` loading="lazy"`} decoding="async">`
    : html`<span class="mark" aria-hidden="true">${/[\p{L}\p{N}]/u.exec(name)?.[0].toUpperCase()}</span>`

export const row = (term: string, content: string | Html | false | undefined) =>
  content && html`<div><dt>${term}</dt><dd><bdi>${content}</bdi></dd></div>`

/** What the merchant says that it is for. A saved account has its own part of the page. */
export function purposes({ qrCode, saved, language }: PayerView) {
  const { purpose, bindingPurpose } = PAYER_TEXTS[language]
  return [
    qrCode.type !== 'TOKEN' && row(purpose, qrCode.paymentPurpose),
    requestsToken(qrCode) && typeof saved !== 'object' && row(bindingPurpose, qrCode.tokenizationPurpose),
  ]
}

/** The shop's contact: a link where it is a telephone number, an e-mail address or an address on the web. */
export function support({ shop: { supportContact: text }, language }: Pick<PayerView, 'shop' | 'language'>) {
  const href = text && hrefOf(text)
  return row(
    PAYER_TEXTS[language].support,
    href ? html`<a href="${href}" rel="noopener noreferrer">${text}</a>` : text,
  )
}

function hrefOf(contact: string): string | undefined {
  if (/^https?:\/\/[^\s@]+$/.test(contact) && URL.canParse(contact)) return contact
  if (/^[\w.+-]+@[\w-]+(\.[\w-]+)+$/.test(contact)) return `mailto:${contact}`
  return /^\+?[\d ()-]{5,20}$/.test(contact) ? `tel:${contact.replace(/[^+\d]/g, '')}` : undefined
}

/** The way back to the shop, where the merchant gave one: to its site, or with a hint into its app. */
export function backLink(
  { qrCode: { redirectUrl }, language }: PayerView,
  className: string,
  attribute?: Html | false | undefined,
): Html | undefined {
  if (redirectUrl === undefined) return undefined
  const { back, backToApp, appHint } = PAYER_TEXTS[language]
  const isApp = parseHttpUrl(redirectUrl) === undefined
  return html`<a class="${className}" href="${redirectUrl}" rel="noopener noreferrer"${attribute}>${isApp ? backToApp : back}</a>${isApp && html`<small class="app">${appHint}</small>`}`
}

/** That this browser's own test payment was declined. The page still offers payment. */
export function ownDecline({ isDeclined, language }: PayerView): Html | undefined {
  if (!isDeclined) return undefined
  const { title, advice } = PAYER_TEXTS[language].reusable.declined
  return html`<div class="alert" role="status" data-result="declined"><strong>${title}</strong><p>${advice}</p></div>`
}

/** The link that checks the status now, with or without script. */
export const checkLink = ({ qrCode, address, language }: PayerView) =>
  html`<a data-check href="${formatAddress({ ...address, until: undefined })}">${PAYER_TEXTS[language].check[kindOf(qrCode)]}</a>`

/** The text of a decline: nobody is blamed for the customer's own decision. */
export const noticeOf = ({ qrCode, isRefused, language }: PayerView) => {
  const { notices, refused, reusable } = PAYER_TEXTS[language]
  if (isReusable(qrCode)) return qrCode.status === 'CANCELLED' ? reusable.cancelled : reusable.notArmed
  return isRefused ? refused[kindOf(qrCode)] : notices[kindOf(qrCode)][stateOf(qrCode)]
}

// The saved account on the payer's page: who may charge it, what was charged, and how the payer ends it (contract, section 13).
import { html } from 'hono/html'
import type { ChargeOfToken, SavedAccount } from '../../site/payments/saved-account.ts'
import type { Html } from '../layout.ts'
import { ACCOUNT_TEXTS } from './account-texts.ts'
import { formatAddress } from './address.ts'
import { dayWithYear, minuteOf, money } from './formats.ts'
import { type PayerView, payerLayout, row, support } from './parts.ts'

/** The account that a page shows below what it says of the QR code; nothing where none was saved. */
export function accountSection(view: PayerView): Html | undefined {
  const { saved, shop, language } = view
  if (saved === undefined) return undefined
  const { title, ended, several, quoted } = ACCOUNT_TEXTS[language]
  if (saved === 'several')
    return section(
      title,
      html`<p class="advice">${several[0]}<bdi>${quoted(shop.name)}</bdi>${several[1]}</p>`,
    )
  return saved.token.ended ? section(ended, endOf(view, saved)) : section(title, openPart(view, saved))
}

/** The page of a deleted site: nothing is paid there, but an account can be ended. */
export const accountPage = (view: PayerView): Html =>
  payerLayout(view, {
    title: ACCOUNT_TEXTS[view.language].title,
    main: html`<main class="final">${accountSection(view)}<dl>${support(view)}</dl></main>`,
  })

/** Asks whether the account is to be ended. */
export function endPage(view: PayerView, saved: SavedAccount): Html {
  const { shop, address, language } = view
  const { ask, loses, confirm, leave, quoted } = ACCOUNT_TEXTS[language]
  return payerLayout(view, {
    title: ask,
    main: html`
    <main class="final">
      <section>
        <h1 class="end" tabindex="-1">${ask}</h1>
        <p class="advice">${loses[0]}<bdi>${quoted(shop.name)}</bdi>${loses[1]}</p>
        ${sentCharges(view, saved)}
      </section>
      <form class="bar" method="post">
        <button class="button primary" name="action" value="end">${confirm}</button>
        <a class="button quiet" href="${formatAddress({ ...address, end: undefined })}">${leave}</a>
      </form>
    </main>`,
  })
}

const section = (title: string, content: Html) =>
  html`<section class="consent account" id="account"><h2>${title}</h2>${content}</section>`

function openPart(view: PayerView, { token, charges }: SavedAccount): Html {
  const { qrCode, shop, utcOffset, language, address, bankOfAccount, pageUrl } = view
  const texts = ACCOUNT_TEXTS[language]
  const until = token.expiresAt
  return html`<p>${texts.allows[0]}<bdi>${texts.quoted(shop.name)}</bdi>${texts.allows[1]}</p>
    <dl>${row(texts.purpose, qrCode.tokenizationPurpose ?? shop.name)}${row(texts.bank, bankOfAccount)}${
      until !== undefined && row(texts.until, dayWithYear(until, utcOffset, language))
    }</dl>
    ${chargesOf(view, charges)}
    <a class="button quiet" href="${formatAddress({ ...address, end: true })}">${texts.stop}</a>
    <p class="advice">${texts.keepLink}<br><a href="${pageUrl}">${pageUrl}</a></p>`
}

function endOf(view: PayerView, saved: SavedAccount): Html {
  const { qrCode, shop, utcOffset, language } = view
  const { endedBy, noMore, bankShows, purpose } = ACCOUNT_TEXTS[language]
  const { ended } = saved.token
  return html`${ended && html`<p>${endedBy[ended.by](minuteOf(ended.at, utcOffset, language))}. ${noMore}.</p>`}
    ${sentCharges(view, saved)}
    <dl>${row(purpose, qrCode.tokenizationPurpose ?? shop.name)}</dl>
    ${saved.charges.length > 0 && chargesOf(view, saved.charges)}
    ${ended && ended.by !== 'network' && html`<p class="advice">${bankShows}</p>`}`
}

/** The charges that the bank has: nobody can withdraw them any more. */
const sentCharges = ({ utcOffset, language }: PayerView, { charges }: SavedAccount) =>
  charges
    .filter(({ status, isSent }) => status === 'WAITING' && isSent)
    .map(
      ({ amount, createdAt }) =>
        html`<p class="alert neutral">${ACCOUNT_TEXTS[language].sent(money(amount, language), minuteOf(createdAt, utcOffset, language))}</p>`,
    )

function chargesOf({ utcOffset, language }: PayerView, charges: readonly ChargeOfToken[]): Html {
  const { charges: title, none, statuses, unsent } = ACCOUNT_TEXTS[language]
  if (charges.length === 0) return html`<p class="advice">${none}</p>`
  return html`<h3>${title}</h3>
    <ul class="charges">${charges.map(
      ({ amount, status, createdAt, isSent, purpose }) =>
        html`<li><span>${minuteOf(createdAt, utcOffset, language)}<small>${status === 'WAITING' && !isSent ? unsent : statuses[status]}${purpose && html` · <bdi>${purpose}</bdi>`}</small></span><span>${money(amount, language)}</span></li>`,
    )}</ul>`
}

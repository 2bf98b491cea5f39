// The payer's page as HTML: what is to be paid, how long, and how it ended. It needs no script (public/pay.js helps).
import { html } from 'hono/html'
import type { Amount } from '../contract/amount.ts'
import { isPayable } from '../contract/life.ts'
import { type QrCode, requestsToken } from '../contract/qr-code.ts'
import type { Language } from './negotiation.ts'
import { type End, PAYER_TEXTS, type PayerTexts } from './payer-texts.ts'
import { drawnImage } from './pictures.ts'

type Html = ReturnType<typeof html>

/** Pixels a side: large enough to be scanned from a screen. */
const PICTURE = { mediaType: 'image/svg+xml', width: 320, height: 320 } as const
/** Seconds: how often a page without script looks again, and how long it shows that it is paid. */
const REFRESH = 5

export interface PayerView {
  qrCode: QrCode
  language: Language
  /** Unix seconds. */
  now: number
  /** What the script knows the state by. */
  etag: string
  /** Where payments are made up: the currency that a sum without one is typed in. */
  sandbox: { currency: string } | undefined
  /** A sum that was typed and is none. */
  refused: string | undefined
}

/** The page of a QR code. Of its texts it shows those that the merchant meant for the payer, and nothing else. */
export function payerPage(
  { qrCode, language, now, etag, sandbox, refused }: PayerView,
  siteId: string,
): Html {
  const texts = PAYER_TEXTS[language]
  const end = texts.ends[qrCode.type][qrCode.status]
  const sum = qrCode.type === 'DYNAMIC' && qrCode.amount ? money(qrCode.amount, language) : undefined
  const subject = qrCode.type === 'TOKEN' ? texts.binding : texts.toPay
  const declined = qrCode.status === 'DECLINED' ? texts.declined : undefined
  const form =
    sandbox && qrCode.type === 'DYNAMIC' && isPayable(qrCode.status)
      ? payForm(texts, qrCode.amount ? undefined : currencySymbol(sandbox.currency, language), refused)
      : undefined
  const hint = form ? texts.scanHere : qrCode.type === 'TOKEN' ? texts.scanToBind : texts.scan
  const shop = qrCode.status === 'PAYED' ? qrCode.redirectUrl : undefined
  const refresh = end ? shop && `${REFRESH};url=${shop}` : !(form && !sum) && REFRESH

  const details = [
    qrCode.type === 'DYNAMIC' && row(texts.purpose, qrCode.paymentPurpose),
    requestsToken(qrCode) && row(texts.bindingPurpose, qrCode.tokenizationPurpose),
    requestsToken(qrCode) && !end && row(texts.bindingState, texts.bindingWaits),
    !end && remaining(qrCode.expiresAt - now, texts.timeLeft, language),
  ].filter(Boolean)

  const content = html`
      <section>
        <p class="shop"><bdi>${siteId}</bdi></p>
        ${end ? ending(end, qrCode.status) : heading(subject, sum, qrCode, texts)}
        ${declined && html`<p class="declined" role="status">${declined}</p>`}
        ${end && sum && html`<p class="sum">${sum}</p>`}
        ${
          details.length > 0 &&
          html`<dl>${details}
        </dl>`
        }
        ${form}
        ${shop && html`<p><a class="button" href="${shop}" rel="noopener noreferrer">${texts.back}</a></p>`}
        ${shop && html`<p class="hint">${texts.leaving(new URL(shop).host)}</p>`}
      </section>
      ${!end && picture(qrCode.payload, hint, texts.picture)}`

  return frame({
    language,
    title: [declined ?? end?.title ?? subject, sum, siteId].filter(Boolean).join(' · '),
    refresh,
    sandbox: sandbox !== undefined,
    main: html`<main${!end && html` class="open" data-state="${etag}"`}>${content}
    </main>`,
  })
}

/** The page where there is nothing to show, and why. */
export const payerRefusal = ({ title, advice }: End, language: Language): Html =>
  frame({
    language,
    title,
    main: html`<main><section>
      <h1>${title}</h1>
      <p>${advice}</p>
    </section></main>`,
  })

interface Frame {
  language: Language
  title: string
  /** The content of the meta element, for a browser without script. */
  refresh?: string | number | false | undefined
  sandbox?: boolean
  main: Html
}

// Addresses are relative to /pay/{siteId}/{id}, because PUBLIC_URL may have a path.
const frame = ({ language, title, refresh, sandbox, main }: Frame): Html => html`<!doctype html>
<html lang="${language}">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="robots" content="noindex">
    <meta name="color-scheme" content="light dark">
    <title>${title}</title>
    <link rel="icon" href="../../icon.svg">
    <link rel="stylesheet" href="../../pay.css">
    ${refresh && html`<noscript><meta http-equiv="refresh" content="${refresh}"></noscript>`}
    <script src="../../pay.js" type="module"></script>
  </head>
  <body>
    ${sandbox && html`<header>${PAYER_TEXTS[language].sandbox}</header>`}
    ${main}
  </body>
</html>`

const ending = ({ title, advice }: End, status: string): Html => html`
        <h1 class="end" data-status="${status}">${title}</h1>
        <p>${advice}</p>`

const heading = (
  subject: string,
  sum: string | undefined,
  { type }: QrCode,
  { youType }: PayerTexts,
): Html =>
  type === 'TOKEN'
    ? html`<h1>${subject}</h1>`
    : html`<h1><small>${subject}</small> ${sum ? html`<span class="sum">${sum}</span>` : youType}</h1>`

/** A text that a merchant wrote cannot turn the direction of what stands beside it. */
const row = (term: string, text: string | undefined) =>
  text &&
  html`
          <div><dt>${term}</dt><dd><bdi>${text}</bdi></dd></div>`

const remaining = (seconds: number, term: string, language: Language): Html => html`
          <div><dt>${term}</dt>
            <dd role="timer" data-seconds="${seconds}">${duration(seconds, language)}</dd></div>`

function picture(payload: string, hint: string, alt: string): Html {
  const { mediaType, width, height, content } = drawnImage(PICTURE, payload)
  return html`
      <figure>
        <img src="data:${mediaType};base64,${content}" width="${width}" height="${height}" alt="${alt}">
        <figcaption>${hint}</figcaption>
      </figure>`
}

/** @param symbol of the currency, where the sum is to be typed */
function payForm(texts: PayerTexts, symbol: string | undefined, refused: string | undefined): Html {
  const wrong = refused !== undefined
  const fault = wrong && html`<p id="fault" role="alert">${texts.amountFault}</p>`
  const field =
    symbol &&
    html`
          <label for="amount">${texts.amount}, ${symbol}</label>
          <input id="amount" name="amount" inputmode="decimal" autocomplete="off" maxlength="30" required
            value="${refused ?? ''}"${wrong && html` aria-invalid="true" aria-describedby="fault" autofocus`}>
          ${fault}`
  return html`
        <form method="post">${field}
          <button name="action" value="pay">${texts.pay}</button>
          <button name="action" value="decline" class="quiet">${texts.decline}</button>
        </form>`
}

const formatOf = (currency: string, language: Language) =>
  new Intl.NumberFormat(language, { style: 'currency', currency, currencyDisplay: 'narrowSymbol' })

const money = ({ kopecks, currency }: Amount, language: Language): string =>
  formatOf(currency, language).format(kopecks / 100)

const currencySymbol = (currency: string, language: Language): string | undefined =>
  formatOf(currency, language)
    .formatToParts(0)
    .find(({ type }) => type === 'currency')?.value

/** Whole days, or hours, minutes and seconds; public/pay.js counts down in the same form. */
function duration(seconds: number, language: Language): string {
  const days = Math.floor(seconds / 86_400)
  if (days > 0) {
    return new Intl.NumberFormat(language, { style: 'unit', unit: 'day', unitDisplay: 'long' }).format(days)
  }
  const [hours, ...rest] = [seconds / 3600, (seconds / 60) % 60, seconds % 60].map(Math.floor)
  return [...(hours ? [hours] : []), ...rest]
    .map((part, i) => (i ? String(part).padStart(2, '0') : part))
    .join(':')
}

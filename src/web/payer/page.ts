// The payer's page as HTML: the amount, the time left, the result. It works without script (public/pay.js improves it).
import { html } from 'hono/html'
import { type QrCode, requestsToken } from '../../contract/qr-code.ts'
import { drawnImage } from '../../gateway/render.ts'
import type { Language } from '../../http/negotiation.ts'
import { currencySymbol, duration, money } from './formats.ts'
import { type End, PAYER_TEXTS, type PayerTexts } from './texts.ts'

type Html = ReturnType<typeof html>

/** Pixels a side: large enough to be scanned from a screen. */
const PICTURE = { mediaType: 'image/svg+xml', width: 320, height: 320 } as const
/** Seconds between reloads of a page without script, and until a paid page leads back to the shop. */
const REFRESH = 5

export interface PayerView {
  qrCode: QrCode
  siteId: string
  language: Language
  /** Unix seconds. */
  now: number
  /** The state's ETag, for the script's long polls. */
  etag: string
  /** Set if payments are made up: the currency in which an amount is typed. */
  sandbox: { currency: string } | undefined
  /** What the payer typed, if it is not an amount. */
  invalidAmount: string | undefined
}

/** The page of a QR code. Of the merchant's texts it shows only those that are meant for the payer. */
export function payerPage(view: PayerView): Html {
  const end = PAYER_TEXTS[view.language].ends[view.qrCode.type][view.qrCode.status]
  return end ? endedPage(view, end) : openPage(view)
}

/** The page of a QR code that can be paid. */
function openPage(view: PayerView): Html {
  const { qrCode, siteId, language, now, etag, sandbox } = view
  const texts = PAYER_TEXTS[language]
  const binding = qrCode.type === 'TOKEN'
  const subject = binding ? texts.binding : texts.toPay
  const sum = sumOf(view)
  const declined = qrCode.status === 'DECLINED' && texts.declined
  const bank = binding ? undefined : sandbox
  const left = qrCode.expiresAt - now
  const hint = binding ? texts.scanToBind : texts.scan
  return frame({
    language,
    title: titleOf(declined || subject, sum, siteId),
    // A reload would empty the field in which the payer types.
    refresh: !(bank && !sum) && `${REFRESH}`,
    sandbox: sandbox !== undefined,
    main: html`
    <main class="open" data-state="${etag}">
      <section>
        <p class="shop"><bdi>${siteId}</bdi></p>
        ${binding ? html`<h1>${subject}</h1>` : html`<h1><small>${subject}</small> ${sum ? html`<span class="sum">${sum}</span>` : texts.youType}</h1>`}
        ${declined && html`<p class="declined" role="status">${declined}</p>`}
        <dl>
          ${purposes(qrCode, texts)}
          ${requestsToken(qrCode) && row(texts.bindingState, texts.bindingWaits)}
          <div><dt>${texts.timeLeft}</dt>
            <dd><span role="timer" data-seconds="${left}">${duration(left, language)}</span></dd></div>
        </dl>
        ${bank && payForm(view, sum ? undefined : bank.currency)}
      </section>
      ${picture(qrCode.payload, !bank && hint, texts.picture)}
    </main>`,
  })
}

/** The page of a QR code in a final status. */
function endedPage(view: PayerView, { title, advice }: End): Html {
  const { qrCode, siteId, language, sandbox } = view
  const texts = PAYER_TEXTS[language]
  const sum = sumOf(view)
  const paid = qrCode.status === 'PAYED'
  const shop = paid && qrCode.redirectUrl
  return frame({
    language,
    title: titleOf(title, sum, siteId),
    refresh: shop && `${REFRESH};url=${shop}`,
    sandbox: sandbox !== undefined,
    main: html`
    <main>
      <section>
        <p class="shop"><bdi>${siteId}</bdi></p>
        <h1 class="end" data-status="${qrCode.status}">${title}</h1>
        ${paid && sum && html`<p class="sum">${sum}</p>`}
        <p>${advice}</p>
        ${shop && html`<p><a class="button" href="${shop}" rel="noopener noreferrer">${texts.back}</a></p>`}
        ${shop && html`<p class="hint">${texts.leaving(new URL(shop).host)}</p>`}
        <dl>
          ${!paid && row(texts.amount, sum)}
          ${purposes(qrCode, texts)}
        </dl>
      </section>
    </main>`,
  })
}

/** The page of an error. */
export const errorPage = ({ title, advice }: End, language: Language): Html =>
  frame({ language, title, main: html`<main><section><h1>${title}</h1><p>${advice}</p></section></main>` })

interface Frame {
  language: Language
  title: string
  /** The content of the meta element, for a browser without script. */
  refresh?: string | false | undefined
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

/** What was paid, or is to be paid. A link that binds an account has no amount. */
function sumOf({ qrCode: { type, status, amount, payment }, language }: PayerView): string | undefined {
  const shown = status === 'PAYED' ? payment?.amount : amount
  return type === 'DYNAMIC' && shown ? money(shown, language) : undefined
}

const titleOf = (...parts: (string | undefined)[]): string => parts.filter(Boolean).join(' · ')

const purposes = (qrCode: QrCode, texts: PayerTexts) => [
  qrCode.type === 'DYNAMIC' && row(texts.purpose, qrCode.paymentPurpose),
  requestsToken(qrCode) && row(texts.bindingPurpose, qrCode.tokenizationPurpose),
]

/** Isolated, so that a right-to-left text of a merchant does not reorder the text beside it. */
const row = (term: string, text: string | undefined) =>
  text && html`<div><dt>${term}</dt><dd><bdi>${text}</bdi></dd></div>`

function picture(payload: string, hint: string | false, alt: string): Html {
  const { mediaType, width, height, content } = drawnImage(PICTURE, payload)
  return html`<figure>
        <img src="data:${mediaType};base64,${content}" width="${width}" height="${height}" alt="${alt}">
        ${hint && html`<figcaption>${hint}</figcaption>`}
      </figure>`
}

/**
 * The buttons of the sandbox bank.
 * @param currency set if the payer types the amount
 */
function payForm({ language, invalidAmount }: PayerView, currency: string | undefined): Html {
  const texts = PAYER_TEXTS[language]
  const wrong = invalidAmount !== undefined
  const field =
    currency &&
    html`<label for="amount">${texts.amount}, ${currencySymbol(currency, language)}</label>
          <input id="amount" name="amount" inputmode="decimal" autocomplete="off" maxlength="30" required
            value="${invalidAmount ?? ''}"${wrong && html` aria-invalid="true" aria-describedby="fault" autofocus`}>
          ${wrong && html`<p id="fault" role="alert">${texts.amountFault}</p>`}`
  return html`<form method="post">
          ${field}
          <button name="action" value="pay">${texts.pay}</button>
          <button name="action" value="decline" class="quiet">${texts.decline}</button>
        </form>`
}

// The page of a QR code that can be paid: on a phone the way to the bank's app, on a desktop the picture to scan.
import { html } from 'hono/html'
import { requestsToken } from '../../contract/qr-code.ts'
import type { Html } from '../layout.ts'
import { picture } from '../picture.ts'
import { accountSection } from './account.ts'
import { formatAddress } from './address.ts'
import { currencySymbol, dayWithYear, minutes, moment } from './formats.ts'
import {
  backLink,
  checkLink,
  following,
  isFollowed,
  noticeOf,
  ownDecline,
  type PayerView,
  payerLayout,
  progressOf,
  refreshOf,
  row,
  sumLine,
  sumOf,
  support,
} from './parts.ts'
import { asksContact, receiptSection } from './receipt-section.ts'
import { kindOf } from './state.ts'
import { PAYER_TEXTS } from './texts.ts'

/** Pixels a side: large enough to be scanned from a screen. */
const PICTURE = 320

export function openView(view: PayerView): Html {
  const { qrCode, language, sandbox, device } = view
  const texts = PAYER_TEXTS[language]
  const { scan, scanInSandbox, steps, confirm } = texts
  const sum = sumOf(view)
  const kind = kindOf(qrCode)
  const isTyped = kind === 'DYNAMIC' && !sum
  const subject = texts.subject[kind]
  const declined = qrCode.status === 'DECLINED' ? noticeOf(view) : undefined
  const isDesktop = device === 'desktop'
  const typesHere = sandbox && isTyped
  const step = stepOf(view)
  const button = sandbox
    ? texts.simulate[kind]
    : declined && step !== 'desktop'
      ? texts.retry
      : texts.open[kind]
  const named = texts.code[kind]
  const first = step === 'desktop' ? named.scan : steps[step]
  const heading =
    kind === 'TOKEN'
      ? subject
      : html`<small>${isTyped ? texts.amount : subject}</small> ${sum ? sumLine(sum) : html`<span class="typed">${typesHere ? texts.typeHere : texts.youType}</span>`}`
  return payerLayout(view, {
    title: declined?.title ?? subject,
    // A reload would empty the field in which the payer types.
    refresh: !typesHere && !asksContact(view) && refreshOf(view),
    main: html`
    <main class="open"${step === 'desktop' && html` data-scan`} ${following(view)}>
      <div>
        <section class="due">
          <h1 tabindex="-1">${
            qrCode.type === 'STATIC'
              ? html`<span class="after">${texts.elsewhere.title}</span><span class="before">${heading}</span>`
              : heading
          }</h1>
          ${qrCode.expiresAt !== undefined && timer(view, qrCode.expiresAt)}
          ${ownDecline(view)}
          ${declined && html`<div class="alert${view.isRefused && ' neutral'}" role="status"><strong>${declined.title}</strong><p>${sandbox && !view.isRefused && kind === 'DYNAMIC' ? texts.retryInSandbox : declined.advice}</p>${backLink(view, 'link')}</div>`}
          <dl>${row(texts.purpose, kind !== 'TOKEN' && qrCode.paymentPurpose)}${support(view)}</dl>
        </section>
        ${view.saved ? accountSection(view) : requestsToken(qrCode) && consent(view)}
        ${receiptSection(view)}
        ${!sandbox && waiting(view)}
        ${view.noSimulation}
        ${sandbox ? sandboxForm(view, button, typesHere ? sandbox.currency : undefined) : bankLinks(view, button)}
      </div>
      <div>
        <details class="code"${(isDesktop || step === 'desktop') && html` open`}>
          <summary>${named.another}</summary>
          ${code(qrCode.payload, sandbox ? scanInSandbox : scan, named.picture)}
        </details>
        <details class="how"${isDesktop && html` open`}>
          <summary>${texts.howTo[kind]}</summary>
          <ol><li>${typeof first === 'string' ? first : first(button)}</li>${!sandbox && html`<li>${confirm[kind]}</li>`}<li>${sandbox ? steps.sandboxResult : isFollowed(view) ? steps.result : texts.elsewhere.result}</li></ol>
        </details>
      </div>
    </main>`,
  })
}

/** What the customer allows by the consent that the bank asks for; the page says it first. */
function consent({ qrCode, shop, now, tokenDays, utcOffset, language }: PayerView): Html {
  const { consent: texts, bindingPurpose } = PAYER_TEXTS[language]
  const [before, name, after] = texts.allows(shop.name)
  const until = now + tokenDays * 86_400
  return html`<section class="consent">
          <h2>${texts.title[kindOf(qrCode)]}</h2>
          <p>${before}<bdi>${name}</bdi>${after}</p>
          <dl>${row(bindingPurpose, qrCode.tokenizationPurpose ?? shop.name)}${row(texts.until, dayWithYear(until, utcOffset, language))}${row(texts.end, texts.howToEnd)}</dl>
        </section>`
}

/** The first step. A link to this service opens no bank's app, so the payer chooses a bank in the list or scans the QR code. */
function stepOf({
  sandbox,
  device,
  isOwnLink,
  hasBanks,
}: PayerView): 'sandbox' | 'desktop' | 'banks' | 'phone' {
  if (sandbox) return 'sandbox'
  if (device === 'desktop') return 'desktop'
  if (!isOwnLink) return 'phone'
  return hasBanks ? 'banks' : 'desktop'
}

/** Counts down in the last hour; before, a payer wants to know until when. */
function timer({ qrCode, now, utcOffset, language }: PayerView, expiresAt: number): Html {
  const { left, validUntil } = PAYER_TEXTS[language]
  const seconds = Math.max(0, expiresAt - now)
  return html`<p class="time" role="timer" data-seconds="${seconds}" data-left="${left}">${
    seconds < 3600
      ? `${left} ${minutes(seconds)}`
      : `${validUntil[kindOf(qrCode)]} ${moment(expiresAt, now, utcOffset, language)}`
  }</p>`
}

const listOf = ({ id, address }: PayerView) => `${id}/banks${formatAddress({ ...address, until: undefined })}`

/**
 * The network's own way to the payer's bank first; then the list of banks, where there is one. An own link is this very
 * page: the list comes first.
 */
function bankLinks(view: PayerView, button: string): Html {
  const { qrCode, isOwnLink, hasBanks, language, device } = view
  const texts = PAYER_TEXTS[language]
  const isScanned = device === 'desktop'
  const kind = isScanned ? 'quiet' : 'primary'
  return html`<section class="actions">
          ${!isOwnLink && html`<div class="bar before"><a class="button ${kind}" data-bank href="${qrCode.payload}">${isScanned ? texts.openHere : button}</a></div>`}
          ${hasBanks && html`<div class="before${isOwnLink && ' bar'}"><a class="button ${isOwnLink ? kind : 'quiet'}" href="${listOf(view)}">${texts.chooseBank}</a></div>`}
          ${canWait(view) && html`<div class="bar after"><a class="button ${isFollowed(view) ? 'primary' : 'quiet'}" data-bank data-again href="${isOwnLink ? listOf(view) : qrCode.payload}">${texts.waiting.again}</a></div>`}
          ${status(view)}
        </section>`
}

/** Whether the page has a way to a bank. */
const canWait = ({ isOwnLink, hasBanks }: PayerView) => !isOwnLink || hasBanks

/** The part that the page shows after a tap on a bank; public/page.js turns to it. The page of a STATIC code never learns the result. */
function waiting(view: PayerView): Html | '' {
  if (!canWait(view)) return ''
  const { waiting: texts, elsewhere, payAgain, code } = PAYER_TEXTS[view.language]
  const sum = sumOf(view)
  return html`<section class="waiting after">
          ${
            isFollowed(view)
              ? html`<span class="pulse" aria-hidden="true"></span>
          <h2 tabindex="-1">${progressOf(view).waiting}</h2>
          <p class="advice">${texts[kindOf(view.qrCode)]}</p>`
              : html`${sum && sumLine(sum)}<p class="advice">${elsewhere.advice}</p>`
          }
          <p class="links">${!isFollowed(view) && html`<a data-anew href="${formatAddress(view.address)}">${payAgain}</a>`} ${view.hasBanks && html`<a href="${listOf(view)}">${texts.otherBank}</a>`} <a href="#code" data-code>${code[kindOf(view.qrCode)].show}</a></p>
        </section>`
}

/** The progress of the payment, and the link that checks it at once. */
const status = (view: PayerView) =>
  isFollowed(view) &&
  html`<div class="status"><p class="progress" role="status">${progressOf(view).following}</p><p>${checkLink(view)}</p></div>`

// A link to the picture opens what it is in.
const code = (payload: string, hint: string, alt: string) =>
  html`<figure id="code">
          ${picture(payload, PICTURE, alt)}
          <figcaption>${hint}</figcaption>
        </figure>`

/**
 * The buttons of the sandbox bank.
 * @param currency set if the payer types the amount
 */
function sandboxForm(view: PayerView, button: string, currency: string | undefined): Html {
  const { qrCode, language, invalidAmount } = view
  const texts = PAYER_TEXTS[language]
  const wrong = invalidAmount !== undefined
  const field =
    currency &&
    html`<div><label for="amount">${texts.amount}, ${currencySymbol(currency, language)}</label>
          <input id="amount" name="amount" inputmode="decimal" autocomplete="off" maxlength="30" required
            value="${invalidAmount ?? ''}"${wrong && html` aria-invalid="true" aria-describedby="fault" autofocus`}>
          ${wrong && html`<p id="fault" class="alert" role="alert">${texts.amountFault}</p>`}</div>`
  return html`<form class="actions" method="post">
          ${field}
          ${qrCode.createToken && html`<label class="check"><input type="checkbox" name="remember"> ${texts.remember}</label>`}
          <div class="bar"><button class="button primary" name="action" value="pay">${button}</button></div>
          <div class="two"><button class="button quiet" name="action" value="decline">${texts.simulateDecline.customer}</button>
            <button class="button quiet" name="action" value="decline-by-bank">${texts.simulateDecline.bank}</button></div>
          ${status(view)}
        </form>`
}

// The demonstration on /, in the sandbox only: a QR code of the site demo, created by a form, and what became of it.
import type { Context } from 'hono'
import { html } from 'hono/html'
import type { Config } from '../config.ts'
import { formatMinorUnits } from '../contract/amount.ts'
import type { Caller } from '../contract/caller.ts'
import { type QrCode, qrCodeRequest, specOf } from '../contract/qr-code.ts'
import { isPayable } from '../contract/status.ts'
import { type ApiError, ERRORS } from '../errors.ts'
import { parseLink } from '../fps/link.ts'
import { isLinkId } from '../fps/link-id.ts'
import type { Service } from '../gateway/context.ts'
import { linkBase, pageUrl } from '../gateway/links.ts'
import { callSite } from '../gateway/site-client.ts'
import type { AppEnv } from '../http/app-env.ts'
import { limitRate } from '../http/auth.ts'
import { readForm } from '../http/body.ts'
import { recordError } from '../http/error-handler.ts'
import type { Language } from '../http/negotiation.ts'
import { originOf } from '../http/path.ts'
import { seeOther } from '../http/response.ts'
import { requireSameOrigin } from '../http/same-origin.ts'
import { validate } from '../http/validate.ts'
import { curl, jsonBody, quoted } from './curl.ts'
import { DEMO_SITE } from './demo-site.ts'
import { HOME_TEXTS } from './home-texts.ts'
import type { Html } from './layout.ts'
import { currencySymbol, money } from './payer/formats.ts'
import { payerSite, stateTag } from './payer/site.ts'
import { PAYER_TEXTS } from './payer/texts.ts'
import { picture } from './picture.ts'
import { typedAmount } from './typed-amount.ts'

const VISITOR: Caller = { actor: 'merchant', scopes: [], isService: true }
const PICTURE = 240

export interface Demo {
  /** The QR code that was created, with the address of its page, relative to the start page, and that of the API. */
  made?: { qrCode: QrCode; page: string; api: string } | undefined
  /** What was typed, and why it was refused. */
  typed?: { amount: string; purpose: string }
  refusal?: ApiError
}

/** Creates a QR code. @returns a redirect to the page that shows it, or what was refused */
export async function createDemoQrCode(c: Context<AppEnv>, service: Service): Promise<Response | Demo> {
  const { currencies, homeCurrency, publicUrl } = service.config
  requireSameOrigin(c, service.config)
  c.set('siteId', DEMO_SITE)
  const origin = originOf(c)
  const form = await readForm(c, service)
  const typed = { amount: form.get('amount') ?? '', purpose: form.get('purpose') ?? '' }
  const meant = typedAmount(typed.amount, homeCurrency)
  const value = meant ? formatMinorUnits(meant.minorUnits) : typed.amount
  try {
    await limitRate(service, 'form', DEMO_SITE)
    const spec = specOf(
      validate(qrCodeRequest(currencies), {
        qrCodeUid: `demo-${service.random(8).toHex()}`,
        qrCode: { type: 'DYNAMIC' },
        amount: value ? { value, currency: homeCurrency } : undefined,
        paymentPurpose: typed.purpose || undefined,
        redirectUrl: `${publicUrl ?? origin}/`,
      }),
    )
    const { qrCode } = await service.createQrCode({ siteId: DEMO_SITE, caller: VISITOR, origin }, spec)
    const lang = c.req.query('lang')
    return seeOther(
      c,
      `?${lang ? `lang=${encodeURIComponent(lang)}&` : ''}link=${encodeURIComponent(qrCode.payload)}`,
    )
  } catch (error) {
    return { typed, refusal: recordError(c, error) }
  }
}

/** The QR code of a link, if this deployment made that link for this site. */
export async function demoOf(c: Context<AppEnv>, service: Service, link: string): Promise<Demo> {
  const { config } = service
  const origin = originOf(c)
  const { base, id = '', type = 'DYNAMIC' } = parseLink(link) ?? {}
  if (base !== linkBase(config, DEMO_SITE, type, origin) || !isLinkId(config.secrets, DEMO_SITE, id))
    return {}
  const site = await payerSite(c, service, DEMO_SITE, id)
  const { qrCode } = await callSite(site, (object) =>
    object.readForPayer({ link: link.slice(base.length + 1) }),
  )
  const address = config.publicUrl ?? origin
  const api = `${address}/payin/v1/sites/${DEMO_SITE}/sbp/qrCodes`
  // Relative: the browser can be at another address of this service, whose pages may not send to that one.
  const page = pageUrl(config, DEMO_SITE, origin, qrCode).slice(`${address}/`.length)
  return { made: { qrCode, page, api } }
}

/** What was created, and its status as it changes. */
export function demoResult({ made }: Demo, language: Language): Html | undefined {
  if (!made) return undefined
  const { qrCode, page, api } = made
  const texts = HOME_TEXTS[language]
  const { notices, progress } = PAYER_TEXTS[language]
  const { status, qrCodeUid } = qrCode
  const paid = notices.DYNAMIC[status]?.title
  return html`<section class="result" data-state="${stateTag(qrCode)}" data-poll="${page.replace('?', '/state?')}" data-texts="${JSON.stringify(progress)}">
        <h2>${texts.created}</h2>
        <a href="${page}">${picture(qrCode.payload, PICTURE, texts.picture)}</a>
        ${phone(qrCode, page, language)}
        <div class="facts"><dl>
          <div><dt>${texts.status}</dt><dd><span role="status"><code class="status" data-status="${status}">${status}</code> ${paid}</span></dd></div>
          <div><dt>qrCodeUid</dt><dd><code>${qrCodeUid}</code></dd></div>
        </dl>
        ${isPayable(status) && html`<p>${texts.updates}</p>`}
        <p><a href="${page}">${texts.open}</a></p></div>
        <p>${texts.createCurl}:</p>
        <pre tabindex="0"><code>${curl(quoted(api), jsonBody(JSON.stringify(requestOf(qrCode))))}</code></pre>
        <p>${texts.statusCurl}:</p>
        <pre tabindex="0"><code>${curl(quoted(`${api}/${qrCodeUid}`), ["-H 'Prefer: wait=60'"])}</code></pre>
        <p class="hint"><code>$TOKEN</code>: ${texts.token} <code>npm run -s token -- ${DEMO_SITE} --label shop</code></p>
      </section>`
}

/** The phone that pays: the buttons of the payer's page, which public/home.js sends without leaving this one. */
function phone({ status, amount, paymentPurpose }: QrCode, page: string, language: Language): Html {
  const { subject, notices, simulate, simulateDecline, amount: label } = PAYER_TEXTS[language]
  const isOver = !isPayable(status)
  const sum = amount
    ? html`<p class="sum">${money(amount, language)}</p>`
    : !isOver &&
      html`<label>${label} <input name="amount" inputmode="decimal" autocomplete="off" maxlength="30" required></label>`
  return html`<form class="phone" method="post" action="${page}" aria-label="${HOME_TEXTS[language].phone}">
          <p>${isOver ? notices.DYNAMIC[status]?.title : subject.DYNAMIC}</p>
          ${sum}
          <p class="hint">${paymentPurpose}</p>
          ${
            isOver
              ? html`<p class="tick" aria-hidden="true">${status === 'PAYED' ? '✓' : '✕'}</p>`
              : html`<button class="button primary" name="action" value="pay">${simulate.DYNAMIC}</button>
          <button class="button quiet" name="action" value="decline">${simulateDecline.customer}</button>`
          }
        </form>`
}

export function demoForm({ homeCurrency }: Config, { typed, refusal }: Demo, language: Language): Html {
  const texts = HOME_TEXTS[language]
  return html`<section class="demo" id="demo">
        <h2>${texts.demo}</h2>
        <p>${texts.demoLead}</p>
        <form method="post" action="?lang=${language}#demo">
          ${refusal && refusalOf(refusal, language)}
          <label>${texts.amount}, ${currencySymbol(homeCurrency, language)}
            <input name="amount" inputmode="decimal" autocomplete="off" maxlength="30" value="${typed ? typed.amount : texts.amountValue}"></label>
          <label>${texts.purpose}
            <input name="purpose" autocomplete="off" value="${typed ? typed.purpose : texts.purposeValue}"></label>
          <button class="button primary">${texts.create}</button>
        </form>
      </section>`
}

/** The rules of the invalid fields, in the page's language; otherwise the error's message for a person. */
const refusalOf = ({ code, fields = {} }: ApiError, language: Language) => {
  const { faults } = HOME_TEXTS[language]
  const broken = Object.keys(fields).flatMap((field) => faults[field] ?? [])
  const lines = broken.length > 0 ? broken : [ERRORS[code].userMessage[language]]
  return html`<div class="alert" role="alert">${lines.map((line) => html`<p><strong>${line}</strong></p>`)}
            <p>${HOME_TEXTS[language].refused}: ${ERRORS[code].status} <code>${code}</code></p></div>`
}

/** The request that made the QR code. */
const requestOf = ({ qrCodeUid, type, amount, paymentPurpose, redirectUrl }: QrCode) => ({
  qrCodeUid,
  qrCode: { type },
  ...(amount && { amount: { value: formatMinorUnits(amount.minorUnits), currency: amount.currency } }),
  paymentPurpose,
  redirectUrl,
})

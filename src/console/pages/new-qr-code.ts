// The form that creates a QR code, with a preview of its payer's page.
import { html } from 'hono/html'
import { MAX_PURPOSE } from '../../contract/text.ts'
import { seeOther } from '../../http/response.ts'
import type { Html } from '../../web/layout.ts'
import { money } from '../../web/payer/formats.ts'
import { markOf } from '../../web/payer/parts.ts'
import { picture } from '../../web/picture.ts'
import { typedAmount } from '../../web/typed-amount.ts'
import { currencySign, dayText, typedValue } from '../formats.ts'
import { consolePage } from '../page.ts'
import { codeAddress, type FormError, field, formError, select, textsOf } from '../parts.ts'
import { CODE_TEXTS } from '../texts-codes.ts'
import { type Route, type Visit, WRITERS } from '../visit.ts'

/** The picture of the preview has about as many modules as that of a link. */
const SAMPLE = 'https://qr.example/AD100004BAL7227F9BNP6KNE007J9B3K?type=02&bank=100000000000&crc=0000'

const DAYS = '3'
/** Minutes of a day. */
const DAY = '1440'
const NAMES = ['qrCodeUid', 'type', 'amount', 'paymentPurpose', 'ttl', 'ttlUnit', 'redirectUrl'] as const
type Typed = Partial<Record<(typeof NAMES)[number], string>>

export const NEW_QR_CODE: readonly Route[] = [
  { method: 'get', path: '/new', scopes: WRITERS, handle: (visit) => newQrCode(visit, {}) },
  { method: 'post', path: '/new', scopes: WRITERS, handle: create },
]

async function newQrCode(visit: Visit, typed: Typed, refused?: FormError): Promise<Response> {
  const { language, base, config } = visit
  const { codes, fresh } = CODE_TEXTS[language]
  const shared = textsOf(visit)
  const { type = 'DYNAMIC' } = typed
  const kinds = Object.entries(fresh.kinds).map(([value, text]) => ({ value, text }))
  const units = Object.entries(fresh.ttlUnits).map(([value, text]) => ({ value, text }))
  const { optional } = shared
  const fault = (name: string) => refused?.fields[name]
  const { anyAmount, tillAmount } = codes
  const sum = html`data-currency="${config.homeCurrency}" data-nothing="${anyAmount}" data-till="${tillAmount}"`
  const previewed = html`data-preview data-locale="${language}" ${sum}`
  const main = html`<a class="back" href="${base}qr">← ${shared.nav.qr}</a>
    <h1>${codes.newCode}</h1>
    <div class="columns even"><form class="card" method="post" ${previewed}>
      ${refused?.alert}
      ${field({
        name: 'qrCodeUid',
        label: fresh.uid,
        value: typed.qrCodeUid ?? `${dayText(visit.now, visit)}-${visit.newUid().slice(-6)}`,
        hint: fresh.uidHint,
        isRequired: true,
        maxLength: 200,
        fault: fault('qrCodeUid'),
      })}
      ${select('type', shared.type, kinds, type)}
      <div data-of="DYNAMIC STATIC">${field({
        name: 'amount',
        label: `${shared.amount}, ${currencySign(config.homeCurrency, language)}`,
        value: typed.amount,
        hint: fresh.amountHint,
        isAmount: true,
        maxLength: 20,
        fault: fault('amount.value'),
      })}</div>
      ${field({
        name: 'paymentPurpose',
        label: `${shared.purpose} (${optional})`,
        value: typed.paymentPurpose,
        hint: fresh.purposeHint,
        maxLength: MAX_PURPOSE,
        fault: fault('paymentPurpose'),
      })}
      <div class="quantity" data-of="DYNAMIC">${field({
        name: 'ttl',
        label: fresh.ttl,
        value: typed.ttl ?? DAYS,
        type: 'number',
        hint: fresh.ttlHint,
        fault: fault('qrCode.ttl'),
      })}${select('ttlUnit', fresh.ttlUnit, units, typed.ttlUnit ?? DAY)}</div>
      ${field({
        name: 'redirectUrl',
        label: `${fresh.redirectUrl} (${optional})`,
        value: typed.redirectUrl,
        type: 'url',
        maxLength: 1000,
        fault: fault('redirectUrl'),
      })}
      <button class="primary">${fresh.create}</button></form>
    ${preview(visit, typed)}</div>`
  return consolePage(visit, {
    title: codes.newCode,
    main,
    active: 'qr',
    theme: visit.previewTheme,
    status: refused?.status ?? 200,
  })
}

/** What is typed, as the payer's page will show it; public/console.js keeps it up to date. */
function preview(
  { language, config, shop, logo }: Visit,
  { type, amount = '', paymentPurpose = '' }: Typed,
): Html {
  const { codes, fresh } = CODE_TEXTS[language]
  const isTill = type === 'COUNTER'
  const meant = isTill ? undefined : typedAmount(amount, config.homeCurrency)
  const shown = meant ? money(meant, language) : isTill ? codes.tillAmount : codes.anyAmount
  return html`<figure class="preview"><figcaption>${fresh.preview}</figcaption>
      <p class="brand">${markOf(shop, logo)}<strong><bdi>${shop}</bdi></strong></p>
      <p class="amount" data-shown="amount">${shown}</p><p class="hint" data-shown="purpose">${paymentPurpose}</p>
      ${picture(SAMPLE, 200, '')}
      <p class="pay">${fresh.pay}</p></figure>`
}

async function create(visit: Visit): Promise<Response> {
  const form = await visit.form()
  const typed: Typed = Object.fromEntries(NAMES.map((name) => [name, form.get(name)?.trim() ?? '']))
  const { qrCodeUid = '', type, amount, paymentPurpose, ttl, ttlUnit, redirectUrl } = typed
  try {
    await visit.call('createQrCode', {
      body: {
        qrCodeUid,
        qrCode: { type, ...(type === 'DYNAMIC' && { ttl: Number(ttl) * Number(ttlUnit) }) },
        ...(amount &&
          type !== 'COUNTER' && {
            amount: { value: typedValue(amount), currency: visit.config.homeCurrency },
          }),
        ...(paymentPurpose && { paymentPurpose }),
        ...(redirectUrl && { redirectUrl }),
      },
    })
  } catch (error) {
    const { badUid, badAmount, badPurpose, badTtl, badRedirectUrl } = CODE_TEXTS[visit.language].fresh
    const rules = {
      qrCodeUid: badUid,
      'amount.value': badAmount,
      paymentPurpose: badPurpose,
      'qrCode.ttl': badTtl,
      redirectUrl: badRedirectUrl,
    }
    return newQrCode(visit, typed, formError(error, visit, rules))
  }
  return seeOther(visit.c, `${codeAddress(visit.base, qrCodeUid, type === 'COUNTER')}?done=created`)
}

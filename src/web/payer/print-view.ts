// The sheet of a QR code that is paid many times, to be printed: it fills any page from A6 to A4 (contract, section 15).
import { html } from 'hono/html'
import { type Html, layout } from '../layout.ts'
import { picture } from '../picture.ts'
import { formatAddress } from './address.ts'
import { money } from './formats.ts'
import { markOf, type PayerView } from './parts.ts'
import { PAYER_TEXTS } from './texts.ts'

/** Modules are drawn as vectors: the style sheet gives the size on paper. */
const PICTURE = 800
const ROOT = '../../../'

/** @param theme the shop's colour on paper; see theme.ts */
export function printView(
  { qrCode, shop, language, address, sandbox }: PayerView,
  theme: string | undefined,
): Html {
  const texts = PAYER_TEXTS[language]
  const { title, heading, system, steps } = texts.sheet
  return layout({
    language,
    title: [title, shop.name].join(' · '),
    root: ROOT,
    addressIn: (other) => formatAddress({ ...address, language: other }),
    style: 'print',
    script: 'print',
    theme,
    brand: html`<button type="button" class="scripted" data-print>${texts.receipt.print}</button>`,
    sandbox: sandbox !== undefined,
    main: html`
    <main class="sheet">
      <p class="shop">${shop.logo && markOf(shop.name, ROOT + shop.logo)}<bdi>${shop.name}</bdi></p>
      <h1>${heading}</h1>
      <figure>${picture(qrCode.payload, PICTURE, texts.code.DYNAMIC.picture)}</figure>
      ${qrCode.type === 'STATIC' && qrCode.amount && html`<p class="sum">${money(qrCode.amount, language)}</p>`}
      ${qrCode.paymentPurpose && html`<p class="purpose"><bdi>${qrCode.paymentPurpose}</bdi></p>`}
      <ol>${steps[qrCode.type === 'COUNTER' ? 'counter' : qrCode.amount ? 'static' : 'typed'].map((step) => html`<li>${step}</li>`)}</ol>
      <p class="foot">${system[shop.ways]}</p>
    </main>`,
  })
}

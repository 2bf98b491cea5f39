// The sheet of a QR code that is paid many times, to be printed on A6 in black and white (contract, section 15).
import { html } from 'hono/html'
import { type Html, layout } from '../layout.ts'
import { picture } from '../picture.ts'
import { formatAddress } from './address.ts'
import { money } from './formats.ts'
import type { PayerView } from './parts.ts'
import { PAYER_TEXTS } from './texts.ts'

/** Modules are drawn as vectors: the style sheet gives the size on paper. */
const PICTURE = 800

export function printView({ qrCode, shop, language, address, sandbox }: PayerView): Html {
  const texts = PAYER_TEXTS[language]
  const { title, steps } = texts.sheet
  return layout({
    language,
    title: [title, shop.name].join(' · '),
    root: '../../../',
    addressIn: (other) => formatAddress({ ...address, language: other }),
    style: 'print',
    sandbox: sandbox !== undefined,
    foot: texts.system,
    main: html`
    <main class="sheet">
      <h1><bdi>${shop.name}</bdi></h1>
      ${qrCode.type === 'STATIC' && qrCode.amount && html`<p class="sum">${money(qrCode.amount, language)}</p>`}
      ${qrCode.paymentPurpose && html`<p><bdi>${qrCode.paymentPurpose}</bdi></p>`}
      ${picture(qrCode.payload, PICTURE, texts.picture)}
      <ol>${steps[qrCode.type === 'COUNTER' ? 'counter' : 'static'].map((step) => html`<li>${step}</li>`)}</ol>
    </main>`,
  })
}

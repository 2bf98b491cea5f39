// The list of banks: each leads to the payment in that bank's app, or on a desktop to the bank's site.
import { html } from 'hono/html'
import type { Bank } from '../../fps/bank.ts'
import { bankLink } from '../../fps/bank-link.ts'
import { type Html, layout } from '../layout.ts'
import { formatAddress } from './address.ts'
import { following, type PayerView } from './parts.ts'
import { PAYER_TEXTS } from './texts.ts'

export function banksPage(view: PayerView, banks: readonly Bank[]): Html {
  const { qrCode, id, language, device, address } = view
  const { banks: texts, back } = { ...PAYER_TEXTS[language], back: `../${id}${formatAddress(address)}` }
  const links = banks.flatMap((bank) => {
    const href = bankLink(bank, qrCode, device)
    return href ? [{ ...bank, href }] : []
  })
  return layout({
    language,
    title: texts.title,
    root: '../../../',
    addressIn: (other) => formatAddress({ ...address, language: other }),
    main: html`
    <main class="banks" data-back="${back}" ${following({ ...view, id: `../${id}` })}>
      <h1 tabindex="-1">${texts.title}</h1>
      ${
        links.length === 0
          ? html`<p class="advice">${texts.unavailable}</p>`
          : html`<label class="scripted">${texts.search}<input type="search" autocomplete="off" data-search></label>
      <section data-recent hidden><h2>${texts.recent}</h2><ul></ul></section>
      <ul data-banks>${links.map(({ name, scheme, href }) => html`<li><a data-bank="${scheme}" href="${href}"><bdi>${name}</bdi></a></li>`)}</ul>
      <p class="advice" role="status" data-none="${texts.none}"></p>`
      }
      <section class="actions">
        <p class="progress">${texts.notFound}</p>
        <a class="button quiet" href="${back}#code">${texts.useCode}</a>
      </section>
    </main>`,
  })
}

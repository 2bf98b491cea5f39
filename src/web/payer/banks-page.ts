// The list of banks: each leads to the payment in that bank's app, or on a desktop to the bank's site.
import { html } from 'hono/html'
import type { Bank } from '../../fps/bank.ts'
import { bankLink } from '../../fps/bank-link.ts'
import type { Html } from '../layout.ts'
import { formatAddress } from './address.ts'
import { following, markOf, type PayerView, shopLayout, sumLine, sumOf, systemLine } from './parts.ts'
import { kindOf } from './state.ts'
import { PAYER_TEXTS } from './texts.ts'

const ROOT = '../../../'

export function banksPage(view: PayerView, banks: readonly Bank[]): Html {
  const { qrCode, id, shop, language, device, address, isOwnLink } = view
  const { banks: texts, subject, code } = PAYER_TEXTS[language]
  const kind = kindOf(qrCode)
  const back = `../${id}${formatAddress(address)}`
  const sum = sumOf(view)
  const links = banks.flatMap((bank) => {
    const href = bankLink(bank, qrCode, device)
    return href ? [{ ...bank, href }] : []
  })
  const isDesktop = device === 'desktop'
  return shopLayout({
    shop,
    brand: html`<a class="backward" href="${back}" aria-label="${texts.back}"></a><p class="strip"><bdi>${shop.name}</bdi> ${sum ? sumLine(sum) : html`<strong>${subject[kind]}</strong>`}</p>`,
    language,
    title: [texts.title, sum, shop.name].filter(Boolean).join(' · '),
    root: ROOT,
    addressIn: (other) => formatAddress({ ...address, language: other }),
    script: 'banks',
    foot: systemLine(view),
    main: html`
    <main class="banks" data-back="${back}" ${following({ ...view, id: `../${id}` })}>
      <h1 tabindex="-1">${texts.title}</h1>
      ${
        links.length === 0
          ? html`<p class="advice">${texts.unavailable}</p>`
          : html`<label class="scripted"><span>${texts.search}</span><input type="search" autocomplete="off" autocapitalize="off" spellcheck="false" enterkeyhint="search" data-search></label>
      <section data-recent hidden><h2>${texts.recent}</h2><ul></ul></section>
      <section><h2 class="scripted">${texts.all}</h2>
        <ul data-banks>${links.map(({ name, scheme, logo, href }) => html`<li><a data-bank="${scheme}" href="${href}">${markOf(name, logo && ROOT + logo.slice(1), true)}<bdi>${name}</bdi></a></li>`)}</ul>
        <p class="advice" role="status" data-none="${texts.none}"></p>
      </section>`
      }
      <section class="missing">
        <h2>${texts.notFound}</h2>
        ${!isDesktop && !isOwnLink && html`<a data-bank href="${qrCode.payload}">${texts.useSystem}</a>`}
        <a href="${back}#code">${isDesktop ? code[kind].scanByPhone : code[kind].showForAnother}</a>
      </section>
    </main>`,
  })
}

// The cash register of a site, on the operator's page of the site: which one it is, and how its receipts go.
import { html } from 'hono/html'
import { FFDS, REGISTER_KINDS } from '../../contract/receipts/cash-register.ts'
import { VAT_RATES } from '../../contract/receipts/vat.ts'
import type { SiteHealth } from '../../contract/site.ts'
import { isSandbox } from '../../gateway/connection.ts'
import type { Html } from '../../web/layout.ts'
import { seconds, when } from '../formats.ts'
import { count, counts } from '../operator/figures.ts'
import { siteAddress } from '../operator/sites.ts'
import { facts, field, notice, select } from '../parts.ts'
import { OPERATOR_TEXTS } from '../texts-operator.ts'
import { RECEIPT_SETTINGS_TEXTS } from '../texts-receipt-settings.ts'
import { OPERATORS, type Visit } from '../visit.ts'

const NAMES = ['kind', 'ffd', 'maxItems', 'decimals', 'vats'] as const

/** What was typed into the form, and what is wrong with it. */
export interface TypedRegister {
  values: Partial<Record<string, string>>
  faults: Record<string, string>
}

/** The part of the operator's page. */
export function registerPart(site: SiteHealth, visit: Visit, tried?: TypedRegister): Html {
  const { siteId, cashRegister, receipts } = site
  const all = RECEIPT_SETTINGS_TEXTS[visit.language]
  const texts = all.operator
  const shared = OPERATOR_TEXTS[visit.language]
  const { pending = 0, oldest, failed = 0 } = receipts ?? {}
  return html`<section class="card" id="cash-register"><h2>${texts.title}</h2>${notice(visit, texts.done)}<p>${texts.lead}</p>${facts(
    [
      [texts.kind, cashRegister ? `${all.registers[cashRegister.kind]}, ${cashRegister.ffd}` : texts.none],
      [
        texts.pending,
        html`${count(pending, visit.language)}${oldest !== undefined && html`. ${shared.since} ${when(seconds(oldest), visit)}`}`,
      ],
      [texts.failed, failed > 0 ? counts([['RECEIPT_FAILED', failed]], visit) : '0'],
    ],
  )}${visit.may(...OPERATORS) && registerForm(siteId, site, visit, tried)}</section>`
}

function registerForm(
  siteId: string,
  { cashRegister }: SiteHealth,
  visit: Visit,
  tried?: TypedRegister,
): Html {
  const all = RECEIPT_SETTINGS_TEXTS[visit.language]
  const texts = all.operator
  const address = `${siteAddress(visit, siteId)}/cash-register`
  const { kind, ffd = '1.2', maxItems, decimals, vats = [] } = cashRegister ?? {}
  const inSandbox = isSandbox(visit.config, siteId)
  const kinds = REGISTER_KINDS.filter((each) => each !== 'sandbox' || inSandbox)
  const of = (name: (typeof NAMES)[number], present: string) => tried?.values[name] ?? present
  const fault = (name: (typeof NAMES)[number]) => tried?.faults[name]
  return html`<form method="post" action="${address}">
    <div class="choices">${select(
      'kind',
      texts.kind,
      kinds.map((value) => ({ value, text: all.registers[value] })),
      of('kind', kind ?? 'atol'),
    )}${select(
      'ffd',
      texts.ffd,
      FFDS.map((value) => ({ value, text: value })),
      of('ffd', ffd),
    )}</div>${fault('ffd') && html`<p class="alert" role="alert">${fault('ffd')}</p>`}${field({
      name: 'maxItems',
      label: texts.maxItems,
      value: of('maxItems', maxItems === undefined ? '' : `${maxItems}`),
      hint: texts.maxItemsHint,
      maxLength: 3,
      fault: fault('maxItems'),
    })}${field({
      name: 'decimals',
      label: texts.decimals,
      value: of('decimals', decimals === undefined ? '' : `${decimals}`),
      hint: texts.maxItemsHint,
      maxLength: 1,
      fault: fault('decimals'),
    })}${field({
      name: 'vats',
      label: texts.vats,
      value: of('vats', vats.join(', ')),
      hint: texts.vatsHint,
      maxLength: 40,
      fault: Object.entries(tried?.faults ?? {}).find(([name]) => name.startsWith('vats'))?.[1],
    })}<div class="actions"><button>${texts.save}</button>${
      cashRegister && html`<button class="danger" name="remove" value="yes">${texts.remove}</button>`
    }</div></form>`
}

/** What the form asks of the API: `body` is undefined where the register is to be removed. */
export function typedRegister(form: URLSearchParams) {
  const values = Object.fromEntries(NAMES.map((name) => [name, (form.get(name) ?? '').trim()]))
  const { kind, ffd, maxItems, decimals, vats = '' } = values
  const body = {
    kind,
    ffd,
    maxItems: numberOf(maxItems),
    decimals: numberOf(decimals),
    vats: vats === '' ? undefined : vats.split(/[,\s]+/),
  }
  return { values, body: form.has('remove') ? undefined : body }
}

/** What is no number is for the API to refuse; an empty field is absent. */
const numberOf = (text = ''): number | string | undefined =>
  text === '' ? undefined : /^\d+$/.test(text) ? Number(text) : text

/** The rules of the fields, in the page's language. */
export const registerRules = (visit: Visit): Record<string, string> => {
  const texts = RECEIPT_SETTINGS_TEXTS[visit.language].operator
  return {
    ffd: texts.ffdRule,
    maxItems: texts.maxItemsRule,
    decimals: texts.decimalsRule,
    // The API names the place of the rate.
    ...Object.fromEntries(VAT_RATES.map((_, index) => [`vats.${index}`, texts.vatsRule])),
    kind: texts.kindRule,
  }
}

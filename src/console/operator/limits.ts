// The form of a site's limits, on the operator's page of the site.
import { html } from 'hono/html'
import type { Amount } from '../../contract/amount.ts'
import type { Limits } from '../../contract/limits.ts'
import type { Html } from '../../web/layout.ts'
import { currencySign, typed, typedValue } from '../formats.ts'
import { field } from '../parts.ts'
import { OPERATOR_TEXTS } from '../texts-operator.ts'
import type { Visit } from '../visit.ts'
import { siteAddress } from './sites.ts'

const FIELDS = ['maxPayment', 'maxRefundsPerDay'] as const

/** What was typed into the form, and what is wrong with it. */
export interface TypedLimits {
  values: Partial<Record<string, string>>
  faults: Record<string, string>
}

/** Each field has the currency of its limit, or else that of the deployment. */
export function limitsForm(siteId: string, limits: Limits, visit: Visit, tried?: TypedLimits): Html {
  const texts = OPERATOR_TEXTS[visit.language].limits
  return html`<section class="card"><h2>${texts.title}</h2><p>${texts.lead}</p>
    <form method="post" action="${siteAddress(visit, siteId)}/limits">${FIELDS.map((name) => {
      const limit: Amount | undefined = limits[name]
      const currency = limit?.currency ?? visit.config.homeCurrency
      return html`${field({
        name,
        label: `${texts[name]}, ${currencySign(currency, visit.language)}`,
        value: tried?.values[name] ?? (limit ? typed(limit.minorUnits, visit.language) : ''),
        hint: texts.without,
        isAmount: true,
        maxLength: 20,
        fault: tried?.faults[`${name}.value`],
      })}<input type="hidden" name="${name}Currency" value="${currency}">`
    })}<button>${texts.save}</button></form></section>`
}

/** The body of the API, and what was typed. */
export function typedLimits(form: URLSearchParams) {
  const values = Object.fromEntries(FIELDS.map((name) => [name, (form.get(name) ?? '').trim()]))
  const body = Object.fromEntries(
    FIELDS.flatMap((name) =>
      values[name]
        ? [[name, { value: typedValue(values[name]), currency: form.get(`${name}Currency`) ?? '' }]]
        : [],
    ),
  )
  return { values, body }
}

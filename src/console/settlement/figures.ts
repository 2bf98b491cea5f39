// The figures of a month: the sums that the bank states, and the days of payout.
import { html } from 'hono/html'
import type { Payout, SettlementMonth } from '../../contract/settlement.ts'
import type { Html } from '../../web/layout.ts'
import { dayName } from '../formats.ts'
import { badge, table, textsOf } from '../parts.ts'
import { SETTLEMENT_TEXTS } from '../texts-settlement.ts'
import type { Visit } from '../visit.ts'
import { roubles } from './sums.ts'

/** The sums. What no operation of the month states is said to be so, and is not 0. */
export function figuresOf(figures: SettlementMonth, { language }: Visit): Html {
  const texts = SETTLEMENT_TEXTS[language]
  const { payments, gross, refunds, refunded, fee, feeVat, net, withoutFee, withoutVat } = figures
  const operations = payments + refunds
  const sum = (kopecks: number) => roubles(kopecks, language)
  const of = (kopecks: number, without: number) =>
    operations > 0 && without >= operations && kopecks === 0 ? texts.notStated : sum(kopecks)
  const isWhole = net === gross + refunded + fee
  const isWithoutNet = operations > 0 && net === 0 && gross + refunded !== 0
  const tile = (term: string, figure: string, ...more: (string | false)[]) =>
    html`<div><dt>${term}</dt><dd>${figure}${more.map((line) => line && html`<small>${line}</small>`)}</dd></div>`
  return html`<dl class="tiles">
      ${tile(texts.net, isWithoutNet ? texts.notStated : sum(net), !isWithoutNet && !isWhole && texts.netHint)}
      ${tile(texts.gross, sum(gross), texts.counts(payments))}
      ${tile(texts.refunded, sum(refunded), texts.counts(refunds))}
      ${tile(
        texts.fee,
        of(fee, withoutFee),
        withoutFee > 0 && withoutFee < operations && texts.withoutFee(withoutFee),
        `${texts.feeVat}: ${of(feeVat, withoutVat)}`,
        withoutVat > 0 && withoutVat < operations && texts.withoutVat(withoutVat),
      )}
    </dl>`
}

/** The days on which the bank paid out: what came, and what the operations of the day make. */
export function payoutsSection(payouts: readonly Payout[], visit: Visit): Html {
  const { language } = visit
  const texts = SETTLEMENT_TEXTS[language]
  return html`<section class="card"><h2>${texts.payouts}</h2>${
    payouts.length === 0
      ? html`<p class="hint">${texts.noPayouts}</p>`
      : html`<p class="hint">${texts.payoutsHint}</p>${table(
          [
            [texts.paidOn, 'name'],
            [textsOf(visit).status, 'state'],
            [texts.stated, 'figure'],
            [texts.sum, 'sum'],
          ],
          [
            ...payouts.map(({ paidOn, state, stated, sum }) => [
              dayName(paidOn, language),
              stateOfDay({ state, stated, sum }, visit),
              stated === undefined
                ? html`<span class="hint">${texts.noStatement}</span>`
                : roubles(stated, language),
              sum === undefined
                ? html`<span class="hint">${texts.noRegistry}</span>`
                : roubles(sum, language),
            ]),
            ...(payouts.length > 1 ? [totalOf(payouts, visit)] : []),
          ],
          texts.payouts,
        )}`
  }</section>`
}

/** Both sums of the month, cards included; with how many days are not in one of them. */
function totalOf(payouts: readonly Payout[], { language }: Visit): Html[] {
  const texts = SETTLEMENT_TEXTS[language]
  const total = (name: 'stated' | 'sum') => {
    const known = payouts.flatMap((payout) => payout[name] ?? [])
    if (known.length === 0) return html``
    const missing = payouts.length - known.length
    const sum = known.reduce((all, each) => all + each, 0)
    return html`<strong>${roubles(sum, language)}</strong>${missing > 0 && html` <small>${texts.withoutDays(missing)}</small>`}`
  }
  return [html`<strong>${texts.month}</strong>`, html``, total('stated'), total('sum')]
}

/** Where both sums are known and nothing compares them, the file is a part of one of several sites. */
function stateOfDay({ state, stated, sum }: Omit<Payout, 'paidOn'>, visit: Visit): Html | '' {
  if (state) return badge(`SETTLEMENT_${state}`, visit)
  return stated === undefined || sum === undefined
    ? ''
    : html`<small>${SETTLEMENT_TEXTS[visit.language].notCompared}</small>`
}

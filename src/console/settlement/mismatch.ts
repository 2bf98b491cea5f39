// What does not match, by what is to be done: first on the page of a month, as long as there is something.
import { html } from 'hono/html'
import type { Payout, SettlementEntry, SettlementMonth } from '../../contract/settlement.ts'
import type { Html } from '../../web/layout.ts'
import { stateName } from '../parts.ts'
import { SETTLEMENT_TEXTS } from '../texts-settlement.ts'
import type { Visit } from '../visit.ts'
import { entriesTable, foundEntries } from './entries.ts'
import { guideAddress } from './guide.ts'
import { monthAddress } from './month-of.ts'

/** Entries that the page shows of each kind. */
const SHOWN = 20

/** In the order of the page: what can mean that money is missing comes first. */
const OPEN = ['EXPECTED', 'MISMATCHED', 'UNKNOWN'] as const
type Open = (typeof OPEN)[number]

interface Kind {
  state: Open
  count: number
  entries: readonly SettlementEntry[]
}

/** The first entries of each kind that the month has. */
export function foundMismatch(visit: Visit, month: string, figures: SettlementMonth): Promise<Kind[]> {
  const counts = {
    EXPECTED: figures.expected,
    MISMATCHED: figures.mismatched,
    UNKNOWN: figures.unknown,
  }
  return Promise.all(
    OPEN.filter((state) => counts[state] > 0).map(async (state) => {
      const { entries } = await foundEntries(visit, month, { state }, { limit: `${SHOWN}` })
      return { state, count: counts[state], entries }
    }),
  )
}

/** The section; nothing where all matches. */
export function mismatchSection(
  kinds: readonly Kind[],
  { month, payouts }: { month: string; payouts: readonly Payout[] },
  visit: Visit,
): Html | '' {
  const texts = SETTLEMENT_TEXTS[visit.language]
  if (kinds.length === 0) return ''
  return html`<section class="card"><h2>${texts.mismatch}</h2>${kinds.map((kind) => kindOf(kind, { month, payouts }, visit))}</section>`
}

function kindOf(
  { state, count, entries }: Kind,
  { month, payouts }: { month: string; payouts: readonly Payout[] },
  visit: Visit,
): Html {
  const texts = SETTLEMENT_TEXTS[visit.language]
  const rest = count > entries.length
  return html`<div class="cause"><h3>${stateName(`SETTLEMENT_${state}`, visit)}: ${count}</h3>
    <p>${texts.advice[state].todo(visit.config.settlementDays)}${
      state === 'UNKNOWN' &&
      html`. <a href="${guideAddress(visit)}#${texts.advice.UNKNOWN.section}">${texts.advice.UNKNOWN.check}</a>`
    }</p>${entriesTable(entries, visit, { payouts, isShort: true })}${
      rest &&
      html`<p><a href="${monthAddress(visit.base, month)}&state=${state}">${texts.allOfState}: ${count}</a></p>`
    }</div>`
}

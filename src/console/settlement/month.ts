// The page of a month of settlement: what does not match, the sums, the days of payout, and each operation.
import { html } from 'hono/html'
import type { Values } from '../../api/operations.ts'
import type { Payout } from '../../contract/settlement.ts'
import { entryCursorOf } from '../../contract/settlements/entries.ts'
import type { Html } from '../../web/layout.ts'
import { monthName } from '../formats.ts'
import { consolePage } from '../page.ts'
import { asked, empty, filters, nothingFound, pager } from '../parts.ts'
import { SETTLEMENT_TEXTS } from '../texts-settlement.ts'
import { ACCOUNTANTS, type Visit } from '../visit.ts'
import { entriesTable, filterFields, filterOf, foundEntries } from './entries.ts'
import { figuresOf, payoutsSection } from './figures.ts'
import { guideLink } from './guide.ts'
import { foundMismatch, mismatchSection } from './mismatch.ts'
import { askedMonth, besideMonth, monthAddress, presentMonth } from './month-of.ts'
import { uploadNotice } from './upload-notice.ts'

/** The page. */
export async function month(visit: Visit): Promise<Response> {
  const texts = SETTLEMENT_TEXTS[visit.language]
  const shown = askedMonth(visit)
  const filter = filterOf(visit)
  const cursor = asked(visit, 'cursor')
  const isFiltered = Boolean(filter.state || filter.kind)
  const [{ figures }, page, { settlements }] = await Promise.all([
    visit.call('getSettlementMonth', { query: { month: shown } }),
    foundEntries(visit, shown, filter, { cursor, limit: '50' }),
    visit.call('listSettlements', { query: { limit: '1' } }),
  ])
  const [kinds, said] = await Promise.all([foundMismatch(visit, shown, figures), uploadNotice(visit)])
  const { payouts } = figures
  const hasEntries = isFiltered || cursor !== '' || page.entries.length > 0
  const main = html`<div class="head"><h1>${texts.title}</h1>${actions(visit)}</div>${said}
    ${monthNavigation(shown, visit)}
    ${
      settlements.length === 0 && !hasEntries
        ? empty(texts.noFiles, texts.noFilesAdvice, guideLink(visit))
        : html`<div class="stack" data-live>${mismatchSection(kinds, { month: shown, payouts }, visit)}${
            hasEntries
              ? html`${figuresOf(figures, visit)}<p class="hint">${texts.byBank}</p>${exportsOf(shown, visit)}`
              : ''
          }${(hasEntries || payouts.length > 0) && payoutsSection(payouts, visit)}</div>
    ${entriesSection(page, { month: shown, payouts, hasEntries, isFiltered }, visit)}`
    }`
  return consolePage(visit, {
    title: `${texts.title}, ${monthName(`${shown}-01`, visit.language)}`,
    main,
    active: 'settlement',
    ...(!cursor && { feed: visit.feed }),
  })
}

const actions = (visit: Visit): Html => {
  const texts = SETTLEMENT_TEXTS[visit.language]
  return html`<a class="button" href="${visit.base}settlement/files">${texts.files}</a>${
    visit.may(...ACCOUNTANTS) &&
    html`<a class="button primary" href="${visit.base}settlement/upload">${texts.upload}</a>`
  }`
}

/** The month, and the ways to those beside it. */
function monthNavigation(shown: string, visit: Visit): Html {
  const texts = SETTLEMENT_TEXTS[visit.language]
  const to = (months: number, text: string, sign: string) => {
    const beside = besideMonth(shown, months)
    return beside !== undefined && (months < 0 || beside <= presentMonth(visit))
      ? html`<a class="button" href="${monthAddress(visit.base, beside)}" aria-label="${text}">${sign}</a>`
      : ''
  }
  return html`<nav class="periods" aria-label="${texts.month}">${to(-1, texts.back, '←')}<strong>${monthName(
    `${shown}-01`,
    visit.language,
  )}</strong>${to(1, texts.forward, '→')}</nav>`
}

/** The files for the accountant. */
function exportsOf(shown: string, visit: Visit): Html {
  const texts = SETTLEMENT_TEXTS[visit.language]
  const to = (file: string, name: string) =>
    html`<a class="button small" href="${visit.base}${file}">${name}</a>`
  return html`<div class="actions"><strong>${texts.exports}</strong>${to(`settlement.xlsx?month=${shown}`, texts.xlsx)}${
    visit.language === 'ru' && to(`settlement.csv?month=${shown}&encoding=windows-1251`, texts.files1251)
  }${to(`settlement.csv?month=${shown}`, texts.filesUtf8)}<span class="hint">${texts.exportsHint}</span></div>`
}

function entriesSection(
  { entries, next }: Values['listSettlementEntries'],
  {
    month: shown,
    payouts,
    hasEntries,
    isFiltered,
  }: { month: string; payouts: readonly Payout[]; hasEntries: boolean; isFiltered: boolean },
  visit: Visit,
): Html {
  const texts = SETTLEMENT_TEXTS[visit.language]
  if (!hasEntries) return empty(texts.none, texts.noneAdvice)
  return html`<h2>${texts.entries}</h2>${filters(visit, filterFields(visit, shown), isFiltered, `?month=${shown}`)}
    <section class="card" data-live>${
      entries.length > 0 ? entriesTable(entries, visit, { payouts }) : nothingFound(visit, false)
    }</section>${pager(visit, next && entryCursorOf(next))}`
}

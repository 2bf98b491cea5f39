// The first page: how the day, the week or the month goes, what needs a decision, what was paid last.
import { html } from 'hono/html'
import type { Values } from '../../api/operations.ts'
import {
  type PartFigures,
  PERIODS,
  type Period,
  type PeriodFigures,
  totalOf,
} from '../../contract/day-report.ts'
import type { Language } from '../../http/negotiation.ts'
import type { Html } from '../../web/layout.ts'
import { money } from '../../web/payer/formats.ts'
import { chart } from '../chart.ts'
import { boundOf } from '../days.ts'
import {
  currencySign,
  dayName,
  daysName,
  dayText,
  monthName,
  shortDay,
  shortMoney,
  weekday,
} from '../formats.ts'
import { consolePage } from '../page.ts'
import { asked, empty, select, table, textsOf } from '../parts.ts'
import { TODAY_TEXTS } from '../texts-today.ts'
import { READERS, type Route, type Visit, WRITERS } from '../visit.ts'
import { paymentsTable } from './payments.ts'

/** Payments that were not applied: those of the period, and those of any time that need a decision. */
const NOT_APPLIED = { status: 'COMPLETED', applied: 'false', limit: '50' }
const OPEN = { decision: 'OPEN', limit: '50' }
/** Payments that the page shows. */
const LATEST = '8'

export const TODAY: Route = { method: 'get', path: '/', scopes: READERS, handle: today }

async function today(visit: Visit): Promise<Response> {
  const { config, language, base, now } = visit
  const texts = TODAY_TEXTS[language]
  const present = dayText(now, visit)
  const [date, currency] = [asked(visit, 'date') || present, asked(visit, 'currency') || config.homeCurrency]
  const period = PERIODS.find((each) => each === asked(visit, 'period')) ?? 'day'
  const [report, open] = await Promise.all([
    visit.call('getDayReport', { query: { date, currency, period } }),
    visit.call('listPayments', { query: OPEN }),
  ])
  const [first, last] = daysOf(report, visit)
  const isPresent = first <= present && present <= last
  const days = { createdFrom: boundOf(first, 'from', visit), createdTo: boundOf(last, 'to', visit) }
  const [latest, { payments: notApplied }] = await Promise.all([
    visit.call('listPayments', { query: { limit: LATEST, ...(!isPresent && days) } }),
    visit.call('listPayments', { query: { ...NOT_APPLIED, ...days } }),
  ])
  const hasNotApplied = notApplied.some(({ amount }) => amount.currency === currency)
  const name = nameOf({ period, first, last }, language)
  const title = isPresent ? texts.present[period] : name
  const main = html`<div class="head"><h1>${title}${isPresent && html` <small>${name}</small>`}</h1>
      ${periodForm(visit, { date, first, last, present, currency, period })}</div>
    <div data-live>${
      isPresent &&
      visit.undelivered.hasDelayed &&
      html`<p class="warn"><a href="${base}notifications?status=PENDING">${texts.receiverFails}</a></p>`
    }${
      isPresent &&
      visit.receipts?.hasFailed &&
      html`<p class="warn"><a href="${base}receipts">${textsOf(visit).failedReceipts}</a></p>`
    }${
      isPresent &&
      open.payments.length > 0 &&
      html`<p class="warn"><a href="${base}payments?which=open">${texts.attention}: ${open.payments.length}${
        open.next !== undefined && '+'
      }</a></p>`
    }</div>
    <div class="stack" data-live>${figuresOf(report, { isPresent, hasNotApplied }, visit)}</div>
    <section class="card" data-live><div class="head"><h2>${texts.latest}</h2><a href="${base}payments${
      !isPresent && `?from=${first}&to=${last}`
    }">${texts.all}</a></div>
      ${
        latest.payments.length > 0
          ? paymentsTable(latest.payments, visit)
          : isPresent
            ? empty(
                texts.noPayments,
                texts.howPaid,
                visit.may(...WRITERS) &&
                  html`<a class="button primary" href="${base}new">${texts.newCode}</a>`,
              )
            : html`<p class="hint">${texts.noneOnDay}</p>`
      }</section>`
  return consolePage(visit, { title, main, active: '', ...(isPresent && { feed: visit.feed }) })
}

type Report = Values['getDayReport']

/** The first and the last day of a period: `2026-11-16`, `2026-11-22`. */
const daysOf = ({ times }: Report, visit: Visit): [first: string, last: string] => [
  dayText(times[0] ?? 0, visit),
  dayText((times.at(-1) ?? 0) - 1, visit),
]

interface Days {
  period: Period
  first: string
  last: string
}

const nameOf = ({ period, first, last }: Days, language: Language): string =>
  ({ day: dayName, week: () => daysName(first, last, language), month: monthName })[period](first, language)

/** The periods, the way to the one before and the one after, and any other by its day. */
function periodForm(
  visit: Visit,
  {
    date,
    first,
    last,
    present,
    currency,
    period,
  }: Days & { date: string; present: string; currency: string },
): Html {
  const texts = TODAY_TEXTS[visit.language]
  const { currencies } = visit.config
  const beside = (day: string, days: number) =>
    new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10)
  const address = (day: string, of: Period) => `?date=${day}&period=${of}&currency=${currency}`
  const to = (day: string, text: string, sign: string) =>
    html`<a class="button" href="${address(day, period)}" aria-label="${text}">${sign}</a>`
  return html`<div class="periods"><nav class="switch" aria-label="${texts.period}">${PERIODS.map(
    (each) =>
      html`<a href="${address(date, each)}"${each === period && html` aria-current="true"`}>${texts.periods[each]}</a>`,
  )}</nav>
    <form class="days">${to(beside(first, -1), texts.back[period], '←')}
      <input type="hidden" name="period" value="${period}">
      <input type="date" name="date" value="${date}" max="${present}" aria-label="${texts.day}">
      ${last < present && to(beside(last, 1), texts.forward[period], '→')}
      ${
        currencies.length > 1
          ? select(
              'currency',
              '',
              currencies.map((each) => ({ value: each, text: currencySign(each, visit.language) })),
              currency,
            )
          : ''
      }<button>${textsOf(visit).apply}</button></form></div>`
}

/** @param more whether the period is not over, and whether any of its payments was not applied */
function figuresOf(
  report: Report,
  { isPresent, hasNotApplied }: { isPresent: boolean; hasNotApplied: boolean },
  visit: Visit,
): Html {
  const { language } = visit
  const { figures, currency, period } = report
  const { before } = figures
  const texts = TODAY_TEXTS[language]
  const [now, then] = [totalOf(figures.parts), totalOf(before.parts)]
  const sum = (minorUnits: number) => money({ minorUnits, currency }, language)
  const earlier = texts.before[period][isPresent ? 1 : 0] ?? ''
  const tile = (term: string, figure: Html | string, more: string, compared: string) =>
    html`<div><dt>${term}</dt><dd>${figure}<small>${more}</small><small>${earlier}: ${compared}</small></dd></div>`
  return html`<dl class="tiles">
      <div><dt>${texts.net}</dt><dd>${sum(netOf(now))} ${change(netOf(now), netOf(then))}<small>${earlier}: ${sum(netOf(then))}</small></dd></div>
      ${tile(texts.received, sum(now.paid), texts.payments(now.payments, hasNotApplied), sum(then.paid))}
      ${tile(texts.refunded, sum(now.refunded), texts.refunds(now.refunds), sum(then.refunded))}
      ${tile(
        texts.conversion,
        conversion(figures),
        texts.paidOf(figures.createdAndPaid, figures.createdDynamic),
        conversion(before),
      )}
    </dl>
    ${partsOf(report, visit)}`
}

const netOf = ({ paid, refunded }: PartFigures): number => paid - refunded

const conversion = ({ createdAndPaid, createdDynamic }: PeriodFigures): string =>
  createdDynamic > 0 ? `${Math.floor((100 * createdAndPaid) / createdDynamic)} %` : '—'

/** By how much it is more or less than before; nothing where there was nothing to compare with. */
function change(now: number, then: number): Html | '' {
  if (then <= 0) return ''
  const percent = Math.round((100 * (now - then)) / then)
  return html`<span class="change${percent < 0 ? ' less' : ''}">${percent < 0 ? '−' : '+'}${Math.abs(percent)} %</span>`
}

/** The hours or the days of a period: as a chart, and as a table. */
function partsOf({ figures, times, currency, period }: Report, visit: Visit): Html | '' {
  const { language } = visit
  const texts = TODAY_TEXTS[language]
  const { parts, before } = figures
  const sum = (minorUnits: number) => money({ minorUnits, currency }, language)
  const nameOfPart = (part: number) => {
    const day = dayText(times[part] ?? 0, visit)
    return period === 'day' ? `${part}:00` : shortDay(day, language, period === 'week')
  }
  const below = (part: number) => {
    const day = dayText(times[part] ?? 0, visit)
    if (period === 'week') return `${weekday(day, language)} ${Number(day.slice(8))}`
    if (period === 'month') return part % 5 === 0 && part < parts.length - 1 ? `${part + 1}` : ''
    return part % 3 === 0 ? `${part}` : ''
  }
  const busy = parts.flatMap((each, part) =>
    each.created + each.payments + each.refunds > 0 ? [{ ...each, part }] : [],
  )
  if (busy.length === 0 && before.parts.every(({ paid }) => paid === 0)) return ''
  const { paid, refunded } = totalOf(parts)
  const most = parts.reduce((best, each, part) => (each.paid > (parts[best]?.paid ?? 0) ? part : best), 0)
  const sign = (kind: keyof typeof texts.key) => {
    const square = html`<rect class="${kind}" x="1" y="1" width="12" height="12" rx="2"/>`
    return html`<span><svg viewBox="0 0 14 14" aria-hidden="true">${square}</svg> ${texts.key[kind]}</span>`
  }
  return html`<section class="card"><h2>${texts.parts[period]}</h2>
      ${chart({
        parts,
        before: before.parts,
        label: texts.chart(sum(paid), sum(refunded), nameOfPart(most), sum(parts[most]?.paid ?? 0)),
        nameOf: below,
        sumOf: (minorUnits) => shortMoney({ minorUnits, currency }, language),
      })}
      <p class="key">${sign('paid')}${refunded > 0 && sign('refunded')}${sign('before')}</p>
      ${
        busy.length > 0 &&
        html`<details><summary>${texts.asTable}</summary>${table(
          [
            [period === 'day' ? texts.hour : texts.day, 'name'],
            [texts.net, 'sum'],
            [texts.received],
            [texts.refunded],
            [textsOf(visit).nav.payments],
            [texts.created],
          ],
          busy.map((each) => [
            nameOfPart(each.part),
            sum(netOf(each)),
            sum(each.paid),
            each.refunded > 0 && sum(each.refunded),
            `${each.payments}`,
            `${each.created}`,
          ]),
          texts.parts[period],
        )}</details>`
      }</section>`
}

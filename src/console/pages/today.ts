// The first page: how the day goes, what needs a decision, what was paid last.
import { html } from 'hono/html'
import type { Values } from '../../api/operations.ts'
import { totalOf } from '../../contract/day-report.ts'
import type { Html } from '../../web/layout.ts'
import { money } from '../../web/payer/formats.ts'
import { chart } from '../chart.ts'
import { boundOf } from '../days.ts'
import { dayName, dayText } from '../formats.ts'
import { consolePage } from '../page.ts'
import { asked, empty, select, table, textsOf } from '../parts.ts'
import { needsDecision } from '../states.ts'
import { LIST_TEXTS } from '../texts-lists.ts'
import { READERS, type Route, type Visit, WRITERS } from '../visit.ts'
import { paymentsTable } from './payments.ts'

/** Payments that were not applied, of which the page counts those that need a decision. */
const NOT_APPLIED_READ = '50'
/** Payments that the page shows. */
const LATEST = '8'

export const TODAY: Route = { method: 'get', path: '/', scopes: READERS, handle: today }

async function today(visit: Visit): Promise<Response> {
  const { config, language, base, now } = visit
  const texts = LIST_TEXTS[language].today
  const present = dayText(now, visit)
  const [date, currency] = [asked(visit, 'date') || present, asked(visit, 'currency') || config.homeCurrency]
  const isPresent = date === present
  const [day, waiting, latest] = await Promise.all([
    visit.call('getDayReport', { query: { date, currency } }),
    isPresent
      ? visit.call('listPayments', {
          query: { status: 'COMPLETED', applied: 'false', limit: NOT_APPLIED_READ },
        })
      : { payments: [], next: undefined },
    visit.call('listPayments', {
      query: {
        limit: LATEST,
        ...(!isPresent && {
          createdFrom: boundOf(date, 'from', visit),
          createdTo: boundOf(date, 'to', visit),
        }),
      },
    }),
  ])
  const undecided = waiting.payments.filter(needsDecision)
  const title = isPresent ? textsOf(visit).nav.today : dayName(date, language)
  const main = html`<div class="head"><h1>${title}${isPresent && html` <small>${dayName(date, language)}</small>`}</h1>
      ${dayForm(visit, { date, present, currency })}</div>
    <div data-live>${
      isPresent &&
      visit.undelivered.hasDelayed &&
      html`<p class="warn"><a href="${base}notifications?status=PENDING">${texts.receiverFails}</a></p>`
    }${
      undecided.length > 0 &&
      html`<p class="warn"><a href="${base}payments?applied=false">${texts.attention}: ${undecided.length}${
        waiting.next !== undefined && '+'
      }</a></p>`
    }</div>
    <div class="stack" data-live>${figuresOf(day, visit)}</div>
    <section class="card" data-live><div class="head"><h2>${texts.latest}</h2><a href="${base}payments${
      !isPresent && `?from=${date}&to=${date}`
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

interface Day {
  date: string
  present: string
  currency: string
}

function dayForm(visit: Visit, { date, present, currency }: Day): Html {
  const texts = LIST_TEXTS[visit.language].today
  const { currencies } = visit.config
  const beside = (days: number) => new Date(Date.parse(date) + days * 86_400_000).toISOString().slice(0, 10)
  const to = (day: string, text: string, sign: string) =>
    html`<a class="button" href="?date=${day}&currency=${currency}" aria-label="${text}">${sign}</a>`
  return html`<form class="days">${to(beside(-1), texts.before, '←')}
      <input type="date" name="date" value="${date}" max="${present}" aria-label="${texts.day}">
      ${date < present && to(beside(1), texts.after, '→')}
      ${
        currencies.length > 1
          ? select(
              'currency',
              '',
              currencies.map((each) => ({ value: each, text: each })),
              currency,
            )
          : ''
      }<button>${textsOf(visit).apply}</button></form>`
}

function figuresOf({ figures, currency }: Values['getDayReport'], { language }: Visit): Html {
  const texts = LIST_TEXTS[language].today
  const { nav } = textsOf({ language })
  const { createdDynamic, createdAndPaid, hours } = figures
  const { created, payments, paid, refunds, refunded } = totalOf(hours)
  const sum = (minorUnits: number) => money({ minorUnits, currency }, language)
  const peak = hours.reduce(
    (best, { payments: count }, hour) => (count > (hours[best]?.payments ?? 0) ? hour : best),
    0,
  )
  const tile = (term: string, figure: string, more = '') =>
    html`<div><dt>${term}</dt><dd>${figure}${more && html` <small>${more}</small>`}</dd></div>`
  const sign = (kind: 'made' | 'paid') =>
    html`<svg viewBox="0 0 14 14" aria-hidden="true"><rect class="${kind}" x="1" y="1" width="12" height="12" rx="2"/></svg>`
  const busy = hours.flatMap((each, hour) =>
    each.created + each.payments + each.refunds > 0 ? [{ ...each, hour }] : [],
  )
  return html`<dl class="tiles">
      ${tile(texts.received, sum(paid), texts.payments(payments))}
      ${tile(texts.created, `${created}`)}
      ${tile(
        texts.conversion,
        createdDynamic > 0 ? `${Math.floor((100 * createdAndPaid) / createdDynamic)} %` : '—',
        texts.paidOf(createdAndPaid, createdDynamic),
      )}
      ${tile(texts.refunded, sum(refunded), texts.refunds(refunds))}
    </dl>
    ${
      busy.length > 0 &&
      html`<section class="card"><h2>${texts.byHour}</h2>
      ${chart({ hours }, texts.chart(created, payments, peak))}
      <p class="key"><span>${sign('made')} ${texts.made}</span>
        <span>${sign('paid')} ${texts.paid}</span></p>
      <details><summary>${texts.asTable}</summary>${table(
        [[texts.hour, 'name'], [texts.created], [nav.payments], [texts.received, 'sum'], [texts.refunded]],
        busy.map((each) => [
          `${each.hour}:00`,
          `${each.created}`,
          `${each.payments}`,
          sum(each.paid),
          each.refunded > 0 && sum(each.refunded),
        ]),
        texts.byHour,
      )}</details></section>`
    }`
}

// The payments of a site, by status and day, as CSV.
import { html } from 'hono/html'
import type { Values } from '../../api/operations.ts'
import type { Payment } from '../../contract/payment.ts'
import type { Html } from '../../web/layout.ts'
import { METHOD_TEXTS } from '../../web/method-texts.ts'
import { dayFaults, dayFields } from '../days.ts'
import { moneyOrStruck, when } from '../formats.ts'
import { consolePage } from '../page.ts'
import {
  asked,
  badge,
  empty,
  filters,
  nothingFound,
  pageCursor,
  pager,
  paymentLink,
  purpose,
  select,
  states,
  table,
  textsOf,
} from '../parts.ts'
import { needsDecision, paymentState } from '../states.ts'
import { CODE_TEXTS } from '../texts-codes.ts'
import { LIST_TEXTS } from '../texts-lists.ts'
import { READERS, type Route, type Visit } from '../visit.ts'
import { listAddress, reportAddress } from './payments-files.ts'
import { filterOf, foundPayments } from './payments-filter.ts'

export const PAYMENTS: Route = { method: 'get', path: '/payments', scopes: READERS, handle: payments }

async function payments(visit: Visit): Promise<Response> {
  const texts = LIST_TEXTS[visit.language].payments
  const { status, which } = filterOf(visit)
  const isRefused = dayFaults(visit) !== undefined
  const { payments, next }: Values['listPayments'] = isRefused
    ? { payments: [] }
    : await foundPayments(visit, { cursor: asked(visit, 'cursor') })
  const isFiltered = Boolean(which || status || asked(visit, 'from') || asked(visit, 'to'))
  const title = textsOf(visit).nav.payments
  const main = html`<h1>${title}</h1>
    ${filters(
      visit,
      [
        select('status', textsOf(visit).status, states(['COMPLETED', 'DECLINED', 'WAITING'], visit), status),
        select(
          'which',
          texts.which,
          [
            { value: '', text: texts.all },
            { value: 'open', text: texts.open },
            { value: 'notApplied', text: texts.notApplied },
          ],
          which,
        ),
        ...dayFields(visit),
      ],
      isFiltered,
    )}
    ${
      !isRefused &&
      html`<p><a href="${reportAddress(visit)}">${texts.report}</a> <small>${texts.reportHint}</small><br>
        <a href="${listAddress(visit)}">${texts.csv}</a> <small>${texts.csvHint}</small></p>`
    }
    ${which === 'open' && html`<p class="warn">${texts.advice}</p>`}
    <section class="card" data-live>${
      payments.length > 0
        ? paymentsTable(payments, visit)
        : isFiltered
          ? nothingFound(visit, isRefused)
          : empty(texts.none, texts.noneAdvice)
    }</section>
    ${pager(visit, pageCursor(next))}
`
  return consolePage(visit, {
    title,
    main,
    active: 'payments',
    status: isRefused ? 400 : 200,
    ...(!asked(visit, 'cursor') && { feed: visit.feed }),
  })
}

/** @param isOfCode whether they are of one QR code, whose identifier then says nothing */
export function paymentsTable(payments: readonly Payment[], visit: Visit, isOfCode = false): Html {
  const { language, base } = visit
  const texts = LIST_TEXTS[language].payments
  const shared = textsOf(visit)
  return table(
    [
      [isOfCode ? texts.payment : CODE_TEXTS[language].codes.code, 'name'],
      [shared.status, 'state'],
      ...(isOfCode ? [] : [[texts.payment] as const]),
      [shared.time, 'when'],
      [shared.amount, 'sum'],
    ],
    payments.map((payment) => [
      html`${paymentLink(base, payment.paymentUid, isOfCode ? undefined : payment.qrCodeUid)}${!isOfCode && purpose(payment.paymentPurpose)}${
        needsDecision(payment) && html` <small>${texts.why[payment.notAppliedReason ?? '']}</small>`
      }`,
      html`${badge(paymentState(payment), visit)}${payment.method && html` <small>${METHOD_TEXTS[language][payment.method]}</small>`}`,
      ...(isOfCode ? [] : [html`<code class="uid">${payment.paymentUid}</code>`]),
      when(payment.createdAt, visit),
      paidSum(payment, visit),
    ]),
    texts.payment,
  )
}

/** A sum that was returned in full is struck out. */
export const paidSum = (payment: Payment, { language }: Visit): Html =>
  moneyOrStruck(payment.amount, paymentState(payment) === 'REFUNDED', language)

// The payments as files: those that the filters ask for, and the accountant's report of some days.

import { formatMinorUnits } from '../../contract/amount.ts'
import { escapeFormula } from '../../contract/csv.ts'
import { formatDateTime } from '../../contract/date-time.ts'
import type { Payment } from '../../contract/payment.ts'
import type { Fiscal } from '../../contract/receipts/document.ts'
import { seeOther } from '../../http/response.ts'
import { METHOD_TEXTS } from '../../web/method-texts.ts'
import { spreadsheetAmount, spreadsheetDigits, spreadsheetLine, spreadsheetTime } from '../csv.ts'
import { askedDay, dayFaults } from '../days.ts'
import { dayText } from '../formats.ts'
import { listFile } from '../list-file.ts'
import { asked, stateName, textsOf } from '../parts.ts'
import { paymentState } from '../states.ts'
import { LIST_TEXTS } from '../texts-lists.ts'
import { READERS, type Route, type Visit } from '../visit.ts'
import { accountantsReport } from './accountants-report.ts'
import { foundPayments } from './payments-filter.ts'

const DAY_MS = 86_400_000
/** Days of a report, besides its last one. */
const REPORT_DAYS = 30
/** A day before it has another form than those of the API. */
const FIRST_DAY = Date.parse('0000-01-01')

export const PAYMENTS_FILES: readonly Route[] = [
  { method: 'get', path: '/payments.csv', scopes: READERS, handle: ofDays(list) },
  { method: 'get', path: '/report.csv', scopes: READERS, handle: ofDays(accountantsReport) },
]

const FILTERS = ['status', 'which', 'from', 'to']

const filtersOf = (visit: Visit): URLSearchParams =>
  new URLSearchParams(FILTERS.map((name) => [name, asked(visit, name)]).filter(([, value]) => value))

/** A file, or the page of the payments if the days are wrong: the page says what is wrong. */
function ofDays(file: (visit: Visit) => Promise<Response>): Route['handle'] {
  return async (visit) => (dayFaults(visit) ? seeOther(visit.c, `payments?${filtersOf(visit)}`) : file(visit))
}

function list(visit: Visit): Promise<Response> {
  return listFile(visit, {
    name: 'payments',
    columns: LIST_TEXTS[visit.language].payments.columns,
    async page(page) {
      const { payments: rows, next } = await foundPayments(visit, page)
      return { rows, next }
    },
    line: (payment) => lineOf(payment, visit),
  })
}

function lineOf(payment: Payment, visit: Visit): string {
  const { language } = visit
  const { paymentUid, createdAt, amount, refunded, qrCodeUid, saleUid, paymentPurpose, decision, method } =
    payment
  const { handedOver } = LIST_TEXTS[language].payments
  return spreadsheetLine(
    [
      escapeFormula(paymentUid),
      spreadsheetTime(formatDateTime(createdAt, visit.config.utcOffset), language),
      ...(language === 'ru' ? stateAsShown(payment, visit) : stateOfApi(payment)),
      spreadsheetAmount(formatMinorUnits(amount.minorUnits), language),
      spreadsheetAmount(formatMinorUnits(refunded), language),
      amount.currency,
      escapeFormula(qrCodeUid),
      escapeFormula(saleUid),
      escapeFormula(paymentPurpose),
      decision ? (language === 'ru' ? handedOver : decision.value) : '',
      escapeFormula(decision?.note),
      ...receiptCells(payment, visit),
      method ? (language === 'ru' ? METHOD_TEXTS[language][method] : method) : '',
    ],
    language,
  )
}

/** The receipt of the sale, once it is registered. */
function receiptCells({ receipt }: Payment, { language, config }: Visit): string[] {
  const { number, dateTime, fn, fd, fpd }: Fiscal = receipt?.fiscal ?? {}
  const at =
    dateTime === undefined ? '' : spreadsheetTime(formatDateTime(dateTime, config.utcOffset), language)
  const [first = '', ...rest] = [number, fn, fd, fpd].map((text) => spreadsheetDigits(text, language))
  return [first, at, ...rest]
}

/** In English, with the columns of the API: for programs too. */
const stateOfApi = ({ status, reason, applied, notAppliedReason }: Payment): string[] => [
  status,
  escapeFormula(reason),
  String(applied),
  notAppliedReason ?? '',
]

/** The state of a payment, in the words of the pages. */
function stateAsShown(payment: Payment, visit: Visit): string[] {
  const { status, reason, applied, notAppliedReason } = payment
  const { yes, no } = textsOf(visit)
  const { why } = LIST_TEXTS[visit.language].payments
  return [
    stateName(paymentState(payment), visit),
    escapeFormula(reason),
    // A declined attempt has no money to apply.
    status === 'COMPLETED' ? (applied ? yes : no) : '',
    why[notAppliedReason ?? ''] ?? '',
  ]
}

/** The file of what the page lists. */
export const listAddress = (visit: Visit): string => `payments.csv?${filtersOf(visit)}`

/** The report of the days of the filter: of the last ones, where it names none. */
export function reportAddress(visit: Visit): string {
  const timeOf = (day: string | undefined) => (day === undefined ? undefined : Date.parse(day))
  const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10)
  const from = timeOf(askedDay(visit, 'from'))
  const today = Date.parse(dayText(visit.now, visit))
  const to = timeOf(askedDay(visit, 'to')) ?? Math.max(today, from ?? today)
  const earliest = Math.max(to - REPORT_DAYS * DAY_MS, FIRST_DAY)
  return `report.csv?${new URLSearchParams({ from: dayOf(Math.max(earliest, from ?? earliest)), to: dayOf(to) })}`
}

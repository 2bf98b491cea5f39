// The payments as files: those that the filters ask for, and the accountant's report of some days.
import { harmless } from '../../contract/csv.ts'
import type { PaymentAnswer } from '../../contract/payment.ts'
import type { Language } from '../../http/negotiation.ts'
import { BYTE_ORDER_MARK, spreadsheetLine } from '../csv.ts'
import { dayText, type Shown } from '../formats.ts'
import { asked, askedDay } from '../parts.ts'
import { LIST_TEXTS } from '../texts-lists.ts'
import { READERS, type Route, type Visit } from '../visit.ts'
import { foundPayments } from './payments-filter.ts'

const DAY_MS = 86_400_000
/** Days of a report, besides its last one. */
const REPORT_DAYS = 30
/** A day before it would have another form than those of the API. */
const FIRST_DAY = Date.parse('0001-01-01')

/** Payments that one call of the API reads. */
const PAGE = '100'

export const PAYMENTS_FILES: readonly Route[] = [
  { method: 'get', path: '/payments.csv', scopes: READERS, handle: list },
  { method: 'get', path: '/report.csv', scopes: READERS, handle: report },
]

const FILTERS = ['q', 'status', 'applied', 'from', 'to']

/** All pages of the list, in its order. If one fails, the download fails: a part is never taken for the whole file. */
function list(visit: Visit): Promise<Response> {
  async function* pages(): AsyncGenerator<string, void> {
    const { language } = visit
    let head = BYTE_ORDER_MARK + spreadsheetLine(LIST_TEXTS[language].payments.columns, language)
    let cursor: string | undefined
    do {
      // The file is one request of the user, however many pages it has.
      const isContinued = cursor !== undefined
      const { payments, nextCursor } = await foundPayments(visit, { cursor, limit: PAGE }, isContinued)
      yield head + payments.map((payment) => lineOf(payment, language)).join('')
      head = ''
      cursor = nextCursor
    } while (cursor)
  }
  return visit.stream(pages(), {
    'Content-Type': 'text/csv; charset=utf-8; header=present',
    'Content-Disposition': `attachment; filename="payments-${visit.siteId}.csv"`,
  })
}

function lineOf(payment: PaymentAnswer, language: Language): string {
  const decimal = ({ value }: Shown) => (language === 'ru' ? value.replace('.', ',') : value)
  return spreadsheetLine(
    [
      harmless(payment.paymentId),
      payment.createdDateTime,
      payment.status.value,
      harmless(payment.status.reason),
      String(payment.applied),
      payment.notAppliedReason ?? '',
      decimal(payment.amount),
      decimal(payment.refundedAmount),
      payment.amount.currency,
      harmless(payment.qrCodeUid),
      harmless(payment.saleUid),
    ],
    language,
  )
}

/** The file of what the page lists. */
export const listAddress = (visit: Visit): string =>
  `payments.csv?${new URLSearchParams(FILTERS.map((name) => [name, asked(visit, name)]).filter(([, value]) => value))}`

/** The report of the days of the filter: of the last ones, where it names none. */
export function reportAddress(visit: Visit): string {
  const to = askedDay(visit, 'to') ?? dayText(visit.now, visit)
  const first = Math.max(Date.parse(to) - REPORT_DAYS * DAY_MS, FIRST_DAY)
  const from = Math.max(first, Date.parse(askedDay(visit, 'from') ?? '') || first)
  return `report.csv?${new URLSearchParams({ from: new Date(from).toISOString().slice(0, 10), to })}`
}

function report(visit: Visit): Promise<Response> {
  const query = { from: asked(visit, 'from'), to: asked(visit, 'to') }
  return visit.send('getPaymentsReport', { query, headers: { Accept: 'text/csv' } })
}

// The entries of settlement: their table, the filters, and what is shown of each.
import { html } from 'hono/html'
import type { Values } from '../../api/operations.ts'
import { formatDateTime } from '../../contract/date-time.ts'
import { ENTRY_STATES, type Payout, type SettlementEntry } from '../../contract/settlement.ts'
import type { Html } from '../../web/layout.ts'
import { dayText, shortDay } from '../formats.ts'
import { asked, badge, paymentAddress, select, stateName, table, textsOf } from '../parts.ts'
import { SETTLEMENT_TEXTS } from '../texts-settlement.ts'
import type { Visit } from '../visit.ts'
import { shortName } from './file-address.ts'
import { daysLater, differenceLines, roubles, statedSum } from './sums.ts'

type Page = Values['listSettlementEntries']

const KINDS = ['payment', 'refund', 'fee', 'payout', 'correction'] as const

interface EntriesFilter {
  state: (typeof ENTRY_STATES)[number] | ''
  kind: (typeof KINDS)[number] | ''
}

export const filterOf = (visit: Visit): EntriesFilter => ({
  state: ENTRY_STATES.find((each) => each === asked(visit, 'state')) ?? '',
  kind: KINDS.find((each) => each === asked(visit, 'kind')) ?? '',
})

/** A page of the entries of a month that the filter asks for. */
export const foundEntries = (
  visit: Visit,
  month: string,
  { state, kind }: Partial<EntriesFilter>,
  page: { cursor?: string; limit?: string },
): Promise<Page> =>
  visit.call('listSettlementEntries', { query: { month, state: state ?? '', kind: kind ?? '', ...page } })

/** The fields of the filter. */
export function filterFields(visit: Visit, month: string): Html[] {
  const texts = SETTLEMENT_TEXTS[visit.language]
  const { state, kind } = filterOf(visit)
  const any = { value: '', text: textsOf(visit).any }
  return [
    html`<input type="hidden" name="month" value="${month}">`,
    select(
      'state',
      textsOf(visit).status,
      [any, ...ENTRY_STATES.map((value) => ({ value, text: stateName(`SETTLEMENT_${value}`, visit) }))],
      state,
    ),
    select('kind', texts.kind, [any, ...KINDS.map((value) => ({ value, text: texts.kinds[value] }))], kind),
  ]
}

interface Shown {
  /** The days of payout of the month, by which it is said what a payout differs from. */
  payouts?: readonly Payout[]
  /** Whether the fee and the net sum are left out: where it is said what to do. */
  isShort?: boolean
}

/** Entries, a row each. */
export function entriesTable(
  entries: readonly SettlementEntry[],
  visit: Visit,
  { payouts = [], isShort = false }: Shown = {},
): Html {
  const { language } = visit
  const texts = SETTLEMENT_TEXTS[language]
  const shared = textsOf(visit)
  const optional = (kopecks: number | undefined, currency: string) =>
    kopecks !== undefined && html`<span class="sum">${roubles(kopecks, language, currency)}</span>`
  return table(
    [
      [texts.operation, 'name'],
      [shared.status, 'state'],
      [shared.time, 'when'],
      ...(isShort ? [] : [[texts.paidOn] as const]),
      [shared.amount, 'sum'],
      ...(isShort ? [] : [[texts.feeColumn, 'figure'] as const, [texts.netColumn, 'figure'] as const]),
    ],
    inFileOrder(entries).map((entry) => [
      nameOf(entry, visit),
      stateOf(entry, payouts, visit),
      timeOf(entry.operatedAt, visit),
      ...(isShort ? [] : [entry.paidOn && shortDay(entry.paidOn, language, false)]),
      optional(entry.gross ?? entry.fee, entry.currency),
      ...(isShort ? [] : [optional(entry.fee, entry.currency), optional(entry.net, entry.currency)]),
    ]),
    texts.entries,
  )
}

/** A bank can state the same time of many operations: these are in the order of their file. */
const inFileOrder = (entries: readonly SettlementEntry[]): SettlementEntry[] =>
  entries.toSorted(
    (a, b) =>
      a.operatedAt - b.operatedAt ||
      compared(a.settlementUid ?? LAST, b.settlementUid ?? LAST) ||
      (a.line ?? 0) - (b.line ?? 0),
  )

/** Behind each name of a file. */
const LAST = '\u{10ffff}'

const compared = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** What it is: a link to the payment of ours, or the number at the bank; then its kind, and where it is in a file. */
function nameOf(entry: SettlementEntry, visit: Visit): Html {
  const { base, language } = visit
  const texts = SETTLEMENT_TEXTS[language]
  const { kind, paymentUid, qrCodeUid, bankIds, settlementUid, line } = entry
  const { paymentId, operationId, refundId, qrcId, order } = bankIds
  const number = (kind === 'refund' ? refundId : undefined) ?? paymentId ?? operationId ?? qrcId ?? order
  const what = paymentUid
    ? html`<a href="${paymentAddress(base, paymentUid)}#settlement"><bdi>${qrCodeUid ?? paymentUid}</bdi></a>`
    : number
      ? html`<bdi class="whole">${number}</bdi>`
      : html`<bdi>${texts.kinds[kind]}</bdi>`
  const place =
    settlementUid !== undefined &&
    line !== undefined &&
    html`, <bdi title="${settlementUid}">${shortName(settlementUid)}</bdi>, ${texts.line(line)}`
  const byOrder = !paymentUid && order !== undefined && order !== number && html`, ${texts.order(order)}`
  return html`${what} <small>${texts.kinds[kind]}${byOrder}${place}</small>`
}

/** A statement has days without a time: in Moscow it is their beginning. */
function timeOf(at: number, visit: Visit): Html {
  const dateTime = formatDateTime(at, visit.config.utcOffset)
  const time = dateTime.slice(11, 16)
  const day = shortDay(dateTime.slice(0, 10), visit.language, false)
  return html`<time datetime="${dateTime}">${day}${time !== '00:00' && html` <small>${time}</small>`}</time>`
}

function stateOf(entry: SettlementEntry, payouts: readonly Payout[], visit: Visit): Html | '' {
  const { language, config } = visit
  const texts = SETTLEMENT_TEXTS[language]
  if (entry.state === undefined) return ''
  const from = daysLater(dayText(entry.operatedAt, visit), config.settlementDays)
  const lines = [
    ...differenceLines(entry.differences, language, entry.currency),
    ...payoutLines(entry, payouts, language),
    ...(entry.state === 'EXPECTED' ? [texts.askFrom(shortDay(from, language, false))] : []),
  ]
  return html`${badge(`SETTLEMENT_${entry.state}`, visit)}${lines.map((line) => html` <small>${line}</small>`)}`
}

/** What a payout differs from: several banks can have paid out on its day. */
const payoutLines = (
  { kind, state, paidOn }: SettlementEntry,
  payouts: readonly Payout[],
  language: Visit['language'],
): string[] =>
  kind !== 'payout' || state !== 'MISMATCHED'
    ? []
    : payouts
        .filter((day) => day.paidOn === paidOn && day.state === 'MISMATCHED')
        .map(({ stated, sum }) =>
          SETTLEMENT_TEXTS[language].payoutDiffers(statedSum(stated, language), statedSum(sum, language)),
        )

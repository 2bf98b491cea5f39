// What a bank paid out on a day, beside the sum of what it says that it pays out.
import * as z from 'zod/mini'
import type { Payout } from '../../contract/settlement.ts'
import { BANKS, type SettlementBank } from '../../settlement/sources.ts'
import { int, oneOf, rowsWith, text } from '../rows/columns.ts'
import type { Sql } from '../rows/sql.ts'
import { BY_KIND, CURRENT } from './entries.ts'
import { type FileRow, filesOf } from './files.ts'

const readSums = rowsWith({ bank: oneOf(BANKS), paid_on: text, sum: int, unstated: int, shared: int })
const readStated = rowsWith({ bank: oneOf(BANKS), paid_on: text, sum: int })

const BANK_OF = '(SELECT bank FROM settlements WHERE number = lines.file)'
const FORMAT_OF = '(SELECT format FROM settlements WHERE number = lines.file)'
const ON_DAYS = 'lines.paid_on >= ?2 AND lines.paid_on <= ?3'

/** The sums of what registries have as paid out, by bank and day; `unstated` are the entries without a net sum, `shared` those of parts. */
const SUMS = `SELECT ${BANK_OF} AS bank, lines.paid_on, ifnull(sum(lines.net), 0) AS sum, sum(lines.net IS NULL) AS unstated,
    sum((SELECT is_part FROM settlements WHERE number = lines.file)) AS shared
  FROM ${BY_KIND} WHERE ${CURRENT} AND ${ON_DAYS} AND lines.kind <> 'payout' AND ${FORMAT_OF} = 'registry' GROUP BY 1, 2`

const STATED = `SELECT ${BANK_OF} AS bank, lines.paid_on, sum(lines.gross) AS sum
  FROM ${BY_KIND} WHERE ${CURRENT} AND ${ON_DAYS} AND lines.kind = 'payout' GROUP BY 1, 2`

/** A day on which a bank paid out. */
export type PayoutOfBank = Payout & { bank: SettlementBank }

/**
 * The days between two, both included, on which banks paid out. A day has no state where a sum is not complete: an entry without a net
 * sum, a day of a file that is a part of one of several sites, or two files that have different sums of skipped lines for the same
 * operations.
 */
export function payoutsOf(sql: Sql, generation: number, from: string, to: string): PayoutOfBank[] {
  const files = [...filesOf(sql, generation).values()]
  const days = new Map<string, PayoutOfBank & { isComplete: boolean; isShared: boolean }>()
  const parts = files.filter(({ is_part }) => is_part === 1)
  const isShared = (bank: SettlementBank, day: string) =>
    parts.some((part) => part.bank === bank && (isDayOf(part, day) || day in netOf(part)))
  const dayOf = (bank: SettlementBank, paidOn: string) => {
    const name = `${paidOn} ${bank}`
    const known = days.get(name) ?? { bank, paidOn, isComplete: true, isShared: isShared(bank, paidOn) }
    days.set(name, known)
    return known
  }
  for (const { bank, paid_on, sum } of readStated(sql, STATED, generation, from, to))
    dayOf(bank, paid_on).stated = sum
  for (const { bank, paid_on, sum, unstated, shared } of readSums(sql, SUMS, generation, from, to)) {
    const day = dayOf(bank, paid_on)
    if (shared > 0) day.isShared = true
    if (unstated === 0) day.sum = sum
    else day.isComplete = false
  }
  for (const { bank, paidOn, sum, isComplete } of skippedOf(files, from, to)) {
    const day = dayOf(bank, paidOn)
    if (!isComplete) day.isComplete = false
    else if (day.isComplete) day.sum = (day.sum ?? 0) + sum
  }
  return [...days.entries()]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([, { isComplete, isShared, sum, stated, ...day }]) => {
      const isKnown = isComplete && sum !== undefined
      const isCompared = isKnown && stated !== undefined && !isShared
      return {
        ...{ ...day, stated },
        sum: isKnown ? sum : undefined,
        state: isCompared ? (sum === stated ? 'MATCHED' : 'MISMATCHED') : undefined,
      }
    })
}

const SkippedNet = z.record(z.string(), z.int())
const netOf = (file: FileRow) => SkippedNet.parse(JSON.parse(file.skipped_net))

/** The sums of skipped lines by bank and day of payout: files that are about the same days have the same lines. */
function skippedOf(files: readonly FileRow[], from: string, to: string) {
  const sums = new Map<
    string,
    { bank: SettlementBank; paidOn: string; sum: number; isComplete: boolean; of: FileRow[] }
  >()
  const ordered = files.toSorted((a, b) => (a.settlement_uid < b.settlement_uid ? -1 : 1))
  for (const file of ordered)
    for (const [paidOn, net] of Object.entries(netOf(file))) {
      if (paidOn < from || paidOn > to) continue
      const name = `${paidOn} ${file.bank}`
      const day = sums.get(name) ?? { bank: file.bank, paidOn, sum: 0, isComplete: true, of: [] }
      sums.set(name, day)
      const same = day.of.filter((other) => overlap(file, other))
      if (same.some((other) => netOf(other)[paidOn] !== net)) day.isComplete = false
      if (same.length === 0) day.sum += net
      day.of.push(file)
    }
  return sums.values()
}

const overlap = (a: FileRow, b: FileRow): boolean =>
  (a.from_day ?? '') <= (b.to_day ?? '') && (b.from_day ?? '') <= (a.to_day ?? '')

const isDayOf = ({ from_day, to_day }: FileRow, day: string): boolean =>
  from_day !== null && to_day !== null && from_day <= day && day <= to_day

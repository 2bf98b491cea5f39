// Matches what a bank states to payments and refunds of ours. It depends on both sets, and on no order.
import { type Cells, cellsOfLines } from './cells.ts'
import {
  CANCEL_REFUND,
  cancelledDifference,
  type Difference,
  daysBetween,
  differencesOf,
} from './differences.ts'
import { dayNumber } from './formats/dates.ts'
import type { BankIds, Entry } from './formats/entry.ts'
import { pairNearest } from './nearest.ts'
import type { Operation } from './operation.ts'

export type State = 'MATCHED' | 'MISMATCHED' | 'UNKNOWN'

export interface Match {
  entry: Entry
  /** What the entry is about; of a fee or a correction it can be a payment or a refund. */
  operation?: Operation
  /** Absent where there is nothing to compare: of payouts, and of fees and corrections without an operation. */
  state?: State
  differences: Difference[]
}

type Id = keyof BankIds

/**
 * By what an entry is found, the first first. One entry and one operation that are alone with a value are a pair, whatever else
 * differs. Of several, those of one amount are paired within a day, by their times. Two that state different values of one id
 * are never a pair by a later one.
 */
const LEVELS: Record<Operation['kind'], readonly Id[]> = {
  payment: ['paymentId', 'operationId', 'order', 'qrcId'],
  refund: ['refundId', 'operationId', 'paymentId', 'order', 'qrcId'],
}

/** More equal entries of a value are a crowd: they are paired cell by cell, so that a later payment changes little. */
export const CROWD = 100

/** What entries that are not given have in common with those that are. */
export interface Others {
  /** Whether they have a value too, so that none is alone with it. */
  share(kind: Operation['kind'], id: Id, value: string): boolean
  /** The cells of a crowd, if the entries of an amount and a value are one. */
  cells(kind: Operation['kind'], id: Id, value: string, amount: number): Cells | undefined
}
const NO_OTHERS: Others = { share: () => false, cells: () => undefined }

/**
 * Matches entries of one bank and one format to the operations that are or can be of that bank. Each operation is of one payment
 * or refund entry at most.
 */
export function match(
  entries: readonly Entry[],
  operations: readonly Operation[],
  others = NO_OTHERS,
): Match[] {
  const pairs = new Map<Entry, Operation>()
  for (const kind of ['payment', 'refund'] as const) {
    const ofKind = <Each extends { kind: string }>(all: readonly Each[]) =>
      all.filter((each) => each.kind === kind)
    pairUp(ofKind(entries), ofKind(operations), { kind, others }, pairs)
  }
  const cancelled = cancelledRefunds(entries, pairs)
  const undone = new Set(cancelled.values())
  const payments = groupsBy(
    operations.filter(({ kind }) => kind === 'payment'),
    ({ ids }) => ids.paymentId,
  )
  return entries.map((entry) => {
    const operation = pairs.get(entry) ?? cancelled.get(entry)
    if (entry.kind !== 'payment' && entry.kind !== 'refund')
      return aboutOperation(entry, operation ?? subject(entry, payments))
    if (!operation) return { entry, state: 'UNKNOWN', differences: [] }
    const differences = differencesOf(entry, operation, undone.has(operation))
    return { entry, operation, state: differences.length === 0 ? 'MATCHED' : 'MISMATCHED', differences }
  })
}

/** Fees and corrections: a cancelled refund differs from ours; another one is only about an operation. */
function aboutOperation(entry: Entry, operation: Operation | undefined): Match {
  if (!operation) return { entry, differences: [] }
  const isCancelled = entry.type === CANCEL_REFUND
  return {
    ...{ entry, operation, state: isCancelled ? 'MISMATCHED' : 'MATCHED' },
    differences: isCancelled ? [cancelledDifference(operation)] : [],
  }
}

function pairUp(
  entries: readonly Entry[],
  operations: readonly Operation[],
  { kind, others }: { kind: Operation['kind']; others: Others },
  pairs: Map<Entry, Operation>,
): void {
  const levels = LEVELS[kind]
  const taken = new Set<Operation>()
  const pair = (entry: Entry, operation: Operation) => {
    pairs.set(entry, operation)
    taken.add(operation)
  }
  for (const [index, level] of levels.entries()) {
    const theirs = groupsBy(entries, (entry) => entry.bankIds[level])
    const earlier = levels.slice(0, index)
    // What is completed comes first: a declined attempt can have the same code and amount.
    for (const isCompleted of [true, false]) {
      const ours = groupsBy(
        operations.filter(({ status }) => (status === 'COMPLETED') === isCompleted),
        ({ ids }) => ids[level],
      )
      for (const [value, lines] of theirs) {
        const ofValue = ours.get(value) ?? []
        const [line, operation] = [lines[0], ofValue[0]]
        const areAlone = lines.length === 1 && ofValue.length === 1 && !others.share(kind, level, value)
        if (areAlone && line && operation) {
          const isFree = !pairs.has(line) && !taken.has(operation)
          if (isFree && !conflicts(line, operation, earlier)) pair(line, operation)
        } else {
          const cellsOf = (amount: number) => others.cells(kind, level, value, amount)
          pairByAmount(lines, ofValue, earlier, { pairs, taken, pair, cellsOf })
        }
      }
    }
  }
}

interface Pairing {
  pairs: ReadonlyMap<Entry, Operation>
  taken: ReadonlySet<Operation>
  pair: (entry: Entry, operation: Operation) => void
  cellsOf: (amount: number) => Cells | undefined
}

function pairByAmount(
  lines: readonly Entry[],
  operations: readonly Operation[],
  earlier: readonly Id[],
  { pairs, taken, pair, cellsOf }: Pairing,
): void {
  const ours = groupsBy(
    operations.filter((operation) => !taken.has(operation)),
    ({ amount }) => amount,
  )
  for (const [amount, equal] of groupsBy(lines, ({ gross }) => gross)) {
    const free = equal.filter((entry) => !pairs.has(entry))
    const ofAmount = ours.get(amount) ?? []
    if (free.length === 0 || ofAmount.length === 0) continue
    const cells = cellsOf(amount) ?? (equal.length > CROWD ? cellsOfLines(equal) : undefined)
    const cellOf = ({ at }: { at: number }) => cells?.at(at).from ?? 0
    // Thousands of equal payments are compared with each other: most state nothing that can conflict.
    const stated = earlier.filter((level) => ofAmount.some(({ ids }) => ids[level] !== undefined))
    const canPair = (entry: Entry, operation: Operation) =>
      (!entry.hasTime || daysBetween(entry, operation) <= 1) && !conflicts(entry, operation, stated)
    const inCells = groupsBy(ofAmount, cellOf)
    for (const [cell, theirs] of groupsBy(free, ({ operatedAt }) => cellOf({ at: operatedAt }))) {
      const inCell = inCells.get(cell) ?? []
      // Where the bank states days alone, first those of each day.
      if (cells && theirs.some(({ hasTime }) => !hasTime)) {
        const days = groupsBy(inCell, ({ at }) => dayNumber(at))
        for (const [day, ofDay] of groupsBy(theirs, ({ operatedAt }) => dayNumber(operatedAt)))
          pairNearest(ofDay, days.get(day) ?? [], canPair, pair)
      }
      pairNearest(
        theirs.filter((entry) => !pairs.has(entry)),
        inCell.filter((operation) => !taken.has(operation)),
        canPair,
        pair,
      )
    }
  }
}

/** Two that state different values of one id. */
const conflicts = (entry: Entry, { ids }: Operation, levels: readonly Id[]): boolean =>
  levels.some((level) => {
    const [theirs, ours] = [entry.bankIds[level], ids[level]]
    return theirs !== undefined && ours !== undefined && theirs !== ours
  })

/** The refund that each CancelRefund undoes: of its payment, of its amount, the last one before it. */
function cancelledRefunds(
  entries: readonly Entry[],
  pairs: ReadonlyMap<Entry, Operation>,
): Map<Entry, Operation> {
  const cancelled = new Map<Entry, Operation>()
  const about = entries.filter(({ kind, type }) => kind === 'refund' || type === CANCEL_REFUND)
  const groups = groupsBy(about, ({ kind, gross = 0, bankIds: { paymentId } }) =>
    paymentId === undefined ? undefined : `${paymentId}\n${kind === 'refund' ? gross : 0 - gross}`,
  )
  for (const group of groups.values()) {
    const refunds: Entry[] = []
    for (const entry of group.toSorted(refundsFirst)) {
      const refund = refunds.at(-1)
      const operation = refund && pairs.get(refund)
      if (entry.kind === 'refund') refunds.push(entry)
      else if (operation) {
        refunds.pop()
        cancelled.set(entry, operation)
      }
    }
  }
  return cancelled
}

/** By time; of one time, refunds before what undoes them. */
const refundsFirst = (a: Entry, b: Entry): number =>
  a.operatedAt - b.operatedAt ||
  Number(b.kind === 'refund') - Number(a.kind === 'refund') ||
  (a.identity < b.identity ? -1 : 1)

/** The one payment that a fee or a correction names by its number. */
function subject(entry: Entry, payments: ReadonlyMap<string, readonly Operation[]>): Operation | undefined {
  const found = payments.get(entry.bankIds.paymentId ?? '') ?? []
  return found.length === 1 ? found[0] : undefined
}

/** Those that have a value, by it; in the order of the values, so that no order of what is given counts. */
function groupsBy<Each, Value extends string | number>(
  all: readonly Each[],
  idOf: (each: Each) => Value | undefined,
): Map<Value, Each[]> {
  const groups = new Map<Value, Each[]>()
  for (const each of all) {
    const value = idOf(each)
    if (value === undefined) continue
    const group = groups.get(value)
    if (group) group.push(each)
    else groups.set(value, [each])
  }
  return new Map([...groups].sort(([a], [b]) => (a < b ? -1 : 1)))
}

// Pairs equal lines of a bank with equal operations of ours by their times.

import type { Entry } from './formats/entry.ts'
import type { Operation } from './operation.ts'

/** Pairs entries with operations by nearestPairs. @param pair takes each pair */
export function pairNearest(
  entries: readonly Entry[],
  operations: readonly Operation[],
  canPair: (entry: Entry, operation: Operation) => boolean,
  pair: (entry: Entry, operation: Operation) => void,
): void {
  const timed = nearestPairs(
    entries.map((entry) => ({ entry, at: entry.operatedAt, key: entry.identity })),
    operations.map((operation) => ({ operation, at: operation.at, key: operation.uid })),
    ({ entry }, { operation }) => canPair(entry, operation),
  )
  for (const [{ entry }, { operation }] of timed) pair(entry, operation)
}

/** Something with a time. */
export interface Timed {
  /** Unix seconds. */
  at: number
  /** Decides between equal times. */
  key: string
}

/** A pair is worth more than any time between its two. */
const PAIR = 2 ** 40
/** So many lines are looked at together, with operations up to so many comparisons, which are found among so many. */
const BLOCK = 1000
const COMPARISONS = 2_000_000
const SEARCHED = 20_000
/**
 * A block that others follow has the operations of so many lines behind it, too, and as many of its own last lines are looked at again
 * with the next: what is reported later than its line is not cut off.
 */
const OVERLAP = 200

/**
 * As many pairs as can be, and of all such pairings one with the least time between the two of each pair. It depends on what is given,
 * not on its order. Of more than 1000 lines those that are near in time are looked at together, and of many operations not all are:
 * see comparable.
 * @param canPair whether two can be a pair
 */
export function nearestPairs<Theirs extends Timed, Ours extends Timed>(
  theirs: readonly Theirs[],
  ours: readonly Ours[],
  canPair: (theirs: Theirs, ours: Ours) => boolean,
): [Theirs, Ours][] {
  const [lines, operations] = [theirs.toSorted(byTime), ours.toSorted(byTime)]
  const pairs: [Theirs, Ours][] = []
  for (let from = 0, at = 0; from < lines.length; ) {
    const block = lines.slice(from, from + BLOCK)
    const end = endOf(lines.slice(from, from + BLOCK + OVERLAP + 1), operations, at)
    const found = best(block, comparable(block, operations.slice(at, end), canPair), canPair)
    if (from + BLOCK >= lines.length) return [...pairs, ...found]
    const again = new Set(block.slice(-OVERLAP))
    const kept = found.filter(([line]) => !again.has(line))
    pairs.push(...kept)
    // What is left of the operations before can be of a line that is looked at again.
    const last = kept.at(-1)?.[1]
    const since = block.at(-2 * OVERLAP)?.at ?? 0
    at = Math.max(at, last ? operations.indexOf(last, at) + 1 : 0, firstIndex(operations, since))
    from += BLOCK - OVERLAP
  }
  return pairs
}

/** The operations that a block is compared with. Of too many, those that none of its lines can pair with take no place. */
function comparable<Theirs, Ours>(
  block: readonly Theirs[],
  operations: readonly Ours[],
  canPair: (theirs: Theirs, ours: Ours) => boolean,
): readonly Ours[] {
  const most = Math.floor(COMPARISONS / block.length)
  if (operations.length <= most) return operations
  const canBeOf = (operation: Ours) => block.some((line) => canPair(line, operation))
  return operations.slice(0, SEARCHED).filter(canBeOf).slice(0, most)
}

/**
 * Up to where the operations of lines are. Of lines of one time that the next line has too, each takes its share of the operations
 * behind it. @param lines the last one is the next, if they are more than a block and its overlap
 */
function endOf(lines: readonly Timed[], operations: readonly Timed[], at: number): number {
  const own = lines.slice(0, BLOCK + OVERLAP)
  const [next, last] = [lines[BLOCK + OVERLAP], own.at(-1)]
  if (!next || !last) return operations.length
  const share = next.at === last.at ? own.filter((line) => line.at === last.at).length : 0
  return Math.max(firstIndex(operations, last.at + 1), at) + share
}

/** Of the first that is not before a time, in seconds. */
function firstIndex(operations: readonly Timed[], time: number): number {
  const index = operations.findIndex(({ at }) => at >= time)
  return index === -1 ? operations.length : index
}

const byTime = (a: Timed, b: Timed): number => a.at - b.at || (a.key < b.key ? -1 : 1)

/** In the order of time no two pairs need to cross, so that the best of all is made of the best of fewer. */
function best<Theirs extends Timed, Ours extends Timed>(
  lines: readonly Theirs[],
  operations: readonly Ours[],
  canPair: (theirs: Theirs, ours: Ours) => boolean,
): [Theirs, Ours][] {
  const width = operations.length + 1
  // The worth of the lines from i and the operations from j.
  const worth = new Float64Array((lines.length + 1) * width)
  const worthAt = (i: number, j: number) => worth[i * width + j] ?? 0
  const paired = (line: Theirs, operation: Ours, i: number, j: number) =>
    canPair(line, operation) ? PAIR - Math.abs(line.at - operation.at) + worthAt(i + 1, j + 1) : -1
  for (let i = lines.length - 1; i >= 0; i--)
    for (let j = operations.length - 1; j >= 0; j--) {
      const [line, operation] = [lines[i], operations[j]]
      const pair = line && operation ? paired(line, operation, i, j) : -1
      worth[i * width + j] = Math.max(pair, worthAt(i + 1, j), worthAt(i, j + 1))
    }
  const pairs: [Theirs, Ours][] = []
  for (let i = 0, j = 0; ; ) {
    const [line, operation] = [lines[i], operations[j]]
    if (!line || !operation) return pairs
    if (worthAt(i, j) === paired(line, operation, i, j)) {
      pairs.push([line, operation])
      i++
      j++
    } else if (worthAt(i, j) === worthAt(i + 1, j)) i++
    else j++
  }
}

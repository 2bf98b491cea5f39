// Cuts the time of very many equal lines into cells: what is in one cell changes nothing in another.
import { dayNumber, startOf } from './formats/dates.ts'
import type { Entry } from './formats/entry.ts'

/** The lines of one value, kind and amount that a bank states for a day in Moscow. */
export interface DayLines {
  /** Unix seconds, of those with a time. */
  times: readonly number[]
  hasUntimed: boolean
}

/** From a time up to, not including, another, in Unix seconds. */
export interface Cell {
  from: number
  until: number
}

const DAY = 86_400
/** Unix seconds of the beginning of a day in Moscow. @param day of dayNumber */
export const beginOf = (day: number): number => startOf(new Date(day * DAY * 1000).toISOString().slice(0, 10))

/** Day 4 of Unix time was a Monday. */
const isMonday = (day: number): boolean => day % 7 === 4

/**
 * A day is cut where it is quietest: an operation and its line, whose times differ by little, are on one side then. Lines without a
 * time can be of a neighbouring day: their days are cut at the beginning of a week alone.
 */
export class Cells {
  readonly #linesOn: (day: number) => DayLines
  readonly #cuts = new Map<number, number | undefined>()

  /** @param linesOn all lines of a day; it is called for the days that are asked for, and for their neighbours */
  constructor(linesOn: (day: number) => DayLines) {
    this.#linesOn = linesOn
  }

  /** The cell that a time is in. */
  at(time: number): Cell {
    let day = dayNumber(time)
    let from = this.#cutOf(day)
    while (from === undefined || from > time) from = this.#cutOf(--day)
    let until = this.#cutOf(++day)
    while (until === undefined) until = this.#cutOf(++day)
    return { from, until }
  }

  #cutOf(day: number): number | undefined {
    if (!this.#cuts.has(day)) this.#cuts.set(day, this.#cut(day))
    return this.#cuts.get(day)
  }

  #cut(day: number): number | undefined {
    const { times, hasUntimed } = this.#linesOn(day)
    if (hasUntimed || this.#linesOn(day - 1).hasUntimed) return isMonday(day) ? beginOf(day) : undefined
    const points = [beginOf(day), ...times.toSorted((a, b) => a - b), beginOf(day + 1)]
    let [longest, cut] = [-1, beginOf(day)]
    for (const [i, point] of points.entries()) {
      const gap = (points[i + 1] ?? point) - point
      if (gap > longest) [longest, cut] = [gap, point + Math.ceil(gap / 2)]
    }
    return cut
  }
}

/** The cells of a crowd of which all lines are given. */
export function cellsOfLines(lines: readonly Pick<Entry, 'operatedAt' | 'hasTime'>[]): Cells {
  const days = Map.groupBy(lines, ({ operatedAt }) => dayNumber(operatedAt))
  return new Cells((day) => {
    const all = days.get(day) ?? []
    const timed = all.filter(({ hasTime }) => hasTime)
    return { times: timed.map(({ operatedAt }) => operatedAt), hasUntimed: timed.length < all.length }
  })
}

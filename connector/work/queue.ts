// A queue: the rows of a table that have work left, by lane and by the time at which each is due.
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import * as z from 'zod'

/**
 * The place of a row in its queue, in columns that every table with a queue has. `due_at`: Unix milliseconds. `rests`: it is not due
 * until it is woken. `wakes`: how often it was. `attempts`: steps since it was new. `stepped_at`: when a step last set the time.
 */
export const Place = z.object({
  place: z.int(),
  wakes: z.int(),
  attempts: z.int(),
  rests: z.int().transform(Boolean),
})
export type Place = z.output<typeof Place>
/** For a SELECT. */
export const PLACE = 'rowid AS place, wakes, attempts, rests'

/** When a row is due next; REST: when it is woken. */
export interface Next {
  now: number
  dueAt: number | 'REST'
}

/**
 * For the UPDATE of a step, with the parameters of `moved`. A row that was woken since the step has read it keeps the time of
 * its wake: what the step has learned can be from before. Everything else of the step is written.
 */
export const MOVED = `due_at = iif(wakes = :wakes, coalesce(:dueAt, due_at), due_at),
  rests = iif(wakes = :wakes, coalesce(:rests, rests), rests),
  attempts = attempts + (:now IS NOT NULL), stepped_at = coalesce(:now, stepped_at)`

/** @param next undefined: the step says nothing of the time */
export const moved = ({ wakes }: Pick<Place, 'wakes'>, next: Next | undefined) => ({
  wakes,
  dueAt: next === undefined || next.dueAt === 'REST' ? null : next.dueAt,
  rests: next === undefined ? null : Number(next.dueAt === 'REST'),
  now: next?.now ?? null,
})

/** For an UPDATE from outside a step: rows are woken, are due at a time (null: they rest), or rest. A step under way changes none of it. */
export const WOKEN = 'due_at = :now, rests = 0, wakes = wakes + 1'
export const SCHEDULED = 'due_at = :dueAt, rests = :dueAt IS NULL, wakes = wakes + 1'
export const RESTED = 'rests = 1, wakes = wakes + 1'

/** The column by which rows delay each other. */
type Lane = 'bank' | 'site' | 'register'

interface QueueOf<Row> {
  table: string
  /** Without its condition. */
  select: string
  /** The rows of one lane delay those of no other. */
  lane: Lane
  /** The condition of the partial index on lane, rests and due_at: which rows have work left. */
  open: string
  /** Which of them need not wait for another row. */
  isReady?: string
  /** Rows that are equal in these fields run one after another: only the first of them is due. */
  key: readonly (keyof Row & string)[]
  /** Whether what was never tried goes before what was: otherwise the row that is due longest goes first. */
  isNewFirst?: boolean
  /** The longest ordinary delay, in milliseconds; by default an hour. */
  longest?: number
  schema: z.ZodType<Row>
}

const LaneRow = z.object({ lane: z.string() })

export class Queue<Row extends Place> {
  readonly table: string
  readonly lane: Lane
  readonly open: string
  readonly key: readonly (keyof Row & string)[]
  readonly isNewFirst: boolean
  readonly #schema: z.ZodType<Row>
  readonly #lanes: StatementSync
  /** In their order, each in the order of the index. */
  readonly #due: readonly StatementSync[]
  readonly #delay: StatementSync
  readonly #correct: StatementSync

  constructor(
    database: DatabaseSync,
    {
      table,
      select,
      lane,
      open,
      isReady = 'TRUE',
      key,
      isNewFirst = false,
      longest = 3_600_000,
      schema,
    }: QueueOf<Row>,
  ) {
    this.table = table
    this.lane = lane
    this.open = open
    this.key = key
    this.isNewFirst = isNewFirst
    this.#schema = schema
    const due = `FROM ${table} WHERE ${open} AND ${lane} = lanes.lane AND rests = 0 AND due_at <= ?1`
    // The lanes are found with one search of the index each. Only where new rows go first, all that is due of a lane is read.
    const newFirst = isNewFirst ? `(SELECT min(attempts > 0) ${due}), ` : ''
    this.#lanes = database.prepare(
      `WITH RECURSIVE lanes (lane) AS (
         SELECT min(${lane}) FROM ${table} WHERE ${open}
         UNION ALL SELECT (SELECT min(${lane}) FROM ${table} WHERE ${open} AND ${lane} > lanes.lane) FROM lanes WHERE lane IS NOT NULL)
       SELECT lane FROM lanes WHERE lane IS NOT NULL AND EXISTS (SELECT 1 ${due})
       ORDER BY ${newFirst}(SELECT min(due_at) ${due})`,
    )
    this.#due = (isNewFirst ? ['AND attempts = 0', 'AND attempts > 0'] : ['']).map((tried) =>
      database.prepare(
        `${select} WHERE ${open} AND ${isReady} AND ${lane} = ? AND rests = 0 AND due_at <= ? ${tried} ORDER BY due_at, rowid`,
      ),
    )
    this.#delay = database.prepare(`UPDATE ${table} SET ${MOVED} WHERE rowid = :place AND ${open}`)
    this.#correct = database.prepare(
      `UPDATE ${table} SET ${WOKEN}
       WHERE ${open} AND rests = 0 AND due_at > :now AND (due_at > :now + ${longest} OR stepped_at > :now)`,
    )
  }

  /** The lanes that have something due, the most urgent first; those of a bank or site that is not configured too. */
  lanes(now: number): string[] {
    return this.#lanes.all(now).map((row) => LaneRow.parse(row).lane)
  }

  /** Rows with one key run one after another. */
  keyOf(row: { readonly [Field in keyof Row]?: unknown }): string {
    return JSON.stringify(this.key.map((field) => row[field]))
  }

  /** The first row of each key, in the order of the queue: it reads no row behind the last of them. */
  due(lane: string, now: number, limit: number): Row[] {
    const rows = new Map<string, Row>()
    for (const statement of this.#due) {
      for (const row of statement.iterate(lane, now)) {
        const key = this.keyOf(row)
        if (!rows.has(key)) rows.set(key, this.#schema.parse(row))
        if (rows.size === limit) return Array.from(rows.values())
      }
    }
    return Array.from(rows.values())
  }

  /** A step has not ended the row. Only where rows that are due are never deleted: SQLite gives their numbers again. */
  delay(row: Place, next: Next): void {
    this.#delay.run({ place: row.place, ...moved(row, next) })
  }

  /** Makes rows due now that a fast clock had put off. @returns how many */
  correct(now: number): number {
    return Number(this.#correct.run({ now }).changes)
  }
}

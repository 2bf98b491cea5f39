// What is matched together, and what is looked for in it.
import type { Cells } from '../../settlement/cells.ts'
import type { Sql } from '../rows/sql.ts'
import type { FileRow } from './files.ts'
import type { Value } from './keys.ts'
import type { LineRow } from './lines.ts'
import type { OperationRow } from './operations.ts'

/** A value, as an entry or an operation of an amount and a time has it. */
export interface Unit extends Value {
  key: number
  amount: number
  /** Unix seconds. */
  at: number
  /** Of an entry of which the bank states the day alone. */
  isUntimed: boolean
  /** Of an entry that the file has that is imported or deleted. */
  isOfChanging: boolean
}

export interface Part {
  /** The lines of each entry, also those of files that are not in the generation. */
  lines: Map<number, LineRow[]>
  operations: Map<string, OperationRow>
  /** Keys of values that more entries have than the part has: none of these entries is alone with it. */
  shared: Set<number>
  /** The cells of the entries of a key and an amount; undefined where they are no crowd. */
  cellsOf(of: Pick<Unit, 'key' | 'amount'>): Cells | undefined
}

/** What all parts of a step have in common. */
export interface Scope {
  sql: Sql
  siteId: string
  /** Those that the generation has, which is to be matched. */
  files: ReadonlyMap<number, FileRow>
  /** The file that is imported or deleted: the generation before has it not, or this one. */
  changing?: FileRow | undefined
}

/** The files that the generation has beside the one that changes, of its source: their entries are affected without being its. */
export function othersOf({ files, changing }: Scope): number[] {
  if (!changing) return []
  return [...files.values()].flatMap(({ number, bank, format }) =>
    number !== changing.number && bank === changing.bank && format === changing.format ? [number] : [],
  )
}

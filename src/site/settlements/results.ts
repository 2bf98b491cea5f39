// How the entries of a part match, as rows.

import { type Match, match } from '../../settlement/matching.ts'
import { hasOtherProducts } from '../../settlement/sources.ts'
import { type FileRow, shownOf } from './files.ts'
import { keyOf, type Value } from './keys.ts'
import { entryOf, type LineRow } from './lines.ts'
import { canBeOf, type OperationRow, operationOf } from './operations.ts'
import type { Part, Scope } from './scope.ts'

/** How an entry matches. */
export interface Result {
  entry: number
  /** Whose line is shown; null of an entry that the generation has not, or that is of another product. */
  file: number | null
  at: number
  state: string | null
  payment: number | null
  refund: number | null
  is_own: number
  differences: string | null
}

/** The result of each entry of a part, and the files of the generation that have it. */
export function resultsOf(scope: Scope, part: Part): { result: Result; files: number[] }[] {
  const sources = new Map<string, { file: FileRow; lines: LineRow[] }>()
  const gone: LineRow[] = []
  for (const rows of part.lines.values()) {
    const line = shownOf(rows, scope.files)
    const file = line && scope.files.get(line.file)
    if (!line || !file) {
      gone.push(...rows.slice(0, 1))
      continue
    }
    const source = `${file.bank} ${file.format}`
    const known = sources.get(source)
    if (known) known.lines.push(line)
    else sources.set(source, { file, lines: [line] })
  }
  const results = [...sources.values()].flatMap(({ file, lines }) => ofSource(scope, part, file, lines))
  return [
    ...results.map((result) => ({
      result,
      files: (part.lines.get(result.entry) ?? []).flatMap((row) =>
        scope.files.has(row.file) ? [row.file] : [],
      ),
    })),
    ...gone.map((row) => ({ result: { ...NOTHING, entry: row.entry, at: row.operated_at }, files: [] })),
  ]
}

const NOTHING = { file: null, state: null, payment: null, refund: null, is_own: 0, differences: null }

/** Of the lines of one bank and one format. */
function ofSource(scope: Scope, part: Part, { bank, format }: FileRow, lines: readonly LineRow[]): Result[] {
  const rowOf = new Map<Match['entry'], LineRow>()
  for (const line of lines) rowOf.set(entryOf(line), line)
  const operations = new Map<Match['operation'], OperationRow>()
  for (const row of part.operations.values())
    if (canBeOf(row, bank)) operations.set(operationOf(row, bank, scope.siteId), row)
  const keyOfValue = (value: Pick<Value, 'of' | 'name' | 'value'>) => keyOf({ bank, format, ...value })
  const matches = match(
    [...rowOf.keys()],
    [...operations.keys()].flatMap((each) => each ?? []),
    {
      share: (of, name, value) => part.shared.has(keyOfValue({ of, name, value })),
      cells: (of, name, value, amount) => part.cellsOf({ key: keyOfValue({ of, name, value }), amount }),
    },
  )
  return matches.flatMap(({ entry, operation, state, differences }): Result[] => {
    const line = rowOf.get(entry)
    if (!line) return []
    const row = operations.get(operation)
    const place = { entry: line.entry, at: line.operated_at }
    if (state === 'UNKNOWN' && hasOtherProducts(bank, format)) return [{ ...NOTHING, ...place }]
    return [
      {
        ...{ ...place, file: line.file, state: state ?? null, payment: row?.payment ?? null },
        refund: row && row.refund_uid !== null ? row.number : null,
        is_own: row && (entry.kind === 'payment' || entry.kind === 'refund') ? 1 : 0,
        differences: differences.length === 0 ? null : JSON.stringify(differences),
      },
    ]
  })
}

// The file of a site's object, measured and filled while no process serves it.
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { siteFile as fileOf, objectsOf } from '../bin/data/data-directory.ts'
import { alike, type Value } from './likeness.ts'

/** As many rows as it takes to see every character that a column has at each position. */
const SAMPLE = 500

/** The file of the site `demo` on a disk of workerd, which the registry, the audit and other sites may have files on. */
export const siteFile = (disk: string): string => join(objectsOf(disk), fileOf('demo'))

/** How many bytes it has, with whatever was still in its log, and how many rows its largest table. */
export function measure(file: string): { bytes: number; rows: number } {
  const database = new DatabaseSync(file)
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  const rows = Math.max(...countsOf(database).values())
  database.close()
  return { bytes: statSync(file).size, rows }
}

/**
 * Fills the tables that have a row for every QR code up to `total` rows, with rows like those that they have. What the
 * tables are is read from the file.
 * @param known a text in one of the rows
 * @returns the text that the last new row has in that column
 */
export function fill(file: string, total: number, known: string): string {
  const database = new DatabaseSync(file)
  // If the machine failed now, the bench would be run again.
  database.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -500000; BEGIN')
  const counts = countsOf(database)
  const present = Math.max(...counts.values())
  let added = ''
  for (const [table, count] of counts) {
    if (count !== present) continue
    const columns = columnsOf(database, table)
    const makers = columns.map(({ values, isRowNumber }) =>
      isRowNumber ? (row: number) => row : alike(values),
    )
    const insert = database.prepare(
      `INSERT INTO ${table} (${columns.map(({ name }) => name)}) VALUES (${columns.map(() => '?')})`,
    )
    const index = columns.findIndex(({ values }) => values.includes(known))
    for (let row = present + 1; row <= total; row++) {
      const values = makers.map((make) => make(row))
      insert.run(...values)
      if (index >= 0) added = String(values[index])
    }
  }
  database.exec('COMMIT; PRAGMA journal_mode = WAL')
  database.close()
  return added
}

/** Runs SQL on the file. */
export function execute(file: string, sql: string): void {
  const database = new DatabaseSync(file)
  database.exec(sql)
  database.close()
}

/** How many QR codes retention has deleted. */
export function deletedIn(file: string): number {
  const database = new DatabaseSync(file, { readOnly: true })
  const row = database.prepare('SELECT count(*) AS count FROM deleted_qr_codes').get()
  database.close()
  return Number(row?.count)
}

/** Resolves when retention has deleted a QR code. */
export async function untilDeleted(file: string): Promise<void> {
  while (deletedIn(file) === 0) await sleep(20)
}

/** The tables, their names quoted, and how many rows each of them has. */
function countsOf(database: DatabaseSync): Map<string, number> {
  const tables = database.prepare(
    `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!'`,
  )
  return new Map(
    tables.all().map(({ name }) => {
      const count = database.prepare(`SELECT count(*) AS count FROM "${name}"`).get()?.count
      return [`"${name}"`, Number(count)]
    }),
  )
}

interface Column {
  /** Quoted. */
  name: string
  /** Those of some rows. */
  values: Value[]
  /** Whether each row has its own number here, as the number of a row of another table. */
  isRowNumber: boolean
}

/** The columns that a new row needs; SQLite numbers the rows itself. */
function columnsOf(database: DatabaseSync, table: string): Column[] {
  const sample = database.prepare(`SELECT rowid AS row_number, * FROM ${table} LIMIT ${SAMPLE}`).all()
  return database
    .prepare(`PRAGMA table_info(${table})`)
    .all()
    .filter(({ type, pk }) => !(type === 'INTEGER' && pk === 1))
    .map(({ name }) => {
      const values = sample.map((row) => row[String(name)] ?? null)
      const isRowNumber = values.every((value, index) => value === sample[index]?.row_number)
      return { name: `"${name}"`, values, isRowNumber }
    })
}

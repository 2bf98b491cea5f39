// Brings the sites of a data directory into the empty bucket of a cluster, row by row, and compares them afterwards.
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import * as z from 'zod'
import { alarmTimes } from './alarms.ts'
import { recorded } from './audit.ts'
import { type Bucket, type BucketSettings, LOADING } from './bucket.ts'
import { type Engine, forEach, type Statement, withEngine } from './bucket-engine.ts'
import {
  auditFile,
  missingAudit,
  movedFile,
  objectsOf,
  registryFile,
  siteFiles,
  withLock,
} from './data-directory.ts'
import { copyAll } from './fetch-sites.ts'
import { checkSideFiles, rebuild } from './rebuild.ts'

/**
 * About how many pages one transaction changes. workerd's cluster refuses a commit that changes more pages than fit into SQLite's page
 * cache, about 430, and changes one of them twice (docs/cluster.md, Faults of the engine).
 */
const BATCH_PAGES = 300
const PAGE_BYTES = 4096

/**
 * Loads all sites, with the registry and the audit. The service is stopped, and stays so: the directory is marked.
 * @returns how many sites
 * @throws Error where the bucket has something below its prefix, or has other rows afterwards: then no instance starts on it
 */
export async function loadSites(bucket: Bucket, settings: BucketSettings, data: string): Promise<number> {
  siteFiles(data)
  return withLock(data, async () => {
    const missing = missingAudit(data)
    if (missing !== undefined) throw new Error(missing)
    checkSideFiles(data)
    if ((await bucket.list('', { limit: 1 })).length > 0) {
      throw new Error(`${bucket.name} is not empty: give another prefix, or delete everything below this one`)
    }
    // The row of its intent is loaded too, the one of its result is in the directory alone.
    return recorded(
      data,
      'command.load',
      { cluster: bucket.name },
      () => loadAll(bucket, settings, data),
      (sites) => ({ sites }),
    )
  })
}

async function loadAll(bucket: Bucket, settings: BucketSettings, data: string): Promise<number> {
  const { problems } = rebuild(data, Date.now())
  if (problems.length > 0) throw new Error(`nothing is loaded:\n${problems.join('\n')}`)
  const sites = siteFiles(data).map((file) => join(objectsOf(data), file))
  const files = [...[registryFile(data), auditFile(data)].filter((file) => existsSync(file)), ...sites]
  await bucket.write(LOADING, '')
  const alarms = alarmTimes(data)
  await withEngine(bucket, settings, data, (engine) =>
    forEach(files, (file) => loadObject(engine, file, alarms.get(basename(file)))),
  )
  await compare(bucket, settings, data, files)
  writeFileSync(movedFile(data), `${bucket.name}\n`, { mode: 0o600 })
  await bucket.remove(LOADING)
  return sites.length
}

async function loadObject(engine: Engine, file: string, wakeAt: number | undefined): Promise<void> {
  const id = basename(file, '.sqlite')
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    const schema = schemaOf(database)
    const isTable = ({ type }: Item) => type === 'table'
    await engine.write(id, schema.filter(isTable).map(made))
    for (const { name } of schema.filter(isTable)) {
      for (const statement of inserts(database, name)) await engine.write(id, [statement])
    }
    // A trigger would count the rows a second time.
    const others = schema.filter((item) => !isTable(item)).map(made)
    // SQLite writes each page of a new index once. But it changes the page that lists the indexes with each new index.
    const isSmall = statSync(file).size < BATCH_PAGES * PAGE_BYTES
    for (const statements of isSmall ? [others] : others.map((each) => [each]))
      await engine.write(id, statements)
    if (wakeAt !== undefined) await engine.write(id, [], wakeAt)
  } finally {
    database.close()
  }
}

const Item = z.object({ type: z.string(), name: z.string(), sql: z.string() })
type Item = z.infer<typeof Item>

const made = ({ sql }: Item): Statement => ({ text: sql, rows: [[]] })

/** The tables of the service, with their indexes and triggers: what SQLite and workerd make for themselves is not loaded. */
const schemaOf = (database: DatabaseSync): Item[] =>
  z.array(Item).parse(
    database
      .prepare(
        `SELECT type, name, sql FROM sqlite_schema
          WHERE sql IS NOT NULL AND tbl_name NOT LIKE '\\_cf\\_%' ESCAPE '\\' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
          ORDER BY type <> 'table', rowid`,
      )
      .all(),
  )

function* inserts(database: DatabaseSync, table: string): Generator<Statement> {
  // Generated columns are computed again.
  const columns = database
    .prepare('SELECT name FROM pragma_table_xinfo(?) WHERE hidden = 0')
    .all(table)
    .map(({ name }) => `"${name}"`)
    .join(', ')
  const values = columns.replaceAll(/"[^"]*"/g, '?')
  const text = `INSERT INTO "${table}" (${columns}) VALUES (${values})`
  const [unique] = database
    .prepare("SELECT count(*) AS count FROM pragma_index_list(?) WHERE origin <> 'c'")
    .all(table)
  const keys = Number(unique?.count)
  let rows: unknown[][] = []
  let pages = 0
  for (const row of database.prepare(`SELECT ${columns} FROM "${table}"`).iterate()) {
    const sent = Object.values(row).map((value) =>
      value instanceof Uint8Array ? { base64: Buffer.from(value).toString('base64') } : value,
    )
    rows.push(sent)
    // Rows come in the order of the table, so many are on a page; each of their unique keys can be on a page of its own.
    pages += keys + Buffer.byteLength(JSON.stringify(sent)) / PAGE_BYTES
    if (pages < BATCH_PAGES) continue
    yield { text, rows }
    rows = []
    pages = 0
  }
  if (rows.length > 0) yield { text, rows }
}

/** Reads everything out of the bucket again. @throws Error naming the first difference */
async function compare(
  bucket: Bucket,
  settings: BucketSettings,
  data: string,
  files: readonly string[],
): Promise<void> {
  mkdirSync(data, { recursive: true })
  const copy = mkdtempSync(join(data, 'compared-'))
  try {
    await withEngine(bucket, settings, copy, (engine) => copyAll(engine, copy))
    for (const file of files) {
      const loaded = join(copy, basename(dirname(file)), basename(file))
      const difference = existsSync(loaded) ? differenceOf(file, loaded) : 'it is missing'
      if (difference) throw new Error(`${bucket.name} differs from ${file}: ${difference}`)
    }
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
}

function differenceOf(file: string, loaded: string): string | undefined {
  const [database, other] = [file, loaded].map((path) => new DatabaseSync(path, { readOnly: true }))
  if (!database || !other) return undefined
  try {
    const schema = schemaOf(database)
    if (JSON.stringify(schema) !== JSON.stringify(schemaOf(other))) return 'it has other tables'
    database.prepare('ATTACH ? AS loaded').run(loaded)
    for (const { name } of schema.filter(({ type }) => type === 'table')) {
      const [here, there] = [`main."${name}"`, `loaded."${name}"`]
      const differing = database
        .prepare(
          `SELECT (SELECT count(*) FROM ${here}) <> (SELECT count(*) FROM ${there})
            OR EXISTS (SELECT * FROM ${here} EXCEPT SELECT * FROM ${there}) AS differs`,
        )
        .get()
      if (differing?.differs !== 0) return `it has other rows in ${name}`
    }
    return undefined
  } finally {
    database.close()
    other.close()
  }
}

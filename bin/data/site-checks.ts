// Checks the file of a site's database: its pages, its tables, its rules and its references.
import { DatabaseSync } from 'node:sqlite'
import { hasTables, migrate, type Schema, SITE, versionIn } from '../../src/site/database/schema.ts'
import { hasSettlementsIn } from '../../src/site/settlements/has-settlements.ts'
import { makeNextIndex, makeSettlements } from '../../src/site/settlements/schema.ts'
import { readablePath } from './backup-directory.ts'
import { SETTLEMENT_RULES } from './settlement-rules.ts'
import { RULES } from './site-rules.ts'
import { siteStorage } from './site-storage.ts'

/** Violations of one rule that are named. */
const MAX_NAMED = 5

interface Checked {
  /** The site's name, where the tables have it. */
  siteId?: string | undefined
  problems: string[]
  /** What an operator should know, though nothing is wrong. */
  notes: string[]
}

/** Checks a site's database. It writes nothing but what SQLite itself recovers after a crash. */
export function checkSite(file: string): Checked {
  try {
    const database = new DatabaseSync(readablePath(file))
    try {
      return check(database)
    } finally {
      database.close()
    }
  } catch (error) {
    return { problems: [error instanceof Error ? error.message : String(error)], notes: [] }
  }
}

function check(database: DatabaseSync): Checked {
  const integrity = texts(database, 'PRAGMA integrity_check').filter((text) => text !== 'ok')
  if (integrity.length > 0) return { problems: ['the file is corrupted', ...named(integrity)], notes: [] }
  // An object that nobody wrote to.
  if (!hasTables(siteStorage(database))) return { problems: [], notes: [] }

  const version = versionIn(siteStorage(database))
  const known = SITE.versions.length
  if (version < known) {
    return {
      problems: [],
      notes: ['of an older version: start the service once, then all rules can be checked'],
    }
  }
  const notes: string[] = []
  if (version > known) {
    notes.push(`of version ${version} of the schema: what is newer than version ${known} is not checked`)
  } else {
    const tables = differingTables(database)
    if (tables.length > 0)
      return { problems: [`tables or indexes differ from those of this version: ${tables}`], notes: [] }
  }
  const [siteId] = texts(database, 'SELECT site_id FROM site WHERE site_id IS NOT NULL')
  if (texts(database, 'SELECT restored FROM site').includes('1')) {
    notes.push(
      `restored from a backup: no refunds and charges until POST /operator/v1/sites/${siteId ?? '{siteId}'}/resume ` +
        'while the service runs, or npm run resume while it is stopped',
    )
  }
  if (texts(database, 'SELECT deleted_at FROM site WHERE deleted_at IS NOT NULL').length > 0) {
    notes.push('deleted by the operator: only its name is kept')
  }
  const hasSettlements = hasSettlementsIn(siteStorage(database).sql)
  const problems = [...RULES, ...(hasSettlements ? SETTLEMENT_RULES : [])].flatMap(({ rule, violations }) => {
    const found = texts(database, violations)
    return found.length > 0 ? [`not so: ${rule}`, ...named(found)] : []
  })
  const foreign = texts(database, 'SELECT "table" || \' \' || rowid FROM pragma_foreign_key_check')
  if (foreign.length > 0) problems.push('not so: every reference leads to a row', ...named(foreign))
  return { siteId, problems, notes }
}

/** The tables, indexes and triggers of a site that are missing, or are not those of the schema, of a new site or of an old one. */
function differingTables(database: DatabaseSync): string[] {
  const found = statementsOf(database)
  const hasSettlements = hasSettlementsIn(siteStorage(database).sql)
  const ofNew = differing(found, expected('new', hasSettlements))
  if (ofNew.length === 0) return []
  const ofOld = differing(found, expected('old', hasSettlements))
  return ofOld.length < ofNew.length ? ofOld : ofNew
}

const differing = (found: Statements, { required, wanted }: Expected): string[] =>
  [...new Set([...found.keys(), ...required])].filter((name) => found.get(name) !== wanted.get(name))

/** What a site is made by: names, and the statement of each. */
type Statements = ReadonlyMap<string, string>

interface Expected {
  required: readonly string[]
  /** Besides, the indexes that an import makes one by one. */
  wanted: Statements
}

const SCHEMAS = { new: SITE, old: { table: SITE.table, versions: SITE.versions } } as const satisfies Record<
  string,
  Schema
>
/** A schema is made in memory once, and not for each site. */
const known = new Map<string, Expected>()

function expected(schema: keyof typeof SCHEMAS, hasSettlements: boolean): Expected {
  const key = `${schema} ${hasSettlements}`
  const made = known.get(key) ?? statementsBy(SCHEMAS[schema], hasSettlements)
  known.set(key, made)
  return made
}

function statementsBy(schema: Schema, hasSettlements: boolean): Expected {
  const database = new DatabaseSync(':memory:')
  const storage = siteStorage(database)
  migrate(storage, schema)
  if (hasSettlements) makeSettlements(storage.sql, 0)
  const required = [...statementsOf(database).keys()]
  if (hasSettlements) while (makeNextIndex(storage.sql));
  const wanted = statementsOf(database)
  database.close()
  return { required, wanted }
}

/** Which statement made each of them; tables of the platform begin with _cf_. */
const statementsOf = (database: DatabaseSync): Statements =>
  new Map(
    database
      .prepare("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT GLOB '_cf_*'")
      .all()
      .map(({ name, sql }) => [String(name), String(sql)]),
  )

const texts = (database: DatabaseSync, query: string): string[] =>
  database
    .prepare(query)
    .all()
    .map((row) => String(Object.values(row)[0]))

const named = (found: readonly string[]): string[] => [
  ...found.slice(0, MAX_NAMED).map((text) => `  ${text}`),
  ...(found.length > MAX_NAMED ? [`  and ${found.length - MAX_NAMED} more`] : []),
]

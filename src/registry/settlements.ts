// The table of the registry that has the settlement of each site, by month.

import type { Totals } from '../contract/registry-entry.ts'
import {
  FIGURES,
  figuresWith,
  type MonthFigures,
  type SiteSettlement,
} from '../contract/settlements/month-figures.ts'
import type { Sql } from '../site/rows/sql.ts'

const COLUMNS = FIGURES.map((name) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`))

/** Amounts are kopecks. A site without an import has no row. */
export const SETTLEMENT_MONTHS = `CREATE TABLE settlement_months (
      site_id TEXT NOT NULL,
      month TEXT NOT NULL,
      ${COLUMNS.map((column) => `${column} INTEGER NOT NULL`).join(', ')},
      PRIMARY KEY (site_id, month)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX settlement_months_by_month ON settlement_months (month);`

/** Takes what a site tells: these are all of its months. A deleted site has none, whatever a message of before says. */
export function recordSettlements(sql: Sql, siteId: string, months: readonly MonthFigures[]): void {
  sql.exec(
    'DELETE FROM settlement_months WHERE site_id = ? AND month NOT IN (SELECT value FROM json_each(?))',
    ...[siteId, JSON.stringify(months.map(({ month }) => month))],
  )
  for (const figures of months)
    sql.exec(
      `INSERT OR REPLACE INTO settlement_months (site_id, month, ${COLUMNS})
       SELECT ?, ?, ${COLUMNS.map(() => '?')} WHERE NOT EXISTS
         (SELECT 1 FROM sites WHERE site_id = ?1 AND deleted_at IS NOT NULL)`,
      ...[siteId, figures.month, ...FIGURES.map((name) => figures[name])],
    )
}

export const removeSettlements = (sql: Sql, siteId: string): void =>
  void sql.exec('DELETE FROM settlement_months WHERE site_id = ?', siteId)

/** The sites that have the month, by their names. */
export const settlementsOf = (sql: Sql, month: string): SiteSettlement[] =>
  sql
    .exec(
      `SELECT site_id, name, ${COLUMNS.map((column) => `settlement_months.${column}`)}
       FROM settlement_months LEFT JOIN sites USING (site_id) WHERE month = ? ORDER BY site_id`,
      month,
    )
    .toArray()
    .map((row) => ({
      siteId: String(row.site_id),
      ...(typeof row.name === 'string' && { name: row.name }),
      ...figuresWith((name) => Number(row[COLUMNS[FIGURES.indexOf(name)] ?? ''])),
    }))

/** The entries of all sites and months by state. */
export function settledEntriesIn(sql: Sql): Totals['settledEntries'] {
  const [row = {}] = sql
    .exec(
      `SELECT total(matched) AS matched, total(mismatched) AS mismatched, total(unknown) AS unknown,
         total(expected) AS expected FROM settlement_months`,
    )
    .toArray()
  const { matched, mismatched, unknown, expected } = row
  return {
    ...{ matched: Number(matched), mismatched: Number(mismatched) },
    ...{ unknown: Number(unknown), expected: Number(expected) },
  }
}

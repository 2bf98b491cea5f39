// Invariants of the settlements of a site that has imported a file; see src/site/settlements/schema.ts.
import type { SiteRule } from './site-rule.ts'

const GENERATION = '(SELECT generation FROM settlement_state)'
/** The files that readers see. */
const FILES = `(SELECT * FROM settlements WHERE since <= ${GENERATION} AND ifnull(until > ${GENERATION}, TRUE))`
/** How each entry matches, as readers see it. */
const MATCHES = `(SELECT * FROM settlement_matches AS each WHERE since <= ${GENERATION} AND NOT EXISTS
    (SELECT 1 FROM settlement_matches AS newer WHERE newer.entry = each.entry AND newer.since > each.since
      AND newer.since <= ${GENERATION}))`
/** The counts of each file, as readers see them. */
const COUNTS = `(SELECT * FROM settlement_counts AS each WHERE since <= ${GENERATION} AND NOT EXISTS
    (SELECT 1 FROM settlement_counts AS newer WHERE newer.file = each.file AND newer.since > each.since
      AND newer.since <= ${GENERATION}))`

const sumOf = (state: string) => `ifnull(sum(matches.state = '${state}'), 0)`

export const SETTLEMENT_RULES: readonly SiteRule[] = [
  {
    rule: 'settlements have one state',
    violations: 'SELECT count(*) FROM settlement_state HAVING count(*) <> 1',
  },
  {
    rule: 'a settlement has an identifier and bytes of its own, unless it is empty',
    violations: `SELECT settlement_uid FROM ${FILES} GROUP BY settlement_uid HAVING count(*) > 1
      UNION SELECT min(settlement_uid) FROM ${FILES} WHERE lines > 0 GROUP BY sha256 HAVING count(*) > 1`,
  },
  {
    rule: 'a line of a settlement is of a file',
    violations: `SELECT 'line ' || line || ' of file ' || file FROM settlement_lines
      WHERE file NOT IN (SELECT number FROM settlements)`,
  },
  {
    rule: 'a settlement has as many lines as entries',
    violations: `SELECT settlement_uid || ' has ' || count(line) || ', not ' || entries
      FROM ${FILES} AS files LEFT JOIN settlement_lines ON file = files.number
      GROUP BY files.number HAVING count(line) <> entries`,
  },
  {
    rule: 'an entry matches in one way, of a known state, as its settlement was published',
    violations: `SELECT files.settlement_uid || ' line ' || line FROM ${FILES} AS files
      JOIN settlement_lines AS lines ON lines.file = files.number LEFT JOIN ${MATCHES} AS matches USING (entry)
      WHERE matches.entry IS NULL OR matches.state NOT IN ('MATCHED', 'MISMATCHED', 'UNKNOWN')`,
  },
  {
    rule: 'what an entry is matched to is there',
    violations: `SELECT 'entry ' || entry FROM settlement_matches
      WHERE payment IS NOT NULL AND payment NOT IN (SELECT number FROM payments)
        OR refund IS NOT NULL AND NOT EXISTS (SELECT 1 FROM refunds
          WHERE number = settlement_matches.refund AND refunds.payment IS settlement_matches.payment)`,
  },
  {
    rule: 'a match shows the line of a settlement that has the entry',
    violations: `SELECT 'entry ' || entry FROM ${MATCHES} AS matches WHERE file IS NOT NULL AND NOT EXISTS
      (SELECT 1 FROM settlement_lines AS lines WHERE lines.entry = matches.entry AND lines.file = matches.file)`,
  },
  {
    rule: 'a payment or a refund has at most one entry of a registry, and one of a statement',
    violations: `SELECT 'payment ' || payment || ifnull(', refund ' || refund, '') FROM ${MATCHES} AS matches
      JOIN settlements ON settlements.number = matches.file WHERE is_own = 1 AND payment IS NOT NULL
      GROUP BY payment, refund, bank, format HAVING count(*) > 1`,
  },
  {
    rule: 'the counts of a settlement are those of its entries',
    violations: `SELECT settlement_uid FROM ${FILES} AS files LEFT JOIN settlement_lines AS lines ON lines.file = files.number
        LEFT JOIN ${MATCHES} AS matches USING (entry) LEFT JOIN ${COUNTS} AS counts ON counts.file = files.number
      GROUP BY files.number HAVING ${sumOf('MATCHED')} <> ifnull(counts.matched, 0)
        OR ${sumOf('MISMATCHED')} <> ifnull(counts.mismatched, 0) OR ${sumOf('UNKNOWN')} <> ifnull(counts.unknown, 0)`,
  },
]

// Where the disk has what says who has paid, and how it is erased: identities, sums and results stay.
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import * as z from 'zod'

/** Rows of a table that one statement looks at: requests are served between two. */
export const WINDOW = 2_000

/** The condition of a row that is old, or of a site whose data the service has deleted. */
const isOver = (time: string): string => `(${time} < :before OR site IN (SELECT site FROM deleted_sites))`

/**
 * The statements, each about the rows of a window. Only what has its result is erased: the rest is still to be reported, and
 * a bank is still to be asked.
 */
const STATEMENTS = [
  // The payer's telephone number and bank, the address of a receipt, what the bank said, and what the service answered.
  `UPDATE reports SET body = json_remove(body, '$.payer', '$.reason', '$.fiscal.url'), answer = substr(answer, 1, 3)
   WHERE rowid > :from AND rowid <= :to AND state IN ('ACCEPTED', 'GONE', 'UNKNOWN') AND ${isOver('created_at')}
   AND (json_type(body, '$.payer') IS NOT NULL OR json_type(body, '$.reason') IS NOT NULL
     OR json_type(body, '$.fiscal.url') IS NOT NULL OR length(answer) > 3)`,
  // The address of a receipt shows the payer's contact; of a failure the words of the bank are stored.
  `UPDATE webhooks SET content = json_remove(content, '$.receipt.fiscal.url', '$.receipt.failure')
   WHERE rowid > :from AND rowid <= :to AND received_at < :before
   AND (json_type(content, '$.receipt.fiscal.url') IS NOT NULL OR json_type(content, '$.receipt.failure') IS NOT NULL)`,
  // A reported webhook has no payer any more. Only the age of a webhook that nobody takes is known. The note of a closed webhook has
  // the operator's own words.
  `UPDATE webhooks SET content = json_remove(content, '$.payment.payer'), note = iif(state = 'GIVEN_UP', '', note)
   WHERE rowid > :from AND rowid <= :to AND received_at < :before
   AND (json_type(content, '$.payment.payer') IS NOT NULL OR state = 'GIVEN_UP' AND note <> '')`,
  `UPDATE refunds SET reason = '' WHERE rowid > :from AND rowid <= :to
   AND state IN ('COMPLETED', 'DECLINED') AND ${isOver('created_at')} AND reason <> ''`,
  // The purpose is the merchant's text, the reason the bank's.
  `UPDATE charges SET purpose = '', reason = '' WHERE rowid > :from AND rowid <= :to
   AND state IN ('COMPLETED', 'DECLINED') AND ${isOver('created_at')} AND (purpose <> '' OR reason <> '')`,
  // Nothing of a document is sent any more that waits so long: the runner holds it. The address of a receipt shows the payer's contact.
  `UPDATE receipts SET data = '', request = '', reason = iif(state IN ('REGISTERED', 'FAILED', 'OVER'), '', reason),
     fiscal = json_remove(fiscal, '$.url') WHERE rowid > :from AND rowid <= :to AND ${isOver('created_at')}
   AND (data <> '' OR request <> '' OR reason <> '' OR json_type(fiscal, '$.url') IS NOT NULL)`,
  `UPDATE decisions SET reason = '' WHERE number > :from AND number <= :to AND ${isOver('decided_at')} AND reason <> ''`,
  `UPDATE amount_differences SET closed_reason = '' WHERE rowid > :from AND rowid <= :to AND closed_at IS NOT NULL
   AND ${isOver('closed_at')} AND closed_reason <> ''`,
]

const DeletedSite = z.object({ row: z.int(), site: z.string() })
export type DeletedSite = z.output<typeof DeletedSite>
const Last = z.object({ last: z.int().nullable() })

const statementsOf = (database: DatabaseSync) => ({
  add: database.prepare('INSERT INTO deleted_sites (site) VALUES (?) ON CONFLICT DO NOTHING'),
  addAgain: database.prepare(
    // A new row: a pass that is under way, also in another process, erases for the one before.
    'INSERT OR REPLACE INTO deleted_sites (site) VALUES (?)',
  ),
  remove: database.prepare('DELETE FROM deleted_sites WHERE site = ?'),
  toErase: database.prepare('SELECT rowid AS row, site FROM deleted_sites WHERE is_erased = 0'),
  erased: database.prepare('UPDATE deleted_sites SET is_erased = 1 WHERE rowid = ? AND site = ?'),
})

export class PayerData {
  readonly #database: DatabaseSync
  readonly #statements: readonly StatementSync[]
  readonly #last: readonly StatementSync[]
  readonly #sql: ReturnType<typeof statementsOf>

  constructor(database: DatabaseSync) {
    this.#sql = statementsOf(database)
    this.#database = database
    this.#statements = STATEMENTS.map((text) => database.prepare(text))
    this.#last = [
      'reports',
      'webhooks',
      'refunds',
      'charges',
      'receipts',
      'decisions',
      'amount_differences',
    ].map((table) => database.prepare(`SELECT max(rowid) AS last FROM ${table}`))
  }

  /** The service has deleted the data of the site. @param hasNews whether something of it was stored just now */
  siteDeleted(site: string, hasNews: boolean): void {
    if (hasNews) this.#sql.addAgain.run(site)
    else this.#sql.add.run(site)
  }

  /** The service has the site, perhaps again after a restore. */
  siteExists(site: string): void {
    this.#sql.remove.run(site)
  }

  /** A pass begins. @returns deleted sites of which the disk may have payers' data */
  sitesToErase(): DeletedSite[] {
    return this.#sql.toErase.all().map((row) => DeletedSite.parse(row))
  }

  /** The pass has ended: of the site nothing is left, unless something was stored meanwhile. */
  siteErased({ row, site }: DeletedSite): void {
    this.#sql.erased.run(row, site)
  }

  /**
   * Erases in the window behind a row.
   * @param before Unix milliseconds: what is older is erased of all sites
   * @returns how many rows were changed, and where the next window begins; undefined after the last one
   */
  eraseBehind(from: number, before: number): { changes: number; next: number | undefined } {
    const last = Math.max(...this.#last.map((each) => Last.parse(each.get()).last ?? 0))
    const window = { from, to: from + WINDOW, before }
    let changes = 0
    for (const statement of this.#statements) changes += Number(statement.run(window).changes)
    return { changes, next: window.to < last ? window.to : undefined }
  }

  /** Writes everything from the log into the file, and empties the log. @returns whether no reader was in the way */
  emptyLog(): boolean {
    this.#database.exec('PRAGMA busy_timeout = 0')
    try {
      const row = this.#database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()
      return z.object({ busy: z.int() }).parse(row).busy === 0
    } finally {
      this.#database.exec('PRAGMA busy_timeout = 10000')
    }
  }
}

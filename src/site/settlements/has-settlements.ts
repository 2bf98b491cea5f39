// Whether a site has the tables of settlements.
import { integer, type Sql } from '../rows/sql.ts'

/** Whether the site ever began an import. A search for the table would read the names of all. */
export const hasSettlementsIn = (sql: Sql): boolean => integer(sql, 'SELECT has_settlements FROM site') === 1

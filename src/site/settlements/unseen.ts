// Whether there is something that no reader of settlements sees.
import { integer, type Sql } from '../rows/sql.ts'
import { IN_GENERATION, type Job } from './state.ts'

/** The files that a generation has not; the generation is to be bound twice. */
export const UNSEEN = `WHERE NOT (${IN_GENERATION})`

const HAS_CHANGES = 'EXISTS (SELECT 1 FROM settlement_changes)'
const HAS_STAGED = 'EXISTS (SELECT 1 FROM settlement_staged)'
/** A file that is deleted, or was to be; or one that the generation has not yet, which can be the latest alone. */
const hasFiles = (generation: string) =>
  `(EXISTS (SELECT 1 FROM settlements WHERE until IS NOT NULL)
    OR ifnull((SELECT since FROM settlements ORDER BY number DESC LIMIT 1) > ${generation}, FALSE))`

/** Whether something is left to delete while no job is in progress, as an expression of a query of settlement_state. */
export const HAS_UNSEEN = `(${HAS_CHANGES} OR ${HAS_STAGED} OR ${hasFiles('generation')})`

/** Whether something is left to delete. @param job in progress: what is staged is its own */
export const hasUnseen = (sql: Sql, generation: number, job?: Job): boolean =>
  integer(
    sql,
    `SELECT ${HAS_CHANGES} OR (?2 AND ${HAS_STAGED}) OR ${hasFiles('?1')}`,
    generation,
    job ? 0 : 1,
  ) === 1

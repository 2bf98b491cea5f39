// Deletes a site in two steps: marks it, so that every call is refused; then deletes its data (contract, section 16).
import { NO_FIGURES } from '../contract/registry-entry.ts'
import type { Outcome } from '../errors.ts'
import { UNENDED_ROWS } from './clock.ts'
import type { Context } from './context.ts'
import { notAllowed, ok } from './outcomes.ts'
import { registryEntryIn, setRegistryEntry } from './registry-entry.ts'
import { createdAtOf, deletedAtOf, epochOf } from './rows/site.ts'
import { integer, type Sql } from './rows/sql.ts'

/**
 * Marks the site as deleted.
 * @param force also while something is in flight, which is lost
 * @returns payin.incorrect-method-invocation while QR codes are payable, or refunds or other instructions are pending
 */
export function markDeleted({ sql, now }: Context, force: boolean): Outcome<void> {
  const reasons = [
    ...(exists(sql, UNENDED_ROWS, now) ? ['QR codes that can be paid'] : []),
    ...(exists(sql, `${UNENDED_ROWS} AND payload IS NOT NULL`, now)
      ? ['links at a bank, which force does not cancel']
      : []),
    ...(exists(sql, "outbox WHERE status = 'PENDING' AND queue <> 'merchant'")
      ? ['refunds or other instructions that are pending']
      : []),
  ]
  if (reasons.length > 0 && !force) {
    return notAllowed(`the site has ${reasons.join(' and ')}, must have none, or send force`)
  }
  sql.exec('UPDATE site SET created_at = ?, deleted_at = ?', createdAtOf(sql), now)
  return ok(undefined)
}

const exists = (sql: Sql, from: string, ...bindings: number[]): boolean =>
  integer(sql, `SELECT 1 FROM ${from} LIMIT 1`, ...bindings) === 1

/** What stays of a deleted site, so that its siteId is not used again; times are Unix seconds. */
export interface Tombstone {
  epoch: string
  createdAt: number
  deletedAt: number
}

/** The tombstone of a site that is marked as deleted. */
export function tombstoneOf(sql: Sql): Tombstone {
  const deletedAt = deletedAtOf(sql)
  if (deletedAt === undefined) throw new RangeError('the tombstone of a site that is not deleted')
  return { epoch: epochOf(sql), createdAt: createdAtOf(sql), deletedAt }
}

/** Makes a site without rows a deleted one, which the registry has as such. */
export function setTombstone(sql: Sql, tombstone: Tombstone): void {
  sql.exec(
    'UPDATE site SET epoch = ?, created_at = ?, deleted_at = ?',
    ...[tombstone.epoch, tombstone.createdAt, tombstone.deletedAt],
  )
  setRegistryEntry(sql, { ...tombstone, ...NO_FIGURES })
}

/** Whether a deleted site still has its data: the registry was not told yet. */
export const isToBeEmptied = (sql: Sql): boolean =>
  deletedAtOf(sql) !== undefined && registryEntryIn(sql)?.deletedAt === undefined

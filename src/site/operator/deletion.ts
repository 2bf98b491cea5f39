// Deletes a site in steps: closes it, marks it once that cannot be undone, deletes its data (contract, section 16).

import { NO_FIGURES } from '../../contract/registry-entry.ts'
import type { Outcome, Refusal } from '../../errors.ts'
import { UNENDED_ROWS } from '../clock.ts'
import type { Context } from '../context.ts'
import { sendAll } from '../outbox/endpoints.ts'
import { callbackQueues, INSTRUCTIONS } from '../outbox/rows.ts'
import { notAllowed, ok } from '../outcomes.ts'
import { closingOf, createdAtOf, deletedAtOf, epochOf } from '../rows/site.ts'
import { integer, type Sql } from '../rows/sql.ts'
import { toMilliseconds } from '../time.ts'
import { registryEntryIn, setRegistryEntry } from './registry-entry.ts'

/**
 * Deletes the site: closes it, or without any time to undo that marks it as deleted. One that is closed stays as it is.
 * @param force also while something is in flight
 * @param keepSeconds for how long the data are kept
 * @returns payin.incorrect-method-invocation while QR codes are payable, or refunds or other instructions are pending
 */
export function deleteSite({ sql, now }: Context, force: boolean, keepSeconds: number): Outcome<void> {
  const closing = closingOf(sql)
  if (closing && keepSeconds > 0) return ok(undefined)
  const refusal = closing ? undefined : inFlight(sql, now, force)
  if (refusal) return refusal
  if (keepSeconds > 0) sql.exec('UPDATE site SET closed_at = ?, deletes_at = ?', now, now + keepSeconds)
  else markDeleted(sql, now)
  return ok(undefined)
}

/** Marks the site as deleted for good. @param at Unix seconds */
export const markDeleted = (sql: Sql, at: number): void =>
  void sql.exec(
    'UPDATE site SET created_at = ?, deleted_at = ?, closed_at = NULL, deletes_at = NULL',
    ...[createdAtOf(sql), at],
  )

/** Opens a closed site again: its notifications are sent. */
export function reopen({ sql, now }: Context): void {
  if (!closingOf(sql)) return
  sql.exec('UPDATE site SET closed_at = NULL, deletes_at = NULL')
  for (const queue of callbackQueues(sql)) sendAll(sql, queue, toMilliseconds(now))
}

/** Why a site cannot be deleted without force. */
function inFlight(sql: Sql, now: number, force: boolean): Refusal | undefined {
  const reasons = [
    ...(exists(sql, UNENDED_ROWS, now) ? ['QR codes that can be paid'] : []),
    ...(exists(sql, `${UNENDED_ROWS} AND payload IS NOT NULL`, now)
      ? ['links at a bank, which force does not cancel']
      : []),
    ...(exists(sql, `outbox WHERE status = 'PENDING' AND ${INSTRUCTIONS}`)
      ? ['refunds or other instructions that are pending']
      : []),
  ]
  return reasons.length > 0 && !force
    ? notAllowed(`the site has ${reasons.join(' and ')}, must have none, or send force`)
    : undefined
}

const exists = (sql: Sql, from: string, ...bindings: number[]): boolean =>
  integer(sql, `SELECT 1 FROM ${from} LIMIT 1`, ...bindings) === 1

/** The data that stay of a deleted site, so that its siteId is not used again; times are Unix seconds. */
interface Tombstone {
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

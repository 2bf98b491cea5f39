// Computes the site's entry in the registry from its tables: which site it is, and the figures that the operator watches.
import {
  isStuck,
  NO_FIGURES,
  RegistryEntry,
  type SiteFigures,
  type SiteIdentity,
} from '../../contract/registry-entry.ts'
import { OVERDUE } from '../outbox/outbox.ts'
import { MONEY_INSTRUCTIONS, NOTIFICATIONS } from '../outbox/rows.ts'
import { hasUnregistered, nextLateReceipt, receiptFigures } from '../receipts/figures.ts'
import { hasReceiptsIn } from '../receipts/terms.ts'
import { closingOf, createdAtOf, deletedAtOf, epochOf, isRestored } from '../rows/site.ts'
import { integer, requiredInteger, type Sql, textValue } from '../rows/sql.ts'
import { keylessCallback } from '../settings/rows.ts'
import { earliest, type Milliseconds, milliseconds, plus } from '../time.ts'

/** Rows that have waited for less are not counted: most deliveries take less than a second. */
const MIN_WAIT = milliseconds(60_000)
/** A change of the size is news from this part on. */
const SIZE_CHANGE = 1 / 16

/** What the registry has of the site, as far as the site knows; undefined if that is nothing, or not known. */
export function registryEntryIn(sql: Sql): RegistryEntry | undefined {
  const entry = textValue(sql, 'SELECT registry_entry FROM site')
  return entry === undefined ? undefined : RegistryEntry.parse(JSON.parse(entry))
}

/** Sets the same. An equal one writes nothing: a start does this for every site. */
export const setRegistryEntry = (sql: Sql, entry: RegistryEntry): void =>
  void sql.exec(
    'UPDATE site SET registry_entry = ?1 WHERE registry_entry IS NOT ?1',
    JSON.stringify(RegistryEntry.parse(entry)),
  )

/**
 * What the registry is to have of the site.
 * @param bytes the size of the database
 * @param hasReceipts whether the site can have documents
 */
export function registryEntryOf(
  sql: Sql,
  now: Milliseconds,
  bytes: number,
  hasReceipts = hasReceiptsIn(sql),
): RegistryEntry {
  const identity = identityOf(sql)
  return {
    ...identity,
    ...(identity.deletedAt === undefined ? figuresOf(sql, now, { bytes, hasReceipts }) : NO_FIGURES),
  }
}

function identityOf(sql: Sql): SiteIdentity {
  const deletedAt = deletedAtOf(sql)
  return {
    epoch: epochOf(sql),
    name: deletedAt === undefined ? textValue(sql, "SELECT settings ->> 'name' FROM settings") : undefined,
    createdAt: createdAtOf(sql),
    ...closingOf(sql),
    deletedAt,
  }
}

/** Whether the tables have another identity than the registry. */
export const isOtherSite = (sql: Sql, taken: RegistryEntry | undefined): boolean =>
  !taken || !isSameIdentity(identityOf(sql), taken)

const isSameIdentity = (a: SiteIdentity, b: SiteIdentity): boolean =>
  a.epoch === b.epoch &&
  a.name === b.name &&
  a.createdAt === b.createdAt &&
  a.deletesAt === b.deletesAt &&
  a.deletedAt === b.deletedAt

/** Whether an entry is to replace the one that the registry has. */
export function isNews(entry: RegistryEntry, taken: RegistryEntry | undefined): boolean {
  if (!taken || Math.abs(entry.bytes - taken.bytes) > taken.bytes * SIZE_CHANGE) return true
  const apartFromSize = (each: RegistryEntry) => JSON.stringify(RegistryEntry.parse({ ...each, bytes: 0 }))
  return apartFromSize(entry) !== apartFromSize(taken)
}

/**
 * Whether the figures can differ from those that the registry has, or will: it counts nothing.
 * @param hasReceipts whether the site can have documents
 */
export const mayDiffer = (sql: Sql, taken: RegistryEntry | undefined, hasReceipts: boolean): boolean =>
  isStuck(taken ?? NO_FIGURES) ||
  isMute(sql) ||
  integer(sql, "SELECT 1 FROM outbox WHERE status IN ('PENDING', 'FAILED') LIMIT 1") === 1 ||
  (hasReceipts && hasUnregistered(sql))

function figuresOf(
  sql: Sql,
  now: Milliseconds,
  { bytes, hasReceipts }: { bytes: number; hasReceipts: boolean },
): SiteFigures {
  const notifications = isClosed(sql) ? NOTHING : waiting(sql, EXPECTED, now)
  const instructions = waiting(sql, PENDING_INSTRUCTIONS, now)
  return {
    notifications: notifications.count,
    oldestNotification: notifications.oldest,
    failedNotifications: requiredInteger(sql, "SELECT count(*) FROM outbox WHERE status = 'FAILED'"),
    instructions: instructions.count,
    oldestInstruction: instructions.oldest,
    overdueInstructions: requiredInteger(
      sql,
      `SELECT count(*) FROM outbox WHERE ${PENDING_INSTRUCTIONS} AND created_at <= ?`,
      now - OVERDUE,
    ),
    ...(hasReceipts && receiptFigures(sql, now)),
    isRestored: isRestored(sql),
    lacksKey: isMute(sql) || undefined,
    bytes,
  }
}

/** When the figures change next though nothing is written: something will have waited for long enough. */
export const nextFigures = (
  sql: Sql,
  now: Milliseconds,
  hasReceipts = hasReceiptsIn(sql),
): Milliseconds | undefined =>
  earliest(
    isClosed(sql) ? undefined : nextAged(sql, EXPECTED, MIN_WAIT, now),
    nextAged(sql, PENDING_INSTRUCTIONS, MIN_WAIT, now),
    hasReceipts ? nextLateReceipt(sql, now) : undefined,
  )

/**
 * Notifications that somebody waits for. Those of `callbackUrl` wait where it is removed; without a key, too: then the
 * merchant waits.
 */
const EXPECTED = `status = 'PENDING' AND ${NOTIFICATIONS} AND (queue <> 'merchant'
  OR EXISTS (SELECT 1 FROM settings WHERE settings.settings ->> 'callbackUrl' IS NOT NULL))`
const PENDING_INSTRUCTIONS = `status = 'PENDING' AND ${MONEY_INSTRUCTIONS}`
const NOTHING = { count: 0, oldest: undefined }

/** The rows of a queue that have waited for MIN_WAIT or longer. */
function waiting(sql: Sql, queue: string, now: Milliseconds) {
  const from = `FROM outbox WHERE ${queue} AND created_at <= ?`
  const before = now - MIN_WAIT
  return {
    count: requiredInteger(sql, `SELECT count(*) ${from}`, before),
    oldest: integer(sql, `SELECT min(created_at) ${from}`, before),
  }
}

/** When the next row of a queue has waited for so long. */
function nextAged(sql: Sql, queue: string, age: Milliseconds, now: Milliseconds): Milliseconds | undefined {
  const next = integer(sql, `SELECT min(created_at) FROM outbox WHERE ${queue} AND created_at > ?`, now - age)
  return next === undefined ? undefined : plus(milliseconds(next), age)
}

/** Of a closed site nobody waits for notifications. */
const isClosed = (sql: Sql): boolean => closingOf(sql) !== undefined

/** Whether nothing can be sent to an address, though the merchant gave it. */
const isMute = (sql: Sql): boolean => keylessCallback(sql) !== undefined && !isClosed(sql)

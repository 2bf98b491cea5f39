// Rows of the tables `outbox` and `endpoints`, with checked types.

import * as z from 'zod/mini'
import type { Attempt } from '../../contract/delivery.ts'
import { Instruction } from '../../contract/instruction.ts'
import { NotificationContent } from '../../contract/notifications/content.ts'
import { NOTIFICATION_STATUSES, type NotificationStatus } from '../../contract/notifications/log.ts'
import { NETWORKS, type Network } from '../../contract/payment.ts'
import { inMilliseconds, int, oneOf, orNull, rowsWith, text } from '../rows/columns.ts'
import { epochOf } from '../rows/site.ts'
import type { Binding, Sql } from '../rows/sql.ts'
import type { Milliseconds } from '../time.ts'

/**
 * The merchant's endpoint and each payment network have a queue of their own: none delays another, and an instruction
 * is never sent to another network than that of its payment.
 */
export const QUEUES = ['merchant', ...NETWORKS] as const
export type Queue = (typeof QUEUES)[number]

/** A notification to the merchant, or an instruction to a network. */
export type OutboxRow = Row & Queued
type Queued = { queue: 'merchant'; content: NotificationContent } | { queue: Network; content: Instruction }

/**
 * What a row is of its event: its notification, or the second one, of the token within a payment's report; its instruction,
 * or the one that cancels a link.
 */
const KINDS = ['notification', 'token', 'instruction', 'cancel'] as const
type Kind = (typeof KINDS)[number]

/** The number of an event, and what the row is of it. */
export interface OutboxKey {
  event: number
  kind: Kind
}

/** The condition that a row has an OutboxKey, whose values are to be bound. */
export const OF_KEY = 'event = ? AND kind = ?'

interface Row extends OutboxKey {
  /** The number of the QR code's row. */
  qrCode: number | undefined
  status: NotificationStatus
  attempts: readonly Attempt[]
  /** How many failed attempts count for the next delay; the column `used`. */
  countedAttempts: number
  createdAt: Milliseconds
  /** When its next attempt is due by its own delays. */
  dueAt: Milliseconds | undefined
  /** When it is sent: when it is due, or earlier where an endpoint works again. */
  sendAt: Milliseconds | undefined
  /** While a delivery is in flight, when that is given up. */
  leasedUntil: Milliseconds | undefined
  /** When a connector accepted the instruction last. */
  takenAt: Milliseconds | undefined
}

const readRows = rowsWith({
  event: int,
  kind: oneOf(KINDS),
  queue: oneOf(QUEUES),
  qr_code: orNull(int),
  content: text,
  status: oneOf(NOTIFICATION_STATUSES),
  attempts: text,
  used: int,
  created_at: inMilliseconds,
  due_at: orNull(inMilliseconds),
  send_at: orNull(inMilliseconds),
  leased_until: orNull(inMilliseconds),
  taken_at: orNull(inMilliseconds),
})

const Attempts = z.array(
  z.object({
    at: z.int(),
    origin: z.optional(z.string()),
    httpStatus: z.optional(z.int()),
    error: z.optional(z.string()),
    ms: z.int(),
  }),
)

/** What follows the number of the event in an id. */
const SUFFIX = { notification: '', token: '-token', instruction: '', cancel: '-cancel' }

/** `webhook-id`: the feed's epoch and the number of the event, so that a restored site repeats none. */
export const notificationId = (sql: SqlStorage, { event, kind }: OutboxKey): string =>
  `${epochOf(sql)}-${event}${SUFFIX[kind]}`

/** The key of a row with one of the kinds; undefined if the id is not of this site. */
function keyOf(sql: SqlStorage, id: string, kinds: readonly Kind[]): OutboxKey | undefined {
  const event = Number(/-(\d{1,15})(?:-|$)/.exec(id)?.[1])
  return kinds.map((kind) => ({ event, kind })).find((key) => notificationId(sql, key) === id)
}

export const notificationKey = (sql: SqlStorage, id: string): OutboxKey | undefined =>
  keyOf(sql, id, ['notification', 'token'])

export const instructionKey = (sql: SqlStorage, id: string): OutboxKey | undefined =>
  keyOf(sql, id, ['instruction', 'cancel'])

/** The rows that the clauses after FROM select. */
export const outboxRows = (sql: SqlStorage, clauses: string, ...bindings: Binding[]): OutboxRow[] =>
  readRows(sql, `SELECT * FROM outbox ${clauses}`, ...bindings).map(outboxRowOf)

/** The position of a notification in the order of the log: the second one of an event follows the first. */
export const positionOf = ({ event, kind }: OutboxKey): number => 2 * event + (kind === 'token' ? 1 : 0)

/** The key of the notification at a position. */
export const keyAt = (position: number): OutboxKey => ({
  event: Math.floor(position / 2),
  kind: position % 2 === 1 ? 'token' : 'notification',
})

const outboxRowOf = (row: ReturnType<typeof readRows>[number]): OutboxRow => ({
  event: row.event,
  kind: row.kind,
  ...queued(row),
  qrCode: row.qr_code ?? undefined,
  status: row.status,
  attempts: Attempts.parse(JSON.parse(row.attempts)),
  countedAttempts: row.used,
  createdAt: row.created_at,
  dueAt: row.due_at ?? undefined,
  sendAt: row.send_at ?? undefined,
  leasedUntil: row.leased_until ?? undefined,
  takenAt: row.taken_at ?? undefined,
})

/** An instruction to a payment network. */
export type InstructionRow = Extract<OutboxRow, { queue: Network }>

/** The instructions that the conditions select, which begin with AND. */
export const instructionRows = (
  sql: SqlStorage,
  conditions: string,
  ...bindings: Binding[]
): InstructionRow[] =>
  outboxRows(sql, `WHERE queue <> 'merchant' ${conditions}`, ...bindings).flatMap((row) =>
    row.queue === 'merchant' ? [] : [row],
  )

function queued({ queue, content }: { queue: Queue; content: string }): Queued {
  const value: unknown = JSON.parse(content)
  return queue === 'merchant'
    ? { queue, content: NotificationContent.parse(value) }
    : { queue, content: Instruction.parse(value) }
}

const readEndpoints = rowsWith({ failures: int, probeAt: inMilliseconds, since: inMilliseconds })
/** An endpoint that failed lately: how often in a row, when it is probed next, and since when it fails. */
export type EndpointRow = ReturnType<typeof readEndpoints>[number]

export const endpointRow = (sql: Sql, queue: Queue): EndpointRow | undefined =>
  readEndpoints(sql, 'SELECT failures, probe_at AS probeAt, since FROM endpoints WHERE queue = ?', queue)[0]

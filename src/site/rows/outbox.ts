// Rows of the outbox, and of the endpoints that fail.

import * as z from 'zod/mini'
import type { Attempt } from '../../contract/delivery.ts'
import { Instruction } from '../../contract/instruction.ts'
import { NotificationContent } from '../../contract/notifications/content.ts'
import { NOTIFICATION_STATUSES, type NotificationStatus } from '../../contract/notifications/log.ts'
import { NETWORKS, type Network } from '../../contract/payment.ts'
import type { Milliseconds } from '../time.ts'
import { inMilliseconds, int, oneOf, orNull, rowsWith, text } from './columns.ts'
import { epochOf } from './site.ts'
import type { Binding, Sql } from './sql.ts'

/**
 * The merchant's endpoint and each payment network have a queue of their own: none delays another, and an instruction
 * is never sent to another network than that of its payment.
 */
export const QUEUES = ['merchant', ...NETWORKS] as const
export type Queue = (typeof QUEUES)[number]

/** A notification to the merchant, or an instruction to a network. */
export type OutboxRow = Row & Queued
type Queued = { queue: 'merchant'; content: NotificationContent } | { queue: Network; content: Instruction }

interface Row {
  /** See notificationId. */
  number: number
  /** The number of the QR code's row. */
  qrCode: number | undefined
  status: NotificationStatus
  attempts: readonly Attempt[]
  /** Attempts that count for the next delay. */
  used: number
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
  number: int,
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
  z.object({ at: z.int(), httpStatus: z.optional(z.int()), error: z.optional(z.string()), ms: z.int() }),
)

/** Far beyond the numbers of events. */
const CANCELS = 2 ** 50

/** The number of the instruction that cancels a link: beside it, its event can have a notification. */
export const cancelNumber = (event: number): number => CANCELS + event

/**
 * `webhook-id`: the feed's epoch and the number of the event, so that a restored site repeats none. The second notification
 * of an event, of the token within a payment's report, has the negative number; see also cancelNumber.
 */
export function notificationId(sql: SqlStorage, number: number): string {
  if (number > CANCELS) return `${epochOf(sql)}-${number - CANCELS}-cancel`
  return `${epochOf(sql)}-${number > 0 ? number : `${-number}-token`}`
}

/** The number of a notification; undefined if the id is not of this site. */
export function notificationNumber(sql: SqlStorage, id: string): number | undefined {
  const [, digits, second] = /-(\d{1,15})(?:-(token|cancel))?$/.exec(id) ?? []
  const event = Number(digits)
  const number = second === 'cancel' ? cancelNumber(event) : second === 'token' ? -event : event
  return id === notificationId(sql, number) ? number : undefined
}

/** The notifications that the clauses after FROM select. */
export const outboxRows = (sql: SqlStorage, clauses: string, ...bindings: Binding[]): OutboxRow[] =>
  readRows(sql, `SELECT * FROM outbox ${clauses}`, ...bindings).map((row) => ({
    number: row.number,
    ...queued(row),
    qrCode: row.qr_code ?? undefined,
    status: row.status,
    attempts: Attempts.parse(JSON.parse(row.attempts)),
    used: row.used,
    createdAt: row.created_at,
    dueAt: row.due_at ?? undefined,
    sendAt: row.send_at ?? undefined,
    leasedUntil: row.leased_until ?? undefined,
    takenAt: row.taken_at ?? undefined,
  }))

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

const readEndpoints = rowsWith({ failures: int, probeAt: inMilliseconds })
/** An endpoint that failed lately: how often in a row, and when it is probed next. */
export type EndpointRow = ReturnType<typeof readEndpoints>[number]

export const endpointRow = (sql: Sql, queue: Queue): EndpointRow | undefined =>
  readEndpoints(sql, 'SELECT failures, probe_at AS probeAt FROM endpoints WHERE queue = ?', queue)[0]

// Rows of the tables `outbox` and `endpoints`, with checked types.

import * as z from 'zod/mini'
import { DEFAULT_CALLBACK } from '../../contract/callback.ts'
import type { Attempt } from '../../contract/delivery.ts'
import { Instruction } from '../../contract/instruction.ts'
import { NotificationContent } from '../../contract/notifications/content.ts'
import type { NotificationPosition } from '../../contract/notifications/log.ts'
import { NOTIFICATION_STATUSES, type NotificationStatus } from '../../contract/notifications/status.ts'
import { NETWORKS, type Network } from '../../contract/payment.ts'
import { inMilliseconds, int, oneOf, orNull, rowsWith, text } from '../rows/columns.ts'
import { epochOf } from '../rows/site.ts'
import type { Binding, Sql } from '../rows/sql.ts'
import { otherCallbackIds } from '../settings/rows.ts'
import type { Milliseconds } from '../time.ts'

/**
 * Each address of the merchant and each payment network have a queue of their own: none delays another, and an instruction
 * is never sent to another network than that of its payment.
 */
export type Queue = CallbackQueue | InstructionQueue
/** The queue of a network, or that of its documents of cash registers: one that waits delays no money. */
export type InstructionQueue = Network | `${Network}:receipts`
/** The queue of an address: that of the settings, or one with an identifier. */
export type CallbackQueue = 'merchant' | `merchant:${string}`

/** The queue of an address. */
export const queueOf = (callback: string): CallbackQueue =>
  callback === DEFAULT_CALLBACK ? 'merchant' : `merchant:${callback}`

/** The address of a queue. */
export const callbackOf = (queue: CallbackQueue): string =>
  queue === 'merchant' ? DEFAULT_CALLBACK : queue.slice('merchant:'.length)

/** The queues of all addresses. */
export const callbackQueues = (sql: Sql): CallbackQueue[] => [
  'merchant',
  ...otherCallbackIds(sql).map(queueOf),
]

export const isCallbackQueue = (value: unknown): value is CallbackQueue =>
  value === 'merchant' || (text(value) && value.startsWith('merchant:'))
const isNetwork = oneOf(NETWORKS)
const isReceiptQueue = (value: unknown): value is InstructionQueue =>
  NETWORKS.some((network) => value === receiptQueueOf(network))
const receiptQueueOf = (network: Network) => `${network}:receipts` as const

/** The queue of an instruction. @param network of its payment */
export const instructionQueue = (network: Network, { type }: Instruction): InstructionQueue =>
  type === 'receipt.register' ? receiptQueueOf(network) : network

/** The queues of instructions. @param hasReceipts whether the site can have documents */
export const instructionQueues = (hasReceipts: boolean): InstructionQueue[] => [
  ...NETWORKS,
  ...(hasReceipts ? NETWORKS.map(receiptQueueOf) : []),
]

/** The network to which a queue sends. */
export const networkOfQueue = (queue: InstructionQueue): Network =>
  queue.startsWith('sandbox') ? 'sandbox' : 'external'

/** A notification to the merchant, or an instruction to a network. */
export type OutboxRow = NotificationRow | InstructionRow
export type NotificationRow = Row & { queue: CallbackQueue; content: NotificationContent }
export type InstructionRow = Row & { queue: InstructionQueue; content: Instruction }

export const isNotification = (row: OutboxRow): row is NotificationRow => isCallbackQueue(row.queue)

/**
 * What a row is of its event: its notification, or the second one, of the token within a payment's report; its instruction,
 * the one that cancels a link, or that of the document of its receipt. An event has a notification for each address: all but that of the settings are named.
 */
type NotificationKind = 'notification' | 'token'
type Kind = NotificationKind | `${NotificationKind}:${string}` | InstructionKind
type InstructionKind = 'instruction' | 'cancel' | 'receipt'

export const kindOfInstruction = ({ type }: Instruction): InstructionKind =>
  type === 'qrCode.cancel' ? 'cancel' : type === 'receipt.register' ? 'receipt' : 'instruction'

/** The kind of a notification to an address. */
export const kindOf = (kind: NotificationKind, queue: CallbackQueue): Kind =>
  queue === 'merchant' ? kind : `${kind}:${callbackOf(queue)}`

const KIND = /^(notification|token)(?::[a-z0-9-]+)?$|^instruction$|^cancel$|^receipt$/
const isKind = (value: unknown): value is Kind => text(value) && KIND.test(value)

/** The conditions of a row that is a notification, or an instruction. */
export const NOTIFICATIONS = "kind NOT IN ('instruction', 'cancel', 'receipt')"
export const INSTRUCTIONS = "kind IN ('instruction', 'cancel', 'receipt')"
/** The same of an instruction that is of money, or of what takes it: a receipt delays none. */
export const MONEY_INSTRUCTIONS = "kind IN ('instruction', 'cancel')"

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

const isQueue = (value: unknown): value is Queue =>
  isCallbackQueue(value) || isNetwork(value) || isReceiptQueue(value)

const readRows = rowsWith({
  event: int,
  kind: isKind,
  queue: isQueue,
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
function suffixOf(kind: Kind): string {
  const [base = '', callback] = kind.split(':')
  const isFirst = base === 'notification' || base === 'instruction'
  return `${isFirst ? '' : `-${base}`}${callback === undefined ? '' : `-at-${callback}`}`
}

/** `webhook-id`: the feed's epoch and the number of the event, so that a restored site repeats none. */
export const notificationId = (sql: SqlStorage, { event, kind }: OutboxKey): string =>
  `${epochOf(sql)}-${event}${suffixOf(kind)}`

/** The key of a row with one of the kinds; undefined if the id is not of this site. */
function keyOf(sql: SqlStorage, id: string, kinds: readonly Kind[]): OutboxKey | undefined {
  const event = Number(/-(\d{1,15})(?:-|$)/.exec(id)?.[1])
  return kinds.map((kind) => ({ event, kind })).find((key) => notificationId(sql, key) === id)
}

export function notificationKey(sql: SqlStorage, id: string): OutboxKey | undefined {
  const queue = queueOf(/-at-(.+)$/.exec(id)?.[1] ?? DEFAULT_CALLBACK)
  return keyOf(sql, id, [kindOf('notification', queue), kindOf('token', queue)])
}

export const instructionKey = (sql: SqlStorage, id: string): OutboxKey | undefined =>
  keyOf(sql, id, ['instruction', 'cancel', 'receipt'])

/** The rows that the clauses after FROM select. */
export const outboxRows = (sql: SqlStorage, clauses: string, ...bindings: Binding[]): OutboxRow[] =>
  readRows(sql, `SELECT * FROM outbox ${clauses}`, ...bindings).map(outboxRowOf)

/** The position of a notification in the order of the log: that of a token follows the first one of its event. */
export const positionOf = ({ event, kind, queue }: NotificationRow): NotificationPosition => ({
  number: 2 * event + (kind.startsWith('token') ? 1 : 0),
  callback: callbackOf(queue),
})

/** The key of the notification at a position. */
export const keyAt = ({ number, callback }: NotificationPosition): OutboxKey => ({
  event: Math.floor(number / 2),
  kind: kindOf(number % 2 === 1 ? 'token' : 'notification', queueOf(callback)),
})

function outboxRowOf(row: ReturnType<typeof readRows>[number]): OutboxRow {
  const read: Row = {
    event: row.event,
    kind: row.kind,
    qrCode: row.qr_code ?? undefined,
    status: row.status,
    attempts: Attempts.parse(JSON.parse(row.attempts)),
    countedAttempts: row.used,
    createdAt: row.created_at,
    dueAt: row.due_at ?? undefined,
    sendAt: row.send_at ?? undefined,
    leasedUntil: row.leased_until ?? undefined,
    takenAt: row.taken_at ?? undefined,
  }
  const { queue } = row
  const content: unknown = JSON.parse(row.content)
  return isCallbackQueue(queue)
    ? { ...read, queue, content: NotificationContent.parse(content) }
    : { ...read, queue, content: Instruction.parse(content) }
}

/** The instructions that the conditions select, which begin with AND. */
export const instructionRows = (
  sql: SqlStorage,
  conditions: string,
  ...bindings: Binding[]
): InstructionRow[] =>
  outboxRows(sql, `WHERE ${INSTRUCTIONS} ${conditions}`, ...bindings).flatMap((row) =>
    isNotification(row) ? [] : [row],
  )

const readEndpoints = rowsWith({ failures: int, probeAt: inMilliseconds, since: inMilliseconds })
/** An endpoint that failed lately: how often in a row, when it is probed next, and since when it fails. */
export type EndpointRow = ReturnType<typeof readEndpoints>[number]

export const endpointRow = (sql: Sql, queue: Queue): EndpointRow | undefined =>
  readEndpoints(sql, 'SELECT failures, probe_at AS probeAt, since FROM endpoints WHERE queue = ?', queue)[0]

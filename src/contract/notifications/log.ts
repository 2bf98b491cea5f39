// The log of notifications that a merchant reads: each one's status and its attempts (contract, section 11).
import * as z from 'zod/mini'
import { CallbackId, DEFAULT_CALLBACK, isCallbackId } from '../callback.ts'
import { formatDateTime } from '../date-time.ts'
import type { Attempt, DeliveryResult } from '../delivery.ts'
import type { Example } from '../example.ts'
import { meta } from '../meta.ts'
import { strictObject } from '../object.ts'
import { decodeCursor, encodeCursor, limitParameter, nextCursor, positionParameter } from '../query.ts'
import { NOTIFICATION_TYPES, type NotificationType } from '../settings.ts'
import { QrCodeUid } from '../uid.ts'
import { NOTIFICATION_STATUSES, type NotificationStatus } from './status.ts'

/** A notification without its body; times are Unix milliseconds. */
export interface Notification {
  id: string
  /** The address that it goes to. */
  callback: string
  type: NotificationType
  qrCodeUid?: string | undefined
  paymentUid?: string | undefined
  refundUid?: string | undefined
  settlementUid?: string | undefined
  status: NotificationStatus
  createdAt: number
  attempts: readonly Attempt[]
  /** Absent once it is delivered or has failed. */
  nextAttemptAt?: number | undefined
}

const Result = {
  httpStatus: z.optional(z.int()).apply(meta, { description: 'The status of your server’s response' }),
  error: z.optional(z.string()).apply(meta, { description: 'Why there was no response' }),
  ms: z.int().apply(meta, { description: 'Milliseconds that the delivery took' }),
}

export const DeliveryAnswer = z.object(Result).apply(meta, { id: 'Delivery' })
export type DeliveryAnswer = z.infer<typeof DeliveryAnswer>

export const NotificationAnswer = z
  .object({
    id: z.string().apply(meta, { description: '`webhook-id`' }),
    callback: z.string().apply(meta, {
      description: `The address that it goes to; \`${DEFAULT_CALLBACK}\` is that of the settings`,
    }),
    type: z.enum(NOTIFICATION_TYPES),
    qrCodeUid: z.optional(z.string()),
    paymentId: z.optional(z.string()),
    refundId: z.optional(z.string()),
    settlementUid: z.optional(z.string()),
    status: z.enum(NOTIFICATION_STATUSES),
    createdDateTime: z.iso.datetime({ offset: true }),
    attempts: z.array(
      z.object({
        dateTime: z.iso.datetime({ offset: true }),
        origin: z
          .optional(z.string())
          .apply(meta, { description: 'The scheme, host and port that the delivery went to' }),
        ...Result,
      }),
    ),
    nextAttempt: z
      .optional(z.iso.datetime({ offset: true }))
      .apply(meta, { description: 'Present if the notification is PENDING' }),
    body: z
      .optional(z.string())
      .apply(meta, { description: 'The text that is sent; only in the response for a single notification' }),
  })
  .apply(meta, { id: 'Notification' })
export type NotificationAnswer = z.infer<typeof NotificationAnswer>

export const NotificationsAnswer = z
  .object({
    notifications: z.array(NotificationAnswer),
    nextCursor: nextCursor('notifications'),
  })
  .apply(meta, { id: 'NotificationPage' })
export type NotificationsAnswer = z.infer<typeof NotificationsAnswer>

/** A position in the log: the number of a notification, among those of all addresses. */
export interface NotificationPosition {
  number: number
  callback: string
}

/** The cursor of a position; one of the default address is its number. */
export const notificationCursorOf = ({ number, callback }: NotificationPosition): string =>
  encodeCursor(callback === DEFAULT_CALLBACK ? `${number}` : `${number}:${callback}`)

const NotificationCursor = positionParameter(notificationCursorOf, (cursor) => {
  const [number = '', callback = DEFAULT_CALLBACK] = decodeCursor(cursor).split(':')
  return /^\d{1,15}$/.test(number) && isCallbackId(callback)
    ? { number: Number(number), callback }
    : undefined
}).apply(meta, { description: '`nextCursor` of the page before' })

export const NotificationsQuery = strictObject({
  status: z
    .optional(z.enum(NOTIFICATION_STATUSES, `one of ${NOTIFICATION_STATUSES.join(', ')}`))
    .apply(meta, { description: 'Only notifications in this status' }),
  qrCodeUid: z.optional(QrCodeUid).apply(meta, { description: 'Only notifications of this QR code' }),
  callback: z.optional(CallbackId).apply(meta, { description: 'Only notifications to this address' }),
  limit: limitParameter({ byDefault: 20, max: 100 }),
  cursor: z.optional(NotificationCursor),
})

/** The answer that shows a notification. @param offset the deployment's offset from UTC */
export function notificationAnswer(
  notification: Notification,
  offset: string,
  body?: string,
): NotificationAnswer {
  const { id, callback, type, qrCodeUid, paymentUid, refundUid, settlementUid } = notification
  const { status, createdAt, attempts, nextAttemptAt } = notification
  const dateTime = (milliseconds: number) => formatDateTime(Math.floor(milliseconds / 1000), offset)
  return {
    id,
    callback,
    type,
    ...(qrCodeUid !== undefined && { qrCodeUid }),
    ...(paymentUid !== undefined && { paymentId: paymentUid }),
    ...(refundUid !== undefined && { refundId: refundUid }),
    ...(settlementUid !== undefined && { settlementUid }),
    status,
    createdDateTime: dateTime(createdAt),
    attempts: attempts.map(({ at, origin, ...result }) => ({
      dateTime: dateTime(at),
      ...(origin !== undefined && { origin }),
      ...deliveryAnswer(result),
    })),
    ...(nextAttemptAt !== undefined && { nextAttempt: dateTime(nextAttemptAt) }),
    ...(body !== undefined && { body }),
  }
}

/** The answer that shows the result of a delivery. */
export const deliveryAnswer = ({ httpStatus, error, ms }: DeliveryResult): DeliveryAnswer => ({
  ...(httpStatus !== undefined && { httpStatus }),
  ...(error !== undefined && { error }),
  ms,
})

const notification = {
  id: '8c1f0d5a9b3e7f42-2',
  callback: DEFAULT_CALLBACK,
  type: 'PAYMENT',
  qrCodeUid: 'order-1001',
  paymentId: 'A6325171030000001',
  status: 'DELIVERED',
  createdDateTime: '2026-11-20T20:11:40+03:00',
  attempts: [
    { dateTime: '2026-11-20T20:11:40+03:00', origin: 'https://shop.example', httpStatus: 200, ms: 84 },
  ],
}

export const NOTIFICATIONS_EXAMPLE: Example = {
  summary: 'The only page',
  value: { notifications: [notification] },
}

export const NOTIFICATION_EXAMPLE: Example = {
  summary: 'A notification that was delivered at once',
  value: {
    ...notification,
    body: '{"payment":{"paymentId":"A6325171030000001","qrCodeUid":"order-1001","type":"PAYMENT"},"type":"PAYMENT","version":"1"}',
  },
}

export const DELIVERY_EXAMPLE: Example = { summary: 'Delivered', value: { httpStatus: 200, ms: 84 } }

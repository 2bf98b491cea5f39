// The keys that sign the notifications of a site (contract, section 12).
import * as z from 'zod/mini'
import { formatDateTime } from './date-time.ts'
import type { Example } from './example.ts'
import { meta } from './meta.ts'

/** A notification key without its text; `createdAt` is Unix seconds. */
export interface NotificationKey {
  id: string
  createdAt: number
  active: boolean
}

export const NotificationKeyAnswer = z
  .object({
    id: z.string(),
    created: z.iso.datetime({ offset: true }),
    active: z.boolean().apply(meta, { description: 'Whether the header `Signature` uses this key' }),
  })
  .apply(meta, { id: 'NotificationKey' })
export type NotificationKeyAnswer = z.infer<typeof NotificationKeyAnswer>

export const NewNotificationKeyAnswer = z
  .extend(NotificationKeyAnswer, {
    key: z
      .string()
      .check(z.regex(/^whsec_[A-Za-z0-9+/]{43}=$/))
      .apply(meta, { description: 'The secret text. Only this response shows it' }),
  })
  .apply(meta, { id: 'NewNotificationKey' })
export type NewNotificationKeyAnswer = z.infer<typeof NewNotificationKeyAnswer>

export const NotificationKeysAnswer = z
  .object({ notificationKeys: z.array(NotificationKeyAnswer) })
  .apply(meta, { id: 'NotificationKeys' })

/** The answer that shows a notification key. @param offset the deployment's offset from UTC */
export const notificationKeyAnswer = (
  { id, createdAt, active }: NotificationKey,
  offset: string,
): NotificationKeyAnswer => ({ id, created: formatDateTime(createdAt, offset), active })

const notificationKey = { id: '5c0d3f6a8b1e2d47', created: '2026-11-20T20:10:32+03:00', active: true }

export const NOTIFICATION_KEY_EXAMPLE: Example = { summary: 'The active key', value: notificationKey }

export const NOTIFICATION_KEYS_EXAMPLE: Example = {
  summary: 'A key and the next one',
  value: {
    notificationKeys: [
      notificationKey,
      { id: '91b7e4c2d05f6a38', created: '2026-11-21T09:00:00+03:00', active: false },
    ],
  },
}

export const NEW_NOTIFICATION_KEY_EXAMPLE: Example = {
  summary: 'The first key',
  value: { ...notificationKey, key: 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=' },
}

// The settings of a site, and the keys that sign its notifications (contract, section 12).
import * as z from 'zod/mini'
import { COLOR, contrast, WHITE } from './color.ts'
import { formatDateTime } from './date-time.ts'
import type { Example } from './example.ts'
import { meta } from './meta.ts'
import { strictObject } from './object.ts'
import { line } from './text.ts'

export const NOTIFICATION_TYPES = ['PAYMENT', 'REFUND', 'TOKEN', 'QR_CODE'] as const
export type NotificationType = (typeof NOTIFICATION_TYPES)[number]

export interface Settings {
  /** Shown to the payer instead of the siteId. */
  name?: string | undefined
  /** Shown to the payer. */
  supportContact?: string | undefined
  /** Where the shop's logo was fetched. */
  logoUrl?: string | undefined
  /** Of the buttons of the payer's page, `#1b4fd6`. */
  color?: string | undefined
  /** Where notifications go; without one there are none. */
  callbackUrl?: string | undefined
  notificationTypes: readonly NotificationType[]
}

/** A logo, as it was fetched; `hash` is 32 hex digits of its SHA-256. */
export interface Logo {
  hash: string
  mediaType: string
  content: Uint8Array<ArrayBuffer>
}

/** Settings that replace the present ones, with what logoUrl leads to, unless the site has it already. */
export type NewSettings = Settings & { logo?: Logo | undefined }

export const DEFAULT_SETTINGS: Settings = { notificationTypes: ['PAYMENT', 'REFUND', 'TOKEN'] }

/** Buttons must differ from the page; their text is black or white, whichever is legible. */
const LEAST_CONTRAST = 3
const COLOR_RULE = `six hexadecimal digits such as #1b4fd6, of a colour whose contrast with white is at least ${LEAST_CONTRAST}:1`
const Color = z
  .string(COLOR_RULE)
  .check(z.refine((value) => COLOR.test(value) && contrast(value, WHITE) >= LEAST_CONTRAST, COLOR_RULE))
  .apply(meta, { pattern: COLOR.source })

const TYPES_RULE = 'an array'

/** In the order of NOTIFICATION_TYPES, each once: so that equal settings have equal texts. */
const NotificationTypes = z.pipe(
  z.array(z.enum(NOTIFICATION_TYPES, `one of ${NOTIFICATION_TYPES.join(', ')}`), TYPES_RULE),
  z.transform((types) => NOTIFICATION_TYPES.filter((type) => types.includes(type))),
)

/** The body that replaces the settings. The URLs are validated in the handler, because their rule depends on CALLBACK_HOSTS. */
export const SettingsRequest = z
  .pipe(
    strictObject({
      name: z.optional(line(60)).apply(meta, {
        description: 'The name of the shop; the payer’s page shows it instead of the `siteId`',
      }),
      supportContact: z.optional(line(100)).apply(meta, {
        description: 'A telephone number, an e-mail address or a URL; the payer’s page shows it',
      }),
      logoUrl: z.optional(z.string('a URL')).apply(meta, {
        format: 'uri',
        maxLength: 500,
        description:
          'An https URL of a still PNG, JPEG or WebP of at most 256 KiB and 1024 pixels a side. The service fetches it once, when it is set; the payer’s page shows it',
      }),
      color: z.optional(Color).apply(meta, {
        description: 'The colour of the buttons of the payer’s page; its contrast with white is at least 3:1',
      }),
      callbackUrl: z.optional(z.string('a URL')).apply(meta, {
        format: 'uri',
        maxLength: 500,
        description:
          'An https URL of your server, without user info and fragment. Notifications go there; if absent, none are sent',
      }),
      notificationTypes: z.optional(NotificationTypes).apply(meta, {
        description: `The types of notifications that are sent; by default ${DEFAULT_SETTINGS.notificationTypes.join(', ')}`,
      }),
    }),
    z.transform(
      ({ notificationTypes = DEFAULT_SETTINGS.notificationTypes, ...rest }): Settings => ({
        ...rest,
        notificationTypes,
      }),
    ),
  )
  .apply(meta, { id: 'SettingsRequest' })

export const SettingsAnswer = z
  .object({
    name: z.optional(z.string()),
    supportContact: z.optional(z.string()),
    logoUrl: z.optional(z.string()),
    color: z.optional(z.string()),
    callbackUrl: z.optional(z.string()),
    notificationTypes: z.array(z.enum(NOTIFICATION_TYPES)),
  })
  .apply(meta, { id: 'Settings' })
export type SettingsAnswer = z.infer<typeof SettingsAnswer>

/** The answer that shows the settings. */
export const settingsAnswer = ({
  name,
  supportContact,
  logoUrl,
  color,
  callbackUrl,
  notificationTypes,
}: Settings): SettingsAnswer => ({
  ...(name !== undefined && { name }),
  ...(supportContact !== undefined && { supportContact }),
  ...(logoUrl !== undefined && { logoUrl }),
  ...(color !== undefined && { color }),
  ...(callbackUrl !== undefined && { callbackUrl }),
  notificationTypes: [...notificationTypes],
})

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

const settings = {
  name: 'Чайная на Садовой',
  supportContact: '+7 800 555-01-00',
  color: '#0f6b3c',
  callbackUrl: 'https://shop.example/notifications',
  notificationTypes: ['PAYMENT', 'REFUND', 'TOKEN'],
}

export const SETTINGS_EXAMPLE: Example = { summary: 'A shop that receives notifications', value: settings }

/** Settings that replace the present ones. */
export const SETTINGS_REQUEST_EXAMPLES = {
  notified: SETTINGS_EXAMPLE,
  expiries: {
    summary: 'Notifications of expired and cancelled QR codes too',
    value: { ...settings, notificationTypes: ['PAYMENT', 'REFUND', 'TOKEN', 'QR_CODE'] },
  },
  defaults: { summary: 'The defaults', value: {} },
} satisfies Record<string, Example>

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

// The settings of a site (contract, section 12).
import * as z from 'zod/mini'
import { type Amount, AmountAnswer, amountAnswer } from './amount.ts'
import type { Example } from './example.ts'
import { meta } from './meta.ts'
import type { ReceiptSettings } from './receipts/receipt.ts'
import { ReceiptSettingsAnswer } from './receipts/settings.ts'

export const NOTIFICATION_TYPES = ['PAYMENT', 'REFUND', 'TOKEN', 'QR_CODE', 'RECEIPT', 'SETTLEMENT'] as const
export type NotificationType = (typeof NOTIFICATION_TYPES)[number]

export interface Settings {
  /** Shown to the payer instead of the siteId. */
  name?: string | undefined
  /** Shown to the payer. */
  supportContact?: string | undefined
  /** Where the shop's logo was fetched. */
  logoUrl?: string | undefined
  /** The colour of the buttons on the payer's page, `#1b4fd6`. */
  color?: string | undefined
  /** Who sells, in law: shown to the payer as the shop states it. */
  legalName?: string | undefined
  taxId?: string | undefined
  /** Where notifications go; without one there are none. */
  callbackUrl?: string | undefined
  notificationTypes: readonly NotificationType[]
  /** The schemes of the shop's own apps, to which a redirectUrl may lead. */
  redirectSchemes?: readonly string[] | undefined
  /** A person who refunds more of a payment than this confirms it by passkey. */
  confirmRefundsAbove?: Amount | undefined
  /** Whether an access token begins a session of the console; undefined: it does. */
  tokenSignIn?: boolean | undefined
  /** Whether payers are told that they can pay with digital roubles; undefined: they are not. */
  digitalRouble?: boolean | undefined
  /** What receipts have where a request does not state it. */
  receipts?: ReceiptSettings | undefined
  /** The accounts from which the bank pays out, of 20 digits each. */
  payoutAccounts?: readonly string[] | undefined
}

/** A logo, as it was fetched or uploaded; `hash` is 32 hex digits of its SHA-256. */
export interface Logo {
  hash: string
  mediaType: string
  content: Uint8Array<ArrayBuffer>
}

/** Settings that replace the present ones, with what logoUrl leads to, unless the site has it already. */
export type NewSettings = Settings & { logo?: Logo | undefined }

export const DEFAULT_SETTINGS: Settings = { notificationTypes: ['PAYMENT', 'REFUND', 'TOKEN'] }

const TYPES_RULE = 'an array'

/** In the order of NOTIFICATION_TYPES, each once: so that equal settings have equal texts. */
export const NotificationTypes = z.pipe(
  z.array(z.enum(NOTIFICATION_TYPES, `one of ${NOTIFICATION_TYPES.join(', ')}`), TYPES_RULE),
  z.transform((types) => NOTIFICATION_TYPES.filter((type) => types.includes(type))),
)

/** Its rule depends on the deployment, so the handler checks it. */
export const CallbackUrl = z.string('a URL').apply(meta, { format: 'uri', maxLength: 500 })

export const SettingsAnswer = z
  .object({
    name: z.optional(z.string()),
    supportContact: z.optional(z.string()),
    logoUrl: z.optional(z.string()),
    color: z.optional(z.string()),
    legalName: z.optional(z.string()),
    taxId: z.optional(z.string()),
    callbackUrl: z.optional(z.string()),
    notificationTypes: z.array(z.enum(NOTIFICATION_TYPES)),
    redirectSchemes: z.optional(z.array(z.string())),
    confirmRefundsAbove: z.optional(AmountAnswer),
    tokenSignIn: z.optional(z.boolean()).apply(meta, { description: 'Absent unless it is `false`' }),
    digitalRouble: z.optional(z.literal(true)),
    receipts: z.optional(ReceiptSettingsAnswer),
    payoutAccounts: z.optional(z.array(z.string())),
  })
  .apply(meta, { id: 'Settings' })
export type SettingsAnswer = z.infer<typeof SettingsAnswer>

/** The answer that shows the settings. */
export const settingsAnswer = ({
  name,
  supportContact,
  logoUrl,
  color,
  legalName,
  taxId,
  callbackUrl,
  notificationTypes,
  redirectSchemes,
  confirmRefundsAbove,
  tokenSignIn,
  digitalRouble,
  receipts,
  payoutAccounts,
}: Settings): SettingsAnswer => ({
  ...(name !== undefined && { name }),
  ...(supportContact !== undefined && { supportContact }),
  ...(logoUrl !== undefined && { logoUrl }),
  ...(color !== undefined && { color }),
  ...(legalName !== undefined && { legalName }),
  ...(taxId !== undefined && { taxId }),
  ...(callbackUrl !== undefined && { callbackUrl }),
  notificationTypes: [...notificationTypes],
  ...(redirectSchemes && { redirectSchemes: [...redirectSchemes] }),
  ...(confirmRefundsAbove && { confirmRefundsAbove: amountAnswer(confirmRefundsAbove) }),
  ...(tokenSignIn === false && { tokenSignIn }),
  ...(digitalRouble && { digitalRouble }),
  ...(receipts && { receipts }),
  ...(payoutAccounts && { payoutAccounts: [...payoutAccounts] }),
})

/** An example. */
export const SETTINGS = {
  name: 'Чайная на Садовой',
  supportContact: '+7 800 555-01-00',
  color: '#0f6b3c',
  legalName: 'ООО «Чайная на Садовой»',
  taxId: '7707083893',
  callbackUrl: 'https://shop.example/notifications',
  notificationTypes: ['PAYMENT', 'REFUND', 'TOKEN'],
}

export const SETTINGS_EXAMPLE: Example = { summary: 'A shop that receives notifications', value: SETTINGS }

// The addresses that a site's notifications go to (contract, section 12).
import * as z from 'zod/mini'
import type { Example } from './example.ts'
import { meta } from './meta.ts'
import { strictObject } from './object.ts'
import { CallbackUrl, NOTIFICATION_TYPES, NotificationTypes, type Settings } from './settings.ts'
import { hasAtMost, line } from './text.ts'
import { parseHttpUrl } from './url.ts'

/** The address that is `callbackUrl` of the settings, with their `notificationTypes`. */
export const DEFAULT_CALLBACK = 'default'
/** The addresses of a site, with that of the settings. */
export const MAX_CALLBACKS = 5

/** An address, with the types of notifications that it takes. */
export interface Callback {
  id: string
  url: string
  types: Settings['notificationTypes']
  label?: string | undefined
}

const ID_RULE = '1 to 64 of a-z 0-9 -'
const ID = /^[a-z0-9-]{1,64}$/
export const isCallbackId = (value: string): boolean => ID.test(value)

export const CallbackId = z
  .string(ID_RULE)
  .check(z.regex(ID, ID_RULE))
  .apply(meta, {
    description: `Your identifier of the address; \`${DEFAULT_CALLBACK}\` is \`callbackUrl\` of the settings`,
    examples: ['shop-2'],
  })

const DESCRIPTIONS = {
  url: 'An https URL of your server, without user info and fragment',
  types: 'The types of notifications that go there',
  label: 'What the console calls it',
}

const OWN_RULE =
  'an absolute http or https URL of at most 500 characters without user info, white space or fragment'

/** callbackUrl of a QR code. The site checks besides that its origin is that of an address in the settings. */
export const OwnCallbackUrl = z
  .string(OWN_RULE)
  .check(
    z.refine(
      (value) => hasAtMost(500, value) && !value.includes('#') && parseHttpUrl(value) !== undefined,
      OWN_RULE,
    ),
  )
  .apply(meta, { format: 'uri', maxLength: 500, examples: ['https://shop.example/notifications/2'] })

/** The body that sets an address. Whether the deployment calls the URL, the handler checks. */
export const CallbackRequest = strictObject({
  url: CallbackUrl.apply(meta, { description: DESCRIPTIONS.url }),
  types: NotificationTypes.apply(meta, { description: DESCRIPTIONS.types }),
  label: z.optional(line(60)).apply(meta, { description: DESCRIPTIONS.label }),
}).apply(meta, { id: 'CallbackRequest' })
export type CallbackRequest = z.output<typeof CallbackRequest>

export const CallbackAnswer = z
  .object({
    id: z.string(),
    url: z.string().apply(meta, { description: DESCRIPTIONS.url }),
    types: z.array(z.enum(NOTIFICATION_TYPES)).apply(meta, { description: DESCRIPTIONS.types }),
    label: z.optional(z.string()).apply(meta, { description: DESCRIPTIONS.label }),
  })
  .apply(meta, { id: 'Callback' })
export type CallbackAnswer = z.infer<typeof CallbackAnswer>

export const CallbacksAnswer = z
  .object({
    callbacks: z
      .array(CallbackAnswer)
      .apply(meta, { description: `At most ${MAX_CALLBACKS}, \`${DEFAULT_CALLBACK}\` first` }),
  })
  .apply(meta, { id: 'Callbacks' })

/** The answer that shows an address. */
export const callbackAnswer = ({ id, url, types, label }: Callback): CallbackAnswer => ({
  id,
  url,
  types: [...types],
  ...(label !== undefined && { label }),
})

const second = { url: 'https://second.example/notifications', types: ['PAYMENT', 'REFUND'], label: 'Shop 2' }

export const CALLBACK_REQUEST_EXAMPLES = {
  second: { summary: 'The server of a second shop', value: second },
} satisfies Record<string, Example>

export const CALLBACK_EXAMPLE: Example = {
  summary: 'The server of a second shop',
  value: { id: 'shop-2', ...second },
}

export const CALLBACKS_EXAMPLE: Example = {
  summary: 'Two shops',
  value: {
    callbacks: [
      {
        id: DEFAULT_CALLBACK,
        url: 'https://shop.example/notifications',
        types: ['PAYMENT', 'REFUND', 'TOKEN'],
      },
      { id: 'shop-2', ...second },
    ],
  },
}

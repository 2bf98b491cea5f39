// What a connector answers to the registration of a QR code (contract, section 14).
import * as z from 'zod/mini'
import { StoredDateTime } from './query.ts'
import { unicodeText } from './text.ts'

const LINK_RULE = 'an https URL of at most 512 printable characters of ASCII'
/** The link of a QR code that a bank registered; `expiresOn` becomes Unix seconds. */
export const Registration = z.object({
  payload: z
    .string(LINK_RULE)
    .check(
      z.refine((url) => /^https:\/\/[!-~]+$/.test(url) && url.length <= 512 && URL.canParse(url), LINK_RULE),
    ),
  qrcId: z.optional(z.string()),
  reference: z.optional(unicodeText(200)),
  expiresOn: z.optional(StoredDateTime),
})

/** A sale for which a bank armed the link of a COUNTER code; `expiresOn` becomes Unix seconds. */
export const Activation = z.object({
  reference: z.optional(unicodeText(200)),
  expiresOn: z.optional(StoredDateTime),
})

/** Why the bank refuses the QR code, for the merchant's developer. */
export const RefusedRegistration = z.object({ description: unicodeText(300).check(z.minLength(1)) })

// The banks that a payer can choose from, in the payment network's member list format.
import * as z from 'zod'

/** A bank's ways to pay a link; `scheme` is that of its app's deep links. */
export interface Bank {
  name: string
  scheme: string
  /** The Android app. */
  package?: string | undefined
  /** Where the bank's site takes a payment, and where it takes an account to link. */
  webClientUrl?: string | undefined
  webClientUrlSub?: string | undefined
}

const MAX_BANKS = 1000
const WebUrl = z
  .url({ protocol: /^https$/ })
  .max(500)
  .optional()
  .catch(undefined)

/** One entry. What is optional and breaks its rule counts as absent; the list writes true as a text too. */
const Entry = z
  .object({
    bankName: z.string().trim().min(1).max(100),
    schema: z.string().regex(/^bank\d{12}$/),
    package_name: z
      .string()
      .regex(/^[A-Za-z]\w*(\.\w+)+$/)
      .optional()
      .catch(undefined),
    webClientUrl: WebUrl,
    webClientUrlSub: WebUrl,
    isWebClientActive: z.unknown().optional(),
  })
  .transform(
    ({ bankName, schema, package_name, isWebClientActive, ...urls }): Bank => ({
      name: bankName,
      scheme: schema,
      package: package_name,
      ...(`${isWebClientActive}` === 'true' && urls),
    }),
  )
  .optional()
  .catch(undefined)

/** The list in its own order; entries without a name or a scheme are skipped. */
export const BankList = z
  .object({ dictionary: z.array(Entry) })
  .transform(({ dictionary }) => dictionary.filter((bank) => bank !== undefined).slice(0, MAX_BANKS))

// The banks that a payer can choose from, in the payment network's member list format.
import * as z from 'zod/mini'
import { ifValid } from '../contract/if-valid.ts'

/** A bank's ways to pay a link; `scheme` is that of its app's deep links. */
export interface Bank {
  name: string
  scheme: string
  /** The path of its logo among the static files: the page loads nothing from elsewhere. */
  logo?: string | undefined
  /** The Android app. */
  package?: string | undefined
  /** Where the bank's site takes a payment, and where it takes an account to link. */
  webClientUrl?: string | undefined
  webClientUrlSub?: string | undefined
}

const MAX_BANKS = 1000
const WebUrl = ifValid(z.url({ protocol: /^https$/ }).check(z.maxLength(500)))

/** One entry. What is optional and breaks its rule counts as absent; the network's list also has the text 'true'. */
const Entry = ifValid(
  z.pipe(
    z.object({
      bankName: z.string().check(z.trim(), z.minLength(1), z.maxLength(100)),
      schema: z.string().check(z.regex(/^bank\d{12}$/)),
      logoURL: ifValid(z.string().check(z.regex(/^(\/[\w-][\w.-]*)+$/))),
      package_name: ifValid(z.string().check(z.regex(/^[A-Za-z]\w*(\.\w+)+$/))),
      webClientUrl: WebUrl,
      webClientUrlSub: WebUrl,
      isWebClientActive: ifValid(z.literal([true, 'true'])),
    }),
    z.transform(
      ({ bankName, schema, logoURL, package_name, isWebClientActive, ...urls }): Bank => ({
        name: bankName,
        scheme: schema,
        logo: logoURL,
        package: package_name,
        ...(isWebClientActive && urls),
      }),
    ),
  ),
)

/** The list in its own order; entries without a name or a scheme are skipped. */
export const BankList = z.pipe(
  z.object({ dictionary: z.array(Entry, 'dictionary must be an array') }, 'the list must be an object'),
  z.transform(({ dictionary }) => dictionary.filter((bank) => bank !== undefined).slice(0, MAX_BANKS)),
)

const Made = ifValid(z.object({ madeOn: z.iso.datetime() }))

/** When `npm run banks` made a list, in Unix milliseconds; undefined for a list of another program. */
export function madeAtOf(list: unknown): number | undefined {
  const made = Made.parse(list)
  return made && Date.parse(made.madeOn)
}

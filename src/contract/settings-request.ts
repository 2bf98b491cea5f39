// What a request changes of the settings of a site (contract, section 12).
import * as z from 'zod/mini'
import { amountFromZero } from './amount.ts'
import { APP_SCHEME_RULE, isAppScheme } from './app-url.ts'
import { COLOR, contrast, WHITE } from './color.ts'
import type { Example } from './example.ts'
import { meta } from './meta.ts'
import { strictObject } from './object.ts'
import {
  keptReceipts,
  patchedReceipts,
  ReceiptSettingsPatch,
  ReceiptSettingsRequest,
} from './receipts/settings.ts'
import {
  CallbackUrl,
  DEFAULT_SETTINGS,
  NotificationTypes,
  SETTINGS,
  SETTINGS_EXAMPLE,
  type Settings,
} from './settings.ts'
import { isTaxId } from './tax-id.ts'
import { line } from './text.ts'

/** Buttons must differ from the page; their text is black or white, whichever is legible. */
const LEAST_CONTRAST = 3
const COLOR_RULE = `six hexadecimal digits such as #1b4fd6, of a colour whose contrast with white is at least ${LEAST_CONTRAST}:1`
const Color = z
  .string(COLOR_RULE)
  .check(z.refine((value) => COLOR.test(value) && contrast(value, WHITE) >= LEAST_CONTRAST, COLOR_RULE))
  .apply(meta, { pattern: COLOR.source })

const MAX_SCHEMES = 5
const SCHEMES_RULE = `an array of at most ${MAX_SCHEMES}`

/** Sorted, each once. */
const RedirectSchemes = z.pipe(
  z
    .array(z.string(APP_SCHEME_RULE).check(z.refine(isAppScheme, APP_SCHEME_RULE)), SCHEMES_RULE)
    .check(z.maxLength(MAX_SCHEMES, SCHEMES_RULE)),
  z.transform((schemes) => [...new Set(schemes)].sort()),
)

const MAX_ACCOUNTS = 10
const ACCOUNTS_RULE = `an array of at most ${MAX_ACCOUNTS}`
const ACCOUNT_RULE = '20 digits'

/** Sorted, each once. */
const PayoutAccounts = z.pipe(
  z
    .array(z.string(ACCOUNT_RULE).check(z.regex(/^\d{20}$/, ACCOUNT_RULE)), ACCOUNTS_RULE)
    .check(z.maxLength(MAX_ACCOUNTS, ACCOUNTS_RULE)),
  z.transform((accounts) => [...new Set(accounts)].sort()),
)

const TAX_ID_RULE = '10 or 12 digits of a Russian INN, whose check digits hold'
const TaxId = z
  .string(TAX_ID_RULE)
  .check(z.refine(isTaxId, TAX_ID_RULE))
  .apply(meta, { pattern: '^(\\d{10}|\\d{12})$' })

/** The rule of each setting. Those of the URLs are checked in the handler, because they depend on CALLBACK_HOSTS. */
const rulesOf = (currencies: readonly string[]) => ({
  name: line(60),
  supportContact: line(100),
  logoUrl: CallbackUrl,
  color: Color,
  legalName: line(160),
  taxId: TaxId,
  callbackUrl: CallbackUrl,
  notificationTypes: NotificationTypes,
  redirectSchemes: RedirectSchemes,
  confirmRefundsAbove: amountFromZero(currencies),
  tokenSignIn: z.boolean('true or false'),
  digitalRouble: z.boolean('true or false'),
  payoutAccounts: PayoutAccounts,
})
type Name = keyof ReturnType<typeof rulesOf>

const DESCRIPTIONS: Record<Name | 'receipts', string> = {
  name: 'The name of the shop; the payer’s page shows it instead of the `siteId`',
  supportContact: 'A telephone number, an e-mail address or a URL; the payer’s page shows it',
  logoUrl:
    'An https URL of a still PNG, JPEG or WebP of at most 256 KiB and 1024 pixels a side. The service fetches it once, when it is set; the payer’s page shows it',
  color: 'The colour of the buttons of the payer’s page; its contrast with white is at least 3:1',
  legalName: 'Who sells, in law; the payer’s page shows it as the shop states it',
  taxId: 'The INN of the seller; the payer’s page shows it as the shop states it',
  callbackUrl:
    'An https URL of your server, without user info and fragment. Notifications go there; if absent, none are sent',
  notificationTypes: `The types of notifications that are sent; by default ${DEFAULT_SETTINGS.notificationTypes.join(', ')}`,
  redirectSchemes:
    'The schemes of your own apps, such as `teashop`: `redirectUrl` may be an address of one of them. The payer’s page has it as a button, and never opens an app by itself',
  confirmRefundsAbove:
    'A person confirms by passkey a refund with which the refunds of a payment exceed this amount; `0.00` means every refund. A token is not asked',
  tokenSignIn:
    'Whether an access token begins a session of the console; by default it does. `false` holds once an owner has a passkey',
  digitalRouble:
    'Whether the payer’s page and the printed sheet name digital roubles; by default they do not',
  payoutAccounts:
    'The accounts from which your bank pays out, of 20 digits each: a credit from one of them in an imported statement is a payout',
  receipts:
    'What receipts have where a request does not state it (54-FZ), and whether the payer is asked for a contact',
}

/** The body that replaces the settings: some that older clients do not know stay where they are absent. @param currencies of the deployment */
export function settingsRequest(currencies: readonly string[]) {
  const rules = rulesOf(currencies)
  const described = <T extends z.ZodMiniType>(rule: T, name: keyof typeof DESCRIPTIONS) =>
    z.optional(rule).apply(meta, { description: DESCRIPTIONS[name] })
  return z
    .pipe(
      strictObject({
        name: described(rules.name, 'name'),
        supportContact: described(rules.supportContact, 'supportContact'),
        logoUrl: described(rules.logoUrl, 'logoUrl'),
        color: described(rules.color, 'color'),
        legalName: described(rules.legalName, 'legalName'),
        taxId: described(rules.taxId, 'taxId'),
        callbackUrl: described(rules.callbackUrl, 'callbackUrl'),
        notificationTypes: described(rules.notificationTypes, 'notificationTypes'),
        redirectSchemes: described(rules.redirectSchemes, 'redirectSchemes'),
        confirmRefundsAbove: described(rules.confirmRefundsAbove, 'confirmRefundsAbove'),
        tokenSignIn: described(rules.tokenSignIn, 'tokenSignIn'),
        digitalRouble: described(rules.digitalRouble, 'digitalRouble'),
        receipts: described(ReceiptSettingsRequest, 'receipts'),
        payoutAccounts: described(rules.payoutAccounts, 'payoutAccounts'),
      }),
      z.transform(
        ({ notificationTypes = DEFAULT_SETTINGS.notificationTypes, ...rest }): Settings => ({
          ...rest,
          notificationTypes,
        }),
      ),
    )
    .apply(meta, { id: 'SettingsRequest' })
}

/** Settings in place of others: what an older client does not know stays, unless the request has it. */
export function replaced(requested: Settings, present: Settings): Settings {
  const { redirectSchemes, confirmRefundsAbove, tokenSignIn, digitalRouble, receipts, payoutAccounts } =
    requested
  return {
    ...requested,
    redirectSchemes: unlessEmpty(redirectSchemes ?? present.redirectSchemes),
    confirmRefundsAbove: confirmRefundsAbove ?? present.confirmRefundsAbove,
    tokenSignIn: unless(true, tokenSignIn ?? present.tokenSignIn),
    digitalRouble: unless(false, digitalRouble ?? present.digitalRouble),
    receipts: keptReceipts(receipts ?? present.receipts),
    payoutAccounts: unlessEmpty(payoutAccounts ?? present.payoutAccounts),
  }
}

/** An empty list is as none, so that equal settings have equal texts. */
const unlessEmpty = <T>(list: readonly T[] | undefined) => (list?.length ? list : undefined)

/** The default is as none. */
const unless = (byDefault: boolean, value: boolean | undefined) => (value === byDefault ? undefined : value)

/** The body that changes some settings (RFC 7396): what is absent stays, null removes. @param currencies of the deployment */
export function settingsPatch(currencies: readonly string[]) {
  const rules = rulesOf(currencies)
  const orNull = <T extends z.ZodMiniType>(rule: T, description: string) =>
    z.optional(z.nullable(rule)).apply(meta, { description })
  return strictObject({
    name: orNull(rules.name, DESCRIPTIONS.name),
    supportContact: orNull(rules.supportContact, DESCRIPTIONS.supportContact),
    logoUrl: orNull(rules.logoUrl, `${DESCRIPTIONS.logoUrl}. \`null\` removes an uploaded picture, too`),
    color: orNull(rules.color, DESCRIPTIONS.color),
    legalName: orNull(rules.legalName, DESCRIPTIONS.legalName),
    taxId: orNull(rules.taxId, DESCRIPTIONS.taxId),
    callbackUrl: orNull(rules.callbackUrl, DESCRIPTIONS.callbackUrl),
    notificationTypes: orNull(rules.notificationTypes, DESCRIPTIONS.notificationTypes),
    redirectSchemes: orNull(rules.redirectSchemes, DESCRIPTIONS.redirectSchemes),
    confirmRefundsAbove: orNull(rules.confirmRefundsAbove, DESCRIPTIONS.confirmRefundsAbove),
    tokenSignIn: orNull(rules.tokenSignIn, DESCRIPTIONS.tokenSignIn),
    digitalRouble: orNull(rules.digitalRouble, DESCRIPTIONS.digitalRouble),
    receipts: orNull(ReceiptSettingsPatch, DESCRIPTIONS.receipts),
    payoutAccounts: orNull(rules.payoutAccounts, DESCRIPTIONS.payoutAccounts),
  }).apply(meta, { id: 'SettingsPatch' })
}
export type SettingsPatch = z.output<ReturnType<typeof settingsPatch>>

export const SETTINGS_PATCH_EXAMPLES = {
  address: {
    summary: 'Another address, and no colour of its own',
    value: { callbackUrl: 'https://shop.example/notifications', color: null },
  },
  app: {
    summary: 'An app of your own, into which redirectUrl may lead',
    value: { redirectSchemes: ['teashop'] },
  },
  people: {
    summary: 'People confirm refunds above 5,000 RUB, and no access token signs in to the console',
    value: { confirmRefundsAbove: { value: '5000.00' }, tokenSignIn: false },
  },
  receipts: {
    summary: 'Each payment has a receipt, for which the payer’s page asks an e-mail or a phone',
    value: { receipts: { taxation: 'usnIncome', vat: 'none', askContact: true, default: true } },
  },
} satisfies Record<string, Example>

/** Settings with a patch merged into them: in the order of the rules, so that equal settings have equal texts. */
export function patched(settings: Settings, patch: SettingsPatch): Settings {
  const of = <Name extends Exclude<keyof SettingsPatch & keyof Settings, 'receipts'>>(name: Name) =>
    patch[name] === undefined ? settings[name] : (patch[name] ?? undefined)
  return {
    name: of('name'),
    supportContact: of('supportContact'),
    logoUrl: of('logoUrl'),
    color: of('color'),
    legalName: of('legalName'),
    taxId: of('taxId'),
    callbackUrl: of('callbackUrl'),
    notificationTypes:
      patch.notificationTypes === undefined
        ? settings.notificationTypes
        : (patch.notificationTypes ?? DEFAULT_SETTINGS.notificationTypes),
    redirectSchemes: unlessEmpty(of('redirectSchemes')),
    confirmRefundsAbove: of('confirmRefundsAbove'),
    tokenSignIn: unless(true, of('tokenSignIn')),
    digitalRouble: unless(false, of('digitalRouble')),
    receipts: patchedReceipts(settings.receipts, patch.receipts),
    payoutAccounts: unlessEmpty(of('payoutAccounts')),
  }
}

/** Settings that replace the present ones. */
export const SETTINGS_REQUEST_EXAMPLES = {
  notified: SETTINGS_EXAMPLE,
  expiries: {
    summary: 'Notifications of expired and cancelled QR codes too',
    value: { ...SETTINGS, notificationTypes: ['PAYMENT', 'REFUND', 'TOKEN', 'QR_CODE'] },
  },
  defaults: { summary: 'The defaults', value: {} },
} satisfies Record<string, Example>

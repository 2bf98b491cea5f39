// The setting `receipts` of a site: what its receipts have where a request does not state it (contract, section 12).
import * as z from 'zod/mini'
import { meta } from '../meta.ts'
import { strictObject } from '../object.ts'
import { line } from '../text.ts'
import { parseHttpUrl } from '../url.ts'
import { Email } from './contact.ts'
import { ItemObject, MAX_NAME, Method } from './item.ts'
import { type ReceiptSettings, Taxation } from './receipt.ts'
import { VatRate } from './vat.ts'

const PLACE_RULE = 'an http or https URL of at most 256 characters'
const Place = z
  .string(PLACE_RULE)
  .check(z.refine((text) => text.length <= 256 && parseHttpUrl(text) !== undefined, PLACE_RULE))
  .apply(meta, { format: 'uri', maxLength: 256 })
const Flag = z.boolean('true or false')

const RULES = {
  taxation: Taxation,
  vat: VatRate,
  method: Method,
  object: ItemObject,
  itemName: line(MAX_NAME),
  place: Place,
  email: Email,
  askContact: Flag,
  default: Flag,
} satisfies Record<keyof ReceiptSettings, z.ZodMiniType>

const DESCRIPTIONS: Record<keyof ReceiptSettings, string> = {
  taxation: 'The system of taxation, where a receipt states none',
  vat: 'The rate of VAT of an item that states none',
  method: 'How an item is paid that does not say so; by default `fullPayment`',
  object: 'What an item is that does not say so; by default `commodity`',
  itemName: 'The name of the only item of a default receipt; by default the purpose of the payment',
  place: 'The address of the shop in the internet (tag 1187)',
  email: 'The e-mail address that the receipt comes from (tag 1117)',
  askContact: 'Whether the payer’s page asks for an e-mail address or a phone; by default it does not',
  default: 'Whether each payment without a receipt of its own gets one item, of the whole amount',
}

const described = <T extends z.ZodMiniType>(rule: T, name: keyof ReceiptSettings) =>
  z.optional(rule).apply(meta, { description: DESCRIPTIONS[name] })

/** The value that replaces the setting. */
export const ReceiptSettingsRequest = strictObject({
  taxation: described(RULES.taxation, 'taxation'),
  vat: described(RULES.vat, 'vat'),
  method: described(RULES.method, 'method'),
  object: described(RULES.object, 'object'),
  itemName: described(RULES.itemName, 'itemName'),
  place: described(RULES.place, 'place'),
  email: described(RULES.email, 'email'),
  askContact: described(RULES.askContact, 'askContact'),
  default: described(RULES.default, 'default'),
}).apply(meta, { id: 'ReceiptSettingsRequest' })

const orNull = <T extends z.ZodMiniType>(rule: T, name: keyof ReceiptSettings) =>
  z.optional(z.nullable(rule)).apply(meta, { description: DESCRIPTIONS[name] })

/** What a patch changes of it (RFC 7396): what is absent stays, null removes. */
export const ReceiptSettingsPatch = strictObject({
  taxation: orNull(RULES.taxation, 'taxation'),
  vat: orNull(RULES.vat, 'vat'),
  method: orNull(RULES.method, 'method'),
  object: orNull(RULES.object, 'object'),
  itemName: orNull(RULES.itemName, 'itemName'),
  place: orNull(RULES.place, 'place'),
  email: orNull(RULES.email, 'email'),
  askContact: orNull(RULES.askContact, 'askContact'),
  default: orNull(RULES.default, 'default'),
}).apply(meta, { id: 'ReceiptSettingsPatch' })
export type ReceiptSettingsPatch = z.output<typeof ReceiptSettingsPatch>

export const ReceiptSettingsAnswer = z
  .object({
    taxation: z.optional(Taxation),
    vat: z.optional(VatRate),
    method: z.optional(Method),
    object: z.optional(ItemObject),
    itemName: z.optional(z.string()),
    place: z.optional(z.string()),
    email: z.optional(z.string()),
    askContact: z.optional(z.boolean()),
    default: z.optional(z.boolean()),
  })
  .apply(meta, { id: 'ReceiptSettings', description: 'What is absent has its default' })

/** A value as it is kept: in one order and without defaults, so that equal ones have equal texts; undefined where nothing is left. */
export function keptReceipts(settings: ReceiptSettings | undefined): ReceiptSettings | undefined {
  if (!settings) return undefined
  const { taxation, vat, method, object, itemName, place, email, askContact, default: isDefault } = settings
  const kept = {
    ...(taxation !== undefined && { taxation }),
    ...(vat !== undefined && { vat }),
    ...(method !== undefined && { method }),
    ...(object !== undefined && { object }),
    ...(itemName !== undefined && { itemName }),
    ...(place !== undefined && { place }),
    ...(email !== undefined && { email }),
    ...(askContact && { askContact }),
    ...(isDefault && { default: isDefault }),
  }
  return Object.keys(kept).length === 0 ? undefined : kept
}

/** The setting with a patch merged into it; null removes all of it. @returns as it is kept */
export function patchedReceipts(
  present: ReceiptSettings | undefined = {},
  patch: ReceiptSettingsPatch | null | undefined,
): ReceiptSettings | undefined {
  if (patch === null) return undefined
  if (patch === undefined) return keptReceipts(present)
  const of = <Name extends keyof ReceiptSettings>(name: Name) =>
    patch[name] === undefined ? present[name] : (patch[name] ?? undefined)
  return keptReceipts({
    taxation: of('taxation'),
    vat: of('vat'),
    method: of('method'),
    object: of('object'),
    itemName: of('itemName'),
    place: of('place'),
    email: of('email'),
    askContact: of('askContact'),
    default: of('default'),
  })
}

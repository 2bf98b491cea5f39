// The receipt that the settings make, as it will be printed.
import { html } from 'hono/html'
import { ItemObject, Method } from '../../contract/receipts/item.ts'
import { defaultItem, resolvedItem, Taxation } from '../../contract/receipts/receipt.ts'
import { VatRate } from '../../contract/receipts/vat.ts'
import type { Settings } from '../../contract/settings.ts'
import type { Html } from '../../web/layout.ts'
import { paper } from '../../web/receipts/paper.ts'
import { RECEIPT_SETTINGS_TEXTS } from '../texts-receipt-settings.ts'
import type { Visit } from '../visit.ts'

/** What the form of the settings has; a flag is `yes` or empty. */
export type TypedSettings = Record<
  'taxation' | 'vat' | 'method' | 'object' | 'itemName' | 'place' | 'email' | 'askContact' | 'default',
  string
>

/** The sum, in hundredths, and who gets it. */
const SAMPLE = { minorUnits: 150_000, contact: { email: 'ivan@example.ru' } }

/** The figure; the script of the page puts a new one in its place. */
export function sample(typed: TypedSettings, shop: Settings, visit: Visit): Html {
  const { language, config } = visit
  const texts = RECEIPT_SETTINGS_TEXTS[language]
  const item = resolvedItem(defaultItem(SAMPLE.minorUnits, typed.itemName || texts.sampleItem), {
    vat: known(VatRate, typed.vat),
    method: known(Method, typed.method),
    object: known(ItemObject, typed.object),
  })
  const printed = item && {
    kind: 'sale' as const,
    amount: { minorUnits: SAMPLE.minorUnits, currency: config.homeCurrency },
    items: [item],
    taxation: known(Taxation, typed.taxation),
    contact: SAMPLE.contact,
    at: visit.now,
    place: typed.place,
    email: typed.email,
  }
  const seller = { name: shop.name ?? visit.siteId, legalName: shop.legalName, taxId: shop.taxId }
  const look = { language, utcOffset: config.utcOffset, stamp: texts.stamp }
  return html`<figure class="sample later" aria-live="polite"><figcaption>${texts.preview}</figcaption>${
    printed ? paper(printed, seller, look) : html`<p class="warn">${texts.noVat}</p>`
  }</figure>`
}

/** A value of a choice; undefined for any other text. */
const known = <Value>(
  schema: { safeParse(value: unknown): { success: true; data: Value } | { success: false } },
  text: string,
): Value | undefined => {
  const parsed = schema.safeParse(text)
  return parsed.success ? parsed.data : undefined
}

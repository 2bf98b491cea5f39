// What a connector reports of a document (contract, section 18).
import * as z from 'zod/mini'
import { ifValid } from '../if-valid.ts'
import { meta } from '../meta.ts'
import { StoredDateTime } from '../query.ts'
import { optionalText, unicodeText } from '../text.ts'
import { parseHttpUrl } from '../url.ts'
import { type Item, ItemObject, MAX_ITEMS, MAX_NAME, Method, Money, Quantity, Unit } from './item.ts'
import { rateOf, Vat } from './vat.ts'

const FiscalReport = z.object({
  fn: optionalText(20),
  fd: optionalText(20),
  fpd: optionalText(20),
  registration: optionalText(20),
  shift: optionalText(20),
  number: optionalText(20),
  dateTime: ifValid(StoredDateTime),
  // Pages link to it.
  url: ifValid(
    z.string().check(
      z.maxLength(500),
      z.refine((text) => parseHttpUrl(text) !== undefined),
    ),
  ),
})

/** An item as `receipt.register` has it. */
const ReportedItem = z.pipe(
  z.object({
    name: unicodeText(MAX_NAME),
    price: Money,
    quantity: Quantity,
    amount: Money,
    vat: Vat,
    method: Method,
    object: ItemObject,
    unit: Unit,
  }),
  z.transform(({ vat, ...item }): Item => ({ ...item, vat: rateOf(vat) })),
)

/** The body of the report: unknown fields are ignored, and so is an optional field that breaks its rule. */
export const ReceiptReportBody = z
  .object({
    state: z.enum(['SENT', 'REGISTERED', 'FAILED'], 'one of SENT, REGISTERED, FAILED').apply(meta, {
      description:
        'SENT: the cash register has it. REGISTERED is a fact, also after FAILED. FAILED: the cash register stated that it made no document',
    }),
    isHeld: ifValid(z.boolean()).apply(meta, {
      description: 'With SENT: whether the cash register has it is not known, and the operator looks there',
    }),
    fiscal: ifValid(FiscalReport).apply(meta, { description: 'With REGISTERED' }),
    items: ifValid(z.array(ReportedItem).check(z.minLength(1), z.maxLength(MAX_ITEMS))).apply(meta, {
      description:
        'With REGISTERED: the items that the cash register was told, as `receipt.register` had them. Where they differ from those of the site and have the same sum, the site takes them',
    }),
    reason: optionalText(255).apply(meta, { description: 'Why it failed, or why it is held' }),
    canRetry: ifValid(z.boolean()).apply(meta, {
      description: 'With FAILED: whether another attempt makes no second document; by default it does not',
    }),
  })
  .apply(meta, { id: 'ReceiptReport' })
export type ReceiptReport = z.output<typeof ReceiptReportBody>

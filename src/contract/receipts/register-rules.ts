// What a receipt must be so that its cash register can make a document of it; the error names the register.
import type { FieldErrors } from '../../errors.ts'
import { formatMinorUnits } from '../amount.ts'
import { type Capabilities, type CashRegister, capabilitiesOf, type RegisterKind } from './cash-register.ts'
import type { Contact } from './contact.ts'
import { formatQuantity, type Item, ONE } from './item.ts'
import type { ReceiptSettings, Taxation } from './receipt.ts'
import { VAT_RATES, vatOf } from './vat.ts'

/**
 * Items that the cash register cannot put on a document.
 * @param field of the items, such as `receipt.items`
 * @returns undefined where it can
 */
export function refuseItems(
  items: readonly Item[],
  register: CashRegister,
  field: string,
): FieldErrors | undefined {
  const can = capabilitiesOf(register)
  const errors: FieldErrors = {}
  if (items.length > can.maxItems) {
    errors[field] = [`are ${items.length}, must be at most ${can.maxItems} for ${named(register.kind)}`]
  }
  for (const [index, item] of items.entries()) {
    for (const [name, text] of brokenRules(item, can, register.kind))
      errors[`${field}.${index}.${name}`] = [text]
  }
  return merged([errors])
}

const named = (kind: RegisterKind): string => `the cash register ${kind}`

/** All errors, or undefined where there are none. */
export function merged(all: readonly (FieldErrors | undefined)[]): FieldErrors | undefined {
  const errors: FieldErrors = {}
  for (const each of all) {
    for (const [field, texts] of Object.entries(each ?? {}))
      errors[field] = [...(errors[field] ?? []), ...texts]
  }
  return Object.keys(errors).length > 0 ? errors : undefined
}

type Broken = [name: keyof Item, text: string]

const brokenRules = (item: Item, can: Capabilities, kind: RegisterKind): Broken[] => [
  ...brokenWords(item, can, kind),
  ...brokenNumbers(item, can, kind),
]

function brokenWords({ vat, method, object, unit }: Item, can: Capabilities, kind: RegisterKind): Broken[] {
  const isPrepayment = method !== 'fullPayment'
  const stated = vatOf(vat, isPrepayment)
  const broken: Broken[] = []
  const must = (allowed: readonly string[]) => `must be one of ${allowed.join(', ')} for ${named(kind)}`
  if (!can.vats.includes(stated)) {
    const form = stated === vat ? '' : `, which is ${stated} of a prepayment`
    const rates = VAT_RATES.filter((rate) => can.vats.includes(vatOf(rate, isPrepayment)))
    broken.push(['vat', `is "${vat}"${form}, ${must(rates)}`])
  }
  if (!can.methods.includes(method)) broken.push(['method', `is "${method}", ${must(can.methods)}`])
  if (!can.objects.includes(object)) broken.push(['object', `is "${object}", ${must(can.objects)}`])
  if (unit !== 0 && !can.hasUnits) broken.push(['unit', `is ${unit}, must be 0 for ${named(kind)}`])
  return broken
}

function brokenNumbers({ price, quantity, amount }: Item, can: Capabilities, kind: RegisterKind): Broken[] {
  const broken: Broken[] = []
  const shown = formatQuantity(quantity)
  if (quantity % (ONE / 10 ** can.decimals) !== 0) {
    broken.push(['quantity', `is "${shown}", must have at most ${can.decimals} decimals for ${named(kind)}`])
  } else if (shown.length > can.quantityLength) {
    const rule = `must have at most ${can.quantityLength} characters`
    broken.push(['quantity', `is "${shown}", ${rule} for ${named(kind)}`])
  }
  for (const [name, value] of [
    ['price', price],
    ['amount', amount],
  ] as const) {
    if (value <= can.maxAmount) continue
    const rule = `must be at most ${formatMinorUnits(can.maxAmount)}`
    broken.push([name, `is ${formatMinorUnits(value)}, ${rule} for ${named(kind)}`])
  }
  return broken
}

/** What the cash register cannot do with the rest of a receipt. @param amount of the document, in minor units */
export function refuseDocument(
  {
    contact,
    taxation,
    amount,
  }: { contact: Contact | undefined; taxation: Taxation | undefined; amount: number },
  register: CashRegister,
  settings: ReceiptSettings,
): FieldErrors | undefined {
  const can = capabilitiesOf(register)
  const of = named(register.kind)
  const errors: FieldErrors = {}
  const missing = can.needs.filter((name) => settings[name] === undefined)
  if (missing.length > 0) {
    errors.receipt = [`is refused, the setting receipts must have ${missing.join(' and ')} for ${of}`]
  }
  if (amount > can.maxAmount) {
    errors['receipt.items'] = [`are too much, must be at most ${formatMinorUnits(can.maxAmount)} for ${of}`]
  }
  if (!contact && can.rides)
    errors['receipt.contact'] = [`is missing, must be stated for ${of}, which cannot ask the payer later`]
  if (taxation !== undefined && !can.takesTaxation) {
    errors['receipt.taxation'] = [`is "${taxation}", must be absent for ${of}`]
  } else if (can.takesTaxation && taxation === undefined && settings.taxation === undefined) {
    errors['receipt.taxation'] = ['is missing, must be stated here or in the setting receipts']
  }
  return merged([errors, contact && refuseContact(contact, register)])
}

/** A kind of contact that the cash register does not take. */
export function refuseContact(contact: Contact, register: CashRegister): FieldErrors | undefined {
  const { contacts } = capabilitiesOf(register)
  const kind = 'email' in contact ? 'email' : 'phone'
  return contacts.includes(kind)
    ? undefined
    : {
        [`receipt.contact.${kind}`]: [
          `is present, must be ${contacts.join(' or ')} for ${named(register.kind)}`,
        ],
      }
}

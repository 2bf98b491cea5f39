// Which receipts are refused: of a code, a sale or a payment, and in the settings (contract, sections 12 and 18).
import type { FieldErrors } from '../../errors.ts'
import type { Amount } from '../amount.ts'
import type { QrCodeType } from '../qr-code.ts'
import { type Capabilities, type CashRegister, capabilitiesOf, type RegisterKind } from './cash-register.ts'
import { defaultItem, type ReceiptSettings, type ReceiptSpec, resolvedItem, type Terms } from './receipt.ts'
import { merged, refuseDocument, refuseItems } from './register-rules.ts'
import { sumText } from './requested-items.ts'
import { sumOf } from './shares.ts'
import { isRateAt, rateOn, type VatRate } from './vat.ts'

/** What a receipt is of; times are Unix seconds. */
export interface ReceiptSubject {
  /** SALE: of a COUNTER code; PAYMENT: one that was made already. */
  type: QrCodeType | 'SALE' | 'PAYMENT'
  /** Undefined where the payer states it. */
  amount: Amount | undefined
  payableFrom: number
  /** From this second on it cannot be paid; undefined where it has no end. */
  payableUntil: number | undefined
}

/**
 * Why the receipt of a request is refused; of one without a receipt, why a default one cannot be made of it.
 * @param terms undefined at a site without a cash register
 * @returns undefined where it is not
 */
export function refuseReceipt(
  spec: ReceiptSpec | undefined,
  terms: Terms | undefined,
  of: ReceiptSubject,
): FieldErrors | undefined {
  if (!spec) return terms && refuseDefault(terms, of)
  const excluded = exclusionOf(terms, of)
  if (excluded !== undefined) return { receipt: [`is present, must be absent ${excluded}`] }
  if (!terms || !of.amount) return undefined
  const { contact, taxation, items } = spec
  const { minorUnits } = of.amount
  // Without a rate of its own an item is checked as one without VAT, so that all of its broken rules are named at once.
  const withRate = { ...terms, vat: terms.vat ?? 'none' }
  const resolved = items.flatMap((item) => resolvedItem(item, withRate) ?? [])
  return merged([
    refuseSum(sumOf(items), minorUnits),
    refuseRates(
      items.map(({ vat = terms.vat }) => vat),
      of,
    ),
    refuseItems(resolved, terms.register, 'receipt.items'),
    refuseDocument({ contact, taxation, amount: minorUnits }, terms.register, terms),
  ])
}

/** Where a receipt is excluded; undefined where it is not. */
function exclusionOf(terms: Terms | undefined, { type, amount }: ReceiptSubject): string | undefined {
  if (!terms) return 'at a site without a cash register'
  if (type === 'TOKEN' || type === 'COUNTER') return `where qrCode.type is ${type}`
  if (!amount) return 'without an amount'
  return amount.currency === 'RUB' ? undefined : `where the currency is ${amount.currency}, not RUB`
}

const refuseSum = (sum: number, amount: number): FieldErrors =>
  sum === amount ? {} : { 'receipt.items': [sumText(sum, amount, 'the payment')] }

/** @param rates of the items, in their order; undefined where none is stated */
function refuseRates(
  rates: readonly (VatRate | undefined)[],
  { payableFrom, payableUntil }: ReceiptSubject,
): FieldErrors {
  const holds = (rate: VatRate) =>
    isRateAt(rate, payableFrom) &&
    (payableUntil === undefined ? rate !== '20' : isRateAt(rate, Math.max(payableFrom, payableUntil - 1)))
  const broken = rates.flatMap((rate, index): [string, string[]][] => {
    const field = `receipt.items.${index}.vat`
    if (rate === undefined) return [[field, ['is missing, must be stated here or in the setting receipts']]]
    return holds(rate) ? [] : [[field, [`is "${rate}", must hold as long as it can be paid: ${RATE_RULE}`]]]
  })
  return Object.fromEntries(broken)
}

const RATE_RULE = '20 before 2026-01-01 in Moscow, 22 from then on'

/** A default receipt has no contact, so a register whose receipts ride on what is registered has none for it. */
function refuseDefault(terms: Terms, { type, amount }: ReceiptSubject): FieldErrors | undefined {
  const { register } = terms
  if (!terms.default || !capabilitiesOf(register).rides) return undefined
  if (type === 'TOKEN' || type === 'COUNTER' || (amount && amount.currency !== 'RUB')) return undefined
  const rule = `which makes a receipt only of an amount and with a contact`
  return {
    ...(!amount && {
      amount: [`is missing, must be stated for the cash register ${register.kind}, ${rule}`],
    }),
    receipt: [`is missing, must be stated for the cash register ${register.kind}, ${rule}`],
  }
}

/**
 * Why the setting `receipts` is refused.
 * @param register undefined at a site without one
 * @param at Unix seconds
 */
export function refuseReceiptSettings(
  settings: ReceiptSettings,
  register: CashRegister | undefined,
  at: number,
): FieldErrors | undefined {
  if (!register) return { receipts: ['is present, must be absent at a site without a cash register'] }
  const can = capabilitiesOf(register)
  const { kind } = register
  const item = resolvedItem(defaultItem(1, ''), { ...settings, vat: settings.vat ?? 'none' })
  const errors = merged([item && refuseItems([item], register, 'items')])
  return merged([
    ...Object.entries(errors ?? {}).map(([field, texts]) => ({
      [`receipts.${field.slice('items.0.'.length)}`]: texts,
    })),
    settings.vat !== undefined && !isRateAt(settings.vat, at)
      ? { 'receipts.vat': [`is "${settings.vat}", must be "${rateOn(settings.vat, at)}": ${RATE_RULE}`] }
      : undefined,
    settings.taxation !== undefined && !can.takesTaxation
      ? { 'receipts.taxation': [`is "${settings.taxation}", must be absent for the cash register ${kind}`] }
      : undefined,
    settings.default ? refuseDefaultSettings(settings, can, kind) : undefined,
  ])
}

/** What default receipts need. */
function refuseDefaultSettings(
  settings: ReceiptSettings,
  can: Capabilities,
  kind: RegisterKind,
): FieldErrors {
  const needed = ['vat', ...(can.takesTaxation ? ['taxation' as const] : []), ...can.needs] as const
  const missing = needed.filter((name) => settings[name] === undefined)
  return {
    ...Object.fromEntries(
      missing.map((name) => [
        `receipts.${name}`,
        [`is missing, must be stated where receipts.default is true`],
      ]),
    ),
    ...(settings.askContact &&
      can.rides && {
        'receipts.askContact': [
          `is true, must be false where receipts.default is true for the cash register ${kind}, which takes a contact only when a code is made`,
        ],
      }),
  }
}

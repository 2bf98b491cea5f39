// The words of a receipt in the page's language: kinds, methods, objects, rates, units, systems of taxation (54-FZ).
import type { DocumentKind } from '../../contract/receipts/document.ts'
import {
  formatQuantity,
  type Item,
  type ItemObject,
  type Method,
  ONE,
  type Unit,
} from '../../contract/receipts/item.ts'
import type { Taxation } from '../../contract/receipts/receipt.ts'
import type { Vat } from '../../contract/receipts/vat.ts'
import type { Language } from '../../http/negotiation.ts'

interface ReceiptWords {
  kinds: Record<DocumentKind, string>
  methods: Record<Method, string>
  objects: Record<ItemObject, string>
  taxations: Record<Taxation, string>
  /** A sale without VAT; any other rate is `vat` of its per cent. */
  noVat: string
  vat(rate: string): string
  units: Partial<Record<Unit, string>>
}

const ru: ReceiptWords = {
  kinds: { sale: 'Приход', refund: 'Возврат прихода', closing: 'Приход, зачёт предоплаты' },
  methods: {
    fullPayment: 'Полный расчёт',
    fullPrepayment: 'Предоплата 100 %',
    prepayment: 'Предоплата',
    advance: 'Аванс',
  },
  objects: {
    commodity: 'Товар',
    excise: 'Подакцизный товар',
    job: 'Работа',
    service: 'Услуга',
    payment: 'Платёж',
    agentCommission: 'Агентское вознаграждение',
    composite: 'Составной предмет расчёта',
    other: 'Иной предмет расчёта',
  },
  taxations: {
    osn: 'ОСН',
    usnIncome: 'УСН «доходы»',
    usnIncomeOutcome: 'УСН «доходы минус расходы»',
    esn: 'ЕСХН',
    patent: 'Патент',
  },
  noVat: 'Без НДС',
  vat: (rate) => `НДС ${rate} %`,
  units: {
    0: 'шт.',
    10: 'г',
    11: 'кг',
    12: 'т',
    20: 'см',
    21: 'дм',
    22: 'м',
    30: 'см²',
    31: 'дм²',
    32: 'м²',
    40: 'мл',
    41: 'л',
    42: 'м³',
    50: 'кВт·ч',
    51: 'Гкал',
    70: 'сут.',
    71: 'ч',
    72: 'мин',
    73: 'с',
    80: 'КБ',
    81: 'МБ',
    82: 'ГБ',
    83: 'ТБ',
  },
}

const en: ReceiptWords = {
  kinds: { sale: 'Sale', refund: 'Refund', closing: 'Sale against a prepayment' },
  methods: {
    fullPayment: 'Full payment',
    fullPrepayment: 'Prepayment of 100%',
    prepayment: 'Prepayment',
    advance: 'Advance',
  },
  objects: {
    commodity: 'Goods',
    excise: 'Excise goods',
    job: 'Work',
    service: 'Service',
    payment: 'Payment',
    agentCommission: 'Agent’s commission',
    composite: 'Composite',
    other: 'Other',
  },
  taxations: {
    osn: 'General (OSN)',
    usnIncome: 'Simplified, income (USN)',
    usnIncomeOutcome: 'Simplified, income minus expenses (USN)',
    esn: 'Agricultural (ESN)',
    patent: 'Patent',
  },
  noVat: 'Without VAT',
  vat: (rate) => `VAT ${rate}%`,
  units: {
    0: 'pcs',
    10: 'g',
    11: 'kg',
    12: 't',
    20: 'cm',
    21: 'dm',
    22: 'm',
    30: 'cm²',
    31: 'dm²',
    32: 'm²',
    40: 'ml',
    41: 'l',
    42: 'm³',
    50: 'kWh',
    51: 'Gcal',
    70: 'days',
    71: 'h',
    72: 'min',
    73: 's',
    80: 'KB',
    81: 'MB',
    82: 'GB',
    83: 'TB',
  },
}

export const RECEIPT_WORDS: Readonly<Record<Language, ReceiptWords>> = { ru, en }

/** A rate as a receipt names it: `НДС 22 %`, `НДС 22/122 %`, `Без НДС`. */
export function vatName(vat: Vat, language: Language): string {
  const words = RECEIPT_WORDS[language]
  return vat === 'none' ? words.noVat : words.vat(vat)
}

/** How many, with the unit of tag 2108: `1,255 кг`; one piece is `1`, and a unit without a short name is left out. */
export function quantityText(
  { quantity, unit }: Pick<Item, 'quantity' | 'unit'>,
  language: Language,
): string {
  if (quantity === ONE && unit === 0) return '1'
  const number = formatQuantity(quantity).replace('.', language === 'ru' ? ',' : '.')
  return [number, RECEIPT_WORDS[language].units[unit]].filter(Boolean).join(' ')
}

// The texts of the search.
import type { Language } from '../http/negotiation.ts'

const ru = {
  title: 'Поиск',
  kinds: { qrCode: 'QR-код', payment: 'Платёж', refund: 'Возврат', sale: 'Продажа' },
  what: 'Найдено',
  kind: 'Вид',
  short: 'Введите от 2 до 100 символов: номер заказа или платежа, его часть, назначение или сумму',
  none: 'Ничего не нашлось',
  noneAdvice: 'Проверьте номер. Ищутся части номеров и назначений, а сумма — целиком, например 337,50',
  since: 'Части номеров, назначения и суммы искались среди созданного с',
  earlier: 'Искать раньше',
}

const en: typeof ru = {
  title: 'Search',
  kinds: { qrCode: 'QR code', payment: 'Payment', refund: 'Refund', sale: 'Sale' },
  what: 'Found',
  kind: 'Kind',
  short: 'Type 2 to 100 characters: an order, a payment, a part of them, a purpose or an amount',
  none: 'Nothing found',
  noneAdvice:
    'Check the identifier. Parts of identifiers and of purposes are found, an amount as a whole: 337.50',
  since: 'Parts of identifiers, purposes and amounts were looked for in what was created since',
  earlier: 'Search earlier',
}

export const SEARCH_TEXTS: Record<Language, typeof ru> = { ru, en }

// How a payment was made, in the words of the pages.
import type { PaymentMethod } from '../contract/payment.ts'
import type { Language } from '../http/negotiation.ts'

export const METHOD_TEXTS: Readonly<Record<Language, Readonly<Record<PaymentMethod, string>>>> = {
  ru: { sbp: 'СБП', digitalRouble: 'Цифровой рубль', other: 'Другой способ' },
  en: { sbp: 'SBP', digitalRouble: 'Digital rouble', other: 'Another method' },
}

// The texts of the receipt (54-FZ) on the payer's page, in the payer's language. Read a text aloud before you change it.
import type { Language } from '../../http/negotiation.ts'

/** What the field takes: an e-mail, or also a phone. */
type Takes = 'email' | 'phone' | 'both'

interface PayerReceiptTexts {
  title: string
  /** The label of the field, and what it takes. */
  label: Record<Takes, string>
  save: string
  given: string
  correct: string
  fault: Record<Takes, string>
  pending: string
  open: string
}

export const PAYER_RECEIPT_TEXTS: Readonly<Record<Language, PayerReceiptTexts>> = {
  ru: {
    title: 'Чек',
    label: {
      email: 'Почта для чека (не обязательно)',
      phone: 'Телефон для чека (не обязательно)',
      both: 'Почта или телефон для чека (не обязательно)',
    },
    save: 'Сохранить',
    given: 'Чек придёт туда, куда вы указали',
    correct: 'Указать другой адрес',
    fault: {
      email: 'Это не похоже на почту. Нужно, например, ivan@example.ru',
      phone: 'Это не похоже на телефон. Нужно, например, +7\u00a0900\u00a0123-45-67',
      both: 'Это не похоже на почту или телефон. Нужно, например, ivan@example.ru или +7\u00a0900\u00a0123-45-67',
    },
    pending: 'Чек готовится. Ссылка на него появится здесь сама',
    open: 'Чек',
  },
  en: {
    title: 'Receipt',
    label: {
      email: 'E-mail for the receipt (optional)',
      phone: 'Phone for the receipt (optional)',
      both: 'E-mail or phone for the receipt (optional)',
    },
    save: 'Save',
    given: 'The receipt goes where you said',
    correct: 'Send it elsewhere',
    fault: {
      email: 'This is not an e-mail address. Type one such as ivan@example.com',
      phone: 'This is not a phone number. Type one such as +7\u00a0900\u00a0123-45-67',
      both: 'This is not an e-mail address or a phone number. Type one such as ivan@example.com or +7\u00a0900\u00a0123-45-67',
    },
    pending: 'The receipt is being made. The link appears here by itself',
    open: 'Receipt',
  },
}

// The texts of a saved account on the payer's page, in the payer's language. Read a text aloud before you change it.
import type { PaymentStatus } from '../../contract/payment.ts'
import type { EndedBy } from '../../contract/token.ts'
import type { Language } from '../../http/negotiation.ts'
import { nested } from './quotes.ts'

interface AccountTexts {
  title: string
  /** The name of the shop as it stands within quotation marks. */
  quoted(name: string): string
  /** Before and after the name of the shop. */
  allows: readonly [string, string]
  purpose: string
  until: string
  bank: string
  charges: string
  /** Where nothing was charged yet. */
  none: string
  statuses: Record<PaymentStatus, string>
  /** A charge that the bank was not asked for yet. */
  unsent: string
  /** The link to the question. */
  stop: string
  keepLink: string
  /** The question; `loses` stands before and after the name of the shop. */
  ask: string
  loses: readonly [string, string]
  confirm: string
  leave: string
  /** The heading of an account that has ended, what ended it, and what follows. */
  ended: string
  endedBy: Record<EndedBy, (when: string) => string>
  noMore: string
  /** Each charge that the bank has already. */
  sent(sum: string, when: string): string
  bankShows: string
  /** Several accounts were saved by the link; before and after the name of the shop. */
  several: readonly [string, string]
}

export const ACCOUNT_TEXTS: Readonly<Record<Language, AccountTexts>> = {
  ru: {
    title: 'Сохранённый счёт',
    quoted: nested,
    allows: ['Магазин «', '» может списывать с него любую сумму, не спрашивая вас каждый раз'],
    purpose: 'Для чего',
    until: 'Согласие до',
    bank: 'Банк',
    charges: 'Списания',
    none: 'Списаний без вашего участия ещё не было',
    unsent: 'ещё не отправлено в банк',
    statuses: { WAITING: 'отправлено в банк', COMPLETED: 'списано', DECLINED: 'не списано' },
    stop: 'Запретить списания',
    keepLink: 'Сохраните ссылку на эту страницу: по ней вы сможете запретить списания в любой момент',
    ask: 'Запретить списания?',
    loses: ['Магазин «', '» больше не сможет начать новое списание с этого счёта. Отменить запрет нельзя'],
    confirm: 'Запретить',
    leave: 'Не запрещать',
    ended: 'Списания с этого счёта прекращены',
    endedBy: {
      payer: (when) => `Вы запретили их ${when}`,
      merchant: (when) => `Магазин удалил сохранённый счёт ${when}`,
      network: (when) => `Согласие отменено в банке ${when}`,
      clock: (when) => `Срок согласия закончился ${when}`,
    },
    noMore: 'Новых списаний не будет',
    sent: (sum, when) => `${sum} отправлены в банк ${when}: эта сумма ещё может быть списана`,
    bankShows: 'Приложение банка может и дальше показывать это согласие. Списаний по нему не будет',
    several: [
      'По этой ссылке сохранено несколько счетов. Чтобы запретить списания, обратитесь в магазин «',
      '»',
    ],
  },
  en: {
    title: 'Saved account',
    quoted: (name) => name,
    allows: ['The shop “', '” can charge it with any amount, without asking you each time'],
    purpose: 'What for',
    until: 'Allowed until',
    bank: 'Bank',
    charges: 'Charges',
    none: 'Nothing was charged without you yet',
    unsent: 'not sent to the bank yet',
    statuses: { WAITING: 'sent to the bank', COMPLETED: 'charged', DECLINED: 'not charged' },
    stop: 'Stop charges',
    keepLink: 'Keep the link to this page: with it you can stop the charges at any time',
    ask: 'Stop charges?',
    loses: [
      'The shop “',
      '” will not be able to begin another charge of this account. This cannot be undone',
    ],
    confirm: 'Stop',
    leave: 'Do not stop',
    ended: 'Charges of this account have stopped',
    endedBy: {
      payer: (when) => `You stopped them on ${when}`,
      merchant: (when) => `The shop deleted the saved account on ${when}`,
      network: (when) => `The consent was ended at the bank on ${when}`,
      clock: (when) => `The consent expired on ${when}`,
    },
    noMore: 'Nothing more will be charged',
    sent: (sum, when) => `${sum} was sent to your bank on ${when}, it may still be charged`,
    bankShows: 'Your bank’s app may go on showing this consent. Nothing will be charged by it',
    several: ['Several accounts were saved by this link. To stop the charges, ask the shop “', '”'],
  },
}

// The texts of saved accounts.
import type { EndedBy } from '../contract/token.ts'
import type { Language } from '../http/negotiation.ts'

const ru = {
  lead: 'Счета, с которых покупатели разрешили списывать деньги без их участия. Ищите по идентификатору покупателя целиком: магазин указал его, когда создавал QR-код',
  customer: 'Покупатель',
  unnamed: 'без идентификатора',
  account: 'Счёт',
  bank: 'Банк',
  until: 'Действует до',
  endedOn: 'Прекращены',
  code: 'QR-код',
  none: 'Сохранённых счетов нет',
  noneAdvice:
    'Они появятся, когда покупатель согласится запомнить счёт: при оплате или по QR-коду для привязки',
  charges: 'Списания',
  noCharges: 'Списаний не было',
  page: 'Страница покупателя',
  pageHint: 'Здесь покупатель сам запретит списания: пришлите ему эту ссылку, если он её потерял',
  open: 'Открыть',
  end: 'Прекратить списания',
  endAdvice:
    'Новых списаний с этого счёта не будет. То, что уже отправлено в банк, ещё может быть списано. Вернуть счёт сможет только сам покупатель: новым согласием',
  doEnd: 'Прекратить',
  ended: 'Списания с этого счёта прекращены',

  endedBy: {
    merchant: 'Прекратил магазин',
    payer: 'Запретил покупатель',
    network: 'Отменено в банке',
    clock: 'Истёк срок',
  } satisfies Record<EndedBy, string>,
}

const en: typeof ru = {
  lead: 'Accounts that customers allow you to charge without them. Search by the whole identifier of the customer, as you gave it when you created the QR code',
  customer: 'Customer',
  unnamed: 'without an identifier',
  account: 'Account',
  bank: 'Bank',
  until: 'Valid until',
  endedOn: 'Ended',
  code: 'QR code',
  none: 'There are no saved accounts',
  noneAdvice:
    'They appear when a customer agrees to save an account: with a payment, or by a QR code that links one',
  charges: 'Charges',
  noCharges: 'Nothing was charged',
  page: 'The customer’s page',
  pageHint: 'Here the customer can stop the charges: send them this link if they lost it',
  open: 'Open',
  end: 'End the charges',
  endAdvice:
    'Nothing more will be charged to this account. What was sent to the bank may still be charged. Only the customer can bring the account back, by another consent',
  doEnd: 'End',
  ended: 'The charges of this account have ended',

  endedBy: {
    merchant: 'Ended by you',
    payer: 'Stopped by the customer',
    network: 'Ended at the bank',
    clock: 'Expired',
  },
}

export const ACCOUNT_TEXTS: Record<Language, typeof ru> = { ru, en }

// The texts of the operator's page of settlement. Read a text aloud before you change it.
import type { Language } from '../http/negotiation.ts'

const ru = {
  title: 'Выплаты банков',
  lead: 'Суммы по файлам банков, которые загрузили магазины. Сведения не старше минуты.',
  month: 'Месяц',
  noSuchMonth: 'Месяц — это, например, 2026-11',
  back: 'Предыдущий месяц',
  forward: 'Следующий месяц',
  none: 'За этот месяц файлов нет',
  noneAdvice:
    'Магазин появится здесь, когда загрузит файл банка. Один реестр на несколько магазинов загружает команда npm run settlement.',
  site: 'Сайт',
  total: 'Всего',
  gross: 'Оплачено',
  refunded: 'Возвращено',
  fee: 'Комиссия',
  net: 'К выплате',
  states: 'Операции',
  withoutFee: (count: string) => `без комиссии: ${count}, сумма не полная`,
}

const en: typeof ru = {
  title: 'Settlement',
  lead: 'Sums of the bank files that the shops have imported. At most a minute old.',
  month: 'Month',
  noSuchMonth: 'A month is, for example, 2026-11',
  back: 'Previous month',
  forward: 'Next month',
  none: 'No files of this month',
  noneAdvice:
    'A shop is here when it has imported a file of its bank. The command npm run settlement imports one registry of several shops.',
  site: 'Site',
  total: 'Total',
  gross: 'Paid',
  refunded: 'Refunded',
  fee: 'Fee',
  net: 'To be paid out',
  states: 'Operations',
  withoutFee: (count: string) => `without a fee: ${count}, the sum is not complete`,
}

export const OPERATOR_SETTLEMENT_TEXTS: Record<Language, typeof ru> = { ru, en }

// The texts of the first page.
import type { Language } from '../http/negotiation.ts'

const ru = {
  period: 'Период',
  periods: { day: 'День', week: 'Неделя', month: 'Месяц' },
  present: { day: 'Сегодня', week: 'Эта неделя', month: 'Этот месяц' },
  net: 'Выручка после возвратов',
  received: 'Получено',
  payments: (count: number, hasNotApplied: boolean) =>
    `платежей: ${count}${hasNotApplied ? ', включая не подошедшие ни к одному QR-коду' : ''}`,
  created: 'Создано QR-кодов',
  conversion: 'Конверсия',
  paidOf: (paid: number, created: number) => `оплачено ${paid} из ${created}`,
  refunded: 'Возвращено',
  refunds: (count: number) => `возвратов: ${count}`,
  /** The name of the sum of the period before. If the period is not over, the one before is cut at the same moment. */
  before: {
    day: ['днём раньше', 'вчера к этому времени'],
    week: ['неделей раньше', 'на прошлой неделе к этому времени'],
    month: ['месяцем раньше', 'в прошлом месяце к этому времени'],
  },
  parts: { day: 'По часам', week: 'По дням', month: 'По дням' },
  chart: (paid: string, refunded: string, peak: string, most: string) =>
    `Получено ${paid}, возвращено ${refunded}. Больше всего ${peak}: ${most}. Числа есть в таблице ниже`,
  key: { paid: 'получено', refunded: 'возвращено', before: 'в прошлом периоде' },
  asTable: 'Таблицей',
  hour: 'Час',
  day: 'День',
  attention: 'Требуют решения',
  receiverFails: 'Сервер магазина не принимает уведомления',
  latest: 'Последние платежи',
  all: 'Все платежи',
  back: { day: 'Предыдущий день', week: 'Предыдущая неделя', month: 'Предыдущий месяц' },
  forward: { day: 'Следующий день', week: 'Следующая неделя', month: 'Следующий месяц' },
  noPayments: 'Платежей ещё не было',
  noneOnDay: 'В эти дни платежей не было',
  howPaid: 'Создайте QR-код и покажите его покупателю. Платёж появится здесь через секунду после оплаты',
  newCode: 'Новый QR-код',
}

const en: typeof ru = {
  period: 'Period',
  periods: { day: 'Day', week: 'Week', month: 'Month' },
  present: { day: 'Today', week: 'This week', month: 'This month' },
  net: 'Net after refunds',
  received: 'Received',
  payments: (count, hasNotApplied) =>
    `${count} ${count === 1 ? 'payment' : 'payments'}${hasNotApplied ? ', including some that fit no QR code' : ''}`,
  created: 'QR codes created',
  conversion: 'Conversion',
  paidOf: (paid, created) => `${paid} of ${created} paid`,
  refunded: 'Refunded',
  refunds: (count) => `${count} ${count === 1 ? 'refund' : 'refunds'}`,
  before: {
    day: ['the day before', 'yesterday by this time'],
    week: ['the week before', 'last week by this time'],
    month: ['the month before', 'last month by this time'],
  },
  parts: { day: 'By hour', week: 'By day', month: 'By day' },
  chart: (paid, refunded, peak, most) =>
    `Received ${paid}, refunded ${refunded}. Most at ${peak}: ${most}. The table below has the figures`,
  key: { paid: 'received', refunded: 'refunded', before: 'the period before' },
  asTable: 'As a table',
  hour: 'Hour',
  day: 'Day',
  attention: 'Need a decision',
  receiverFails: 'The shop’s server does not accept notifications',
  latest: 'Latest payments',
  all: 'All payments',
  back: { day: 'Day before', week: 'Week before', month: 'Month before' },
  forward: { day: 'Day after', week: 'Week after', month: 'Month after' },
  noPayments: 'No payments yet',
  noneOnDay: 'No payments on these days',
  howPaid: 'Create a QR code and show it to a customer. The payment appears here a second after it is made',
  newCode: 'New QR code',
}

export const TODAY_TEXTS: Readonly<Record<Language, typeof ru>> = { ru, en }

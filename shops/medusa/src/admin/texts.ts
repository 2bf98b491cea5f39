// The texts of the pages in the admin: Russian if the admin is in Russian, else English.
const en = {
  title: 'Payments by QR code (SBP)',
  none: 'No money has come yet.',
  paid: 'Paid',
  late: 'Paid after cancellation',
  surplus: 'Surplus',
  left: 'not returned:',
  lateAdvice: 'The order is cancelled, and its money is here: return it.',
  surplusAdvice: 'This money pays nothing: return it.',
  refund: 'Refund',
  sure: 'Return to the customer:',
  done: 'carried out, and not recorded in the order',
  waiting: 'the bank has not carried it out yet',
  record: 'Record it',
  mistaken: 'recorded, and not carried out: declined, or never requested',
  takeBack: 'Remove it',
  unclaimed: 'Money without an order',
  unclaimedAdvice: 'A cart was paid, and there is no order of it: return the money.',
  check: 'Check',
  checking: 'Checking…',
  good: 'The settings work: a code of 1 ₽ was made and cancelled, and a test notification came.',
  testSite: 'Test site',
  yes: 'yes: no money moves',
  no: 'no',
  secrets: 'The token and the notification key are in medusa-config.ts, and are never shown.',
}

const ru: typeof en = {
  title: 'Платежи по QR-коду (СБП)',
  none: 'Деньги ещё не приходили.',
  paid: 'Оплачено',
  late: 'Оплачено после отмены',
  surplus: 'Лишний платёж',
  left: 'не возвращено:',
  lateAdvice: 'Заказ отменён, а деньги пришли: верните их.',
  surplusAdvice: 'Эти деньги ничего не оплачивают: верните их.',
  refund: 'Вернуть',
  sure: 'Вернуть покупателю:',
  done: 'выполнен, но в заказе не записан',
  waiting: 'банк ещё не выполнил',
  record: 'Записать',
  mistaken: 'записан, но не выполнен: отклонён или не отправлен',
  takeBack: 'Убрать запись',
  unclaimed: 'Деньги без заказа',
  unclaimedAdvice: 'Корзину оплатили, а заказа по ней нет: верните деньги.',
  check: 'Проверить',
  checking: 'Проверка…',
  good: 'Настройки работают: код на 1 ₽ создан и отменён, тестовое уведомление пришло.',
  testSite: 'Тестовый сайт',
  yes: 'да: деньги не движутся',
  no: 'нет',
  secrets: 'Токен и ключ уведомлений — в medusa-config.ts, они нигде не показываются.',
}

/** The admin keeps the language of its user there, in codes of its own: `enGB`. Without one it is in English. */
const language = localStorage.getItem('lng')?.startsWith('ru') ? 'ru' : 'en'

export const texts = { en, ru }[language]

/** Of an amount in roubles: `349.90`. */
export const money = (value: string): string =>
  Number(value).toLocaleString(language, {
    style: 'currency',
    currency: 'RUB',
    currencyDisplay: 'narrowSymbol',
  })

/** Of a time, RFC 3339. */
export const moment = (dateTime: string): string => new Date(dateTime).toLocaleString(language)

/** Calls the shop as the user who is signed in. @throws Error with what the shop says */
export async function call<T>(path: string, body?: object): Promise<T> {
  const response = await fetch(`/admin${path}`, {
    credentials: 'include',
    ...(body && {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    }),
  })
  const answer = await response.json()
  if (!response.ok) throw new Error(answer.message ?? `HTTP ${response.status}`)
  return answer
}

// The texts that several pages of the console share, in both languages. Read a text aloud before you change it.
import type { EventPayment } from '../contract/event.ts'
import type { Language } from '../http/negotiation.ts'

const ru = {
  console: 'Кабинет',
  sandbox: 'Тестовый стенд: деньги не списываются',
  skip: 'К содержимому',
  signOut: 'Выйти',
  more: 'Ещё',
  sections: 'Разделы',
  undelivered: 'есть недоставленные',
  noKey: {
    lead: 'Уведомления не отправляются: адрес указан, а ключа подписи нет.',
    make: 'Создать ключ',
    ask: 'Его создаёт администратор магазина.',
  },
  nav: {
    today: 'Сегодня',
    qr: 'QR-коды',
    payments: 'Платежи',
    tills: 'Кассы',
    accounts: 'Сохранённые счета',
    notifications: 'Уведомления',
    events: 'События',
    settings: 'Настройки',
    keys: 'Ключи API',
    'notification-keys': 'Ключи подписи',
    operator: 'Сайты',
    stuck: 'Застряло',
    'operator-keys': 'Ключи',
    audit: 'Журнал',
  },
  any: 'Любой',
  from: 'С даты',
  to: 'По дату',
  noSuchDay: 'Такого дня нет',
  beforeFrom: 'Этот день раньше, чем «С даты»',
  status: 'Статус',
  type: 'Тип',
  amount: 'Сумма',
  time: 'Время',
  purpose: 'Назначение',
  searchField: { label: 'Поиск по магазину', hint: 'Заказ, платёж, сумма' },
  search: 'Найти',
  apply: 'Показать',
  reset: 'Сбросить',
  first: 'В начало',
  back: 'Назад',
  next: 'Дальше',
  copy: 'Копировать',
  copied: 'Скопировано',
  cancel: 'Отменить',
  yes: 'да',
  no: 'нет',
  optional: 'не обязательно',
  nothingFound: 'Ничего не нашлось',
  widen: 'Измените условия или сбросьте их',
  refused: 'Не получилось',
  done: {
    created: 'QR-код создан',
    cancelled: 'Отменено',
    saved: 'Сохранено',
    delivered: 'Доставлено',
    failed: 'Не доставлено. Причина ниже, в попытках',
    handedOver: 'Отмечено: товар отдан',
    reopened: 'Отметка снята: платёж снова требует решения',
  },
  faults: {
    'validation.error': 'Проверьте поля',
    'payin.incorrect-method-invocation': 'Это уже невозможно: статус изменился',
    'payin.resource.already.exists': 'Такой номер уже занят: выберите другой',
    'payin.resource.not.found': 'Такой записи нет',
    'http.precondition.failed': 'Настройки тем временем изменил кто-то ещё. Ниже то, что сохранено сейчас',
    'site.restored':
      'Магазин восстановлен из резервной копии. Возвраты заработают, когда оператор его возобновит',
    'site.limit.exceeded': 'Больше лимита, который установил оператор. Повысить лимит может он',
    'network.changed': 'Платёж из другой платёжной сети: вернуть его здесь нельзя',
    'network.not.connected': 'Платёжная сеть не подключена',
    'network.refused': 'Банк отказал',
    'network.unavailable': 'Банк не ответил. Повторите через минуту',
    'http.too.many.requests': 'Слишком много запросов. Подождите несколько секунд',
    'service.unavailable': 'Сервис занят. Повторите через несколько секунд',
  },
}

const en: typeof ru = {
  console: 'Console',
  sandbox: 'Sandbox: no money moves',
  skip: 'To the content',
  signOut: 'Sign out',
  more: 'More',
  sections: 'Sections',
  undelivered: 'some not delivered',
  noKey: {
    lead: 'No notification is sent: there is an address, and no signing key.',
    make: 'Create a key',
    ask: 'An administrator of the shop creates it.',
  },
  nav: {
    today: 'Today',
    qr: 'QR codes',
    payments: 'Payments',
    tills: 'Tills',
    accounts: 'Saved accounts',
    notifications: 'Notifications',
    events: 'Events',
    settings: 'Settings',
    keys: 'API keys',
    'notification-keys': 'Signing keys',
    operator: 'Sites',
    stuck: 'Stuck',
    'operator-keys': 'Keys',
    audit: 'Audit',
  },
  any: 'Any',
  from: 'From',
  to: 'To',
  noSuchDay: 'There is no such day',
  beforeFrom: 'This day is before “From”',
  status: 'Status',
  type: 'Type',
  amount: 'Amount',
  time: 'Time',
  purpose: 'For',
  searchField: { label: 'Search the shop', hint: 'Order, payment, amount' },
  search: 'Search',
  apply: 'Apply',
  reset: 'Reset',
  first: 'First page',
  back: 'Back',
  next: 'Next',
  copy: 'Copy',
  copied: 'Copied',
  cancel: 'Cancel',
  yes: 'yes',
  no: 'no',
  optional: 'optional',
  nothingFound: 'Nothing found',
  widen: 'Change the filters, or reset them',
  refused: 'This did not work',
  done: {
    created: 'QR code created',
    cancelled: 'Cancelled',
    saved: 'Saved',
    delivered: 'Delivered',
    failed: 'Not delivered. The attempts below say why',
    handedOver: 'Marked as delivered',
    reopened: 'The mark is undone: the payment needs a decision again',
  },
  faults: {
    'validation.error': 'Check the fields',
    'payin.incorrect-method-invocation': 'This is no longer possible: the status has changed',
    'payin.resource.already.exists': 'This identifier is taken: choose another',
    'payin.resource.not.found': 'There is no such thing',
    'http.precondition.failed': 'Somebody else changed the settings meanwhile. Below is what is saved now',
    'site.restored': 'The site was restored from a backup. Refunds work again when the operator resumes it',
    'site.limit.exceeded': 'This is above the limit of the operator, who can raise it',
    'network.changed': 'The payment is of another network: it cannot be refunded here',
    'network.not.connected': 'The payment network is not connected',
    'network.refused': 'The bank refused',
    'network.unavailable': 'The bank did not answer. Try again in a minute',
    'http.too.many.requests': 'Too many requests. Wait a few seconds',
    'service.unavailable': 'The service is busy. Try again in a few seconds',
  },
}

export type ConsoleTexts = typeof ru
export const CONSOLE_TEXTS: Record<Language, ConsoleTexts> = { ru, en }

type Tone = 'good' | 'bad' | 'off' | 'returned' | ''

/** What a status looks like, and its names in Russian and English. */
export const STATES: Record<string, readonly [tone: Tone, ru: string, en: string]> = {
  CREATED: ['', 'Ждёт оплаты', 'Awaiting payment'],
  OPEN: ['', 'Действует', 'Active'],
  PAYED: ['good', 'Оплачен', 'Paid'],
  DECLINED: ['bad', 'Отказ', 'Declined'],
  CANCELLED: ['off', 'Отменён', 'Cancelled'],
  EXPIRED: ['off', 'Срок истёк', 'Expired'],
  ACCEPTED: ['good', 'Счёт привязан', 'Account linked'],
  REJECTED: ['off', 'Покупатель отказался', 'Refused by the customer'],
  DELETED: ['off', 'Удалено', 'Deleted'],
  INIT_PAYMENT_BY_TOKEN: ['', 'Списание идёт', 'Being charged'],
  REFUNDED: ['returned', 'Возвращён', 'Refunded'],
  PARTLY: ['returned', 'Возвращён частично', 'Partly refunded'],
  COMPLETED: ['good', 'Прошёл', 'Succeeded'],
  WAITING: ['', 'В обработке', 'Pending'],
  NOT_APPLIED: ['bad', 'Не зачтён', 'Not applied'],
  HANDED_OVER: ['good', 'Товар отдан', 'Delivered'],
  SALE_ACTIVE: ['', 'Ждём оплату', 'Awaiting payment'],
  SALE_PAYED: ['good', 'Оплачена', 'Paid'],
  SALE_CANCELLED: ['off', 'Отменена', 'Cancelled'],
  SALE_EXPIRED: ['off', 'Не оплачена вовремя', 'Expired'],
  SALE_REFUNDED: ['returned', 'Возвращена', 'Refunded'],
  SALE_PARTLY: ['returned', 'Возвращена частично', 'Partly refunded'],
  PENDING: ['', 'Ждёт отправки', 'Pending'],
  RETRIED: ['', 'Ждёт повтора', 'To be repeated'],
  DELIVERED: ['good', 'Доставлено', 'Delivered'],
  FAILED: ['bad', 'Не доставлено', 'Failed'],
}

export const TYPES: Record<Language, Record<string, string>> = {
  ru: { DYNAMIC: 'Разовый', STATIC: 'Многоразовый', COUNTER: 'Кассовый', TOKEN: 'Привязка счёта' },
  en: { DYNAMIC: 'One payment', STATIC: 'Reusable', COUNTER: 'Till', TOKEN: 'Account link' },
}

const EVENTS: Record<string, readonly [ru: string, en: string]> = {
  'qrCode.created': ['QR-код создан', 'QR code created'],
  'qrCode.cancelled': ['QR-код отменён', 'QR code cancelled'],
  'qrCode.expired': ['Время на оплату вышло', 'QR code expired'],
  'sale.created': ['Касса выставила сумму', 'The till set an amount'],
  'sale.cancelled': ['Продажа отменена', 'Sale cancelled'],
  'sale.expired': ['Время продажи вышло', 'Sale expired'],
  'payment.waiting': ['Списание начато', 'Charge started'],
  'payment.completed': ['Платёж прошёл', 'Payment succeeded'],
  'payment.notApplied': ['Платёж пришёл, но не зачтён', 'Payment arrived, but was not applied'],
  'payment.declined': ['Платёж не прошёл', 'Payment declined'],
  'payment.decided': ['Отмечено: товар отдан', 'Marked as delivered'],
  'payment.reopened': ['Отметка «товар отдан» снята', 'The mark as delivered was undone'],
  'refund.waiting': ['Возврат запрошен', 'Refund requested'],
  'refund.completed': ['Деньги возвращены', 'Refund completed'],
  'refund.declined': ['Возврат отклонён', 'Refund declined'],
  'token.created': ['Счёт привязан', 'Account linked'],
  'token.rejected': ['Счёт не привязан', 'Account not linked'],
  'token.expired': ['Привязка закончилась', 'Account link expired'],
  'token.deleted': ['Привязка удалена', 'Account link deleted'],
  'settings.changed': ['Настройки изменены', 'Settings changed'],
  'apiKey.created': ['Ключ API создан', 'API key created'],
  'apiKey.revoked': ['Ключ API отозван', 'API key revoked'],
}

const ACTORS: Record<string, readonly [ru: string, en: string]> = {
  merchant: ['магазин', 'merchant'],
  network: ['платёжная сеть', 'payment network'],
  payer: ['покупатель', 'payer'],
  clock: ['по времени', 'clock'],
  operator: ['оператор', 'operator'],
}

const of = (texts: Record<string, readonly [string, string]>, name: string, language: Language) =>
  texts[name]?.[language === 'ru' ? 0 : 1] ?? name

/** What an event tells of its payment. */
type OfPayment = Pick<EventPayment, 'applied' | 'decision'>

/** An event, as a person names it: money may arrive that no QR code took, and a decision may be undone. */
export const eventName = (type: string, language: Language, payment?: OfPayment): string =>
  of(EVENTS, nameOf(type, payment), language)

function nameOf(type: string, payment: OfPayment | undefined): string {
  if (type === 'payment.completed' && payment?.applied === false) return 'payment.notApplied'
  return payment?.decision?.value === 'OPEN' ? 'payment.reopened' : type
}

export const actorName = (actor: string, language: Language): string => of(ACTORS, actor, language)

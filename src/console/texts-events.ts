// The names of events, and of who caused them.
import type { EventPayment } from '../contract/event.ts'
import type { Language } from '../http/negotiation.ts'

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
  'receipt.registered': ['Чек готов', 'Receipt registered'],
  'receipt.failed': ['Чек не прошёл', 'Receipt failed'],
  'receipt.retried': ['Чек отправлен ещё раз', 'Receipt sent again'],
  'token.created': ['Счёт привязан', 'Account linked'],
  'token.rejected': ['Счёт не привязан', 'Account not linked'],
  'token.expired': ['Привязка закончилась', 'Account link expired'],
  'token.deleted': ['Привязка удалена', 'Account link deleted'],
  'settings.changed': ['Настройки изменены', 'Settings changed'],
  'apiKey.created': ['Ключ API создан', 'API key created'],
  'apiKey.revoked': ['Ключ API отозван', 'API key revoked'],
  'person.invited': ['Сотрудник приглашён', 'Person invited'],
  'person.joined': ['Сотрудник вошёл по приглашению', 'Person joined'],
  'person.changed': ['Сотрудник изменён', 'Person changed'],
  'person.removed': ['Сотрудник удалён', 'Person removed'],
  'passkey.added': ['Ключ доступа добавлен', 'Passkey added'],
  'passkey.removed': ['Ключ доступа удалён', 'Passkey removed'],
  'passkey.refused': ['Ключ доступа отклонён', 'Passkey refused'],
  'settlement.imported': ['Файл банка загружен', 'File of the bank uploaded'],
  'settlement.deleted': ['Файл банка удалён', 'File of the bank deleted'],
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

// What each role may do: npm run rights writes this file.
import type { Language } from '../http/negotiation.ts'

/** A heading, and a row for each group of operations. */
export const ROLE_RIGHTS: Record<Language, readonly (readonly string[])[]> = {
  en: [
    ['Operations of', 'Owner', 'Manager', 'Accountant', 'Cashier'],
    ['QR codes', 'all', 'all', 'reads', 'reads'],
    ['Payments', 'all', 'all', 'reads', '—'],
    ['Refunds', 'all', 'all', 'reads', '—'],
    ['Receipts', 'all', 'all', 'reads', '—'],
    ['Tokens', 'all', 'all', '—', '—'],
    ['Sales', 'all', 'all', 'reads', 'all'],
    ['Settlement', 'all', 'reads', 'all', '—'],
    ['Reports', 'all', 'all', 'all', '—'],
    ['Events', 'all', 'all', 'all', '—'],
    ['Notifications', 'all', 'all', 'reads', '—'],
    ['Settings', 'all', '—', '—', '—'],
    ['API keys', 'all', '—', '—', '—'],
    ['People', 'all', '—', '—', '—'],
    ['Search', 'all', 'all', 'all', '—'],
    ['Sandbox bank', 'all', 'all', '—', '—'],
  ],
  ru: [
    ['Операции', 'Владелец', 'Менеджер', 'Бухгалтер', 'Кассир'],
    ['QR-коды', 'все', 'все', 'чтение', 'чтение'],
    ['Платежи', 'все', 'все', 'чтение', '—'],
    ['Возвраты', 'все', 'все', 'чтение', '—'],
    ['Чеки', 'все', 'все', 'чтение', '—'],
    ['Токены', 'все', 'все', '—', '—'],
    ['Продажи', 'все', 'все', 'чтение', 'все'],
    ['Сверка', 'все', 'чтение', 'все', '—'],
    ['Отчёты', 'все', 'все', 'все', '—'],
    ['События', 'все', 'все', 'все', '—'],
    ['Уведомления', 'все', 'все', 'чтение', '—'],
    ['Настройки', 'все', '—', '—', '—'],
    ['Ключи API', 'все', '—', '—', '—'],
    ['Сотрудники', 'все', '—', '—', '—'],
    ['Поиск', 'все', 'все', 'все', '—'],
    ['Тестовый банк', 'все', 'все', '—', '—'],
  ],
}

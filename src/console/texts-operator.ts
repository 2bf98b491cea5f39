// The texts of the operator's pages.
import type { Language } from '../http/negotiation.ts'

const ru = {
  title: 'Сайты',
  search: 'Сайт начинается с',
  site: 'Сайт',
  shop: 'Магазин',
  created: 'Создан',
  test: 'тестовый',
  stuck: 'Застряло',
  none: 'Сайтов нет',
  noneAdvice: 'Сайт появляется здесь после первой записи: например, когда вы пригласите его владельца.',
  newSite: 'Новый сайт',
  owners: {
    title: 'Владельцы',
    none: 'Владельца с именем нет: магазин входит по токену.',
    name: 'Имя владельца',
    invite: 'Пригласить владельца',
    again: 'Пригласить ещё раз',
    againLead:
      'Если владелец потерял телефон: когда он войдёт по новой ссылке, его прежние ключи доступа и сеансы перестанут действовать.',
    newSiteLead:
      'Вы получите ссылку-приглашение для первого владельца. Он откроет её на своём телефоне и сам настроит магазин.',
    siteId: 'Имя сайта',
    siteIdHint: 'Латинские буквы, цифры, точка, дефис, подчёркивание; до 64 знаков. Потом не меняется.',
    badSiteId:
      'Имя сайта: от 1 до 64 знаков A–Z a–z 0–9 . _ -; имя тестового сайта — только если они включены',
    siteExists: 'Такой сайт уже есть. Откройте его в списке и пригласите владельца там.',
    siteDeleted: 'Такой сайт был и удалён. Его имя нельзя занять снова.',
  },
  noneFound: 'Такого сайта нет. Ищется начало имени, с учётом регистра.',
  stuckTitle: 'Застряло',
  stuckLead: 'Сайты, на которых что-то застряло. Сведения не старше минуты.',
  allWell: 'Ничего не застряло',
  allWellAdvice:
    'Здесь появятся сайты, магазин которых не принимает уведомления, на поручения которых не отвечает платёжная сеть, и восстановленные из копии.',
  notifications: 'Уведомления ждут',
  failed: 'Уведомления не доставлены',
  instructions: 'Поручения ждут',
  overdue: 'Поручения без ответа больше часа',
  since: 'Самое старое ждёт с',
  restored: 'Восстановлен из копии, ждёт возобновления',
  withoutKey: 'Адрес уведомлений есть, ключа нет: ничего не отправляется',
  large: 'База больше 5 ГБ',
  lastChange: 'Последнее событие',
  bytes: 'Размер базы',
  epoch: 'Версия базы',
  epochHint: 'после восстановления другая',
  counts: 'Всего записей',
  qrCodes: 'QR-коды',
  payments: 'Платежи',
  refunds: 'Возвраты',
  tokens: 'Привязки счетов',
  instruction: 'Поручение',
  types: {
    'payment.charge': 'Списание',
    'refund.create': 'Возврат',
    'token.delete': 'Удаление привязки',
    'qrCode.cancel': 'Отмена QR-кода',
  } as Record<string, string>,
  taken: 'Принято коннектором',
  yes: 'да',
  no: 'нет',
  about: 'О чём',
  action: 'Действие',
  send: 'Отправить сейчас',
  exportTitle: 'Выгрузка',
  exportLead:
    'Все данные сайта, кроме токенов для списаний: файл, в каждой строке которого одна запись (NDJSON).',
  download: 'Скачать выгрузку',
  resumeTitle: 'Возобновить после восстановления',
  resumeLead:
    'Возвраты и списания снова разрешены, ждущие поручения уходят. ' +
    'Возобновляйте, только когда платёжная сеть сообщила обо всём, что было после копии.',
  resume: 'Возобновить',
  limits: {
    title: 'Лимиты',
    lead:
      'QR-код или продажа на большую сумму и возврат сверх суммы за день получат отказ. ' +
      'То, что создано раньше, остаётся, а платёж или возврат, о котором сообщил банк, записывается всегда.',
    maxPayment: 'Платёж не больше',
    maxRefundsPerDay: 'Возвраты за день не больше',
    without: 'Пусто: без лимита',
    save: 'Сохранить лимиты',
  },
  deleteTitle: 'Удалить сайт',
  deleteLead: (days: number) =>
    days === 0
      ? 'Удаляется всё, что у сайта есть, навсегда. Занять это имя снова нельзя.'
      : 'Магазин и покупатели сразу получат отказ. ' +
        'Платёжная сеть ещё сможет сообщить о начатых платежах и возвратах. ' +
        `Дней, за которые удаление можно отменить: ${days}. ` +
        'Потом всё, что у сайта есть, удаляется навсегда. Занять это имя снова нельзя.',
  which: 'Сайты',
  existing: 'Действующие',
  deletedSites: 'Удалённые, которые можно вернуть',
  deletedTitle: 'Сайт удалён',
  deletedOn: 'Удалён',
  dataDeletedOn: 'Данные будут удалены',
  deletedLead:
    'Магазин и покупатели получают отказ, платёжная сеть ещё сообщает о начатом. ' +
    'Если вернуть сайт, он будет таким, каким был, и получит уведомления за это время.',
  restore: 'Вернуть сайт',
  typeName: (siteId: string) => `Для подтверждения введите ${siteId}`,
  force: 'Удалить, даже если есть неоплаченные QR-коды или невыполненные поручения: они пропадут',
  delete: 'Удалить сайт',
  mismatch: 'Введено другое имя. Ничего не удалено',
  inFlight: 'У сайта есть QR-коды, которые можно оплатить, или невыполненные поручения. Ничего не удалено',
  keys: {
    title: 'Ключи операторов',
    lead:
      'Ключ появляется здесь после первого использования. Дайте каждому человеку свой ключ с его именем: ' +
      'тогда в журнале видно, кто что сделал. Ключ делает команда на машине сервиса:',
    lastOne:
      'Это последний ключ, о котором известно, что он действует. Отзовите его через REVOKED_KEYS или сначала войдите с другим',
  },
  done: {
    deleted: 'Сайт удалён',
    undeleted: 'Сайт возвращён',
    resumed: 'Сайт возобновлён',
    limited: 'Лимиты сохранены',
    sent: 'Поручение отправлено, коннектор его принял',
    failed: 'Поручение отправлено, но коннектор его не принял. Плановые попытки остаются',
  },
}

const en: typeof ru = {
  title: 'Sites',
  search: 'The site begins with',
  site: 'Site',
  shop: 'Shop',
  created: 'Created',
  test: 'test',
  stuck: 'Stuck',
  none: 'There are no sites',
  noneAdvice: 'A site is here after its first write: for example, when you invite its owner.',
  newSite: 'New site',
  owners: {
    title: 'Owners',
    none: 'There is no owner with a name: the shop signs in with a token.',
    name: 'Name of the owner',
    invite: 'Invite an owner',
    again: 'Invite again',
    againLead:
      'If the owner has lost the phone: when they join by the new link, their earlier passkeys and sessions end.',
    newSiteLead: 'You get a link for the first owner, who opens it on a phone and sets up the shop.',
    siteId: 'siteId',
    siteIdHint: 'Letters A–Z, digits, dot, hyphen, underscore; at most 64 characters. It never changes.',
    badSiteId: 'The siteId is 1 to 64 of A-Z a-z 0-9 . _ -; one of a test site only where they are on',
    siteExists: 'The site exists already. Open it in the list, and invite an owner there.',
    siteDeleted: 'A site with this siteId was deleted. It cannot be used again.',
  },
  noneFound: 'There is no such site. The search is by the beginning of the name, in its case.',
  stuckTitle: 'Stuck',
  stuckLead: 'Sites in which something is stuck. This is up to a minute old.',
  allWell: 'Nothing is stuck',
  allWellAdvice:
    'Sites are here whose merchant does not take notifications, whose instructions the payment network ' +
    'does not answer, and those that were restored from a backup.',
  notifications: 'Notifications that wait',
  failed: 'Failed notifications',
  instructions: 'Instructions that wait',
  overdue: 'Instructions without an answer for an hour',
  since: 'The oldest waits since',
  restored: 'Restored from a backup, not resumed yet',
  withoutKey: 'An address for notifications without a key: nothing is sent to it',
  large: 'The database has more than 5 GB',
  lastChange: 'Latest event',
  bytes: 'Size of the database',
  epoch: 'Epoch',
  epochHint: 'another one after a restore',
  counts: 'Records',
  qrCodes: 'QR codes',
  payments: 'Payments',
  refunds: 'Refunds',
  tokens: 'Account links',
  instruction: 'Instruction',
  types: {
    'payment.charge': 'Charge',
    'refund.create': 'Refund',
    'token.delete': 'End of an account link',
    'qrCode.cancel': 'Cancellation of a QR code',
  },
  taken: 'Taken by the connector',
  yes: 'yes',
  no: 'no',
  about: 'About',
  action: 'Action',
  send: 'Send now',
  exportTitle: 'Export',
  exportLead: 'All data of the site but the values of tokens: a file with one record a line (NDJSON).',
  download: 'Download the export',
  resumeTitle: 'Resume after a restore',
  resumeLead:
    'Refunds and charges are allowed again, and the instructions that wait are sent. ' +
    'Resume only when the payment network has reported everything since the backup.',
  resume: 'Resume',
  limits: {
    title: 'Limits',
    lead:
      'A QR code or a sale of a larger amount is refused, and so is a refund beyond the sum of a day. ' +
      'What was created before stays, and a payment or a refund that a bank reports is always recorded.',
    maxPayment: 'A payment at most',
    maxRefundsPerDay: 'Refunds of a day at most',
    without: 'Empty: no limit',
    save: 'Save the limits',
  },
  deleteTitle: 'Delete the site',
  deleteLead: (days: number) =>
    days === 0
      ? 'Everything that the site has is deleted for ever. Its name is never used again.'
      : 'The merchant and the payers are refused at once. ' +
        'The payment network can still report payments and refunds in flight. ' +
        `Days in which the deletion can be undone: ${days}. ` +
        'Then everything that the site has is deleted for ever. Its name is never used again.',
  which: 'Sites',
  existing: 'Existing',
  deletedSites: 'Deleted, can be restored',
  deletedTitle: 'The site is deleted',
  deletedOn: 'Deleted',
  dataDeletedOn: 'Data will be deleted',
  deletedLead:
    'The merchant and the payers are refused; the payment network still reports what is in flight. ' +
    'If you restore the site, it is as it was, and gets the notifications of this time.',
  restore: 'Restore the site',
  typeName: (siteId: string) => `To confirm, type ${siteId}`,
  force: 'Delete it even while QR codes can be paid or instructions are pending: these are lost',
  delete: 'Delete the site',
  mismatch: 'You typed another name. Nothing was deleted',
  inFlight: 'The site has QR codes that can be paid, or pending instructions. Nothing was deleted',
  keys: {
    title: 'Keys of operators',
    lead:
      'A key is here after its first use. Give each person a key with their name: ' +
      'then the audit says who did what. A command on the machine of the service makes one:',
    lastOne:
      'This is the last key that is known to work. Revoke it by REVOKED_KEYS, or sign in with another one first',
  },
  done: {
    deleted: 'The site is deleted',
    undeleted: 'The site is restored',
    resumed: 'The site is resumed',
    limited: 'The limits are saved',
    sent: 'The instruction was sent, and the connector took it',
    failed: 'The instruction was sent, but the connector did not take it. The planned attempts stay',
  },
}

export const OPERATOR_TEXTS: Record<Language, typeof ru> = { ru, en }

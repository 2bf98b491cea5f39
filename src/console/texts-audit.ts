// The texts of the audit's page.
import type { Language } from '../http/negotiation.ts'

const ru = {
  title: 'Журнал действий',
  lead:
    'Кто что сделал: операторы и команды на машине сервиса. О каждом действии две записи: ' +
    'до него и с его итогом. Здесь они стоят рядом, их номера идут без пропусков. ' +
    'Записи не меняются и не удаляются.',
  none: 'Действий ещё не было',
  noneAdvice:
    'Здесь появятся возобновления, удаления, выгрузки, отправки поручений, отзывы ключей и команды на машине.',
  site: 'Сайт',
  number: 'Записи',
  act: 'Действие',
  key: 'Номер ключа',
  by: 'Кто',
  unnamed: 'без имени',
  machine: 'на машине',
  payer: 'покупатель',
  result: 'Итог',
  begun: 'Начало',
  noResult:
    'Итог на другой странице или не записан: если сервис остановился посреди действия, оно могло случиться',
  details: 'Подробности',
  time: 'Время',
  names: {
    force: 'Даже при неоплаченных QR-кодах и поручениях',
    instructionId: 'Поручение',
    httpStatus: 'Ответ коннектора, HTTP',
    error: 'Ошибка',
    errorCode: 'Код отказа',
    from: 'Продолжение с',
    revokedKeyId: 'Отозванный ключ',
    revokedLabel: 'Чей это ключ',
    maxPayment: 'Платёж не больше',
    maxRefundsPerDay: 'Возвраты за день не больше',
    backup: 'Копия от',
    sites: 'Сайтов',
    problems: 'Найдено неполадок',
    acceptLoss: 'С потерей списка ключей',
    qrCodeUid: 'QR-код',
    bindingUid: 'Номер привязки',
    network: 'Платёжная сеть',
  } as Record<string, string>,
  yes: 'да',
  no: 'нет',
  acts: {
    'instruction.send': 'Отправка поручения',
    'site.resume': 'Возобновление сайта',
    'site.delete': 'Удаление сайта',
    'site.restore': 'Отмена удаления сайта',
    'site.export': 'Выгрузка сайта',
    'site.limits': 'Лимиты сайта',
    'key.revoke': 'Отзыв ключа',
    'token.end': 'Покупатель запретил списания',
    'command.resume': 'Команда resume',
    'command.restore': 'Команда restore',
    'command.rebuild': 'Команда sites rebuild',
    'command.load': 'Команда cluster load',
    'command.fetch': 'Команда cluster fetch',
  } as Record<string, string>,
  results: { STARTED: 'Начато', DONE: 'Сделано', REFUSED: 'Отказано', FAILED: 'Не удалось' } as Record<
    string,
    string
  >,
}

const en: typeof ru = {
  title: 'Audit',
  lead:
    'Who did what: operators, and commands on the machine of the service. An act has two rows: ' +
    'one before it, and one with its result. Here they stand together; their numbers have no gaps. ' +
    'Rows are never changed or deleted.',
  none: 'There were no acts yet',
  noneAdvice:
    'Resumed, deleted and exported sites, instructions that were sent, revoked keys and commands on the machine are here.',
  site: 'Site',
  number: 'Rows',
  act: 'Act',
  key: 'Id of the key',
  by: 'Who',
  unnamed: 'without a label',
  machine: 'on the machine',
  payer: 'the payer',
  result: 'Result',
  begun: 'Begun',
  noResult:
    'The result is on another page, or was not recorded: if the service ended in the midst of the act, it may have happened',
  details: 'Details',
  time: 'Time',
  names: {
    force: 'Even with payable QR codes and instructions',
    instructionId: 'Instruction',
    httpStatus: 'Answer of the connector, HTTP',
    error: 'Error',
    errorCode: 'Refused with',
    from: 'Continued from',
    revokedKeyId: 'Revoked key',
    revokedLabel: 'Its label',
    maxPayment: 'A payment at most',
    maxRefundsPerDay: 'Refunds of a day at most',
    backup: 'Backup of',
    sites: 'Sites',
    problems: 'Problems found',
    acceptLoss: 'With the loss of the list of keys',
    qrCodeUid: 'QR code',
    bindingUid: 'Binding',
    network: 'Payment network',
  },
  yes: 'yes',
  no: 'no',
  acts: {
    'instruction.send': 'Instruction sent',
    'site.resume': 'Site resumed',
    'site.delete': 'Site deleted',
    'site.restore': 'Deletion undone',
    'site.export': 'Site exported',
    'site.limits': 'Limits of the site',
    'key.revoke': 'Key revoked',
    'token.end': 'Payer stopped charges',
    'command.resume': 'Command resume',
    'command.restore': 'Command restore',
    'command.rebuild': 'Command sites rebuild',
    'command.load': 'Command cluster load',
    'command.fetch': 'Command cluster fetch',
  },
  results: { STARTED: 'Started', DONE: 'Done', REFUSED: 'Refused', FAILED: 'Failed' },
}

export const AUDIT_TEXTS: Record<Language, typeof ru> = { ru, en }

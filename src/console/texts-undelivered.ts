// The texts of why notifications do not arrive, in both languages: what happens, and what to do.
import type { Language } from '../http/negotiation.ts'

interface Advice {
  happens: string
  todo: string
}

interface UndeliveredTexts {
  title: string
  since: string
  waiting: string
  failed: string
  tooMany: string
  /** By the cause, `HTTP 5` for all that begin so; the last is of any other. */
  causes: readonly (readonly [cause: string, advice: Advice])[]
}

const ru: UndeliveredTexts = {
  title: 'Почему не доходят',
  since: 'с',
  waiting: 'ждут',
  failed: 'не доставлены',
  tooMany: 'Их очень много: здесь посчитаны не все',
  causes: [
    [
      'no key',
      {
        happens: 'Нет ключа подписи, поэтому ничего не отправляется',
        todo: 'Создайте ключ: всё, что ждёт, уйдёт сразу',
      },
    ],
    [
      'no address',
      {
        happens: 'Адрес вашего сервера убран из настроек',
        todo: 'Укажите адрес: всё, что ждёт, уйдёт сразу',
      },
    ],
    [
      'address removed',
      {
        happens: 'Адрес убран из настроек, поэтому они больше не отправляются',
        todo: 'Если они нужны, добавьте адрес с тем же именем и доставьте их ещё раз',
      },
    ],
    [
      'waits behind others',
      { happens: 'Ждут своей очереди', todo: 'Уйдут сами, как только сервер примет те, что перед ними' },
    ],
    [
      'no connection',
      {
        happens: 'Ваш сервер не отвечает: соединиться с ним не удаётся',
        todo: 'Проверьте, что он запущен и открыт из интернета, а сертификат действует',
      },
    ],
    [
      'no answer within',
      {
        happens: 'Ваш сервер не отвечает за 10 секунд',
        todo: 'Сохраните уведомление и сразу ответьте, а обрабатывайте потом',
      },
    ],
    [
      'HTTP 3',
      { happens: 'Ваш сервер перенаправляет на другой адрес', todo: 'Укажите в настройках конечный адрес' },
    ],
    [
      'HTTP 401',
      { happens: 'Ваш сервер не признаёт подпись', todo: 'Проверьте, что на нём действующий ключ подписи' },
    ],
    [
      'HTTP 403',
      {
        happens: 'Ваш сервер запрещает доступ',
        todo: 'Проверьте ключ подписи и защиту сервера, например фильтр по странам',
      },
    ],
    ['HTTP 404', { happens: 'На вашем сервере нет такой страницы', todo: 'Проверьте адрес в настройках' }],
    [
      'HTTP 405',
      { happens: 'Ваш сервер не принимает POST по этому адресу', todo: 'Проверьте адрес в настройках' },
    ],
    [
      'HTTP 410',
      { happens: 'Ваш сервер ответил, что адреса больше нет', todo: 'Укажите в настройках другой адрес' },
    ],
    ['HTTP 5', { happens: 'В вашем сервере ошибка', todo: 'Найдите её в его журнале' }],
    [
      '',
      { happens: 'Ваш сервер не принимает уведомления', todo: 'Отправьте тестовое и посмотрите его журнал' },
    ],
  ],
}

const en: UndeliveredTexts = {
  title: 'Why they do not arrive',
  since: 'since',
  waiting: 'waiting',
  failed: 'failed',
  tooMany: 'There are very many: not all are counted here',
  causes: [
    [
      'no key',
      {
        happens: 'There is no signing key, so nothing is sent',
        todo: 'Create a key: all that waits is sent at once',
      },
    ],
    [
      'no address',
      {
        happens: 'The address of your server was removed',
        todo: 'Set an address: all that waits is sent at once',
      },
    ],
    [
      'address removed',
      {
        happens: 'The address was removed, so these are sent no more',
        todo: 'If you need them, add an address with the same identifier, and deliver them again',
      },
    ],
    [
      'waits behind others',
      {
        happens: 'These wait for their turn',
        todo: 'They are sent as soon as your server takes those before them',
      },
    ],
    [
      'no connection',
      {
        happens: 'Your server does not answer: there is no connection',
        todo: 'Check that it runs, that the internet reaches it, and that its certificate is valid',
      },
    ],
    [
      'no answer within',
      {
        happens: 'Your server does not answer within 10 seconds',
        todo: 'Store the notification and answer at once, then process it',
      },
    ],
    [
      'HTTP 3',
      { happens: 'Your server redirects to another address', todo: 'Set the final address in the settings' },
    ],
    [
      'HTTP 401',
      {
        happens: 'Your server does not accept the signature',
        todo: 'Check that it has the active signing key',
      },
    ],
    [
      'HTTP 403',
      { happens: 'Your server forbids access', todo: 'Check the signing key and what protects the server' },
    ],
    ['HTTP 404', { happens: 'Your server has no such page', todo: 'Check the address in the settings' }],
    [
      'HTTP 405',
      { happens: 'Your server takes no POST at this address', todo: 'Check the address in the settings' },
    ],
    [
      'HTTP 410',
      {
        happens: 'Your server answered that the address is gone',
        todo: 'Set another address in the settings',
      },
    ],
    ['HTTP 5', { happens: 'Your server has an error', todo: 'Find it in the log of your server' }],
    ['', { happens: 'Your server does not accept notifications', todo: 'Send a test, and look at its log' }],
  ],
}

export const UNDELIVERED_TEXTS: Record<Language, UndeliveredTexts> = { ru, en }

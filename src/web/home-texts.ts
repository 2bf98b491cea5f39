// The texts of the page at /, in the visitor's language.

import { MAX_PURPOSE } from '../contract/text.ts'
import type { Language } from '../http/negotiation.ts'
import { type Notice, PAYER_TEXTS } from './payer/texts.ts'

type HomeLink = readonly [href: string, name: string, text: string]

interface HomeTexts {
  title: string
  lead: string
  begin: string
  /** The anchor of this heading in the guide on testing. */
  testSite: string
  request: string
  answer: string
  copy: string
  copied: string
  features: readonly (readonly [title: string, text: string])[]
  demo: string
  demoLead: string
  amount: string
  amountValue: string
  purpose: string
  purposeValue: string
  create: string
  refused: string
  /** What a field must be, by its name in the API. */
  faults: Readonly<Record<string, string>>
  created: string
  picture: string
  phone: string
  open: string
  status: string
  updates: string
  createCurl: string
  statusCurl: string
  token: string
  next: string
  /** At an address that the service does not have. */
  unknownAddress: Notice
  startPage: string
  health: Record<'title' | 'works' | 'fails', string>
  /** The documentation first. */
  links: readonly [docs: HomeLink, ...HomeLink[]]
}

export const HOME_TEXTS: Readonly<Record<Language, HomeTexts>> = {
  ru: {
    title: 'Универсальный QR-код для СБП одним запросом',
    lead: 'Покупатель платит через Систему быстрых платежей (СБП) в приложении своего банка. Магазин сразу узнаёт об оплате.',
    begin: 'Попробовать',
    testSite: 'ваш-тестовый-сайт',
    request: 'Запрос',
    answer: 'Ответ',
    copy: 'Скопировать',
    copied: 'Скопировано',
    features: [
      [
        'Разработчику',
        'Один запрос — ссылка, картинка и страница оплаты. Повторять безопасно: один qrCodeUid — один QR-код. Клиент для Node, примеры для Python и PHP.',
      ],
      [
        'Магазину',
        'Об оплате сообщает подписанное уведомление. Точные суммы, возвраты, списания с привязанного счёта. Страница оплаты работает на любом телефоне.',
      ],
      [
        'Банку и эквайеру',
        'Приём платежей СБП под вашим именем, в Cloudflare или на своих серверах. Ни один подтверждённый платёж не теряется.',
      ],
    ],
    demo: 'Попробуйте прямо здесь',
    demoLead: 'Деньги не списываются: банк заменяет тестовый. Если сумму не указать, её введёт плательщик.',
    amount: 'Сумма',
    amountValue: '100,00',
    purpose: 'Назначение',
    purposeValue: 'Две чашки чая',
    create: 'Создать QR-код',
    refused: 'Сервис отклонил запрос',
    faults: {
      'amount.value': PAYER_TEXTS.ru.amountFault,
      paymentPurpose: `Введите назначение не длиннее ${MAX_PURPOSE} символов, в одну строку`,
    },
    created: 'QR-код создан',
    picture: 'QR-код: открыть страницу плательщика',
    phone: 'Телефон покупателя',
    open: 'Открыть страницу плательщика',
    status: 'Статус',
    updates: 'Заплатите с этого телефона: статус изменится сразу.',
    createCurl: 'Тот же запрос вернёт этот же QR-код',
    statusCurl: 'Ответ придёт, как только статус изменится',
    token: 'токен выдаёт команда',
    next: 'Что дальше',
    unknownAddress: {
      title: 'Страница не найдена',
      advice: 'Проверьте адрес или начните с главной страницы',
    },
    startPage: 'На главную',
    health: {
      title: 'Состояние сервиса',
      works: 'Сервис работает, данные записываются',
      fails: 'Сервис отвечает, но данные сейчас не записываются',
    },
    links: [
      ['docs/ru/', 'Документация', 'руководства, все операции, поля и ошибки'],
      ['console/', 'Кабинет', 'магазину: платежи, возвраты, кассы, уведомления'],
      ['openapi.json', 'OpenAPI 3.1', 'документация для программ'],
      ['healthz', 'Состояние', 'работает ли сервис'],
    ],
  },
  en: {
    title: 'A universal payment QR code for SBP with one request',
    lead: 'The customer pays in their bank’s app through Russia’s Faster Payments System (FPS, also SBP). The shop learns of it at once.',
    begin: 'Try it',
    testSite: 'your-test-site',
    request: 'Request',
    answer: 'Answer',
    copy: 'Copy',
    copied: 'Copied',
    features: [
      [
        'For a developer',
        'One request gives the link, the picture and the payment page. Repeating is safe: one qrCodeUid is one QR code. A client for Node, examples for Python and PHP.',
      ],
      [
        'For a shop',
        'A signed notification tells of each payment. Exact amounts, refunds, charges of a saved account. The payment page works on any phone.',
      ],
      [
        'For a bank or an acquirer',
        'SBP payments under your own name, on Cloudflare or on your servers. No acknowledged payment is ever lost.',
      ],
    ],
    demo: 'Try it right here',
    demoLead: 'No money moves: a sandbox bank pays. If you leave the amount empty, the payer types it.',
    amount: 'Amount',
    amountValue: '100.00',
    purpose: 'Purpose',
    purposeValue: 'Two cups of tea',
    create: 'Create a QR code',
    refused: 'The service refused the request',
    faults: {
      'amount.value': PAYER_TEXTS.en.amountFault,
      paymentPurpose: `Enter a purpose of ${MAX_PURPOSE} characters at most, in one line`,
    },
    created: 'Your QR code',
    picture: 'The QR code: open the payer’s page',
    phone: 'The customer’s phone',
    open: 'Open the payer’s page',
    status: 'Status',
    updates: 'Pay with this phone: the status changes at once.',
    createCurl: 'The same request returns this QR code',
    statusCurl: 'The answer comes as soon as the status changes',
    token: 'a token is issued by',
    next: 'Where to go next',
    unknownAddress: { title: 'Page not found', advice: 'Check the address, or begin at the start page' },
    startPage: 'Start page',
    health: {
      title: 'Health of the service',
      works: 'The service works, and data is written',
      fails: 'The service answers, but data is not written now',
    },
    links: [
      ['docs/', 'Documentation', 'guides, every operation, field and error'],
      ['console/', 'Console', 'for the shop: payments, refunds, tills, notifications'],
      ['openapi.json', 'OpenAPI 3.1', 'the documentation for programs'],
      ['healthz', 'Health', 'whether the service works'],
    ],
  },
}

// The texts of the page at /, in the visitor's language.
import type { Language } from '../http/negotiation.ts'
import { type Notice, PAYER_TEXTS } from './payer/texts.ts'

interface HomeTexts {
  title: string
  lead: string
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
  links: readonly (readonly [href: string, name: string, text: string])[]
}

export const HOME_TEXTS: Readonly<Record<Language, HomeTexts>> = {
  ru: {
    title: 'QR-коды СБП одним запросом',
    lead: 'Покупатель платит через Систему быстрых платежей (СБП) в приложении своего банка. Магазин сразу узнаёт об оплате.',
    features: [
      [
        'Ссылка, картинка, страница',
        'QR-код в PNG или SVG и готовая страница оплаты — ответ на один запрос.',
      ],
      ['Об оплате узнаёте сразу', 'Подписанное уведомление, long poll или лента событий.'],
      ['Повторять безопасно', 'Один qrCodeUid — один QR-код, сколько бы раз ни повторился запрос.'],
    ],
    demo: 'Попробуйте',
    demoLead: 'Оплата имитируется. Если сумму не указать, её введёт плательщик.',
    amount: 'Сумма',
    amountValue: '100,00',
    purpose: 'Назначение',
    purposeValue: 'Две чашки чая',
    create: 'Создать QR-код',
    refused: 'Сервис отклонил запрос',
    faults: {
      'amount.value': PAYER_TEXTS.ru.amountFault,
      paymentPurpose: 'Введите назначение не длиннее 140 символов, в одну строку',
    },
    created: 'QR-код создан',
    picture: 'QR-код: открыть страницу плательщика',
    open: 'Открыть страницу плательщика',
    status: 'Статус',
    updates: 'Заплатите на странице плательщика: статус изменится здесь же.',
    createCurl: 'Тот же запрос вернёт этот же QR-код, второго не будет',
    statusCurl: 'Ответ придёт, как только статус изменится',
    token: 'токен выдаёт команда',
    next: 'Что дальше',
    unknownAddress: {
      title: 'Страница не найдена',
      advice: 'Проверьте адрес или начните с главной страницы',
    },
    startPage: 'На главную',
    links: [
      ['docs', 'Документация', 'все операции, поля и ошибки, с примерами'],
      ['openapi.json', 'OpenAPI 3.1', 'то же для программ и генераторов клиентов'],
      ['healthz', 'Состояние', 'отвечает ли сервис'],
    ],
  },
  en: {
    title: 'SBP payment QR codes from one request',
    lead: 'The customer pays in their bank’s app through Russia’s Faster Payments System (FPS, also SBP). The shop learns of it at once.',
    features: [
      ['Link, picture, page', 'A QR code as PNG or SVG and a payment page: the answer to one request.'],
      ['You know at once', 'A signed notification, a long poll or the event feed.'],
      ['Safe to repeat', 'One qrCodeUid is one QR code, however often the request is repeated.'],
    ],
    demo: 'Try it',
    demoLead: 'Payments are simulated. If you leave the amount empty, the payer types it.',
    amount: 'Amount',
    amountValue: '100.00',
    purpose: 'Purpose',
    purposeValue: 'Two cups of tea',
    create: 'Create a QR code',
    refused: 'The service refused the request',
    faults: {
      'amount.value': PAYER_TEXTS.en.amountFault,
      paymentPurpose: 'Enter a purpose of 140 characters at most, in one line',
    },
    created: 'Your QR code',
    picture: 'The QR code: open the payer’s page',
    open: 'Open the payer’s page',
    status: 'Status',
    updates: 'Pay on the payer’s page: the status changes here.',
    createCurl: 'The same request returns this QR code, not a second one',
    statusCurl: 'The answer comes as soon as the status changes',
    token: 'a token is issued by',
    next: 'Where to go next',
    unknownAddress: { title: 'Page not found', advice: 'Check the address, or begin at the start page' },
    startPage: 'Start page',
    links: [
      ['docs', 'Documentation', 'every operation, field and error, with examples'],
      ['openapi.json', 'OpenAPI 3.1', 'the same for programs and client generators'],
      ['healthz', 'Health', 'whether the service answers'],
    ],
  },
}

// The texts of the settings.
import type { LogoProblem } from '../gateway/logo.ts'
import type { Language } from '../http/negotiation.ts'

const ru = {
  shop: 'Что видит покупатель',
  name: 'Название магазина',
  nameHint: 'До 60 символов. Пока его нет, покупатель видит имя сайта',
  contact: 'Связь с магазином',
  contactHint: 'Телефон, почта или адрес вашего сайта, до 100 символов',
  legalName: 'Продавец',
  legalNameHint: 'Юридическое лицо или предприниматель, до 160 символов. Покупатель видит это мелким текстом',
  taxId: 'ИНН',
  taxIdHint: '10 или 12 цифр',
  taxIdRule: 'Такого ИНН нет: в нём 10 или 12 цифр, и последние из них — контрольные',
  ways: 'Чем можно заплатить',
  sbpAlone: 'СБП',
  withDigitalRoubles: 'СБП и цифровые рубли',
  waysHint:
    'Так будет написано на странице оплаты и на печатном листе. Приём цифровых рублей включают в банке',
  accounts: 'Счета, с которых банк перечисляет выплаты',
  accountsHint:
    'До десяти через пробел, по 20 цифр. Поступление с такого счёта в выписке считается выплатой. Выписку, загруженную раньше, удалите и загрузите снова',
  accountRule: (account: string) => `Счёт «${account}»: нужно 20 цифр`,
  schemes: 'Схемы вашего приложения',
  schemesHint: 'До пяти через пробел, например teashop. Тогда покупателя можно вернуть по адресу teashop://…',
  schemeRule: (scheme: string) =>
    `Схема ${scheme} не подходит: от 3 до 32 знаков из a–z, 0–9, «+», «.» и «-», и не схема браузера, системы или банка`,
  logo: 'Логотип',
  logoHint:
    'Перетащите сюда картинку или выберите файл. Фотография с телефона подойдёт: браузер её уменьшит, и место съёмки в ней не останется',
  presentLogo: 'Логотип магазина сейчас',
  newLogo: 'новая картинка',
  removeLogo: 'Убрать логотип',
  noPicture: 'Браузер не смог прочитать этот файл. Подойдёт картинка PNG, JPEG или WebP',
  largePicture: 'Картинка слишком сложная: даже уменьшенная, она больше 256 КБ. Выберите другую',
  pictureRule: 'Логотип — картинка PNG, JPEG или WebP до 256 КБ и 1024 пикселей по стороне, без EXIF',
  byAddress: 'Логотип по адресу в интернете',
  logoUrl: 'Адрес логотипа',
  logoUrlHint: 'PNG, JPEG или WebP по https, до 256 КБ и 1024 пикселей. Сервис скачает картинку один раз',
  logoUrlRule: 'Логотип по этому адресу не подошёл',
  color: 'Цвет кнопок',
  pickColor: 'Выбрать цвет кнопок',
  colorHint: 'Например, #0f6b3c. Кнопка должна быть видна на белом: контраст не меньше 3:1',
  colorRule: 'Решётка и шесть цифр, например #0f6b3c, и не слишком светлый: контраст с белым не меньше 3:1',
  server: 'Куда отправлять уведомления',
  callback: 'Адрес вашего сервера',
  callbackHint: 'Уведомления отправляются, когда есть и адрес, и ключ подписи',
  urlRule: 'Адрес начинается с https://, без имени и пароля, без # и не внутри сети сервиса',
  types: 'О чём уведомлять',
  people: 'Возвраты и вход в кабинет',
  confirmAbove: 'Подтверждать возвраты больше',
  confirmAboveHint:
    'Сотрудник подтвердит такой возврат своим ключом доступа. Возвраты одного платежа складываются. 0 — подтверждать каждый, пусто — ни одного',
  confirmAboveRule: 'Введите сумму, например 5000 или 0, либо оставьте поле пустым',
  signIn: 'Как войти в кабинет',
  signInByToken: 'По ключу доступа или по токену',
  signInByPasskey: 'Только по ключу доступа',
  signInHint:
    'Вход по токену закроется, когда ключ доступа будет у владельца. По ссылке, которую даёт оператор сервиса, можно войти всегда',
  save: 'Сохранить',
  keys: 'Ключи подписи уведомлений',
  addresses: {
    others: 'Другие адреса для уведомлений',
    lead:
      'Если у магазинов одного сайта разные серверы, добавьте адрес каждого. У каждого адреса свои ключи и свой журнал: ' +
      'тот, что не отвечает, не задерживает остальных.',
    name: 'Название',
    nameHint: 'Для себя, до 60 символов',
    url: 'Адрес',
    urlHint: 'Начинается с https://',
    types: 'О чём',
    nothing: 'ни о чём',
    id: 'Имя для API',
    idHint: 'Строчные латинские буквы, цифры и дефис, до 64. Изменить его потом нельзя',
    idTaken: 'Адрес с таким именем уже есть',
    add: 'Добавить адрес',
    added: 'Новый адрес для уведомлений',
    back: 'Не менять',
    full: 'Адресов пять, больше нельзя',
    log: 'Уведомления этого адреса',
    remove: 'Убрать адрес',
    removeTitle: 'Убрать адрес?',
    removeLead:
      'Что ещё не доставлено на этот адрес, отправляться больше не будет, а его ключи подписи перестанут действовать.',
    keep: 'Оставить',
    removed: 'Адрес убран',
  },
  preview: 'Так увидит покупатель',
  pay: 'Оплатить через банк',
  seller: 'Продавец',
}

const en: typeof ru = {
  shop: 'What the payer sees',
  name: 'Name of the shop',
  nameHint: 'Up to 60 characters. Without one, payers see the site identifier',
  contact: 'Contact',
  contactHint: 'A telephone number, an e-mail address or your web site, up to 100 characters',
  legalName: 'Seller',
  legalNameHint: 'The company or the entrepreneur, up to 160 characters. The payer sees it in small print',
  taxId: 'INN',
  taxIdHint: '10 or 12 digits',
  taxIdRule: 'There is no such INN: it has 10 or 12 digits, and the last of them are check digits',
  ways: 'Ways to pay',
  sbpAlone: 'SBP',
  withDigitalRoubles: 'SBP and digital roubles',
  waysHint: 'The payer’s page and the printed sheet say so. Digital roubles are switched on at the bank',
  accounts: 'Accounts from which your bank pays out',
  accountsHint:
    'Up to ten, separated by spaces, of 20 digits each. A credit from one of them in a statement is a payout. Delete a statement that was uploaded before, and upload it again',
  accountRule: (account) => `Account ${account}: must be 20 digits`,
  schemes: 'Schemes of your own app',
  schemesHint:
    'Up to five, separated by spaces, such as teashop. Then payers can return to an address such as teashop://…',
  schemeRule: (scheme: string) =>
    `The scheme ${scheme} will not do: 3 to 32 of a–z, 0–9, “+”, “.” and “-”, and not that of a browser, a system or a bank`,
  logo: 'Logo',
  logoHint:
    'Drop a picture here, or choose a file. A photo of a phone will do: ' +
    'the browser makes it smaller, and the place where it was taken does not stay in it',
  presentLogo: 'The logo of the shop now',
  newLogo: 'a new picture',
  removeLogo: 'Remove the logo',
  noPicture: 'The browser cannot read this file. A PNG, JPEG or WebP will do',
  largePicture: 'The picture has too much detail: even made smaller, it is over 256 KB. Choose another',
  pictureRule: 'A logo is a PNG, JPEG or WebP of at most 256 KB and 1024 pixels a side, without EXIF',
  byAddress: 'A logo at an address on the internet',
  logoUrl: 'Address of the logo',
  logoUrlHint: 'PNG, JPEG or WebP by https, up to 256 KB and 1024 pixels. The service fetches it once',
  logoUrlRule: 'The logo at this address will not do',
  color: 'Colour of the buttons',
  pickColor: 'Pick the colour of the buttons',
  colorHint: 'Such as #0f6b3c. The button must be seen on white: a contrast of at least 3:1',
  colorRule:
    'A hash and six digits, such as #0f6b3c, and not too light: a contrast with white of at least 3:1',
  server: 'Where notifications go',
  callback: 'Address of your server',
  callbackHint: 'Notifications are sent once there are both an address and a signing key',
  urlRule:
    'The address begins with https://, without a user name and a password, without #, and not inside the network of the service',
  types: 'What to notify of',
  people: 'Refunds and sign-in',
  confirmAbove: 'Confirm refunds above',
  confirmAboveHint:
    'Whoever makes such a refund confirms it by their passkey. The refunds of a payment count together. 0: every refund; empty: none',
  confirmAboveRule: 'Type an amount, such as 5000 or 0, or leave the field empty',
  signIn: 'How people sign in',
  signInByToken: 'By passkey or by token',
  signInByPasskey: 'By passkey alone',
  signInHint:
    'Tokens are refused once an owner has a passkey. A link that the operator of the service makes works always',
  save: 'Save',
  keys: 'Keys that sign notifications',
  addresses: {
    others: 'Other addresses for notifications',
    lead:
      'If the shops of one site have servers of their own, add the address of each. Each has its own keys and its own log: ' +
      'one that does not answer delays no other.',
    name: 'Name',
    nameHint: 'For yourself, up to 60 characters',
    url: 'Address',
    urlHint: 'It begins with https://',
    types: 'Of what',
    nothing: 'nothing',
    id: 'Identifier for the API',
    idHint: 'Lower-case Latin letters, digits and hyphens, up to 64. It cannot be changed later',
    idTaken: 'There is an address with this identifier',
    add: 'Add an address',
    added: 'A new address for notifications',
    back: 'Change nothing',
    full: 'There are five addresses, which is the most',
    log: 'Notifications to this address',
    remove: 'Remove the address',
    removeTitle: 'Remove the address?',
    removeLead: 'What is not delivered to it yet is sent no more, and its signing keys end.',
    keep: 'Keep it',
    removed: 'The address is removed',
  },
  preview: 'What the payer sees',
  pay: 'Pay with a bank',
  seller: 'Seller',
}

export const SETTINGS_TEXTS: Readonly<Record<Language, typeof ru>> = { ru, en }

/** Why the picture of an address was refused, in Russian. In English the API says it. */
export function logoProblemRu(problem: LogoProblem): string {
  switch (problem.kind) {
    case 'status':
      return `сервер ответил ${problem.status}`
    case 'size':
      return `в картинке ${problem.width} × ${problem.height} пикселей`
    case 'length':
      return 'файл больше 256 КБ'
    case 'format':
      return 'это не PNG, JPEG или WebP'
    case 'exif':
      return 'в картинке есть EXIF'
    case 'timeout':
      return 'сервер не ответил за 10 секунд'
    case 'connection':
      return 'нет соединения с сервером'
  }
}

// The texts of the payer's page, in the payer's language.
import type { QrCodeType } from '../../contract/qr-code.ts'
import type { Language } from '../../http/negotiation.ts'
import type { PayerState } from './parts.ts'

/** A state of the page: what happened, and what the payer can do. */
export interface Notice {
  title: string
  advice: string
}

export interface PayerTexts {
  /** What a QR code asks for, and the way to it. */
  subject: Record<QrCodeType, string>
  open: Record<QrCodeType, string>
  scan: string
  /** Instead of it in the sandbox, whose QR codes no bank knows. */
  scanInSandbox: string
  /** How to pay: the first step depends on the device, and on the way that the page offers. */
  steps: Record<'phone' | 'sandbox', (button: string) => string> &
    Record<'banks' | 'desktop' | 'result' | 'sandboxResult', string>
  confirm: Record<QrCodeType, string>
  /** Everything but the statuses in which the QR code can be paid for the first time. */
  notices: Record<QrCodeType, Partial<Record<PayerState, Notice>>>
  youType: string
  typeHere: string
  purpose: string
  bindingPurpose: string
  amount: string
  time: string
  /** When it was paid, on the receipt of a returned payment. */
  paidOn: string
  operation: string
  refunded: string
  support: string
  left: string
  validUntil: string
  anotherPhone: string
  picture: string
  howTo: Record<QrCodeType, string>
  retry: string
  /** The advice after a decline in the sandbox, where no other bank can be chosen. */
  retryInSandbox: string
  chooseBank: string
  /** The button that requests the status at once: its label by type, and its short label. */
  check: Record<QrCodeType, string> & { short: string }
  back: string
  leaving(host: string): string
  stay: string
  save: string
  /** What the line below the buttons says; public/page.js shows them as they come. */
  progress: Record<
    'following' | 'waiting' | 'checking' | 'unchanged' | 'paused' | 'offline' | 'changed',
    string
  >
  /** Where an account is linked, instead of these. */
  bindingProgress: Partial<PayerTexts['progress']>
  banks: Record<'title' | 'search' | 'recent' | 'notFound' | 'useCode' | 'none' | 'unavailable', string>
  amountFault: string
  /** What the sandbox bank's buttons do. */
  simulate: Record<QrCodeType, string>
  simulateDecline: string
  decline: string
  /** That the bank asks for a token too, and the customer's answer in the sandbox. */
  remembers: string
  remember: string
  notFound: Notice
  trouble: string
}

const NBSP = '\u00a0'

export const PAYER_TEXTS: Readonly<Record<Language, PayerTexts>> = {
  ru: {
    subject: { DYNAMIC: 'К оплате', TOKEN: 'Привязка счёта' },
    open: { DYNAMIC: 'Оплатить через СБП', TOKEN: 'Открыть приложение банка' },
    scan: 'Наведите камеру телефона на код или откройте сканер в приложении банка',
    scanInSandbox: 'Тестовый код: приложение банка его не примет',
    steps: {
      phone: (button) => `Нажмите «${button}»: откроется приложение банка`,
      banks: 'Выберите свой банк в списке: откроется его приложение',
      sandbox: (button) => `Нажмите «${button}»: эта кнопка заменяет приложение банка`,
      desktop: 'Отсканируйте QR-код камерой телефона или в приложении банка',
      result: 'Вернитесь сюда: страница покажет результат',
      sandboxResult: 'Страница покажет результат',
    },
    confirm: {
      DYNAMIC: 'Проверьте магазин и сумму, подтвердите операцию',
      TOKEN: 'Проверьте магазин и подтвердите',
    },
    notices: {
      DYNAMIC: {
        PAYED: { title: 'Оплачено', advice: 'Оплата прошла' },
        REFUNDED: { title: 'Деньги возвращены', advice: 'Магазин вернул оплату на ваш счёт' },
        DECLINED: {
          title: 'Операция отклонена',
          advice: 'Деньги не списаны. Повторите попытку или выберите другой банк',
        },
        EXPIRED: {
          title: 'Время оплаты истекло',
          advice: 'Вернитесь в магазин и оформите оплату заново. Если вы уже заплатили, страница обновится',
        },
        CANCELLED: {
          title: 'Счёт отменён продавцом',
          advice: 'Платить по нему не нужно. Если остались вопросы, свяжитесь с магазином',
        },
        INIT_PAYMENT_BY_TOKEN: {
          title: 'Оплата выполняется',
          advice: 'Магазин списывает деньги с привязанного счёта',
        },
      },
      TOKEN: {
        ACCEPTED: { title: 'Счёт привязан', advice: 'Теперь магазин может списывать оплату с этого счёта' },
        DECLINED: {
          title: 'Счёт не привязан',
          advice: 'Магазин не может списывать деньги с вашего счёта. Можно попробовать ещё раз',
        },
        EXPIRED: {
          title: 'Время привязки истекло',
          advice: 'Вернитесь в магазин и начните привязку заново',
        },
        CANCELLED: {
          title: 'Привязка отменена магазином',
          advice: 'Если остались вопросы, свяжитесь с магазином',
        },
      },
    },
    youType: 'Укажете в приложении банка',
    typeHere: 'Укажите сумму',
    purpose: 'Назначение',
    bindingPurpose: 'Зачем привязывается счёт',
    amount: 'Сумма',
    time: 'Дата и время',
    paidOn: 'Оплачено',
    operation: 'Номер операции',
    refunded: 'Возвращено',
    support: 'Связь с магазином',
    left: 'Осталось',
    validUntil: 'Действует до',
    anotherPhone: 'QR-код для другого телефона',
    picture: 'QR-код для оплаты',
    howTo: { DYNAMIC: 'Как оплатить', TOKEN: 'Как привязать' },
    retry: 'Повторить попытку',
    retryInSandbox: 'Деньги не списаны. Повторите попытку',
    chooseBank: 'Выбрать банк',
    check: { DYNAMIC: 'Проверить оплату', TOKEN: 'Проверить статус', short: 'Проверить' },
    back: 'Вернуться в магазин',
    leaving: (host) => `Через 10${NBSP}секунд откроется ${host}`,
    stay: 'Остаться здесь',
    save: 'Сохранить квитанцию',
    progress: {
      following: 'Страница обновится сама после оплаты',
      waiting: 'Ждём оплату в приложении банка',
      checking: 'Проверяем…',
      unchanged: 'Оплата пока не поступила. Ждём дальше',
      paused: 'Мы перестали ждать. Если вы заплатили, нажмите «Проверить»',
      offline: 'Нет связи. Проверим, как только она появится',
      changed: 'Обновляем…',
    },
    bindingProgress: {
      following: 'Страница обновится сама после привязки',
      waiting: 'Ждём ответа приложения банка',
      unchanged: 'Счёт пока не привязан. Ждём дальше',
      paused: 'Мы перестали ждать. Нажмите «Проверить»',
    },
    banks: {
      title: 'Выберите банк',
      search: 'Название банка',
      recent: 'Недавние',
      notFound: 'Не нашли свой банк?',
      useCode: 'Оплатить по QR-коду',
      none: 'Такого банка в списке нет',
      unavailable: 'Список банков сейчас недоступен',
    },
    amountFault: `Введите сумму от 0,01 до 999${NBSP}999${NBSP}999,99, например 1500,50`,
    simulate: { DYNAMIC: 'Имитировать оплату', TOKEN: 'Имитировать согласие' },
    simulateDecline: 'Имитировать отказ',
    decline: 'Отказ',
    remembers: 'Магазин хочет запомнить ваш счёт для следующих оплат: банк спросит вашего согласия',
    remember: 'Имитировать согласие запомнить счёт',
    notFound: {
      title: 'Ссылка не найдена',
      advice: 'Проверьте, что она скопирована целиком, или попросите у магазина новую',
    },
    trouble: 'Страница не открылась',
  },
  en: {
    subject: { DYNAMIC: 'Amount due', TOKEN: 'Link your account' },
    open: { DYNAMIC: 'Pay with your bank app', TOKEN: 'Open your bank app' },
    scan: 'Point your phone’s camera at the code, or open the scanner in your bank’s app',
    scanInSandbox: 'A test code: a bank’s app does not accept it',
    steps: {
      phone: (button) => `Tap “${button}”: your bank’s app opens`,
      banks: 'Choose your bank in the list: its app opens',
      sandbox: (button) => `Press “${button}”: this button stands in for the bank’s app`,
      desktop: 'Scan the QR code with your phone’s camera or in your bank’s app',
      result: 'Come back here: this page shows the result',
      sandboxResult: 'The page shows the result',
    },
    confirm: {
      DYNAMIC: 'Check the shop and the amount, and confirm',
      TOKEN: 'Check the shop, and confirm',
    },
    notices: {
      DYNAMIC: {
        PAYED: { title: 'Payment received', advice: 'The payment is complete' },
        REFUNDED: { title: 'Payment refunded', advice: 'The shop returned the money to your account' },
        DECLINED: {
          title: 'The payment was declined',
          advice: 'You have not been charged. Try again, or choose another bank',
        },
        EXPIRED: {
          title: 'This payment link has expired',
          advice: 'Go back to the shop and start again. If you have already paid, this page will update',
        },
        CANCELLED: {
          title: 'The shop cancelled this payment',
          advice: 'You do not need to pay. If you have questions, contact the shop',
        },
        INIT_PAYMENT_BY_TOKEN: {
          title: 'Payment in progress',
          advice: 'The shop is charging your linked account',
        },
      },
      TOKEN: {
        ACCEPTED: { title: 'Account linked', advice: 'The shop can now charge it' },
        DECLINED: {
          title: 'Your account was not linked',
          advice: 'The shop cannot charge your account. You can try again',
        },
        EXPIRED: { title: 'This link has expired', advice: 'Go back to the shop and start again' },
        CANCELLED: {
          title: 'The shop cancelled the request',
          advice: 'If you have questions, contact the shop',
        },
      },
    },
    youType: 'You enter it in your bank app',
    typeHere: 'Enter the amount',
    purpose: 'For',
    bindingPurpose: 'Purpose of linking',
    amount: 'Amount',
    time: 'Date and time',
    paidOn: 'Paid',
    operation: 'Payment reference',
    refunded: 'Refunded',
    support: 'Contact the shop',
    left: 'Time left',
    validUntil: 'Valid until',
    anotherPhone: 'QR code for another phone',
    picture: 'QR code for this payment',
    howTo: { DYNAMIC: 'How to pay', TOKEN: 'How to link' },
    retry: 'Try again',
    retryInSandbox: 'You have not been charged. Try again',
    chooseBank: 'Choose your bank',
    check: { DYNAMIC: 'Check the payment', TOKEN: 'Check the status', short: 'Check' },
    back: 'Back to the shop',
    leaving: (host) => `${host} opens in 10${NBSP}seconds`,
    stay: 'Stay here',
    save: 'Save receipt',
    progress: {
      following: 'This page updates by itself when you have paid',
      waiting: 'Waiting for your payment in the bank app',
      checking: 'Checking…',
      unchanged: 'No payment yet. Still waiting',
      paused: 'We have stopped waiting. If you have paid, press “Check”',
      offline: 'You are offline. We will check when you are back',
      changed: 'Updating…',
    },
    bindingProgress: {
      following: 'This page updates by itself when the account is linked',
      waiting: 'Waiting for your bank app',
      unchanged: 'The account is not linked yet. Still waiting',
      paused: 'We have stopped waiting. Press “Check”',
    },
    banks: {
      title: 'Choose your bank',
      search: 'Name of the bank',
      recent: 'Recent',
      notFound: 'Bank not listed?',
      useCode: 'Pay with the QR code',
      none: 'No such bank in the list',
      unavailable: 'The list of banks is not available now',
    },
    amountFault: 'Enter an amount from 0.01 to 999,999,999.99, such as 1500.50',
    simulate: { DYNAMIC: 'Simulate payment', TOKEN: 'Simulate consent' },
    simulateDecline: 'Simulate a decline',
    decline: 'Decline',
    remembers:
      'The shop asks to remember your account for later payments: your bank will ask for your consent',
    remember: 'Simulate consent to remember the account',
    notFound: {
      title: 'The link was not found',
      advice: 'Check that it was copied in full, or ask the shop for a new one',
    },
    trouble: 'The page did not open',
  },
}

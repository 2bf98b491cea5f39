// The texts of the payer's page, in the payer's language. Read a text aloud before you change it.
import type { Language } from '../../http/negotiation.ts'
import { nested } from './quotes.ts'
import type { Kind, PayerState } from './state.ts'

/** A state of the page: what happened, and what the payer can do. */
export interface Notice {
  title: string
  advice: string
}

/** How a code can be paid: by SBP, and where the shop takes them, with digital roubles. */
export type Ways = 'sbp' | 'digitalRouble'

export interface PayerTexts {
  /** The payment system, below the pages of a link that only binds an account. */
  system: string
  /** The code and how it is paid, below all others. */
  universal: Record<Ways, string>
  /** What a QR code asks for, and the way to it. */
  subject: Record<Kind, string>
  open: Record<Kind, string>
  /** The same on a desktop, where the picture comes first. */
  openHere: string
  scan: string
  /** Instead of it in the sandbox, whose QR codes no bank knows. */
  scanInSandbox: string
  /** How to pay: the first step depends on the device, and on the way that the page offers. */
  steps: Record<'phone' | 'sandbox', (button: string) => string> &
    Record<'banks' | 'result' | 'sandboxResult', string>
  /** The code by its name: that of a payment is the universal one. */
  code: Record<
    Kind,
    Record<'scan' | 'another' | 'picture' | 'show' | 'showForAnother' | 'scanByPhone', string>
  >
  confirm: Record<Kind, string>
  /** Everything but the statuses in which the QR code can be paid for the first time. */
  notices: Record<Kind, Partial<Record<PayerState, Notice>>>
  /** A decline that was the customer's own decision: nobody is blamed. */
  refused: Record<Kind, Notice>
  /** Notices of a QR code that is paid many times: this browser's own test payment was declined, and that no sale is armed. */
  reusable: Record<'declined' | 'cancelled' | 'notArmed', Notice>
  /** The notices of a STATIC code, whose page cannot know who paid: before, and after the payer opened a bank. */
  elsewhere: Notice & { result: string }
  payAgain: string
  /** The sheet to print. */
  sheet: {
    title: string
    heading: string
    system: Record<Ways, string>
    /** `typed`: of a STATIC code without an amount. */
    steps: Record<'static' | 'typed' | 'counter', readonly [string, string, string]>
  }
  youType: string
  typeHere: string
  purpose: string
  bindingPurpose: string
  amount: string
  time: string
  bank: string
  /** When it was paid, on the receipt of a returned payment. */
  paidOn: string
  method: string
  operation: string
  refunded: string
  /** A refund that the bank has not confirmed. */
  refunding: string
  /** The advice of a receipt of which a part was returned. */
  refundedPart(sum: string): string
  support: string
  /** Who sells, in law, as the shop states it. */
  seller: string
  taxId: string
  left: string
  validUntil: Record<Kind, string>
  /** The time zone of Moscow, by its own name. */
  moscow: string
  howTo: Record<Kind, string>
  retry: string
  /** The advice after a decline in the sandbox, where no other bank can be chosen. */
  retryInSandbox: string
  chooseBank: string
  /** The link that requests the status at once. */
  check: Record<Kind, string>
  /** After the payer opened a bank; the title is progress.waiting. */
  waiting: Record<Kind, string> & Record<'again' | 'otherBank', string>
  back: string
  /** Into the shop's own app, which need not be on this phone. */
  backToApp: string
  appHint: string
  /** Before and after the number of seconds. */
  leaving(host: string): readonly [string, string]
  stay: string
  receipt: Record<'title' | 'share' | 'save' | 'print', string>
  /** What the line below the buttons says; public/page.js shows them as they come. */
  progress: Record<
    'following' | 'waiting' | 'checking' | 'unchanged' | 'paused' | 'offline' | 'slow' | 'changed',
    string
  >
  /** Where an account is linked, instead of these. */
  bindingProgress: Partial<PayerTexts['progress']>
  counterProgress: Partial<PayerTexts['progress']>
  banks: Record<
    'title' | 'search' | 'recent' | 'all' | 'notFound' | 'useSystem' | 'back' | 'none' | 'unavailable',
    string
  >
  amountFault: string
  /** What the sandbox bank's buttons do. */
  simulate: Record<Kind, string>
  simulateDecline: Record<'customer' | 'bank', string>
  /** What the consent to the binding of an account allows; `allows` has what stands before the shop's name, the name, and what follows. */
  consent: Record<'until' | 'end' | 'howToEnd', string> & {
    title: Record<Kind, string>
    allows(shop: string): readonly [string, string, string]
  }
  /** The customer's answer in the sandbox. */
  remember: string
  notFound: Notice
  trouble: string
}

const NBSP = '\u00a0'

export const PAYER_TEXTS: Readonly<Record<Language, PayerTexts>> = {
  ru: {
    system: 'Оплата через Систему быстрых платежей',
    universal: {
      sbp: 'Универсальный QR-код: оплата через СБП',
      digitalRouble: 'Универсальный QR-код: оплата через СБП или цифровыми рублями',
    },
    subject: { DYNAMIC: 'К оплате', TOKEN: 'Привязка счёта' },
    open: { DYNAMIC: 'Оплатить через СБП', TOKEN: 'Открыть приложение банка' },
    openHere: 'Продолжить на этом устройстве',
    scan: 'Наведите камеру телефона на код или откройте сканер в приложении банка',
    scanInSandbox: 'Тестовый код: приложение банка его не примет',
    steps: {
      phone: (button) => `Нажмите «${button}»: откроется приложение банка`,
      banks: 'Выберите свой банк в списке: откроется его приложение',
      sandbox: (button) => `Нажмите «${button}»: эта кнопка заменяет приложение банка`,
      result: 'Вернитесь сюда: страница покажет результат',
      sandboxResult: 'Страница покажет результат',
    },
    code: {
      DYNAMIC: {
        scan: 'Отсканируйте универсальный QR-код камерой телефона или в приложении банка',
        another: 'Универсальный QR-код для другого телефона',
        picture: 'Универсальный QR-код для оплаты через СБП',
        show: 'Показать универсальный QR-код',
        showForAnother: 'Показать универсальный QR-код для другого телефона',
        scanByPhone: 'Отсканировать универсальный QR-код телефоном',
      },
      TOKEN: {
        scan: 'Отсканируйте QR-код камерой телефона или в приложении банка',
        another: 'QR-код для другого телефона',
        picture: 'QR-код для привязки счёта',
        show: 'Показать QR-код',
        showForAnother: 'Показать QR-код для другого телефона',
        scanByPhone: 'Отсканировать QR-код телефоном',
      },
    },
    confirm: {
      DYNAMIC: 'Проверьте магазин и сумму и подтвердите оплату',
      TOKEN: 'Проверьте магазин и подтвердите привязку',
    },
    notices: {
      DYNAMIC: {
        PAYED: { title: 'Оплачено', advice: '' },
        REFUNDED: {
          title: 'Деньги возвращены',
          advice: 'Магазин вернул всю сумму на счёт, с которого вы платили',
        },
        DECLINED: {
          title: 'Оплата не прошла',
          advice:
            'Деньги не списаны: банк не подтвердил оплату, или вы её отменили. Попробуйте ещё раз или выберите другой банк',
        },
        EXPIRED: {
          title: 'Время на оплату вышло',
          advice:
            'Вернитесь в магазин и оформите оплату заново. Если вы уже заплатили, второй раз не платите: страница обновится сама',
        },
        CANCELLED: {
          title: 'Магазин отменил оплату',
          advice: 'Платить не нужно. Если остались вопросы, свяжитесь с магазином',
        },
        INIT_PAYMENT_BY_TOKEN: {
          title: 'Проводим оплату',
          advice: 'Магазин списывает деньги с привязанного счёта. Вам ничего делать не нужно',
        },
        NO_LINK: {
          title: 'По этой ссылке платить больше нельзя',
          advice:
            'Магазин списывал оплату с привязанного счёта, и она не прошла. Если остались вопросы, свяжитесь с магазином',
        },
      },
      TOKEN: {
        ACCEPTED: {
          title: 'Счёт привязан',
          advice: 'Теперь магазин может списывать оплату с этого счёта',
        },
        UNBOUND: { title: 'Счёт больше не привязан', advice: '' },
        DECLINED: {
          title: 'Счёт не привязан',
          advice: 'Магазин не может списывать деньги с вашего счёта. Можно попробовать ещё раз',
        },
        EXPIRED: {
          title: 'Время на привязку вышло',
          advice: 'Вернитесь в магазин и начните заново',
        },
        CANCELLED: {
          title: 'Магазин отменил привязку',
          advice: 'Если остались вопросы, свяжитесь с магазином',
        },
      },
    },
    refused: {
      DYNAMIC: {
        title: 'Вы отменили оплату',
        advice: 'Деньги не списаны. Если передумаете, можно оплатить снова',
      },
      TOKEN: {
        title: 'Вы не стали привязывать счёт',
        advice: 'Магазин не может списывать с него деньги. Если передумаете, можно привязать его снова',
      },
    },
    reusable: {
      declined: { title: 'Оплата не прошла', advice: 'Деньги не списаны. Попробуйте ещё раз' },
      cancelled: {
        title: 'Этот код больше не действует',
        advice: 'Не платите по нему. Если остались вопросы, свяжитесь с магазином',
      },
      notArmed: {
        title: 'Пока платить не за что',
        advice:
          'Когда касса выставит сумму, страница обновится сама. Если вы уже заплатили, результат покажет приложение банка',
      },
    },
    elsewhere: {
      title: 'Подтверждение — в приложении банка',
      advice: 'Эта страница не узнает, прошла ли оплата: результат покажет приложение банка',
      result: 'Результат покажет приложение банка',
    },
    payAgain: 'Заплатить ещё раз',
    sheet: {
      title: 'Универсальный QR-код для печати',
      heading: 'Универсальный QR-код',
      system: {
        sbp: 'СБП — Система быстрых платежей',
        digitalRouble: 'СБП или цифровые рубли',
      },
      steps: {
        static: [
          'Наведите камеру телефона на код или откройте сканер в приложении банка',
          'Проверьте получателя и сумму',
          'Подтвердите оплату в приложении банка',
        ],
        typed: [
          'Наведите камеру телефона на код или откройте сканер в приложении банка',
          'Проверьте получателя и введите сумму',
          'Подтвердите оплату в приложении банка',
        ],
        counter: [
          'Дождитесь, пока касса выставит сумму',
          'Наведите камеру телефона на код или откройте сканер в приложении банка',
          'Проверьте сумму и подтвердите оплату',
        ],
      },
    },
    youType: 'Сумму укажете в приложении банка',
    typeHere: 'Укажите сумму',
    purpose: 'Назначение',
    bindingPurpose: 'Для чего',
    amount: 'Сумма',
    time: 'Дата и время',
    bank: 'Банк',
    paidOn: 'Оплачено',
    method: 'Способ оплаты',
    operation: 'Номер операции',
    refunded: 'Возвращено',
    refunding: 'Возвращается',
    refundedPart: (sum) => `Магазин вернул вам ${sum} на счёт, с которого вы платили`,
    support: 'Связь с магазином',
    seller: 'Продавец',
    taxId: 'ИНН',
    left: 'Осталось',
    validUntil: { DYNAMIC: 'Оплатите до', TOKEN: 'Действует до' },
    moscow: 'МСК',
    howTo: { DYNAMIC: 'Как оплатить', TOKEN: 'Как привязать счёт' },
    retry: 'Попробовать ещё раз',
    retryInSandbox: 'Деньги не списаны. Попробуйте ещё раз',
    chooseBank: 'Выбрать банк',
    check: { DYNAMIC: 'Проверить оплату', TOKEN: 'Проверить привязку' },
    waiting: {
      DYNAMIC: 'Подтвердите оплату в банке и вернитесь сюда. Результат появится сам',
      TOKEN: 'Подтвердите привязку в банке и вернитесь сюда. Результат появится сам',
      again: 'Открыть банк ещё раз',
      otherBank: 'Другой банк',
    },
    back: 'Вернуться в магазин',
    backToApp: 'Вернуться в приложение',
    appHint: 'Откроется, если приложение магазина есть на этом устройстве',
    leaving: (host) => [`Через${NBSP}`, `${NBSP}сек. откроется ${host}`],
    stay: 'Остаться здесь',
    receipt: {
      title: 'Квитанция об оплате',
      share: 'Поделиться',
      save: 'Сохранить картинкой',
      print: 'Распечатать',
    },
    progress: {
      following: 'Страница обновится сама после оплаты',
      waiting: 'Ждём оплату в приложении банка',
      checking: 'Проверяем…',
      unchanged: 'Оплата пока не поступила. Если вы её подтвердили, результат появится здесь сам',
      paused: 'Мы перестали ждать. Если вы заплатили, нажмите «Проверить оплату»',
      offline: 'Нет связи. Проверим, как только она появится',
      slow: 'Связь медленная. Ждём ответа',
      changed: 'Обновляем…',
    },
    bindingProgress: {
      following: 'Страница обновится сама после привязки',
      waiting: 'Ждём ответа приложения банка',
      unchanged: 'Счёт пока не привязан. Если вы подтвердили привязку, результат появится здесь сам',
      paused: 'Мы перестали ждать. Нажмите «Проверить привязку»',
    },
    counterProgress: {
      following: 'Когда касса изменит сумму, страница обновится сама',
    },
    banks: {
      title: 'Выберите банк',
      search: 'Название банка',
      recent: 'Недавние',
      all: 'Все банки',
      notFound: 'Нет вашего банка?',
      useSystem: 'Открыть полный список банков',
      back: 'Назад к оплате',
      none: 'Такого банка в списке нет',
      unavailable: 'Список банков сейчас недоступен',
    },
    amountFault: `Введите сумму от 0,01 до 999${NBSP}999${NBSP}999,99, например 1500,50`,
    simulate: { DYNAMIC: 'Имитировать оплату', TOKEN: 'Имитировать согласие' },
    simulateDecline: { customer: 'Имитировать отказ покупателя', bank: 'Имитировать отказ банка' },
    consent: {
      title: {
        DYNAMIC: 'Магазин хочет запомнить ваш счёт',
        TOKEN: 'Что вы разрешаете',
      },
      allows: (shop) => [
        'После вашего согласия в банке магазин «',
        nested(shop),
        '» сможет списывать с этого счёта любую сумму, не спрашивая вас каждый раз',
      ],
      until: 'Согласие до',
      end: 'Как отменить',
      howToEnd:
        'В любой момент: на этой странице, в приложении банка или через магазин. Сохраните ссылку на страницу',
    },
    remember: 'Имитировать согласие на сохранение счёта',
    notFound: {
      title: 'По этой ссылке платить нельзя',
      advice:
        'Возможно, она скопирована не целиком, или её кто-то изменил. Не платите по ней. Откройте ссылку ещё раз там, где вы её получили, или попросите у магазина новую',
    },
    trouble: 'Страница не открылась',
  },
  en: {
    system: 'Paid through the Faster Payments System (SBP)',
    universal: {
      sbp: 'Universal payment QR code: payment by SBP',
      digitalRouble: 'Universal payment QR code: payment by SBP or with digital roubles',
    },
    subject: { DYNAMIC: 'Amount due', TOKEN: 'Link your account' },
    open: { DYNAMIC: 'Pay with your bank app', TOKEN: 'Open your bank app' },
    openHere: 'Continue on this device',
    scan: 'Point your phone’s camera at the code, or open the scanner in your bank’s app',
    scanInSandbox: 'A test code: a bank’s app does not accept it',
    steps: {
      phone: (button) => `Tap “${button}”: your bank’s app opens`,
      banks: 'Choose your bank in the list: its app opens',
      sandbox: (button) => `Press “${button}”: this button stands in for the bank’s app`,
      result: 'Come back here: this page shows the result',
      sandboxResult: 'The page shows the result',
    },
    code: {
      DYNAMIC: {
        scan: 'Scan the universal payment QR code with your phone’s camera or in your bank’s app',
        another: 'Universal payment QR code for another phone',
        picture: 'Universal payment QR code, to pay by SBP',
        show: 'Show the universal payment QR code',
        showForAnother: 'Show the universal payment QR code for another phone',
        scanByPhone: 'Scan the universal payment QR code with a phone',
      },
      TOKEN: {
        scan: 'Scan the QR code with your phone’s camera or in your bank’s app',
        another: 'QR code for another phone',
        picture: 'QR code to link an account',
        show: 'Show the QR code',
        showForAnother: 'Show the QR code for another phone',
        scanByPhone: 'Scan the QR code with a phone',
      },
    },
    confirm: {
      DYNAMIC: 'Check the shop and the amount, and confirm',
      TOKEN: 'Check the shop, and confirm',
    },
    notices: {
      DYNAMIC: {
        PAYED: { title: 'Payment received', advice: '' },
        REFUNDED: {
          title: 'Payment refunded',
          advice: 'The shop returned the whole amount to the account that you paid from',
        },
        DECLINED: {
          title: 'The payment did not go through',
          advice:
            'You have not been charged: the bank did not confirm the payment, or you cancelled it. Try again, or choose another bank',
        },
        EXPIRED: {
          title: 'The time to pay is over',
          advice:
            'Go back to the shop and start again. If you have already paid, do not pay twice: this page will update',
        },
        CANCELLED: {
          title: 'The shop cancelled this payment',
          advice: 'You do not need to pay. If you have questions, contact the shop',
        },
        INIT_PAYMENT_BY_TOKEN: {
          title: 'Payment in progress',
          advice: 'The shop is charging your linked account. You do not need to do anything',
        },
        NO_LINK: {
          title: 'This link can no longer be paid',
          advice:
            'The shop charged a linked account, and the charge did not go through. If you have questions, contact the shop',
        },
      },
      TOKEN: {
        ACCEPTED: { title: 'Account linked', advice: 'The shop can now charge this account' },
        UNBOUND: { title: 'The account is no longer linked', advice: '' },
        DECLINED: {
          title: 'Your account was not linked',
          advice: 'The shop cannot charge your account. You can try again',
        },
        EXPIRED: { title: 'The time to link is over', advice: 'Go back to the shop and start again' },
        CANCELLED: {
          title: 'The shop cancelled the request',
          advice: 'If you have questions, contact the shop',
        },
      },
    },
    refused: {
      DYNAMIC: {
        title: 'You cancelled the payment',
        advice: 'You have not been charged. If you change your mind, you can still pay',
      },
      TOKEN: {
        title: 'You chose not to link your account',
        advice: 'The shop cannot charge it. If you change your mind, you can still link it',
      },
    },
    reusable: {
      declined: { title: 'The payment did not go through', advice: 'You have not been charged. Try again' },
      cancelled: {
        title: 'This code is no longer valid',
        advice: 'Do not pay by it. If you have questions, contact the shop',
      },
      notArmed: {
        title: 'Nothing to pay yet',
        advice:
          'When the till sets the amount, this page updates by itself. If you have paid, your bank’s app shows the result',
      },
    },
    elsewhere: {
      title: 'Confirm it in your bank’s app',
      advice: 'This page cannot tell whether the payment went through: your bank’s app shows the result',
      result: 'Your bank’s app shows the result',
    },
    payAgain: 'Pay again',
    sheet: {
      title: 'Universal payment QR code to print',
      heading: 'Universal payment QR code',
      system: {
        sbp: 'СБП (SBP) — Faster Payments System',
        digitalRouble: 'СБП (SBP) or digital roubles',
      },
      steps: {
        static: [
          'Point your phone’s camera at the code, or open the scanner in your bank’s app',
          'Check the recipient and the amount',
          'Confirm the payment in your bank’s app',
        ],
        typed: [
          'Point your phone’s camera at the code, or open the scanner in your bank’s app',
          'Check the recipient, and enter the amount',
          'Confirm the payment in your bank’s app',
        ],
        counter: [
          'Wait until the till sets the amount',
          'Point your phone’s camera at the code, or open the scanner in your bank’s app',
          'Check the amount, and confirm the payment',
        ],
      },
    },
    youType: 'You enter the amount in your bank app',
    typeHere: 'Enter the amount',
    purpose: 'For',
    bindingPurpose: 'What for',
    amount: 'Amount',
    time: 'Date and time',
    bank: 'Bank',
    paidOn: 'Paid',
    method: 'Payment method',
    operation: 'Payment reference',
    refunded: 'Refunded',
    refunding: 'Refund on its way',
    refundedPart: (sum) => `The shop returned ${sum} to the account that you paid from`,
    support: 'Contact the shop',
    seller: 'Seller',
    taxId: 'INN',
    left: 'Time left',
    validUntil: { DYNAMIC: 'Pay by', TOKEN: 'Valid until' },
    moscow: 'MSK',
    howTo: { DYNAMIC: 'How to pay', TOKEN: 'How to link an account' },
    retry: 'Try again',
    retryInSandbox: 'You have not been charged. Try again',
    chooseBank: 'Choose your bank',
    check: { DYNAMIC: 'Check the payment', TOKEN: 'Check the status' },
    waiting: {
      DYNAMIC: 'Confirm the payment in your bank and come back. The result appears here by itself',
      TOKEN: 'Confirm it in your bank and come back. The result appears here by itself',
      again: 'Open the bank again',
      otherBank: 'Another bank',
    },
    back: 'Back to the shop',
    backToApp: 'Back to the app',
    appHint: 'It opens if the shop’s app is on this device',
    leaving: (host) => [`${host} opens in${NBSP}`, `${NBSP}s`],
    stay: 'Stay here',
    receipt: { title: 'Payment receipt', share: 'Share', save: 'Save as a picture', print: 'Print' },
    progress: {
      following: 'This page updates by itself when you have paid',
      waiting: 'Waiting for your payment in the bank app',
      checking: 'Checking…',
      unchanged: 'No payment yet. If you have confirmed it, the result appears here by itself',
      paused: 'We have stopped waiting. If you have paid, press “Check the payment”',
      offline: 'You are offline. We will check when you are back',
      slow: 'The connection is slow. Waiting for the answer',
      changed: 'Updating…',
    },
    bindingProgress: {
      following: 'This page updates by itself when the account is linked',
      waiting: 'Waiting for your bank app',
      unchanged: 'The account is not linked yet. If you have confirmed it, the result appears here by itself',
      paused: 'We have stopped waiting. Press “Check the status”',
    },
    counterProgress: {
      following: 'This page updates by itself when the till changes the amount',
    },
    banks: {
      title: 'Choose your bank',
      search: 'Name of the bank',
      recent: 'Recent',
      all: 'All banks',
      notFound: 'Bank not listed?',
      useSystem: 'Open the full list of banks',
      back: 'Back to the payment',
      none: 'No such bank in the list',
      unavailable: 'The list of banks is not available now',
    },
    amountFault: 'Enter an amount from 0.01 to 999,999,999.99, such as 1500.50',
    simulate: { DYNAMIC: 'Simulate payment', TOKEN: 'Simulate consent' },
    simulateDecline: {
      customer: 'Simulate a decline by the customer',
      bank: 'Simulate a decline by the bank',
    },
    consent: {
      title: {
        DYNAMIC: 'The shop asks to remember your account',
        TOKEN: 'What you allow',
      },
      allows: (shop) => [
        'Once you agree in your bank, ',
        shop,
        ' can charge any amount to this account without asking you again',
      ],
      until: 'Valid until',
      end: 'How to end it',
      howToEnd:
        'At any time: on this page, in your bank’s app, or through the shop. Keep the link to the page',
    },
    remember: 'Simulate consent to remember the account',
    notFound: {
      title: 'Do not pay by this link',
      advice:
        'It may have been copied in part, or somebody changed it. Do not pay by it. Open the link again where you got it, or ask the shop for a new one',
    },
    trouble: 'The page did not open',
  },
}

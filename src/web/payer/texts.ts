// The texts of the payer's page, in the payer's language.

import type { QrCodeType } from '../../contract/qr-code.ts'
import type { QrCodeStatus } from '../../contract/status.ts'
import type { Language } from '../../http/negotiation.ts'

/** A result, and what the payer can do. */
export interface End {
  title: string
  advice: string
}

export interface PayerTexts {
  toPay: string
  youType: string
  purpose: string
  timeLeft: string
  support: string
  binding: string
  bindingPurpose: string
  bindingState: string
  bindingWaits: string
  scan: string
  scanToBind: string
  picture: string
  declined: string
  /** The statuses that end the payment. */
  ends: Record<QrCodeType, Partial<Record<QrCodeStatus, End>>>
  back: string
  leaving(host: string): string
  sandbox: string
  amount: string
  amountFault: string
  pay: string
  decline: string
  notFound: End
  trouble: string
}

export const PAYER_TEXTS: Readonly<Record<Language, PayerTexts>> = {
  ru: {
    toPay: 'К оплате',
    youType: 'Сумму вы введёте сами',
    purpose: 'Назначение',
    timeLeft: 'Осталось времени',
    support: 'Связь с продавцом',
    binding: 'Привязка счёта',
    bindingPurpose: 'Для чего привязка счёта',
    bindingState: 'Состояние привязки',
    bindingWaits: 'Ожидает вашего согласия',
    scan: 'Чтобы оплатить, отсканируйте QR-код в приложении вашего банка',
    scanToBind: 'Чтобы привязать счёт, отсканируйте QR-код в приложении вашего банка',
    picture: 'QR-код этой ссылки',
    declined: 'Платёж отклонён, попробуйте ещё раз',
    ends: {
      DYNAMIC: {
        PAYED: { title: 'Оплачено', advice: 'Продавец уже знает об оплате' },
        EXPIRED: { title: 'Время оплаты истекло', advice: 'Вернитесь в магазин и начните оплату заново' },
        CANCELLED: { title: 'Продавец отменил оплату', advice: 'Если есть вопросы, обратитесь в магазин' },
      },
      TOKEN: {
        EXPIRED: { title: 'Время привязки истекло', advice: 'Вернитесь в магазин и начните привязку заново' },
        CANCELLED: { title: 'Продавец отменил привязку', advice: 'Если есть вопросы, обратитесь в магазин' },
      },
    },
    back: 'Вернуться в магазин',
    leaving: (host) => `Через несколько секунд откроется ${host}`,
    sandbox: 'Тестовый стенд: деньги не списываются',
    amount: 'Сумма',
    amountFault: 'Введите сумму от 0,01 до 999\u00a0999\u00a0999,99, например 1500,50',
    pay: 'Оплатить',
    decline: 'Отклонить',
    notFound: {
      title: 'Ссылка не найдена',
      advice: 'Проверьте, что она скопирована целиком, или попросите у продавца новую',
    },
    trouble: 'Страница не открылась',
  },
  en: {
    toPay: 'To pay',
    youType: 'You enter the sum yourself',
    purpose: 'Purpose',
    timeLeft: 'Time left',
    support: 'Contact the shop',
    binding: 'Account linking',
    bindingPurpose: 'What the account is linked for',
    bindingState: 'State of the linking',
    bindingWaits: 'Waiting for your consent',
    scan: 'To pay, scan the QR code in your bank’s app',
    scanToBind: 'To link your account, scan the QR code in your bank’s app',
    picture: 'QR code of this link',
    declined: 'The payment was declined, please try again',
    ends: {
      DYNAMIC: {
        PAYED: { title: 'Paid', advice: 'The shop knows of your payment' },
        EXPIRED: {
          title: 'The time to pay is over',
          advice: 'Return to the shop and start the payment again',
        },
        CANCELLED: { title: 'The shop cancelled the payment', advice: 'If you have questions, ask the shop' },
      },
      TOKEN: {
        EXPIRED: {
          title: 'The time to link is over',
          advice: 'Return to the shop and start the linking again',
        },
        CANCELLED: { title: 'The shop cancelled the linking', advice: 'If you have questions, ask the shop' },
      },
    },
    back: 'Return to the shop',
    leaving: (host) => `${host} opens in a few seconds`,
    sandbox: 'Sandbox: no money moves',
    amount: 'Sum',
    amountFault: 'Enter a sum from 0.01 to 999,999,999.99, such as 1500.50',
    pay: 'Pay',
    decline: 'Decline',
    notFound: {
      title: 'The link was not found',
      advice: 'Check that it was copied whole, or ask the shop for a new one',
    },
    trouble: 'The page did not open',
  },
}

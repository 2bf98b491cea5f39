// The texts of signing in, and of errors.
import type { ErrorCode } from '../errors.ts'
import type { Language } from '../http/negotiation.ts'

export const SIGN_IN_TEXTS: Record<
  Language,
  {
    title: string
    token: string
    tokenHint: string
    signIn: string
    signOut: string
    notSignedOut: string
    notSignedOutLead: string
    asSite(siteId: string): string
    operator: string
    linkLead: string
    linkButton: string
    goOn: string
    failed: Record<'unknown' | 'expired' | 'link' | 'scope' | 'passkey' | 'passkeysAlone', string>
  }
> = {
  ru: {
    title: 'Вход в кабинет',
    token: 'Токен доступа',
    tokenHint:
      'Вставьте токен, с которым ваш сервер обращается к API, или токен оператора. Кабинет покажет то, что разрешает этот токен, и не сохраняет его.',
    signIn: 'Войти',
    signOut: 'Выйти',
    notSignedOut: 'Выйти не получилось',
    notSignedOutLead:
      'Сервис не ответил, и вы всё ещё в кабинете. Не оставляйте это устройство другим и повторите через минуту',
    asSite: (siteId) => `Магазин ${siteId}`,
    operator: 'Оператор всех магазинов',
    linkLead: 'По этой ссылке можно войти один раз.',
    linkButton: 'Войти по ссылке',
    goOn: 'Уже вошли? Продолжить',
    failed: {
      unknown: 'Этот токен не подходит: он повреждён, отозван или выдан другим сервисом',
      expired: 'Срок действия токена истёк',
      link: 'Ссылка уже использована, или её срок истёк. Новую даёт владелец магазина или администратор сервиса (при npm start — терминал, где была ссылка); ещё можно войти с токеном',
      passkey:
        'Этот ключ доступа не подходит. Если телефон новый или ключ удалён, попросите владельца магазина пригласить вас ещё раз',
      passkeysAlone:
        'Этот магазин принимает только ключи доступа, а не токены. Владелец магазина пришлёт приглашение, а владельцу поможет оператор сервиса',
      scope: 'Этот токен не даёт доступа к кабинету: у него нет прав магазина или оператора',
    },
  },
  en: {
    title: 'Sign in to the console',
    token: 'Access token',
    tokenHint:
      'Paste the token with which your server calls the API, or your operator’s token. ' +
      'The console shows what this token allows, and does not store it.',
    signIn: 'Sign in',
    signOut: 'Sign out',
    notSignedOut: 'You are still signed in',
    notSignedOutLead:
      'The service did not answer, so the session could not be ended. Do not leave this device to others, and try again in a minute',
    asSite: (siteId) => `Site ${siteId}`,
    operator: 'Operator of all sites',
    linkLead: 'This link signs you in once.',
    linkButton: 'Sign in with the link',
    goOn: 'Signed in already? Continue',
    failed: {
      unknown: 'This token cannot be used: it is damaged, revoked or of another service',
      expired: 'The token has expired',
      link: 'The link was used already, or it has expired. Ask an owner of the site or the administrator of the service for a new one (with npm start: the terminal that printed it); or sign in with a token',
      passkey:
        'This passkey cannot be used. If the phone is new, or the passkey was removed, ask an owner of the shop to invite you again',
      passkeysAlone:
        'This site takes passkeys alone, no tokens. An owner of the site can invite you; the operator of the service can invite an owner',
      scope:
        'This token gives no access to the console: it has neither the scopes of a shop nor that of the operator',
    },
  },
}

/** A title and an advice, by the code of the error or by its status. */
export const ERROR_TEXTS: Record<
  Language,
  Record<'refused' | 'broken' | 'oldForm', readonly [string, string]> &
    Partial<Record<number | ErrorCode, readonly [string, string]>> & {
      back: string
      signIn: string
      /** Said beside a form that was refused. */
      foreign: string
      support: string
    }
> = {
  ru: {
    401: ['Нужно войти снова', 'Ключ, с которым вы вошли, отозван, или его срок истёк.'],
    403: ['Нет доступа', 'Ваша роль или токен, с которым вы вошли, этого не разрешает.'],
    404: ['Здесь ничего нет', 'Проверьте адрес: такой страницы или записи нет.'],
    409: ['Сейчас это невозможно', 'Состояние уже изменилось. Вернитесь и посмотрите на него ещё раз.'],
    410: ['Этой страницы больше нет', 'Магазин восстановлен из резервной копии. Откройте раздел заново.'],
    'site.deleted': ['Магазин удалён', 'Оператор удалил этот магазин.'],
    429: ['Слишком много запросов', 'Подождите немного и повторите.'],
    refused: ['Запрос не выполнен', 'Вернитесь и проверьте, что введено.'],
    broken: ['Сервис временно недоступен', 'Повторите попытку позже. Ничего не потеряно.'],
    oldForm: [
      'Ничего не изменилось',
      'Страница открыта до обновления сервиса, и в её адресе нет магазина. Откройте её заново и отправьте форму ещё раз.',
    ],
    back: 'На главную кабинета',
    foreign: 'Или форму отправил другой сайт.',
    support: 'Для поддержки',
    signIn: 'Войти с другим токеном',
  },
  en: {
    401: ['Sign in again', 'The key with which you signed in is revoked or has expired.'],
    403: ['No access', 'Your role, or the token with which you signed in, does not allow this.'],
    404: ['There is nothing here', 'Check the address: there is no such page or record.'],
    409: ['This is not possible now', 'The state has changed. Go back and look at it again.'],
    410: ['This page is gone', 'The site was restored from a backup. Open the section again.'],
    'site.deleted': ['The site is deleted', 'The operator has deleted this site.'],
    429: ['Too many requests', 'Wait a little and try again.'],
    refused: ['The request was refused', 'Go back and check what you entered.'],
    broken: ['The service is temporarily unavailable', 'Try again later. Nothing is lost.'],
    oldForm: [
      'Nothing has changed',
      'The page was opened before the service was updated, and its address names no site. Open it again, and send the form once more.',
    ],
    back: 'To the start of the console',
    foreign: 'Or another site sent the form.',
    support: 'For support',
    signIn: 'Sign in with another token',
  },
}

// The texts of the page that asks for a confirmation by passkey.
import type { Language } from '../http/negotiation.ts'

const ru = {
  title: 'Подтвердите ключом доступа',
  change: 'Изменение в кабинете',
  lead: 'Отпечаток, лицо или код устройства — как при входе. Подтверждается только то, что показано здесь.',
  confirm: 'Подтвердить',
  cancel: 'Ничего не менять',
  refused: 'Подтвердить не получилось: прошло больше пяти минут, или это другой ключ. Попробуйте ещё раз',
  used: 'Это подтверждение уже использовано: возможно, всё сделано. Проверьте, и если нет, подтвердите ещё раз',
  failed:
    'Не получилось: подтверждение отменено, или на этом устройстве нет вашего ключа. Попробуйте ещё раз',
  unsupported: 'Этот браузер не поддерживает ключи доступа. Откройте страницу в свежей версии браузера',
  noScript: 'Для ключа доступа нужен JavaScript: включите его в браузере',
  nothing: 'нет',
}

const en: typeof ru = {
  title: 'Confirm by passkey',
  change: 'A change in the console',
  lead: 'Your fingerprint, your face or the code of the device, as at sign-in. What is shown here is confirmed, and nothing else.',
  confirm: 'Confirm',
  cancel: 'Change nothing',
  refused: 'It is not confirmed: more than five minutes have passed, or it is another passkey. Try again',
  used: 'This confirmation was used already, so it may be done. Check that, and confirm again if it is not',
  failed: 'It did not work: it was cancelled, or this device has no passkey of yours. Try again',
  unsupported: 'This browser has no passkeys. Open the page in a recent version of the browser',
  noScript: 'A passkey needs JavaScript: switch it on in the browser',
  nothing: 'none',
}

export const CONFIRMATION_TEXTS: Readonly<Record<Language, typeof ru>> = { ru, en }

// Why a receipt (54-FZ) is not registered, in both languages: what happens, and what to do. Read a text aloud before you change it.
import type { Language } from '../http/negotiation.ts'

interface Advice {
  happens: string
  todo: string
}

const ru = {
  noContact: {
    happens: 'Некуда прислать чек',
    todo: 'Покупатель не указал почту или телефон. Узнайте их у него и отправьте чек ещё раз',
  },
  vatRate: {
    happens: 'Ставка НДС не действует на день платежа',
    todo: 'С 1 января 2026 года общая ставка — 22 %, до этого — 20 %. Исправьте ставку и отправьте чек ещё раз',
  },
  tooManyItems: {
    happens: 'В чеке больше строк, чем принимает касса',
    todo: 'Деньги уже вернулись. Сделайте чек возврата в кабинете своей кассы: отсюда он не уйдёт',
  },
  refused: {
    happens: 'Касса отказала',
    todo: 'Прочитайте её ответ, исправьте настройку или сам чек и отправьте его ещё раз',
  },
  final: {
    happens: 'Касса отказала, и повторить нельзя',
    todo: 'Сначала посмотрите в кабинете своей кассы. Если чека там нет, сделайте там чек коррекции: здесь чеков коррекции нет',
  },
  held: {
    happens: 'Касса ответила неясно',
    todo: 'Сам чек второй раз не отправится: оператор сервиса проверит в кассе, есть ли он там',
  },
  failedSale: {
    happens: 'Ждёт чека продажи, а тот не прошёл',
    todo: 'Отправьте ещё раз чек продажи: этот уйдёт за ним сам. Если его повторить нельзя, оформите оба в кабинете своей кассы',
  },
  contact: {
    happens: 'Ждём почту или телефон покупателя',
    todo: 'Если он не укажет их за пять минут, чек не уйдёт, и контакт нужно будет узнать у него',
  },
  sale: { happens: 'Ждёт чека продажи', todo: 'Уйдёт за ним сам, делать ничего не нужно' },
  waiting: { happens: 'Отправляется в кассу', todo: 'Делать ничего не нужно' },
  sent: { happens: 'Касса ещё не ответила', todo: 'Обычно это минута. Делать ничего не нужно' },
} satisfies Record<string, Advice>

const en: Record<keyof typeof ru, Advice> = {
  noContact: {
    happens: 'Nowhere to send the receipt',
    todo: 'The customer gave no e-mail or phone. Ask for one, and send the receipt again',
  },
  vatRate: {
    happens: 'The rate of VAT does not hold on the day of the payment',
    todo: 'The general rate is 22% from 1 January 2026 on, and 20% before. Correct the rate, and send the receipt again',
  },
  tooManyItems: {
    happens: 'It has more lines than the register takes',
    todo: 'The money is returned already. Make the receipt of the refund in the register’s own console: it cannot be sent from here',
  },
  refused: {
    happens: 'The register refused it',
    todo: 'Read what it said, correct the settings or the receipt itself, and send it again',
  },
  final: {
    happens: 'The register refused it for good',
    todo: 'Look in the register’s own console first. If the receipt is not there, make a correction there: there are none here',
  },
  held: {
    happens: 'The register gave no clear answer',
    todo: 'Nothing is sent twice: the operator of the service looks whether the register has it',
  },
  failedSale: {
    happens: 'It waits for the receipt of the sale, which failed',
    todo: 'Send the receipt of the sale again: this one follows by itself. If that cannot be sent again, make both in the register’s own console',
  },
  contact: {
    happens: 'It waits for the customer’s e-mail or phone',
    todo: 'If none is given within five minutes, it fails, and you have to ask the customer',
  },
  sale: { happens: 'It waits for the receipt of the sale', todo: 'It follows by itself' },
  waiting: { happens: 'It is on its way to the register', todo: 'There is nothing to do' },
  sent: {
    happens: 'The register has not answered yet',
    todo: 'It takes a minute, as a rule. There is nothing to do',
  },
}

export const RECEIPT_ADVICE: Readonly<Record<Language, Record<keyof typeof ru, Advice>>> = { ru, en }

// A statement 1CClientBankExchange with Raiffeisenbank's purposes, with invented values.

export const ACCOUNT = '40702810700001234567'
export const BANK_ACCOUNT = '30233810100000003618'
export const TAX_ID_OF_BANK = '7744000302'

export type Fields = Record<string, string>

const OTHER_SIDE = { Счет: BANK_ACCOUNT, ИНН: TAX_ID_OF_BANK }

const document = (
  own: 'Плательщик' | 'Получатель',
  { Счет, ИНН }: typeof OTHER_SIDE,
  fields: Fields,
): Fields => {
  const other = own === 'Плательщик' ? 'Получатель' : 'Плательщик'
  return {
    ...{ Номер: '658263', Дата: '21.11.2026', Сумма: '100', [`${own}Счет`]: ACCOUNT, [own]: 'ООО Чай' },
    ...{ [`${other}Счет`]: Счет, [`${other}ИНН`]: ИНН, [`${other}1`]: 'АО "Райффайзенбанк"', ...fields },
  }
}

export const credit = (fields: Fields = {}, other = OTHER_SIDE): Fields =>
  document('Получатель', other, { ДатаПоступило: '21.11.2026', ...fields })
export const debit = (fields: Fields = {}, other = OTHER_SIDE): Fields =>
  document('Плательщик', other, { ДатаСписано: '21.11.2026', ...fields })

const QRC_ID = 'AD1000123456E7UG9FTRSF7GLJ3T6H0S'
export const paid = (number = '200648', day = '20/11/26'): string =>
  `${number} IPS MA0000000279 Расч по дог. б/н по операции СБП [${number} - ${QRC_ID} - 0079066312345] за ${day}. НДС не обл`
export const refunded = (number = '201083', day = '20/11/26'): string =>
  `${number} RTRN MA0000000279 Возврат по дог. б/н  по операции СБП [${number} - ${QRC_ID} - 0079066312345] за ${day}.`
export const fee = (side = 'ON-US', day = '20/11/26'): string =>
  `IPS FEE 1785123001 ${side}. Комиссии по операции СБП за ${day}`

const lines = (fields: Fields): string[] => Object.entries(fields).map(([key, value]) => `${key}=${value}`)

export const head = (fields: Fields = {}): Fields => ({
  ...{ ВерсияФормата: '1.03', Кодировка: 'windows-1251', Отправитель: '', ДатаНачала: '01.11.2026' },
  ...{ ДатаКонца: '30.11.2026', РасчСчет: ACCOUNT, ...fields },
})

export const account = (fields: Fields = {}): Fields => ({
  ...{ РасчСчет: ACCOUNT, НачальныйОстаток: '2000', ВсегоПоступило: '0', ВсегоСписано: '0', ...fields },
})

export function statementText(
  documents: readonly Fields[],
  {
    accounts = [account()],
    heads = head(),
    end = 'КонецФайла\r\n',
  }: { accounts?: Fields[]; heads?: Fields; end?: string } = {},
): string {
  const sections = [
    ...accounts.flatMap((each) => ['СекцияРасчСчет', ...lines(each), 'КонецРасчСчет']),
    ...documents.flatMap((each) => ['СекцияДокумент=Банковский ордер', ...lines(each), 'КонецДокумента']),
  ]
  return ['1CClientBankExchange', ...lines(heads), ...sections].map((line) => `${line}\r\n`).join('') + end
}

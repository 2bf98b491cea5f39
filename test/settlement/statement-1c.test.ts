import { describe, expect, it } from 'vitest'
import { parserOf } from '../../src/settlement/formats/formats.ts'
import type { SettlementBank } from '../../src/settlement/sources.ts'
import { type Encoding, encode, outcomeOf, streamOf } from '../support/settlement/files.ts'
import {
  ACCOUNT,
  account,
  BANK_ACCOUNT,
  credit,
  debit,
  type Fields,
  fee,
  head,
  paid,
  refunded,
  statementText,
} from '../support/settlement/statement.ts'
import { moscow } from '../support/settlement/tbank.ts'

const PAYOUT_ACCOUNT = '30232810100000000123'

const outcome = (text: string, bank: SettlementBank = 'raiffeisen', encoding: Encoding = 'windows-1251') =>
  outcomeOf(
    parserOf(bank, 'statement', { payoutAccounts: [PAYOUT_ACCOUNT] }),
    streamOf(encode(text, encoding)),
  )
/** The turnovers are those of the documents. */
const read = (documents: readonly Fields[], bank?: SettlementBank) => {
  const sumOf = (key: string) =>
    documents.reduce(
      (sum, each) => sum + (each[key] === undefined ? 0 : Math.round(Number(each.Сумма) * 100)),
      0,
    )
  const turnovers = {
    ВсегоПоступило: `${sumOf('ДатаПоступило') / 100}`,
    ВсегоСписано: `${sumOf('ДатаСписано') / 100}`,
  }
  return outcome(statementText(documents, { accounts: [account(turnovers)] }), bank)
}

const posted = { operatedAt: moscow('2026-11-20'), hasTime: false, paidOn: '2026-11-21', currency: 'RUB' }
const QRC_ID = 'AD1000123456E7UG9FTRSF7GLJ3T6H0S'

it('reads a month of Raiffeisenbank: payments in full, a refund, fees of a day; the rest is skipped', async () => {
  const result = await read([
    credit({ Сумма: '2780.5', НазначениеПлатежа: paid() }),
    credit({ Сумма: '3500', НазначениеПлатежа: paid('200529') }),
    debit({ Сумма: '200', НазначениеПлатежа: refunded() }),
    debit({ Сумма: '50', НазначениеПлатежа: fee() }),
    debit({ Сумма: '300.48', НазначениеПлатежа: fee('OFF-US') }),
    debit({ Сумма: '10', НазначениеПлатежа: 'Аренда' }),
  ])
  expect(result).toEqual({
    entries: [
      {
        ...{ kind: 'payment', type: 'IPS', line: 14, gross: 278_050, ...posted, merchant: 'MA0000000279' },
        identity: `statement\npayment\n200648\nMA0000000279\n${QRC_ID}\n2026-11-20\n1`,
        bankIds: { operationId: '200648', qrcId: QRC_ID },
      },
      expect.objectContaining({ kind: 'payment', gross: 350_000, line: 26 }),
      {
        ...{ kind: 'refund', type: 'RTRN', line: 38, gross: -20_000, ...posted, merchant: 'MA0000000279' },
        identity: `statement\nrefund\n201083\nMA0000000279\n${QRC_ID}\n2026-11-20\n1`,
        bankIds: { operationId: '201083', qrcId: QRC_ID },
      },
      {
        ...{ kind: 'fee', type: 'IPS FEE ON-US', line: 50, fee: -5_000, ...posted, merchant: '1785123001' },
        ...{ identity: 'statement\nfee\nON-US\n1785123001\n2026-11-20\n-5000\n1', bankIds: {} },
      },
      expect.objectContaining({ kind: 'fee', type: 'IPS FEE OFF-US', fee: -30_048 }),
    ],
    summary: { lines: 6, entries: 5, skipped: 1, skippedNet: {}, from: '2026-11-01', to: '2026-11-30' },
  })
  expect(JSON.stringify(result)).not.toMatch(/0079066312345|Чай/)
})

it('reads a netted day of any bank: a credit from the account of payouts', async () => {
  const other = { Счет: PAYOUT_ACCOUNT, ИНН: '7710140679' }
  const payout = credit({ Сумма: '98765.43', НазначениеПлатежа: 'Перевод по реестру', Номер: '17' }, other)
  const result = await read(
    [payout, debit({ НазначениеПлатежа: 'Возврат' }, other), credit({ НазначениеПлатежа: paid() })],
    'tbank',
  )
  expect(result).toEqual({
    entries: [
      {
        ...{
          kind: 'payout',
          type: 'payout',
          line: 14,
          gross: 9_876_543,
          ...posted,
          operatedAt: moscow('2026-11-21'),
        },
        identity: `statement\npayout\n${PAYOUT_ACCOUNT}\n2026-11-21\n9876543\n17\n1`,
        bankIds: { operationId: '17' },
      },
    ],
    summary: expect.objectContaining({ lines: 3, skipped: 2 }),
  })
})

it('skips what a stranger wrote as if it was an operation', async () => {
  const other = { Счет: BANK_ACCOUNT, ИНН: '7700000000' }
  const lie = [
    credit({ НазначениеПлатежа: paid() }, other),
    credit({ НазначениеПлатежа: '1 IPS MA1 ' }, other),
  ]
  expect(await read(lie)).toMatchObject({ entries: [], summary: { skipped: 2 } })
})

it.each<[Encoding, string]>([
  ['windows-1251', 'windows-1251'],
  ['windows-1251', 'Windows'],
  ['ibm866', 'DOS'],
])('reads %s, which it says as %s', async (encoding, Кодировка) => {
  const text = statementText([], { heads: head({ Кодировка }) })
  expect(await outcome(text, 'tbank', encoding)).toMatchObject({
    entries: [],
    summary: { from: '2026-11-01' },
  })
})

it('ends the last document with the file, as the sample of the bank', async () => {
  const text = statementText([credit({ Сумма: '100', НазначениеПлатежа: paid() })], {
    accounts: [account({ ВсегоПоступило: '100' })],
  })
  expect(await outcome(text.replace('КонецДокумента\r\n', ''))).toMatchObject({
    entries: [{ gross: 10_000 }],
  })
})

it('adds up the sections of an account, and moves between two accounts', async () => {
  const second = '40702810700007654321'
  const move = credit({
    ...debit({ ПолучательСчет: second }),
    НазначениеПлатежа: 'Перевод',
    ДатаПоступило: '21.11.2026',
  })
  const own = credit({ Сумма: '100', НазначениеПлатежа: paid() })
  const accounts = [
    account({ ВсегоСписано: '100' }),
    account({ ВсегоПоступило: '100', КонечныйОстаток: '2100' }),
    account({ РасчСчет: second, ВсегоПоступило: '100' }),
  ]
  const moved = { ...move, ПлательщикСчет: ACCOUNT, ПолучательСчет: second }
  expect(await outcome(statementText([moved, own], { accounts }))).toMatchObject({
    ...{ entries: [{ gross: 10_000 }], summary: { lines: 2, skipped: 1 } },
  })
})

describe('a fault has its line and key', () => {
  const valid = { ...credit({ НазначениеПлатежа: paid() }) }
  it.each<[string, Fields, Record<string, string>]>([
    [
      'an amount of three digits',
      { Сумма: '1.234' },
      { 'lines[17].Сумма': 'is 1.234, must have at most two digits behind a point' },
    ],
    ['a negative amount', { Сумма: '-1' }, { 'lines[17].Сумма': 'is -1.00, must not be negative' }],
    [
      'a day that is none',
      { ДатаПоступило: '31.11.2026' },
      { 'lines[23].ДатаПоступило': 'is 31.11.2026, must be a day such as 20.11.2026' },
    ],
    [
      'another account',
      { ПолучательСчет: BANK_ACCOUNT },
      { 'lines[23].ДатаПоступило': 'must be stated, or ДатаСписано, with an account of the statement' },
    ],
    [
      'no date of posting',
      { ДатаПоступило: '' },
      { 'lines[23].ДатаПоступило': 'must be stated, or ДатаСписано, with an account of the statement' },
    ],
    [
      'an operation that cannot be read',
      { НазначениеПлатежа: paid().replace('СБП [', 'СБП (') },
      {
        'lines[24].НазначениеПлатежа':
          'begins 200648 IPS MA0000000279 …, must be an operation that the bank describes, as a credit',
      },
    ],
    [
      'an operation of two numbers',
      { НазначениеПлатежа: paid().replace('[200648', '[200649') },
      {
        'lines[24].НазначениеПлатежа':
          'begins 200648 IPS MA0000000279 , must be an operation that the bank describes, as a credit',
      },
    ],
    [
      'a payment of a day that is none',
      { НазначениеПлатежа: paid('1', '31/11/26') },
      {
        'lines[24].НазначениеПлатежа':
          'begins 1 IPS MA0000000279 Расч , must be an operation that the bank describes, as a credit',
      },
    ],
    [
      'a refund that is a credit',
      { НазначениеПлатежа: refunded() },
      {
        'lines[24].НазначениеПлатежа':
          'begins 201083 RTRN MA0000000279, must be an operation that the bank describes, as a credit',
      },
    ],
    ['UTF-8', { Получатель: '\ue0d0\ue09f' }, { 'lines[19].Получатель': 'is UTF-8, must be windows-1251' }],
    [
      'a NUL',
      { Получатель: '\ue000' },
      { 'lines[19].Получатель': 'has the character U+0000, must have none that controls' },
    ],
  ])('%s', async (_, fields, faults) => {
    const accounts = [account({ ВсегоПоступило: '100' })]
    const result = await outcome(statementText([{ ...valid, ...fields }], { accounts }))
    expect(result).toEqual({
      faults: Object.fromEntries(
        Object.entries(faults).map(([place, text]) => [
          place,
          [expect.stringContaining(text.replace(/….*/, ''))],
        ]),
      ),
    })
  })

  const day = statementText([valid], {
    accounts: [account({ ВсегоПоступило: '100', КонечныйОстаток: '2100' })],
  })
  it.each<[string, string, Record<string, string[]>]>([
    [
      'a turnover that is not the sum',
      day.replace('ВсегоПоступило=100', 'ВсегоПоступило=101').replace('2100', '2101'),
      { 'lines[11].ВсегоПоступило': ['is 101.00, must be 100.00, the sum of the documents'] },
    ],
    [
      'a turnover of debits',
      day.replace('ВсегоСписано=0', 'ВсегоСписано=1').replace('2100', '2099'),
      { 'lines[12].ВсегоСписано': ['is 1.00, must be 0.00, the sum of the documents'] },
    ],
    [
      'a balance that is not the sum',
      day.replace('2100', '2100.01'),
      { 'lines[13].КонечныйОстаток': ['is 2100.01, must be 2100.00'] },
    ],
    [
      'an account without its section',
      day.replace('РасчСчет=', `РасчСчет=${BANK_ACCOUNT}\r\nРасчСчет=`),
      { 'lines[7].РасчСчет': ['has no СекцияРасчСчет, must have one'] },
    ],
    [
      'a file without its end',
      day.replace('КонецФайла', ''),
      { 'lines[26]': ['is the last line, must be КонецФайла: the file is cut off'] },
    ],
    ['a line behind the end', `${day}Сумма=1`, { 'lines[28]': ['follows КонецФайла, must be absent'] }],
    ['another version', day.replace('1.03', '1.02'), { 'lines[2].ВерсияФормата': ['is 1.02, must be 1.03'] }],
    [
      'another encoding',
      day.replace('windows-1251', 'UTF-8'),
      { 'lines[3].Кодировка': ['is UTF-8, must be windows-1251, Windows or DOS, as the file is'] },
    ],
    [
      'another encoding than it says',
      day.replace('windows-1251', 'DOS'),
      { 'lines[3].Кодировка': ['is DOS, must be windows-1251, Windows or DOS, as the file is'] },
    ],
    ['no encoding', day.replace('Кодировка', 'Код'), { 'lines[1].Кодировка': ['is missing, must be there'] }],
    [
      'a key that is there twice',
      day.replace('Номер=658263', 'Сумма=100'),
      { 'lines[18].Сумма': ['is there twice, must be there once'] },
    ],
    [
      'a key that is missing',
      day.replace('Сумма=100\r\n', ''),
      { 'lines[15].Сумма': ['is missing, must be there'] },
    ],
    [
      'a line without a key',
      day.replace('Номер=658263', 'Номер'),
      { 'lines[16]': ['has no =, must be KEY=VALUE'] },
    ],
    [
      'a section in a section',
      day.replace('Номер=658263', 'СекцияРасчСчет'),
      { 'lines[16].СекцияРасчСчет': ['is in a section, must follow its end'] },
    ],
    [
      'an end of no section',
      day.replace('КонецДокумента', 'КонецДокумента\r\nКонецДокумента'),
      { 'lines[27]': ['ends no section, must be in one'] },
    ],
    [
      'another first line',
      day.replace('Exchange', 'Exchanges'),
      { 'lines[1]': ['must be 1CClientBankExchange'] },
    ],
  ])('%s', async (_, text, faults) => expect(await outcome(text)).toEqual({ faults }))
})

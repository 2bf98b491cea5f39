import { describe, expect, it } from 'vitest'
import { raiffeisenRegistry } from '../../src/settlement/formats/raiffeisen-registry.ts'
import { encode, outcomeOf, streamOf } from '../support/settlement/files.ts'
import {
  QRC_ID,
  RAIFFEISEN_COLUMNS,
  raiffeisenLine,
  raiffeisenRefund,
  raiffeisenText,
} from '../support/settlement/raiffeisen.ts'
import { type Cells, moscow } from '../support/settlement/tbank.ts'

const outcome = (text: string) => outcomeOf(raiffeisenRegistry, streamOf(encode(text, 'windows-1251')))
const read = (lines: readonly Cells[], totals: readonly [string, string], options = {}) =>
  outcome(raiffeisenText(lines, totals, options))

const at = moscow('2026-11-20', '09:05:00')
const payment = {
  ...{ kind: 'payment', type: 'Payment', line: 4, currency: 'RUB', gross: 10_000, fee: -40 },
  ...{ identity: `payment\nMA0000001234\n${at}\n10000\n${QRC_ID}\ntea-1\n1`, operatedAt: at, hasTime: true },
  ...{ merchant: 'MA0000001234', bankIds: { qrcId: QRC_ID, order: 'tea-1' } },
}

it('reads a month: two equal payments in one minute, partial refunds, cards; it states no net and no day of payout', async () => {
  const lines = [
    raiffeisenLine(),
    raiffeisenLine(),
    raiffeisenRefund({ Сумма: '-30.00' }),
    raiffeisenRefund({ Сумма: '-20.00', 'id возврата': 'refund-2', 'Дата операции МСК': '30.11.2026 23:59' }),
    raiffeisenLine({
      'Способ оплаты': 'VISA',
      'Данные оплаты': '291123|034411234532',
      Сумма: '1000.00',
      Комиссия: '27.00',
    }),
    raiffeisenLine({
      'Данные оплаты': '247123|034411234569',
      'id клиента': '427123******987',
      Сумма: '45000.00',
      Комиссия: '0.00',
    }),
  ]
  const options = { report: 'Acquiring', width: 15 }
  const result = await read(lines, ['46 150.00', '27.80'], options)
  expect(result).toEqual({
    entries: [
      payment,
      { ...payment, line: 5, identity: `${payment.identity.slice(0, -1)}2` },
      {
        ...payment,
        ...{ kind: 'refund', type: 'Refund', line: 6, identity: 'refund\nrefund-1', gross: -3_000, fee: 0 },
        bankIds: { qrcId: QRC_ID, order: 'tea-1', refundId: 'refund-1' },
      },
      expect.objectContaining({ gross: -2_000, operatedAt: moscow('2026-11-30', '23:59:00') }),
    ],
    summary: { lines: 6, entries: 4, skipped: 2, skippedNet: {}, from: '2026-11-01', to: '2026-11-30' },
  })
  expect(JSON.stringify(result)).not.toMatch(/0079|427123|Чай/)
})

it('reads a day without operations', async () => {
  const options = { period: 'for 20/11/2026' }
  const empty = { lines: 0, entries: 0, skipped: 0, skippedNet: {} }
  expect(await read([], ['0.00', '0.00'], options)).toEqual({
    ...{ entries: [], summary: { ...empty, from: '2026-11-20', to: '2026-11-20' } },
  })
  expect(await outcome('')).toEqual({ entries: [], summary: empty })
})

it('skips the transfers to people, whose sums have no digits behind the point', async () => {
  const payout = raiffeisenLine({
    Тип: 'Payout',
    'Способ оплаты': 'Instant Payment',
    'Данные оплаты': 'PAYOUT',
    Сумма: '1000',
    Комиссия: '4',
  })
  expect(await read([payout], ['1000', '4'], { report: 'Instant Payments B2C' })).toMatchObject({
    ...{ entries: [], summary: { lines: 1, skipped: 1 } },
  })
})

it('takes the columns in the order of the header', async () => {
  const header = RAIFFEISEN_COLUMNS.toReversed()
  expect(await read([raiffeisenLine()], ['100.00', '0.40'], { header })).toMatchObject({ entries: [payment] })
})

describe('of refunds the bank does not say the type or the sign', () => {
  it.each<[string, Cells, readonly [string, string]]>([
    ['with a sign', { Сумма: '-30.00' }, ['70.00', '0.40']],
    ['without a sign, added up as they are', {}, ['130.00', '0.40']],
    ['without a sign, and taken off the total', {}, ['70.00', '0.40']],
    ['of another type', { Тип: 'Reversal' }, ['70.00', '0.40']],
  ])('they can be %s', async (_, cells, totals) =>
    expect(await read([raiffeisenLine(), raiffeisenRefund(cells)], totals)).toMatchObject({
      entries: [payment, { kind: 'refund', gross: -3_000, fee: 0 }],
    }),
  )

  it.each<[string, Cells, number]>([
    ['is taken', { Сумма: '-30.00', Комиссия: '0.10' }, -10],
    ['is given back', { Сумма: '-30.00', Комиссия: '-0.10' }, 10],
  ])('with a sign its fee %s', async (_, cells, fee) =>
    expect(await read([raiffeisenRefund(cells)], ['-30.00', cells.Комиссия ?? ''])).toMatchObject({
      entries: [{ gross: -3_000, fee }],
    }),
  )

  it.each<[string, Cells, string, string]>([
    [
      'a sign and none',
      { Сумма: '-30.00' },
      'Сумма',
      'is -30.00, must show the sign of a refund as line 4 does: a file cannot mix two ways',
    ],
    [
      'two types',
      { Тип: 'Reversal' },
      'Тип',
      'is Reversal, must be Payment or Refund, as in the lines before',
    ],
    [
      'a fee without a sign',
      { Комиссия: '0.10' },
      'Комиссия',
      'is 0.10, must be 0: of a refund without a sign it is not said who gets the fee',
    ],
  ])('a file cannot have %s', async (_, cells, column, text) => {
    const lines = [raiffeisenRefund(), raiffeisenRefund({ 'id возврата': 'refund-2', ...cells })]
    expect(await read(lines, ['60.00', '0.00'])).toEqual({ faults: { [`lines[5].${column}`]: [text] } })
  })
})

it.each<[string, Cells, string, string]>([
  ['an amount without kopecks', { Сумма: '100' }, 'Сумма', 'is 100, must have two digits behind a point'],
  [
    'a space between thousands',
    { Сумма: '1 000.00' },
    'Сумма',
    'is 1 000.00, must have two digits behind a point',
  ],
  [
    'a payment below 0',
    { Сумма: '-100.00' },
    'Сумма',
    'is -100.00, must not be negative, because it is a payment',
  ],
  [
    'a fee below 0',
    { Комиссия: '-0.40' },
    'Комиссия',
    'is -0.40, must not be negative, because it is a payment',
  ],
  [
    'a day out of the report',
    { 'Дата операции МСК': '01.12.2026 0:00' },
    'Дата операции МСК',
    'is 01.12.2026 0:00, must be from 2026-11-01 to 2026-11-30, as the title says',
  ],
  [
    'no time',
    { 'Дата операции МСК': '20.11.2026' },
    'Дата операции МСК',
    'is 20.11.2026, must be a minute such as 20.11.2026 9:05',
  ],
  [
    'another method',
    { 'Способ оплаты': 'Наличные' },
    'Способ оплаты',
    'is Наличные, must be Instant Payment QR or the name of a card system',
  ],
  ['a code that is none', { 'Данные оплаты': '=1' }, 'Данные оплаты', 'is =1, must be the id of a QR code'],
  [
    'a payment with the number of a refund',
    { 'id возврата': '5' },
    'id возврата',
    'is 5, must be empty, because the type is Payment',
  ],
  [
    'a refund without its number',
    { Тип: 'Refund' },
    'id возврата',
    'is empty, must be the number of a refund, because the type is Refund',
  ],
  ['UTF-8', { Комментарий: '\ue0d0\ue09f' }, 'Комментарий', 'is UTF-8, must be windows-1251'],
])('%s is a fault of its line and column', async (_, cells, column, text) =>
  expect(await read([raiffeisenLine(), raiffeisenLine(cells)], ['200.00', '0.80'])).toEqual({
    faults: { [`lines[5].${column}`]: [text] },
  }),
)

const text = raiffeisenText([raiffeisenLine()], ['100.00', '0.40'])
it.each<[string, string, Record<string, string[]>]>([
  [
    'a total that the lines do not make',
    raiffeisenText([raiffeisenLine()], ['101.00', '0.40']),
    { 'lines[5].Сумма': ['is 101.00, must be 100.00, the sum of the lines'] },
  ],
  [
    'a total of the fees that they do not make',
    raiffeisenText([raiffeisenLine()], ['100.00', '0.41']),
    { 'lines[5].Комиссия': ['is 0.41, must be 0.40, the sum of the lines'] },
  ],
  [
    'a file without its last line',
    text.slice(0, text.indexOf('ИТОГО')),
    { 'lines[4]': ['is the last line, must be ИТОГО: the file is cut off'] },
  ],
  [
    'a refund that is there twice',
    raiffeisenText([raiffeisenRefund(), raiffeisenRefund()], ['60.00', '0.00']),
    { 'lines[5].id возврата': ['is refund-1, which line 4 has too, must be another one'] },
  ],
  [
    'a column that is missing',
    text.replace('Комиссия', ''),
    {
      'lines[3].empty': ['is not a column of this file, must be absent'],
      'lines[3].Комиссия': ['is missing, must be a column'],
    },
  ],
  [
    'a column that is unknown',
    text.replace('Комментарий', 'НДС'),
    {
      'lines[3].НДС': ['is not a column of this file, must be absent'],
      'lines[3].Комментарий': ['is missing, must be a column'],
    },
  ],
  [
    'a column that is there twice',
    text.replace('Комментарий', 'Сумма'),
    {
      'lines[3].Сумма': ['is there twice, must be there once'],
      'lines[3].Комментарий': ['is missing, must be a column'],
    },
  ],
  [
    'a title of no day',
    text.replace('01/11/2026', '31/11/2026'),
    { 'lines[1]': ['is not the title of a report of one or more days'] },
  ],
  [
    'a second line that is not empty',
    text.replace('\n;', '\nx;'),
    { 'lines[2]': ['is not empty, must be empty'] },
  ],
  [
    'a line of fewer cells',
    text.replace(';0079******12', ''),
    { 'lines[4]': ['has 11 cells, must have 12'] },
  ],
  [
    'a line behind the total',
    `${text}\n${';'.repeat(11)}\n`,
    { 'lines[6]': ['follows ИТОГО, must be absent'], 'lines[7]': ['follows ИТОГО, must be absent'] },
  ],
])('%s is a fault', async (_, file, faults) => expect(await outcome(file)).toEqual({ faults }))

import { describe, expect, it } from 'vitest'
import { tbankRegistry } from '../../src/settlement/formats/tbank-registry.ts'
import { encode, outcomeOf, streamOf } from '../support/settlement/files.ts'
import { type Cells, moscow, tbankCard, tbankLine, tbankText } from '../support/settlement/tbank.ts'

const outcome = (text: string) => outcomeOf(tbankRegistry, streamOf(encode(text, 'windows-1251')))
const read = (lines: readonly Cells[], options = {}) => outcome(tbankText(lines, options))

const payment = {
  ...{ kind: 'payment', type: 'Debit', line: 1, identity: 'payment\n700000001', currency: 'RUB' },
  ...{ gross: 10_000, fee: -70, net: 9_930, operatedAt: moscow('2026-11-20', '09:05:30'), hasTime: true },
  ...{ paidOn: '2026-11-21', terminal: '25001234' },
  bankIds: { paymentId: '700000001', operationId: 'A63250605301234567890000011C0101', order: 'tea-1' },
}

it('reads a month: payments, partial refunds, two equal payments in one minute, cards, a failed authorisation, a fee', async () => {
  const refund = { type: 'Credit', fee: '0.00', operationId: '' }
  const lines = [
    tbankLine({}),
    tbankLine({ number: '2', date: '01.11.2026', paymentId: '700000002' }),
    tbankLine({ number: '3', date: '01.11.2026', paymentId: '700000003' }),
    tbankCard({ number: '4', amount: '500.00', fee: '12.50', toBePaid: '487.50', paymentId: '700000004' }),
    tbankLine({ ...refund, number: '5', time: '10:00:00', amount: '-30.00', toBePaid: '-30.00' }),
    tbankLine({ ...refund, number: '6', time: '10:00:00', amount: '-30.00', toBePaid: '-30.00' }),
    tbankLine({ ...refund, number: '7', date: '30.11.2026', amount: '-20.00', toBePaid: '-20.00' }),
    tbankCard({ number: '8', type: 'Credit', amount: '-500.00', fee: '0.00', toBePaid: '-500.00' }),
    tbankLine({
      number: '9',
      type: 'AUTH_FAIL',
      amount: '70.00',
      fee: '1.50',
      toBePaid: '-1.50',
      paymentId: '',
    }),
    tbankLine({
      number: '10',
      type: 'ServiceFee',
      system: '',
      amount: '-99.00',
      fee: '0.00',
      toBePaid: '-99.00',
    }),
    tbankLine({ number: '11', type: 'CancelRefund', amount: '20.00', fee: '0.00', toBePaid: '20.00' }),
    tbankLine({ number: '12', type: 'Chargeback', amount: '-100.00', fee: '0.00', toBePaid: '-100.00' }),
  ]
  const result = await read(lines)
  if (!('entries' in result)) throw new Error(JSON.stringify(result))
  expect(result.entries[0]).toEqual(payment)
  const ids = { paymentId: '700000001', order: 'tea-1' }
  const tenAt = moscow('2026-11-20', '10:00:00')
  expect(result.entries[3]).toEqual({
    ...{ kind: 'refund', type: 'Credit', line: 5, currency: 'RUB', gross: -3_000, fee: 0, net: -3_000 },
    ...{ identity: `Credit\n25001234\n${tenAt}\n-3000\n700000001\n\n1`, operatedAt: tenAt, hasTime: true },
    ...{ paidOn: '2026-11-21', terminal: '25001234', bankIds: ids },
  })
  expect(result.entries.map(({ kind, gross, fee, net }) => [kind, gross, fee, net])).toEqual([
    ['payment', 10_000, -70, 9_930],
    ['payment', 10_000, -70, 9_930],
    ['payment', 10_000, -70, 9_930],
    ['refund', -3_000, 0, -3_000],
    ['refund', -3_000, 0, -3_000],
    ['refund', -2_000, 0, -2_000],
    ['fee', undefined, -150, -150],
    ['fee', undefined, -9_900, -9_900],
    ['correction', 2_000, 0, 2_000],
    ['correction', -10_000, 0, -10_000],
  ])
  expect(new Set(result.entries.map(({ identity }) => identity)).size).toBe(10)
  expect(result.summary).toEqual({
    ...{ lines: 12, entries: 10, skipped: 2, from: '2026-11-01', to: '2026-11-30' },
    skippedNet: { '2026-11-21': 48_750 - 50_000 },
  })
})

it('keeps no card, telephone or description', async () => {
  const text = JSON.stringify(
    await read([tbankLine({}), tbankCard({ number: '2', fee: '0.00', toBePaid: '100.00' })]),
  )
  expect(text).not.toMatch(/\+7|XXX|\*|Ассам|TeaShop/)
})

it.each<[string, string]>([
  ['a file without bytes', ''],
  ['empty lines', '\r\n\r\n'],
])('%s is a day without operations', async (_, text) =>
  expect(await outcome(text)).toEqual({
    entries: [],
    summary: { lines: 0, entries: 0, skipped: 0, skippedNet: {} },
  }),
)

const HEADER = Array.from({ length: 21 }, (_, i) => `Столбец ${i + 1}`).join(';')

describe('what the bank does not say', () => {
  it.each<[string, object]>([
    ['a header', { header: HEADER }],
    ['a header with column 13.1', { header: `${HEADER};Ещё`, hasFiscalFee: true }],
    ['no header, column 13.1', { hasFiscalFee: true }],
    ['a total', { total: tbankText([tbankLine({ number: 'Итого', zone: '' })]).trim() }],
  ])('can be %s', async (_, options) => {
    const result = await read([tbankLine({})], options)
    const line = 'header' in options ? 2 : 1
    expect(result).toMatchObject({ entries: [{ ...payment, line }] })
  })

  it('is a total of another column that is not its sum', async () => {
    const total = tbankText([tbankLine({ number: 'Итого', amount: '100.01' })]).trim()
    expect(await read([tbankLine({})], { total })).toEqual({
      faults: { 'lines[2].amount': ['is 100.01, must be 100.00, the sum of the lines'] },
    })
  })

  const refunds: [string, Cells, { gross: number; fee: number; net: number }][] = [
    [
      'without signs',
      { amount: '30.00', fee: '0.00', toBePaid: '30.00' },
      { gross: -3_000, fee: 0, net: -3_000 },
    ],
    [
      'with signs',
      { amount: '-30.00', fee: '0.00', toBePaid: '-30.00' },
      { gross: -3_000, fee: 0, net: -3_000 },
    ],
    [
      'with the sign of the payout alone',
      { amount: '30.00', fee: '0.00', toBePaid: '-30.00' },
      { gross: -3_000, fee: 0, net: -3_000 },
    ],
    [
      'whose fee is taken',
      { amount: '30.00', fee: '0.20', toBePaid: '30.20' },
      { gross: -3_000, fee: -20, net: -3_020 },
    ],
    [
      'whose fee is taken, with signs',
      { amount: '-30.00', fee: '0.20', toBePaid: '-30.20' },
      { gross: -3_000, fee: -20, net: -3_020 },
    ],
    [
      'whose fee is given back',
      { amount: '30.00', fee: '0.20', toBePaid: '29.80' },
      { gross: -3_000, fee: 20, net: -2_980 },
    ],
    [
      'whose fee is given back, with signs',
      { amount: '-30.00', fee: '-0.20', toBePaid: '-29.80' },
      { gross: -3_000, fee: 20, net: -2_980 },
    ],
  ]
  it.each(refunds)('can be a refund %s', async (_, cells, sums) => {
    const result = await read([tbankLine({}), tbankLine({ number: '2', type: 'Credit', ...cells })])
    expect(result).toMatchObject({ entries: [payment, { kind: 'refund', ...sums }] })
  })

  it('can be fees that are negative', async () =>
    expect(await read([tbankLine({ fee: '-0.70' })])).toMatchObject({ entries: [payment] }))

  const unsigned = { amount: '30.00', fee: '0.00', toBePaid: '30.00' }
  it.each<[string, Cells, Cells, string[]]>([
    ['refunds', unsigned, { ...unsigned, amount: '-30.00', toBePaid: '-30.00' }, ['amount', 'toBePaid']],
    ['payouts', unsigned, { ...unsigned, toBePaid: '-30.00' }, ['toBePaid']],
    [
      'fees of refunds',
      { ...unsigned, fee: '0.20', toBePaid: '30.20' },
      { ...unsigned, fee: '0.20', toBePaid: '29.80' },
      ['fee'],
    ],
  ])('is not mixed in a file: %s', async (_, first, second, columns) => {
    const lines = [first, second].map((cells, i) => tbankLine({ number: `${i}`, type: 'Credit', ...cells }))
    const text = expect.stringMatching(/, must show the sign .* as line 1 does: a file cannot mix two ways$/)
    expect(await read(lines)).toEqual({
      faults: Object.fromEntries(columns.map((column) => [`lines[2].${column}`, [text]])),
    })
  })

  it('is not fees with and without a sign in one file', async () =>
    expect(
      await read([tbankLine({}), tbankLine({ number: '2', fee: '-0.70', paymentId: '700000002' })]),
    ).toMatchObject({ faults: { 'lines[2].fee': [expect.stringContaining('as line 1 does')] } }))
})

it.each<[string, Cells, string, string]>([
  [
    'an amount of three digits',
    { amount: '1.234' },
    'amount',
    'is 1.234, must have two digits behind a point',
  ],
  [
    'an amount with a comma',
    { amount: '100,00' },
    'amount',
    'is 100,00, must have two digits behind a point',
  ],
  ['a formula', { fee: '=0.70' }, 'fee', 'is =0.70, must have two digits behind a point'],
  [
    'an amount that is not the sum',
    { toBePaid: '99.31' },
    'toBePaid',
    'is 99.31, must be 99.30, the amount less the fees',
  ],
  ['another fee', { fee: '0.71' }, 'toBePaid', 'is 99.30, must be 99.29, the amount less the fees'],
  [
    'a payment of 0',
    { amount: '0.00', fee: '0.00', toBePaid: '0.00' },
    'amount',
    'is 0.00, must be more than 0, by its type',
  ],
  ['a day that is none', { date: '31.11.2026' }, 'date', 'is 31.11.2026, must be a day such as 20.11.2026'],
  ['a day of the year 26', { date: '20.11.0026' }, 'date', 'is 20.11.0026, must be a day such as 20.11.2026'],
  ['a day for ever', { paidOn: '31.12.9999' }, 'paidOn', 'is 31.12.9999, must be a day such as 20.11.2026'],
  ['a day of payout that is missing', { paidOn: '' }, 'paidOn', 'is empty, must be a day such as 20.11.2026'],
  ['a time that is none', { time: '24:00:00' }, 'time', 'is 24:00:00, must be a time such as 09:05:30'],
  ['another zone', { zone: 'UTC' }, 'zone', 'is UTC, must be MSK'],
  ['an unknown type', { type: 'Debet' }, 'type', 'is Debet, must be a type that the bank describes'],
  [
    'an unknown system',
    { system: 'СБП' },
    'system',
    'is СБП, must be one of SBP, Visa, MC, Mir, T-Pay, SberPay',
  ],
  ['a payment without its number', { paymentId: '' }, 'paymentId', 'is empty, must be digits'],
  [
    'a payment without its operation',
    { operationId: '' },
    'operationId',
    'is empty, must be 32 digits and capital letters',
  ],
  [
    'an order that is too long',
    { order: 'x'.repeat(257) },
    'order',
    `is ${'x'.repeat(40)}…, must have at most 256 characters`,
  ],
  [
    'two fees of different signs',
    { fee: '0.80', fiscalFee: '-0.10' },
    'fiscalFee',
    'is -0.10, must have the sign of the other fee',
  ],
  [
    'a fee in two columns',
    { type: 'ServiceFee', amount: '5.00', fee: '5.00', toBePaid: '-10.00' },
    'amount',
    'is 5.00, must be 0.00 beside a fee of 5.00',
  ],
  ['UTF-8', { description: '\ue0d0\ue09f\ue0d1\ue08f' }, 'description', 'is UTF-8, must be windows-1251'],
  [
    'a NUL',
    { description: 'a\ue000b' },
    'description',
    'has the character U+0000, must have none that controls',
  ],
  [
    'a byte that windows-1251 lacks',
    { data: '\ue098' },
    'data',
    'has the character U+0098, must have none that controls',
  ],
])('%s is a fault of its line and column', async (_, cells, column, text) => {
  const lines = [tbankLine({}), tbankLine({ number: '2', paymentId: '700000002', ...cells })]
  expect(await read(lines, { hasFiscalFee: true })).toEqual({ faults: { [`lines[2].${column}`]: [text] } })
})

it.each<[string, Cells, string, string]>([
  [
    'a line that is there twice',
    { paymentId: '700000002' },
    'number',
    'is 1, must be more than 1, the number before',
  ],
  [
    'a payment that is there twice',
    { number: '2' },
    'paymentId',
    'is 700000001, which line 1 has too, must be another one',
  ],
])('%s is a fault', async (_, cells, column, text) =>
  expect(await read([tbankLine({}), tbankLine(cells)])).toEqual({
    faults: { [`lines[2].${column}`]: [text] },
  }),
)

it('takes quotes as a spreadsheet writes them, and quotes inside of a cell as they are', async () => {
  const quoted = tbankText([tbankLine({ order: '"tea;""1"""', description: 'ООО "Чай"' })])
  expect(await outcome(quoted)).toMatchObject({ entries: [{ bankIds: { order: 'tea;"1"' } }] })
  expect(await outcome(tbankText([tbankLine({ order: '"tea' })]))).toMatchObject({
    entries: [{ bankIds: { order: '"tea' } }],
  })
})

it('tells ten faults, and no more', async () => {
  const lines = Array.from({ length: 20 }, (_, i) => tbankLine({ number: `${i}`, zone: '?' }))
  const result = await read(lines)
  expect(Object.keys('faults' in result ? result.faults : {})).toEqual(
    Array.from({ length: 10 }, (_, i) => `lines[${i + 1}].zone`),
  )
})

it.each<[string, string, Record<string, string[]>]>([
  [
    'a line that is cut off',
    tbankText([tbankLine({}), tbankLine({ number: '2' })]).slice(0, -60),
    { 'lines[2]': ['has 13 cells, must have 21'] },
  ],
  [
    'other lines than the first',
    tbankText([tbankLine({})]) + tbankText([tbankLine({})], { hasFiscalFee: true }),
    { 'lines[2]': ['has 22 cells, must have 21'] },
  ],
  [
    'an empty line',
    `${tbankText([tbankLine({})])}\r\n${tbankText([tbankLine({ number: '2', paymentId: '2' })])}`,
    { 'lines[2]': ['has 1 cells, must have 21'] },
  ],
  [
    'a line behind the total',
    `${tbankText([tbankLine({})], { total: tbankText([tbankLine({ number: 'ИТОГО' })]).trim() })}${tbankText([tbankLine({ number: '2', paymentId: '2' })])}`,
    { 'lines[3]': ['follows the total, must be absent'] },
  ],
  ['no table', 'Здравствуйте', { 'lines[1]': ['has 1 cells, must have 21 or 22'] }],
])('%s is a fault', async (_, text, faults) => expect(await outcome(text)).toEqual({ faults }))

it('whose amounts are together more than a bank pays out is refused, so that sums stay exact numbers', async () => {
  const amount = { amount: '9999999999999.99', fee: '0.00', toBePaid: '9999999999999.99' }
  const fault = { file: ['has amounts of more than 1000000000000.00 in all, must have less'] }
  expect(await read([tbankLine(amount)])).toEqual({ faults: fault })
  expect(await read([tbankCard(amount)])).toEqual({ faults: fault })
})

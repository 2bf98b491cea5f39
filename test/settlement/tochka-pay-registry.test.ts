import { describe, expect, it } from 'vitest'
import { tochkaPayRegistry } from '../../src/settlement/formats/tochka-pay-registry.ts'
import { encode, outcomeOf, streamOf } from '../support/settlement/files.ts'
import { type Cells, moscow } from '../support/settlement/tbank.ts'
import { PAY_COLUMNS, payLine, payRefund, payText } from '../support/settlement/tochka.ts'

const outcome = (text: string) => outcomeOf(tochkaPayRegistry, streamOf(encode(text, 'utf-8')))
const read = (lines: readonly Cells[], options = {}) => outcome(payText(lines, options))

const payment = {
  ...{ kind: 'payment', type: 'PAYMENT', line: 2, identity: 'payment\npay-1', currency: 'RUB' },
  ...{ gross: 10_000, fee: -80, feeVatSeparate: -14, operatedAt: moscow('2026-11-20', '09:05:30') },
  ...{ hasTime: true, merchant: 'tea', terminal: 'tea-1' },
  bankIds: { paymentId: 'pay-1', qrcId: 'AD10006M8KH234K782OQM0L13JI31LQD', order: 'order-1' },
}

it('reads a month: partial refunds, cards, fees with VAT beside them; it states no net', async () => {
  const lines = [
    payLine(),
    payLine({ TRANSACTION_ID: 'pay-2', SUM: '1530', TRANS_DATE: '01.11.2026 00:00:00' }),
    payRefund(),
    payRefund({ TRANSACTION_ID: 'refund-2', SUM: '20,00', TRANS_DATE: '30.11.2026 23:59:59' }),
    payLine({ TRANSACTION_ID: 'pay-3', PAYMENT_METHOD_TYPE: 'CARD', USER_INFO: '220000******1234' }),
  ]
  const result = await read(lines)
  expect(result).toEqual({
    entries: [
      payment,
      expect.objectContaining({ gross: 153_000, operatedAt: moscow('2026-11-01') }),
      {
        ...payment,
        ...{ kind: 'refund', type: 'REFUND', line: 4, identity: 'refund\nrefund-1', gross: -3_000, fee: 0 },
        feeVatSeparate: undefined,
        bankIds: { ...payment.bankIds, refundId: 'refund-1' },
      },
      expect.objectContaining({ identity: 'refund\nrefund-2', gross: -2_000 }),
    ],
    summary: { lines: 5, entries: 4, skipped: 1, skippedNet: {}, from: '2026-11-01', to: '2026-11-30' },
  })
  expect(JSON.stringify(result)).not.toContain('220000')
})

it.each<[string, string]>([
  ['no bytes', ''],
  ['a byte order mark', '\ufeff'],
  ['a header', payText([])],
])('%s is a day without operations', async (_, text) =>
  expect(await outcome(text)).toMatchObject({ entries: [], summary: { lines: 0 } }),
)

describe('what the bank does not say', () => {
  it.each<[string, object, number]>([
    ['a header in another order', { columns: PAY_COLUMNS.toReversed() }, 2],
    ['no header', { header: false }, 1],
  ])('can be %s', async (_, options, line) =>
    expect(await read([payLine()], options)).toMatchObject({ entries: [{ ...payment, line }] }),
  )

  it.each<[string, number, boolean]>([
    ['20.11.2026', moscow('2026-11-20'), false],
    ['20.11.2026 9:05', moscow('2026-11-20', '09:05:00'), true],
    ['2026-11-20', moscow('2026-11-20'), false],
    ['2026-11-20 09:05:30', payment.operatedAt, true],
    ['2026-11-20T09:05:30.123+03:00', payment.operatedAt, true],
    ['2026-11-20T06:05:30Z', payment.operatedAt, true],
    ['2026-11-20T04:05:30-02:00', payment.operatedAt, true],
  ])('can be the time %s', async (TRANS_DATE, operatedAt, hasTime) =>
    expect(await read([payLine({ TRANS_DATE })])).toMatchObject({ entries: [{ operatedAt, hasTime }] }),
  )

  it('can be a refund with a sign, and its fee', async () =>
    expect(await read([payRefund({ SUM: '-30,00', COMMISSION: '-0,20' })])).toMatchObject({
      entries: [{ gross: -3_000, fee: 20 }],
    }))

  it('is no fee where both cells are empty', async () => {
    const result = await read([payLine({ COMMISSION: '', ITV_COMMISSION: '', COMMISSION_NDS: '0,12' })])
    expect(result).toMatchObject({ entries: [{ fee: undefined, feeVatSeparate: -14 }] })
  })

  it.each<[string, Cells, string, RegExp]>([
    [
      'refunds with and without a sign',
      { SUM: '-30,00' },
      'SUM',
      /must show the sign of a refund as line 2 does/,
    ],
    [
      'two forms of the time',
      { TRANS_DATE: '2026-11-20 09:05:30' },
      'TRANS_DATE',
      /must show the form of the time as line 2 does/,
    ],
    [
      'times and days',
      { TRANS_DATE: '20.11.2026' },
      'TRANS_DATE',
      /must show whether there is a time as line 2 does/,
    ],
    [
      'a fee of a refund without a sign',
      { COMMISSION: '0,20' },
      'COMMISSION',
      /must be 0: of a refund without a sign/,
    ],
    [
      'a VAT of a refund without a sign',
      { COMMISSION_NDS: '0,04' },
      'COMMISSION_NDS',
      /must be 0, as the fee/,
    ],
  ])('a file cannot have %s', async (_, cells, column, text) => {
    const result = await read([payRefund(), payRefund({ TRANSACTION_ID: 'refund-2', ...cells })])
    expect(result).toEqual({ faults: { [`lines[3].${column}`]: [expect.stringMatching(text)] } })
  })
})

it('reads the registry of chargebacks, which has no VAT', async () => {
  const cells = {
    TRANSACTION_TYPE: 'ChargeBack',
    PARENT_TRANSACTION_ID: 'pay-1',
    TRANSACTION_ID: 'back-1',
    COMMISSION: '',
    ITV_COMMISSION: '',
  }
  const lines = [payLine(cells), payLine({ ...cells, TRANSACTION_TYPE: 'Reversal ChargeBack' })]
  const columns = PAY_COLUMNS.slice(0, 16)
  const entries = [
    { kind: 'correction', type: 'ChargeBack', gross: -10_000, identity: 'ChargeBack\nback-1' },
    { kind: 'correction', type: 'Reversal ChargeBack', gross: 10_000 },
  ]
  expect(await read(lines, { columns })).toMatchObject({ entries })
  expect(await read(lines, { columns, header: false })).toMatchObject({ entries })
})

it.each<[string, Cells, string, string]>([
  ['an amount of three digits', { SUM: '1,234' }, 'SUM', 'is 1,234, must have two digits'],
  ['an amount with a point', { SUM: '100.00' }, 'SUM', 'is 100.00, must have two digits'],
  ['an amount of 0', { SUM: '0,00' }, 'SUM', 'is 0,00, must not be 0'],
  ['a formula', { COMMISSION: '=0,70' }, 'COMMISSION', 'is =0,70, must have two digits'],
  [
    'a day that can be two',
    { TRANS_DATE: '11/12/2026' },
    'TRANS_DATE',
    'is 11/12/2026, must be a day or a time such as 20.11.2026 09:05:30',
  ],
  [
    'an unknown type',
    { TRANSACTION_TYPE: 'Payment' },
    'TRANSACTION_TYPE',
    'is Payment, must be a type that the bank describes',
  ],
  [
    'a type that every object has',
    { TRANSACTION_TYPE: 'constructor' },
    'TRANSACTION_TYPE',
    'is constructor, must be a type that the bank describes',
  ],
  [
    'an unknown method',
    { PAYMENT_METHOD_TYPE: 'DIGITAL_RUBLE' },
    'PAYMENT_METHOD_TYPE',
    'is DIGITAL_RUBLE, must be SBP or CARD',
  ],
  [
    'a payment of a payment',
    { PARENT_TRANSACTION_ID: 'pay-0' },
    'PARENT_TRANSACTION_ID',
    'is pay-0, must be empty',
  ],
  [
    'a number that is there twice',
    { TRANSACTION_ID: 'pay-1' },
    'TRANSACTION_ID',
    'is pay-1, which line 2 has too, must be another one',
  ],
  ['windows-1251', { MERCH: '\ue0d7\ue0e0\ue0e9' }, 'MERCH', 'is not UTF-8, must be'],
  ['a NUL', { MERCH: 'te\ue000a' }, 'MERCH', 'has the character U+0000, must have none that controls'],
])('%s is a fault of its line and column', async (_, cells, column, text) =>
  expect(await read([payLine(), payLine({ TRANSACTION_ID: 'pay-2', ...cells })])).toEqual({
    faults: { [`lines[3].${column}`]: [text] },
  }),
)

it.each<[string, string, Record<string, string[]>]>([
  [
    'a refund without its payment',
    payText([payRefund({ PARENT_TRANSACTION_ID: '' })]),
    { 'lines[2].PARENT_TRANSACTION_ID': ['is empty, must be 1 to 64 letters, digits and -'] },
  ],
  [
    'a column that is missing',
    payText([payLine()]).replace('COMMISSION;', ''),
    { 'lines[1].COMMISSION': ['is missing, must be a column'] },
  ],
  [
    'a line that is cut off',
    payText([payLine()]).slice(0, -12),
    { 'lines[2]': ['has 16 cells, must have 18'] },
  ],
  ['a file of other columns', 'a;b\n1;2\n', { 'lines[1]': ['has 2 cells, must have 18 or 16'] }],
])('%s is a fault', async (_, text, faults) => expect(await outcome(text)).toEqual({ faults }))

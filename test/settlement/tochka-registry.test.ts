import { expect, it } from 'vitest'
import { tochkaRegistry } from '../../src/settlement/formats/tochka-registry.ts'
import { encode, outcomeOf, streamOf } from '../support/settlement/files.ts'
import { moscow } from '../support/settlement/tbank.ts'
import { groupText, linkPayment, registryText } from '../support/settlement/tochka.ts'

const outcome = (text: string) => outcomeOf(tochkaRegistry, streamOf(encode(text, 'utf-8')))

const payment = {
  ...{ kind: 'payment', type: 'payment', line: 1, identity: 'payment\nop-1', currency: 'RUB' },
  ...{ gross: 10_000, fee: -70, net: 9_930, operatedAt: moscow('2026-11-20', '09:05:30'), hasTime: true },
  bankIds: { paymentId: 'op-1', order: 'order-1' },
}

it('reads a day: payments by QR codes, and skips cards, T-Pay and instalments; members come in any order', async () => {
  const sbp = groupText({ paymentType: '"sbp"', totalAmount: '150.5' }, [
    linkPayment(),
    linkPayment({
      operationId: '"op-2"',
      amount: '50.5',
      commission: '0',
      enrollmentAmount: '50.5',
      status: undefined,
      number: '7',
    }),
  ])
  const one = groupText(
    { paymentType: '"sbp"', paymentId: '"A63250605301234567890000011C0101"', totalAmount: '-30' },
    [linkPayment({ amount: '-30', commission: '0', enrollmentAmount: '-30.00' })],
  )
  const skipped = ['card', 'tinkoff', 'dolyame'].map((type) =>
    groupText({ totalAmount: '100.00' }, [linkPayment()]).replace(/}$/, `, "paymentType": "${type}"}`),
  )
  const result = await outcome(registryText(sbp, ...skipped, one))
  expect(result).toEqual({
    entries: [
      payment,
      expect.objectContaining({
        line: 2,
        gross: 5_050,
        fee: 0,
        net: 5_050,
        bankIds: { paymentId: 'op-2', order: '7' },
      }),
      expect.objectContaining({
        ...{ kind: 'refund', line: 6, gross: -3_000, fee: 0, net: -3_000 },
        identity: `refund\nop-1\n${payment.operatedAt}\n-3000\n1`,
        bankIds: { paymentId: 'op-1', operationId: 'A63250605301234567890000011C0101', order: 'order-1' },
      }),
    ],
    summary: { lines: 6, entries: 3, skipped: 3, skippedNet: {}, from: '2026-11-20', to: '2026-11-20' },
  })
  expect(JSON.stringify(result)).not.toContain('Иванов')
})

it.each<[string, string]>([
  ['no bytes', ''],
  ['no groups', registryText()],
  ['no payments', registryText(groupText({ paymentType: '"sbp"', totalAmount: '0' }, []))],
])('%s is a day without operations', async (_, text) =>
  expect(await outcome(text)).toMatchObject({ entries: [], summary: { lines: 0 } }),
)

const PLACE = 'Data.Registry[0].payments[1]'
it.each<[string, Record<string, string | undefined>, string, string]>([
  [
    'an amount of three digits',
    { amount: '1.234' },
    'amount',
    'is 1.234, must have at most two digits behind a point',
  ],
  [
    'an amount with an exponent',
    { amount: '1e2' },
    'amount',
    'is 1e2, must have at most two digits behind a point',
  ],
  [
    'an amount that is a text',
    { amount: '"100.00"' },
    'amount',
    'is 100.00, must have at most two digits behind a point',
  ],
  ['an amount that is null', { amount: 'null' }, 'amount', 'is missing, must be there'],
  [
    'an amount that is not the sum',
    { enrollmentAmount: '99.31' },
    'enrollmentAmount',
    'is 99.31, must be 99.30, the amount less the commission',
  ],
  [
    'a negative commission',
    { commission: '-0.70', enrollmentAmount: '100.70' },
    'commission',
    'is -0.70, must not be negative, because it is a payment',
  ],
  ['a field that is missing', { commission: undefined }, 'commission', 'is missing, must be there'],
  ['a field that is unknown', { vat: '1' }, 'vat', 'is not a field of this file, must be absent'],
  [
    'a time that is none',
    { time: '"2026-11-31T00:00:00Z"' },
    'time',
    'is 2026-11-31T00:00:00Z, must be a time such as 2026-11-20T09:05:30+03:00',
  ],
  [
    'a number that is there twice',
    { operationId: '"op-1"' },
    'operationId',
    'is op-1, which line 1 has too, must be another one',
  ],
  [
    'a formula',
    { operationId: '"=1+1"' },
    'operationId',
    'is =1+1, must be 1 to 64 letters, digits, _ and -',
  ],
  ['windows-1251', { purpose: '"\ue0d7\ue0e0\ue0e9"' }, 'purpose', 'is not UTF-8, must be'],
  ['a NUL', { purpose: '"\\u0000"' }, 'purpose', 'has the character U+0000, must have none that controls'],
])('%s is a fault of its place', async (_, members, key, text) => {
  const payments = [linkPayment(), linkPayment({ operationId: '"op-2"', ...members })]
  const file = registryText(groupText({ paymentType: '"sbp"', totalAmount: '200' }, payments))
  expect(await outcome(file)).toEqual({ faults: { [`${PLACE}.${key}`]: [text] } })
})

const file = registryText(groupText({ paymentType: '"sbp"', totalAmount: '100' }, [linkPayment()]))
it.each<[string, string, Record<string, string[]>]>([
  [
    'a total that the payments do not make',
    file.replace('"totalAmount": 100', '"totalAmount": 101'),
    { 'Data.Registry[0].totalAmount': ['is 101.00, must be 100.00, the sum of the payments'] },
  ],
  [
    'an unknown way to pay',
    file.replace('sbp', 'cash'),
    { 'Data.Registry[0].paymentType': ['is cash, must be one of sbp, card, tinkoff, dolyame'] },
  ],
  [
    'a payment that is no object',
    file.replace('"payments": [', '"payments": [5, '),
    { 'Data.Registry[0].payments': ['is not a list of objects, must be one'] },
  ],
  [
    'a key that is there twice',
    file.replace('"commission"', '"amount"'),
    { [`${PLACE.replace('1]', '0]')}.amount`]: ['is there twice, must be there once'] },
  ],
  [
    'a file that is cut off',
    file.slice(0, 150),
    { 'Data.Registry[0].payments[0].amount': ['is not JSON, must be'] },
  ],
  ['a file that is cut off before its end', file.slice(0, -1), { Meta: ['is not JSON, must be'] }],
  ['two files', file + file, { file: ['is not JSON, must be'] }],
  [
    'another answer of the bank',
    '{"code": "403", "message": "forbidden"}',
    {
      code: ['is not a field of this file, must be absent'],
      message: ['is not a field of this file, must be absent'],
      Data: ['is missing, must be there'],
      'Data.Registry': ['is not a list of objects, must be one'],
    },
  ],
  [
    'a key of every object',
    '{"Data": {"Registry": []}, "__proto__": 1}',
    JSON.parse('{"__proto__": ["is not a field of this file, must be absent"]}'),
  ],
  ['a list', '[]', { file: ['is not an object, must be one'] }],
  ['depth', `{"Links": ${'['.repeat(20)}`, { [`Links${'[0]'.repeat(15)}`]: ['is nested too deep'] }],
])('%s is a fault', async (_, text, faults) => expect(await outcome(text)).toEqual({ faults }))

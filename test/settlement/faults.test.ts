// What is shown of faults: where they are, and nothing of a payer's card or telephone.
import { expect, it } from 'vitest'
import { faultLines } from '../../src/settlement/faults.ts'
import { encode, outcomeOf, streamOf } from '../support/settlement/files.ts'
import { KITS, type Operation } from '../support/settlement/kits.ts'

/** Cards and telephones as banks and people write them. */
const PAYERS = [
  ...['+7(903)XXX-XX-11', '0079******12', '+7 903 *** ** 11', '7903xxxxx11', '+7903•••••11'],
  ...['1234 56** **** 7890', '123456******7890', '**** 7890', '220012XXXXXX7890'],
  ...['+7 (903) 123-45-67', '+79031234567', '8 903 123 45 67', '89031234567', '0079031234567'],
  ...['2200123456789010', '2200 1234 5678 9010', '2200-1234-5678-9010', '220012345678901234'],
]

const payment: Operation = {
  ...{ kind: 'payment', gross: 10_000, fee: 70, at: 0, id: 1, order: 'tea-1', isOther: false },
}

it.each(KITS)(
  'faults of a file of $name show no card and no telephone, whatever column it is in',
  async (kit) => {
    const quote = (value: string) => (kit.name === 'Tochka' ? JSON.stringify(value) : value)
    const cells = Object.keys(kit.broken).flatMap((column) => PAYERS.map((payer) => ({ column, payer })))
    const files = cells.map(async ({ column, payer }) => {
      const row = { operation: payment, number: 1, cells: { [column]: quote(`${payer} a`) } }
      const text = encode(kit.text([row], 0).replaceAll('•', '*'), kit.encoding)
      const outcome = await outcomeOf(kit.parse, streamOf(text))
      const lines = 'faults' in outcome ? faultLines(outcome.faults) : []
      return lines.map((line) => line.replace(kit.place([row], 0, column), 'here'))
    })
    const lines = (await Promise.all(files)).flat()
    expect(lines.filter((line) => line.startsWith('here is *** a, must')).length).toBeGreaterThanOrEqual(
      PAYERS.length,
    )
    expect(lines.filter((line) => /903|7890|2200|5678/.test(line))).toEqual([])
  },
)

it.each(PAYERS)('%s is not shown', (payer) => {
  const [line] = faultLines({ 'lines[3].system': [`is ${payer}, must be SBP`] })
  expect(line).toMatch(/^lines\[3\]\.system is \*\*\*, must be SBP$/)
})

it('the digits with which a long cell ends are not shown', () =>
  expect(
    faultLines({ 'lines[3].order': ['is Иванов Иван Иванович, карта 2200 12345…, must be short'] }),
  ).toEqual(['lines[3].order is Иванов Иван Иванович, карта ***…, must be short']))

it.each([
  ['lines[17].amount', 'is 100.01, must be 100.00, the sum of the lines'],
  ['lines[17].amount', 'is 1000000000.00, must be 9999999.99'],
  ['lines[17].date', 'is 31.11.2026 10:00:00, must be a day such as 20.11.2026'],
  ['Data.Registry[0].payments[17].time', 'is 2026-11-31T10:00:00+03:00, must be a time'],
  ['lines[17].operationId', 'is A63250605301234567890000011C0101, must be another one'],
  ['lines[17].paymentId', 'is 7000000012, must be another one'],
  ['lines[17].РасчСчет', 'is 40702810700001234567, must be an account of the statement'],
])('the fault of %s, which %s, is shown as it is', (place, text) =>
  expect(faultLines({ [place]: [text] })).toEqual([`${place} ${text}`]),
)

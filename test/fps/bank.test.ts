// The payment network's list of its members, as the payer's page reads it.
import { expect, it } from 'vitest'
import { BankList } from '../../src/fps/bank.ts'

const entry = (more: Record<string, unknown> = {}) => ({
  bankName: 'Банк',
  logoURL: 'https://qr.nspk.ru/proxyapp/logo/bank100000000999.png',
  schema: 'bank100000000111',
  ...more,
})
const parsed = (...dictionary: unknown[]) => BankList.parse({ version: '1.0', dictionary })

it('a list keeps its order and its names', () => {
  expect(
    parsed(
      entry({ bankName: 'Т-Банк' }),
      entry({ bankName: ' АЛЬФА-БАНК ' }),
      entry({ bankName: 'Т-Банк' }),
    ).map(({ name }) => name),
  ).toEqual(['Т-Банк', 'АЛЬФА-БАНК', 'Т-Банк'])
})

it.each([
  ['no object', 'bank'],
  ['null', null],
  ['no name', entry({ bankName: undefined })],
  ['an empty name', entry({ bankName: '  ' })],
  ['no scheme', entry({ schema: undefined })],
  ['a scheme that is not a bank’s', entry({ schema: 'javascript' })],
  ['a scheme with an address', entry({ schema: 'bank100000000111://evil' })],
])('an entry with %s is skipped, and the others stay', (_, bad) => {
  expect(parsed(entry({ bankName: 'A' }), bad, entry({ bankName: 'B' })).map(({ name }) => name)).toEqual([
    'A',
    'B',
  ])
})

it.each([
  ['null', null],
  ['an intent of its own', 'ru.bank;end;#Intent'],
  ['one word', 'bank'],
  ['a number', 5],
])('a package that is %s counts as absent', (_, package_name) => {
  expect(parsed(entry({ package_name }))).toEqual([
    { name: 'Банк', scheme: 'bank100000000111', package: undefined },
  ])
})

it.each([
  [true, true],
  ['true', true],
  [false, false],
  ['false', false],
  [undefined, false],
  [null, false],
  [1, false],
  ['yes', false],
  [['true'], false],
  [{ toString: 'true' }, false],
])('a site whose isWebClientActive is %j is used: %j', (isWebClientActive, used) => {
  const webClientUrl = 'https://bank.example/sbp'
  const [bank] = parsed(entry({ webClientUrl, isWebClientActive }))
  expect(bank?.webClientUrl).toBe(used ? webClientUrl : undefined)
})

it.each(['http://bank.example', 'javascript:alert(1)', 'bank.example', '', null, 7])(
  'a site at %j counts as absent',
  (webClientUrl) => {
    expect(parsed(entry({ webClientUrl, isWebClientActive: true }))[0]?.webClientUrl).toBeUndefined()
  },
)

it.each([[[]], [{}], [{ dictionary: {} }], ['']])('%j is not a list', (list) => {
  expect(BankList.safeParse(list).success).toBe(false)
})

it('a list is cut at a thousand banks', () => {
  expect(parsed(...Array.from({ length: 1001 }, () => entry()))).toHaveLength(1000)
})

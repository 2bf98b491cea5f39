import { describe, expect, it } from 'vitest'
import {
  CAPABILITIES,
  type CashRegister,
  capabilitiesOf,
  REGISTER_KINDS,
} from '../../../src/contract/receipts/cash-register.ts'
import { METHODS, OBJECTS } from '../../../src/contract/receipts/item.ts'
import { VATS } from '../../../src/contract/receipts/vat.ts'

/** What a register does not take. */
const lackedBy = (register: CashRegister) => {
  const { vats, methods, objects } = capabilitiesOf(register)
  return {
    vats: VATS.filter((vat) => !vats.includes(vat)),
    methods: METHODS.filter((method) => !methods.includes(method)),
    objects: OBJECTS.filter((object) => !objects.includes(object)),
  }
}

const NOTHING = { vats: [], methods: [], objects: [] }

describe('the rates, methods and objects of a cash register', () => {
  it.each<[string, CashRegister, ReturnType<typeof lackedBy>]>([
    ['ATOL', { kind: 'atol', ffd: '1.2' }, NOTHING],
    ['T-Bank at FFD 1.05', { kind: 'tbank', ffd: '1.05' }, NOTHING],
    ['T-Bank at FFD 1.2', { kind: 'tbank', ffd: '1.2' }, { ...NOTHING, objects: ['composite'] }],
    [
      'Raiffeisenbank',
      { kind: 'raiffeisen', ffd: '1.05' },
      {
        vats: ['5', '7', '22', '5/105', '7/107', '22/122'],
        methods: ['fullPrepayment', 'prepayment', 'advance'],
        objects: ['agentCommission', 'composite'],
      },
    ],
  ])('%s are all but these', (_, register, lacked) => expect(lackedBy(register)).toEqual(lacked))

  it('have a rate that the operator adds, and the one that is computed of it', () => {
    const vats = ['22', '5'] as const
    expect(lackedBy({ kind: 'raiffeisen', ffd: '1.05', vats }).vats).toEqual(['7', '7/107'])
  })
})

it.each(REGISTER_KINDS)('the register %s takes an e-mail, 100 items and three decimals', (kind) => {
  expect(CAPABILITIES[kind]).toMatchObject({ maxItems: 100, decimals: 3, maxAmount: 9_999_999_999 })
  expect(CAPABILITIES[kind].contacts).toContain('email')
})

it('the operator states fewer items and decimals, never more', () => {
  const register: CashRegister = { kind: 'tbank', ffd: '1.2', maxItems: 50, decimals: 2 }
  expect(capabilitiesOf(register)).toMatchObject({ maxItems: 50, decimals: 2 })
  expect(capabilitiesOf({ ...register, maxItems: 1000 }).maxItems).toBe(100)
})

it('a receipt rides on the calls of a payment at T-Bank alone', () =>
  expect(REGISTER_KINDS.filter((kind) => CAPABILITIES[kind].rides)).toEqual(['tbank']))

it('Raiffeisenbank alone has no closing receipts and no taxation', () => {
  expect(REGISTER_KINDS.filter((kind) => !CAPABILITIES[kind].hasClosing)).toEqual(['raiffeisen'])
  expect(REGISTER_KINDS.filter((kind) => !CAPABILITIES[kind].takesTaxation)).toEqual(['raiffeisen'])
})

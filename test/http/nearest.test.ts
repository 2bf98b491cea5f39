import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { nearestOf } from '../../src/http/nearest.ts'

const KNOWN = ['amount', 'qrCode', 'qrCodeUid', 'redirectUrl', 'ttl', 'flags']

describe('the nearest known name', () => {
  it.each([
    ['ammount', 'amount'],
    ['amuont', 'amount'],
    ['amoun', 'amount'],
    ['amoun7', 'amount'],
    ['Amount', 'amount'],
    ['AMOUNT', 'amount'],
    ['qrcode', 'qrCode'],
    ['qrCodeUID', 'qrCodeUid'],
    ['qrCodeId', 'qrCodeUid'],
    ['redirectURI', 'redirectUrl'],
    ['ttls', 'ttl'],
    ['flag', 'flags'],
  ])('of %s is %s', (name, nearest) => expect(nearestOf(name, KNOWN)).toBe(nearest))

  it.each(['amo', 'amountings', 'sum', '', 'purpose', '__proto__', 'constructor', 'a'.repeat(60_000)])(
    'does not exist for %.20s: it is more than two edits away',
    (name) => expect(nearestOf(name, KNOWN)).toBeUndefined(),
  )

  it('is never one of which nothing is left', () => {
    expect(nearestOf('x', ['y', 'zz'])).toBeUndefined()
    expect(nearestOf('ab', ['cd'])).toBeUndefined()
    expect(nearestOf('a', ['b', 'ab'])).toBe('ab')
    expect(nearestOf('anything', [])).toBeUndefined()
  })

  it('is the name itself where it is known, and the closest of several', () => {
    for (const name of KNOWN) expect(nearestOf(name, KNOWN)).toBe(name)
    expect(nearestOf('createdFro', ['createdTo', 'createdFrom'])).toBe('createdFrom')
  })

  it('is found after any edit of a name of at least four characters, and any change of case', () => {
    const name = fc.constantFrom('amount', 'redirectUrl', 'flags', 'createdFrom')
    fc.assert(
      fc.property(name, fc.nat(), fc.constantFrom('', 'x', 'xy'), fc.boolean(), (one, at, other, upper) => {
        const index = at % one.length
        const edited = one.slice(0, index) + other + one.slice(index + 1)
        expect(nearestOf(upper ? edited.toUpperCase() : edited, [one])).toBe(one)
      }),
    )
  })
})

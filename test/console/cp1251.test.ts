// Text in windows-1251: what the code page has is itself, and what it lacks a question mark.
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { inWindows1251 } from '../../src/console/cp1251.ts'

const decode = (bytes: Uint8Array) => new TextDecoder('windows-1251').decode(bytes)
/** All that the code page has. */
const ALL = decode(Uint8Array.from({ length: 256 }, (_, byte) => byte))

it('every character of the code page is itself', () => expect(decode(inWindows1251(ALL))).toBe(ALL))

it('a character that it lacks is one question mark', () =>
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const wanted = Array.from(text.toWellFormed(), (character) =>
        ALL.includes(character) ? character : '?',
      )
      expect(decode(inWindows1251(text))).toBe(wanted.join(''))
    }),
  ))

it('Russian has its letters, signs and quotes, and no rouble sign', () =>
  expect(decode(inWindows1251('Чай «Ассам» — № 5, ёж ₽'))).toBe('Чай «Ассам» — № 5, ёж ?'))

import { expect, it } from 'vitest'
import { admits } from '../../src/http/negotiation.ts'

it.each([
  [undefined, true],
  ['', true],
  ['*/*', true],
  ['image/*', true],
  ['image/png', true],
  ['Image/PNG', true],
  ['text/html', false],
  ['image/png;q=0', false],
  ['image/*, image/png;q=0', false],
  ['image/png, image/*;q=0', true],
  ['*/*;q=0', false],
  ['image/svg+xml', false],
  ['image/png; q=0.001', true],
])('Accept %j admits image/png: %j', (accept, admitted) => expect(admits(accept, 'image/png')).toBe(admitted))

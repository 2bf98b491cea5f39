import { expect, it } from 'vitest'
import { formatDateTime } from '../../src/contract/date-time.ts'

it.each([
  [1_795_194_632, '+03:00', '2026-11-20T20:10:32+03:00'],
  [1_795_194_632, '+00:00', '2026-11-20T17:10:32+00:00'],
  [1_795_194_632, '-09:30', '2026-11-20T07:40:32-09:30'],
  [0, '+14:00', '1970-01-01T14:00:00+14:00'],
])('Unix time %i at offset %s is %s', (seconds, offset, text) => {
  expect(formatDateTime(seconds, offset)).toBe(text)
  expect(Date.parse(text)).toBe(seconds * 1000)
})

// Which figures of a site need the operator.
import { expect, it } from 'vitest'
import { isStuck, NO_FIGURES } from '../../src/contract/registry-entry.ts'

it.each([
  { notifications: 1 },
  { failedNotifications: 1 },
  { instructions: 1 },
  { overdueInstructions: 1 },
  { isRestored: true },
  { lacksKey: true as const },
])('a site with %j alone is stuck', (figures) => {
  expect(isStuck({ ...NO_FIGURES, ...figures })).toBe(true)
})

it.each([{}, { bytes: 9_000_000_000 }])('a site with %j is not stuck', (figures) => {
  expect(isStuck({ ...NO_FIGURES, ...figures })).toBe(false)
})

// Operations of a month, for property tests.
import * as fc from 'fast-check'
import type { Operation } from './kits.ts'

const operation: fc.Arbitrary<Operation> = fc
  .record({
    kind: fc.constantFrom<Operation['kind']>('payment', 'payment', 'refund'),
    gross: fc.integer({ min: 1_000, max: 99_999_999 }),
    fee: fc.integer({ min: 0, max: 999 }),
    at: fc.integer({ min: 0, max: 30 * 86_400 - 1 }),
    id: fc.integer({ min: 1, max: 1_000_000 }),
    order: fc.constantFrom('tea-1', '=1+1', '+7', 'a b', "'x"),
    isOther: fc.boolean(),
  })
  .map((each) => (each.kind === 'refund' ? { ...each, fee: 0 } : each))

/** From `min` to 12 of them, each with a number of its own. */
export const operations = (min: number) =>
  fc.uniqueArray(operation, { minLength: min, maxLength: 12, selector: ({ id }) => id })

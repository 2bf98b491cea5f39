// Runs in every test file: property tests have the seed of the run, so that a gate that was green stays green.
import fc from 'fast-check'
import { inject } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    seed: number
    /** Of test/support/baskets.ts. */
    baskets: number
  }
}

fc.configureGlobal({ seed: inject('seed') })

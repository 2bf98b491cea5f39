// Loads the pages of settlement with the first of them: few requests need them (docs/decisions/0144-what-is-seldom-asked-is-a-module.md).
import { lazily } from '../../lazily.ts'

/** The pages. */
export const settlementPages = lazily(async () => (await import('./settlement-pages.ts')).SETTLEMENT_PAGES)

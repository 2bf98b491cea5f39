// Loads the pages of receipts with the first of them: most sites have no cash register (docs/decisions/0137-pages-for-people-are-a-module.md).
import { lazily } from '../../lazily.ts'

/** The pages. */
export const receiptPages = lazily(async () => (await import('./receipt-pages.ts')).RECEIPT_PAGES)

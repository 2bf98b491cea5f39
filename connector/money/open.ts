/**
 * Refunds and charges without a result. Repeated in each statement about few of many rows: it is the condition of their partial
 * indexes.
 */
export const OPEN = `state NOT IN ('COMPLETED', 'DECLINED')`

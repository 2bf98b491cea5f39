// Loads what the object does with settlements: most sites have none.
import { lazily } from '../../lazily.ts'

export const settlements = lazily(async () => (await import('./settling.ts')).SETTLEMENTS)

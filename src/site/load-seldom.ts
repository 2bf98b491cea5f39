// Loads what the object needs for few of its calls.
import { lazily } from '../lazily.ts'

export const seldom = lazily(async () => (await import('./seldom.ts')).SELDOM)

// Loads the sandbox bank: a deployment in production has none, or one for test sites alone.
import { lazily } from '../lazily.ts'

export const sandboxBank = lazily(() => import('./sandbox-bank.ts'))

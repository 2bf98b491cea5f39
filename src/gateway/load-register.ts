// Loads what asks a bank for links: a deployment without the connector of a bank makes its own.
import { lazily } from '../lazily.ts'

export const bankLinks = lazily(() => import('./register.ts'))

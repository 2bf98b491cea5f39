// Loads the module of passkeys with the first request that needs it (docs/decisions/0136-passkeys-are-checked-without-a-package.md).
import { lazily } from '../lazily.ts'

/** Makes and checks passkeys. */
export const passkeys = lazily(() => import('../passkeys/passkeys.ts'))

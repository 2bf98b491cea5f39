// The secrets of this machine: in the environment, or in .dev.vars, which git ignores.
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'

const FILE = join(import.meta.dirname, '../../.dev.vars')

/** `TOKEN_SECRET` signs access tokens, `NETWORK_SECRET` instructions to a connector. */
type Name = 'TOKEN_SECRET' | 'NETWORK_SECRET'

const stored = (name: Name): string | undefined =>
  existsSync(FILE) ? parseEnv(readFileSync(FILE, 'utf8'))[name] : undefined

/** The secret of the environment, else the stored one; undefined without either. */
export const localSecret = (name: Name): string | undefined => process.env[name] || stored(name)

/** The stored TOKEN_SECRET, which wrangler dev reads too. The first call makes it; only its owner can read the file. */
export function ensureStoredSecret(): string {
  const secret = stored('TOKEN_SECRET')
  if (secret) return secret
  const made = randomBytes(48).toString('base64url')
  writeFileSync(FILE, `TOKEN_SECRET=${made}\n`, { flag: 'a', mode: 0o600 })
  return made
}

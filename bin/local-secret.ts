// The secret that signs access tokens on this machine. It is stored in .dev.vars, which git ignores.
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseEnv } from 'node:util'

const FILE = fileURLToPath(new URL('../.dev.vars', import.meta.url))

const stored = (): string | undefined =>
  existsSync(FILE) ? parseEnv(readFileSync(FILE, 'utf8')).TOKEN_SECRET : undefined

/** The secret of the environment, else the stored one; undefined without either. */
export const localSecret = (): string | undefined => process.env.TOKEN_SECRET || stored()

/** The stored secret, which wrangler dev reads too. The first call makes it; only its owner can read the file. */
export function ensureStoredSecret(): string {
  const secret = stored()
  if (secret) return secret
  const made = randomBytes(48).toString('base64url')
  writeFileSync(FILE, `TOKEN_SECRET=${made}\n`, { flag: 'a', mode: 0o600 })
  return made
}

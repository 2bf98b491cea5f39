// The secret that signs access tokens on this machine; .dev.vars keeps it, and git ignores that.
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseEnv } from 'node:util'

const FILE = fileURLToPath(new URL('../.dev.vars', import.meta.url))

const kept = (): string | undefined =>
  existsSync(FILE) ? parseEnv(readFileSync(FILE, 'utf8')).TOKEN_SECRET : undefined

/** The secret of the environment, else the one that is kept, or undefined where there is none. */
export const localSecret = (): string | undefined => process.env.TOKEN_SECRET || kept()

/** The kept secret, which wrangler dev reads too. The first call makes it; only its owner can read it. */
export function ensureKeptSecret(): string {
  const secret = kept()
  if (secret) return secret
  const made = randomBytes(48).toString('base64url')
  writeFileSync(FILE, `TOKEN_SECRET=${made}\n`, { flag: 'a', mode: 0o600 })
  return made
}

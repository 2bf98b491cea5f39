// The secret that signs access tokens on this machine: TOKEN_SECRET in the environment, else in .dev.vars.
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseEnv } from 'node:util'

const FILE = fileURLToPath(new URL('../.dev.vars', import.meta.url))

/** The secret, or undefined where none is set. */
export const localSecret = (): string | undefined =>
  process.env.TOKEN_SECRET ||
  (existsSync(FILE) ? parseEnv(readFileSync(FILE, 'utf8')).TOKEN_SECRET : undefined)

/** The secret; the first call makes one and keeps it in .dev.vars, which git ignores and only its owner reads. */
export function ensureLocalSecret(): string {
  const secret = localSecret()
  if (secret) return secret
  const made = randomBytes(48).toString('base64url')
  writeFileSync(FILE, `TOKEN_SECRET=${made}\n`, { flag: 'a', mode: 0o600 })
  return made
}

// Values of tokens: made here, and sent to a site's object by their hash, by which it finds them.
import { hash } from 'node:crypto'
import { setVersion4 } from '../fps/uuid.ts'
import type { NewToken } from '../site/tokens/bindings.ts'
import type { TokenOfAccount } from '../site/tokens/tokens.ts'
import type { Platform } from './context.ts'

/** What a new token is made of: a version-4 UUID, its hash and its lifetime. */
export function newToken({ random, config }: Pick<Platform, 'random' | 'config'>): NewToken {
  const uuid = random(16)
  setVersion4(uuid)
  const value = uuid.toHex().replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
  return { value, hash: hashOf(value), days: config.tokenDays }
}

/** How a site finds the token that a merchant names: no value is compared, so no comparison takes longer for a near one. */
export const tokenKey = (value: string, account: string): TokenOfAccount => ({ hash: hashOf(value), account })

const hashOf = (value: string): string => hash('sha256', value, 'base64url')

// Whether the token that a site has is good for longer than the connector warns.
import { readFileSync } from 'node:fs'
import { accessTokens } from '../../src/http/access-tokens.ts'

const WARNED_SECONDS = 30 * 86_400

/** @returns the token of the file; undefined where another one is to be made */
export async function keptToken(file: string, siteId: string, secret: string): Promise<string | undefined> {
  const token = textOf(file)
  if (token === undefined) return
  const verified = await accessTokens([secret])(token)
  if (!('claims' in verified)) return
  const { sub, scope, exp } = verified.claims
  const isGood = sub === siteId && scope.includes('network') && exp > Date.now() / 1000 + WARNED_SECONDS
  return isGood ? token : undefined
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    return undefined
  }
}

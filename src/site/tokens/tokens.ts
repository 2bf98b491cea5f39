// The tokens of a site, as their merchant lists them (contract, section 9).
import type { PageQuery } from '../../contract/query.ts'
import type { ListedToken } from '../../contract/token.ts'
import type { Context } from '../context.ts'
import { pageOf } from '../rows/page.ts'
import { tokenRows } from './rows.ts'
import { listedTokenOf } from './token.ts'

/** A token as its holder names it: the hash of its value, and the customer's account. */
export interface TokenOfAccount {
  hash: string
  account: string
}

export interface TokenPage {
  tokens: ListedToken[]
  /** After which number there are more; absent on the last page. */
  next?: number | undefined
}

/** A page of the tokens that an account got, or all accounts, newest first. */
export function listTokens(
  { sql, now }: Context,
  account: string | undefined,
  { cursor = Number.MAX_SAFE_INTEGER, limit }: PageQuery,
): TokenPage {
  const [range, ...of] = account === undefined ? [''] : ['account = ? AND', account]
  const read = tokenRows(
    sql,
    `WHERE ${range} value IS NOT NULL AND tokens.number < ? ORDER BY tokens.number DESC LIMIT ?`,
    ...[...of, cursor, limit + 1],
  )
  const { shown, next } = pageOf(read, limit, (row) => listedTokenOf(row, now))
  return { tokens: shown, next }
}

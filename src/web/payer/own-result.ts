// The result of a browser's own test payment of a QR code that is paid many times, in a cookie (contract, section 15).
import type { Context } from 'hono'
import { SHOWN_FOR } from '../../gateway/receipt.ts'
import type { AppEnv } from '../../http/app-env.ts'
import type { ResponseHeaders } from '../../http/response.ts'

export const DECLINED = 'declined'

/** Seconds in which the browser must follow the redirect to be told of a decline. */
const DECLINED_FOR = 60

/** The name has the link's id, because the path of the cookie is that of all links of the site. */
const nameOf = (c: Context<AppEnv>): string => `result-${c.req.param('id')}`

const cookie = (c: Context<AppEnv>, value: string, maxAge: number): ResponseHeaders => ({
  'Set-Cookie': `${nameOf(c)}=${value}; Max-Age=${maxAge}; HttpOnly; SameSite=Strict`,
})

/** The header that remembers the result. @param result the mark of the payment, or DECLINED, which the next page forgets */
export const resultCookie = (c: Context<AppEnv>, result: string): ResponseHeaders =>
  cookie(c, result, result === DECLINED ? DECLINED_FOR : SHOWN_FOR)

/** What the browser remembers. It is not trusted: the client can change it. */
export function ownResult(c: Context<AppEnv>): string | undefined {
  const start = `${nameOf(c)}=`
  const cookies = c.req.header('Cookie')?.split('; ') ?? []
  return cookies.find((each) => each.startsWith(start))?.slice(start.length)
}

/** The header that ends it. */
export const forgetResult = (c: Context<AppEnv>): ResponseHeaders => cookie(c, '', 0)

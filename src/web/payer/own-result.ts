// The result of a browser's own test payment of a reusable QR code, in a cookie that the next page deletes.
import type { Context } from 'hono'
import type { AppEnv } from '../../http/app-env.ts'
import type { ResponseHeaders } from '../../http/response.ts'
import { TEST_RESULTS, type TestResult } from './parts.ts'

/** Seconds in which the browser must follow the redirect. */
const MAX_AGE = 60

/** The name has the link's id, because the path of the cookie is that of all links of the site. */
const nameOf = (c: Context<AppEnv>): string => `result-${c.req.param('id')}`

const cookie = (c: Context<AppEnv>, value: string, maxAge: number): ResponseHeaders => ({
  'Set-Cookie': `${nameOf(c)}=${value}; Max-Age=${maxAge}; HttpOnly; SameSite=Strict`,
})

/** The header that remembers the result for the next page. */
export const resultCookie = (c: Context<AppEnv>, result: TestResult): ResponseHeaders =>
  cookie(c, result, MAX_AGE)

/** The result that the page shows. */
export function ownResult(c: Context<AppEnv>): TestResult | undefined {
  const cookies = c.req.header('Cookie')?.split('; ') ?? []
  return TEST_RESULTS.find((result) => cookies.includes(`${nameOf(c)}=${result}`))
}

/** The header that ends it. */
export const forgetResult = (c: Context<AppEnv>): ResponseHeaders => cookie(c, '', 0)

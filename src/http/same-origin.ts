// Forms of this service's own pages: a page of another site can make a browser submit one too (CSRF).
import type { Context } from 'hono'
import type { Config } from '../config.ts'
import { ApiError } from '../errors.ts'
import { originOf } from './path.ts'

/**
 * Refuses a form that a page of another origin submits. hono/csrf does not fit: it refuses clients that are not browsers
 * and so send neither Sec-Fetch-Site nor Origin, and it accepts a request if one of the two is right.
 * @throws ApiError 403
 */
export function requireSameOrigin(c: Context, { publicUrl }: Pick<Config, 'publicUrl'>): void {
  const site = c.req.header('Sec-Fetch-Site')
  const origin = c.req.header('Origin')
  // A browser sends Sec-Fetch-Site only over https and to the machine it runs on.
  const isOwn =
    site === undefined
      ? origin === undefined || origin === originOf(c) || origin === (publicUrl && new URL(publicUrl).origin)
      : site === 'same-origin' || site === 'none'
  if (isOwn) return
  throw new ApiError(
    'auth.forbidden',
    'the form comes from another site, must come from a page of this service',
  )
}

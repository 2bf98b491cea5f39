// Refuses forms that a page of another site makes a browser submit (CSRF).
import type { Context } from 'hono'
import type { Config } from '../config.ts'
import { ApiError } from '../errors.ts'
import { originOf } from './path.ts'

/**
 * Refuses a form unless a page of this service sent it. hono/csrf does not fit: it accepts a request if one of the two
 * headers is right.
 * @throws ApiError 403
 */
export function requireSameOrigin(c: Context, { publicUrl }: Pick<Config, 'publicUrl'>): void {
  const site = c.req.header('Sec-Fetch-Site')
  const origin = c.req.header('Origin')
  // A browser sends Sec-Fetch-Site only over https and to the machine it runs on, and Origin with every form.
  const isOwn = site
    ? site === 'same-origin' || site === 'none'
    : origin && (origin === originOf(c) || origin === (publicUrl && new URL(publicUrl).origin))
  if (isOwn) return
  throw new ApiError(
    'auth.forbidden',
    'the form comes from another site, must come from a page of this service',
  )
}

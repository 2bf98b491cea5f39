// How a page leaves this service: nothing in it may load, run or be framed but what its policy names.
import type { Context } from 'hono'
import { type AnswerHeaders, answer } from './answer.ts'
import type { AppEnv } from './service.ts'

/** Everything comes from this origin; nothing inline runs. `data:` pictures are the documentation viewer's icons. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Answers with a page. */
export const page = async (
  c: Context<AppEnv>,
  html: string | Promise<string>,
  headers: AnswerHeaders = {},
): Promise<Response> =>
  answer(c, `${await html}`, 200, {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': POLICY,
    ...headers,
  })

// Loads the pages for people when the first of them is asked for: most instances answer programs alone.
import type { Context } from 'hono'
import type { ApiError } from '../errors.ts'
import type { AppEnv } from '../http/app-env.ts'
import { lazily } from '../lazily.ts'
import { isPerson } from './person.ts'

/** The pages. */
export const pages = lazily(async () => (await import('./pages.ts')).PAGES)

/** What programs ask for, whatever they accept. */
const FOR_PROGRAMS = /^\/+(payin|partner|network|sandbox|operator|metrics|healthz|openapi\.json)\b/

/** The error as a page, where a person asked for one; undefined for a program, and where the API is. */
export const pageForPerson = (c: Context<AppEnv>, error: ApiError): Promise<Response> | undefined =>
  isPerson(c) && !FOR_PROGRAMS.test(c.req.path)
    ? pages().then(({ errorPage }) => errorPage(c, error))
    : undefined

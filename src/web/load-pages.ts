// Loads the pages for people when the first of them is asked for: most instances answer programs alone.
import type { Context } from 'hono'
import type { ApiError } from '../errors.ts'
import type { AppEnv } from '../http/app-env.ts'
import { isPerson } from './person.ts'

type Pages = typeof import('./pages.ts').PAGES

let loaded: Promise<Pages> | undefined

/** The pages. A module that could not be loaded is asked for again. */
export const pages = (): Promise<Pages> => {
  loaded ??= import('./pages.ts')
    .then(({ PAGES }) => PAGES)
    .catch((error) => {
      loaded = undefined
      throw error
    })
  return loaded
}

/** What programs ask for, whatever they accept. */
const FOR_PROGRAMS = /^\/+(payin|partner|network|sandbox|operator|metrics|healthz|openapi\.json)\b/

/** The error as a page, where a person asked for one; undefined for a program, and where the API is. */
export const pageForPerson = (c: Context<AppEnv>, error: ApiError): Promise<Response> | undefined =>
  isPerson(c) && !FOR_PROGRAMS.test(c.req.path)
    ? pages().then(({ errorPage }) => errorPage(c, error))
    : undefined

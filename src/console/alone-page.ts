// A page of the console for a browser that nobody has signed in: sign-in, invitation.
import type { Context } from 'hono'
import type { Config } from '../config.ts'
import type { AppEnv } from '../http/app-env.ts'
import type { Html } from '../web/layout.ts'
import { page } from '../web/page.ts'
import { languageOf, sitesOf } from './cookies.ts'
import { frame } from './layout.ts'
import { baseOf, consoleOf } from './locations.ts'

interface Shown {
  title: string
  main: Html
  status: number
  isAnswer?: boolean
  isSandbox?: boolean
}

export function alonePage(
  c: Context<AppEnv>,
  config: Config,
  { status, ...shown }: Shown,
): Promise<Response> {
  const framed = frame({
    ...{ language: languageOf(c), console: consoleOf(c), base: baseOf(c), sites: sitesOf(c, config) },
    ...{ query: c.req.query(), isNarrow: true },
    ...shown,
  })
  return page(c, framed, { status, forms: true })
}

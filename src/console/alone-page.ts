// A page of the console for a browser that nobody has signed in: sign-in, invitation.
import type { Context } from 'hono'
import type { AppEnv } from '../http/app-env.ts'
import type { Html } from '../web/layout.ts'
import { page } from '../web/page.ts'
import { languageOf } from './cookies.ts'
import { frame } from './layout.ts'
import { baseOf } from './visit.ts'

interface Shown {
  title: string
  main: Html
  status: number
  isAnswer?: boolean
  isSandbox?: boolean
}

export function alonePage(c: Context<AppEnv>, { status, ...shown }: Shown): Promise<Response> {
  const base = baseOf(c)
  const query = c.req.query()
  const framed = frame({ language: languageOf(c), root: `${base}../`, base, query, isNarrow: true, ...shown })
  return page(c, framed, { status, forms: true })
}

// The addresses that name no site: /console/ itself, and those that pages of a site had in 0.3.0 (contract, section 17).
import type { Context, Hono } from 'hono'
import { OPERATOR } from '../contract/access-token.ts'
import { ApiError } from '../errors.ts'
import type { AppEnv } from '../http/app-env.ts'
import { seeOther } from '../http/response.ts'
import { browserSessions, sitesOf } from './cookies.ts'
import { errorPageOf } from './error-page.ts'
import type { ConsoleHost } from './host.ts'
import { consoleOf, homeOf, isOperators } from './locations.ts'
import { toSignIn } from './sign-in.ts'
import type { Route } from './visit.ts'

/** Leads a browser to its site. A form is refused: another site can be signed in now than when its page was shown. */
export function oldAddresses(
  app: Hono<AppEnv>,
  { service, errorResponse }: ConsoleHost,
  routes: readonly Route[],
): void {
  const { config } = service
  const oldForm = errorPageOf(config, 'oldForm')
  const refuse = (c: Context<AppEnv>) =>
    errorResponse(
      c,
      new ApiError(
        'payin.incorrect-method-invocation',
        `${c.req.path} names no site, must be below /console/sites/{siteId}/`,
      ),
      oldForm,
    )

  app.get('/console/', (c) => {
    const [newest] = sitesOf(c, config)
    return newest === undefined ? toSignIn(c, service) : seeOther(c, `./${homeOf(newest)}`)
  })
  app.get('/console/sites/:siteId', (c) => seeOther(c, `./${encodeURIComponent(c.req.param('siteId'))}/`))
  for (const { method, path } of routes.filter((each) => !isOperators(each.path) && each.path !== '/')) {
    if (method === 'post') app.post(`/console${path}`, refuse)
    else
      app.get(`/console${path}`, (c) => {
        const sessions = browserSessions(c, config).filter(({ siteId }) => siteId !== OPERATOR)
        const site = sessions.find(({ startedAt }) => startedAt === 0) ?? sessions[0]
        if (!site) return toSignIn(c, service)
        const { pathname, search } = new URL(c.req.url)
        return seeOther(
          c,
          `${consoleOf(c)}${homeOf(site.siteId)}${pathname.slice('/console/'.length)}${search}`,
        )
      })
  }
  app.post('/console/sign-out', refuse)
}

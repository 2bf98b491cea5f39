// Hono with one router. By default it tries two, of which the second is the slower one, for paths that the first cannot do.
import { HonoBase } from 'hono/hono-base'
import type { Router } from 'hono/router'
import { RegExpRouter } from 'hono/router/reg-exp-router'
import type { RouterRoute } from 'hono/types'
import type { AppEnv } from './app-env.ts'

type Handled = [RouterRoute['handler'], RouterRoute]

/** An application of Hono. @param router has no fixed segment beside a parameter, unless another one is given */
export class App extends HonoBase<AppEnv> {
  constructor(router: Router<Handled> = new RegExpRouter()) {
    super({ router })
  }
}

// The page at /: what the service is and where to go, for a person and for a program.
import type { Context } from 'hono'
import { html } from 'hono/html'
import type { Service } from '../gateway/context.ts'
import type { AppEnv } from '../http/app-env.ts'
import { admits } from '../http/negotiation.ts'
import { originOf } from '../http/path.ts'
import { json } from '../http/response.ts'
import { demo } from './demo.ts'
import { page } from './page.ts'

const ADDRESSES = {
  documentation: '/docs',
  openapi: '/openapi.json',
  health: '/healthz',
  api: '/payin/v1',
}

/** GET / */
export const home = (service: Service) => (c: Context<AppEnv>) => {
  const { sandbox } = service.config
  const headers = { Vary: 'Accept' }
  // A browser names HTML; a program that names nothing gets JSON.
  if (!/text\/html/i.test(c.req.header('Accept') ?? '') || !admits(c.req.header('Accept'), 'text/html')) {
    const summary = 'Payment QR codes for a faster payment system'
    return json(c, { service: 'fps-qr', summary, ...ADDRESSES }, headers)
  }
  return page(
    c,
    html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>FPS payment QR codes</title>
    <link rel="icon" href="/icon.svg">
    <link rel="stylesheet" href="/page.css">
  </head>
  <body>
    <main>
      <h1>FPS payment QR codes</h1>
      <p>
        A merchant’s server creates a QR code here; a customer scans it with a phone and pays through the faster
        payment system.
      </p>
      <ul>
        <li><a href="${ADDRESSES.documentation}">Documentation</a>: every operation, to read and to try</li>
        <li><a href="${ADDRESSES.openapi}">OpenAPI document</a>: the same for a program</li>
        <li><a href="${ADDRESSES.health}">Health</a>: whether the service answers</li>
      </ul>
      <p>The API is at <code>${ADDRESSES.api}</code> and needs an access token.</p>
      ${sandbox && demo(service, { link: c.req.query('link'), origin: originOf(c) })}
    </main>
  </body>
</html>`,
    { forms: sandbox, headers },
  )
}

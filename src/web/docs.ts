// The API's documentation in the browser: Swagger UI for /openapi.json, served from this origin (public/docs).
import type { Context } from 'hono'
import { html } from 'hono/html'
import type { AppEnv } from '../http/app-env.ts'
import { page } from './page.ts'

/** GET /docs */
export const docs = (c: Context<AppEnv>) =>
  page(
    c,
    html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>FPS payment QR codes: the API</title>
    <link rel="icon" href="/icon.svg">
    <link rel="stylesheet" href="/docs/swagger-ui.css">
  </head>
  <body>
    <main id="docs">
      <noscript>This page needs JavaScript; the document itself is at <a href="/openapi.json">/openapi.json</a>.</noscript>
    </main>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs.js"></script>
  </body>
</html>`,
  )

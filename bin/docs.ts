// Writes the documentation of the API, public/docs.html, from the OpenAPI document; wrangler runs it before every build.
import { readFileSync, writeFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { docsPage } from './docs-page.ts'

// The bundler takes the version alone out of package.json; Node would have the import written differently.
registerHooks({
  load(url, context, next) {
    if (!url.endsWith('/package.json')) return next(url, context)
    const { version } = JSON.parse(readFileSync(new URL(url), 'utf8'))
    return {
      format: 'module',
      source: `export const version = ${JSON.stringify(version)}`,
      shortCircuit: true,
    }
  },
})
/** Not by name: the types of the Workers runtime, which the service's source needs, are not those of Node. */
const source = (path: string) => import(new URL(`../src/${path}`, import.meta.url).href)
const { operationsOf } = await source('api/app.ts')
const { openapiDocument } = await source('openapi/document.ts')

const document: unknown = openapiDocument(operationsOf({ currencies: ['RUB'], sandbox: true }))
writeFileSync(new URL('../public/docs.html', import.meta.url), `${await docsPage(document)}\n`)

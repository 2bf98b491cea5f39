// Writes the OpenAPI document of all operations, public/api.json, and its page, public/docs.html; wrangler runs it before
// every build. In the Worker's script they would be a twentieth of it.
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
const write = (name: string, text: string) =>
  writeFileSync(new URL(`../public/${name}`, import.meta.url), `${text}\n`)
write('api.json', JSON.stringify(document))
write('docs.html', `${await docsPage(document)}`)

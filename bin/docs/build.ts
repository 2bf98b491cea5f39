// Writes the OpenAPI document (public/api.json) and the documentation site (public/docs); wrangler runs it before every build.
import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import packageJson from '../../package.json' with { type: 'json' }
import { operationsOf } from '../../src/api/operations.ts'
import { openapiDocument } from '../../src/openapi/document.ts'
import { buildSite } from './site.ts'

const operations = operationsOf({ currencies: ['RUB'], hasSandbox: true })
const document = openapiDocument(operations, packageJson.version)
const root = join(import.meta.dirname, '../..')

// Another build copies public meanwhile: it sees the whole file, and no temporary one.
const cache = join(root, 'node_modules/.cache')
mkdirSync(cache, { recursive: true })
const written = join(cache, `api.json.${process.pid}`)
writeFileSync(written, `${JSON.stringify(document)}\n`)
renameSync(written, join(root, 'public/api.json'))
try {
  if (!process.env.WITHOUT_DOCS) await buildSite(document)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}

// Writes the OpenAPI document (public/api.json) and the documentation site (public/docs); wrangler runs it before every build.
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import packageJson from '../../package.json' with { type: 'json' }
import { operationsOf } from '../../src/api/operations.ts'
import { openapiDocument } from '../../src/openapi/document.ts'
import { buildSite } from './site.ts'

const operations = operationsOf({ currencies: ['RUB'], hasSandbox: true })
const document = openapiDocument(operations, packageJson.version)
const file = join(import.meta.dirname, '../../public/api.json')

// Two builds at the same time never read half a file.
writeFileSync(`${file}.${process.pid}`, `${JSON.stringify(document)}\n`)
renameSync(`${file}.${process.pid}`, file)
try {
  if (!process.env.WITHOUT_DOCS) await buildSite(document)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}

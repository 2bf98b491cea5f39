// Writes the OpenAPI document of all operations, public/api.json, and its page, public/docs.html; wrangler runs it before
// every build. In the Worker's script they would be a twentieth of it.
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import packageJson from '../../package.json' with { type: 'json' }
import { operationsOf } from '../../src/api/app.ts'
import { openapiDocument } from '../../src/openapi/document.ts'
import { docsPage } from './page.ts'

const operations = operationsOf({ currencies: ['RUB'], sandbox: true })
const document = openapiDocument(operations, packageJson.version)

/** Two builds at the same time never read half a file. */
function write(name: string, text: string): void {
  const file = join(import.meta.dirname, '../../public', name)
  const part = `${file}.${process.pid}`
  writeFileSync(part, `${text}\n`)
  renameSync(part, file)
}
write('api.json', JSON.stringify(document))
write('docs.html', `${await docsPage(document)}`)

// Writes src/schema.ts: the types of dist/openapi.json that the client uses. With --check it only compares.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The schemas that the client's own code names; those that they refer to follow. */
const USED = [
  ...['QrCodeRequest', 'QrCode', 'QrCodePage', 'ChargeRequest', 'Payment', 'PaymentPage'],
  ...['PaymentDecisionRequest'],
  ...['Settlement', 'SettlementPage', 'SettlementEntryPage', 'SettlementMonth'],
  ...['RefundRequest', 'Refund', 'SaleRequest', 'Sale', 'SalePage', 'Event', 'EventFeed', 'ErrorAnswer'],
  ...[
    'PaymentNotification',
    'RefundNotification',
    'TokenNotification',
    'QrCodeNotification',
    'ReceiptNotification',
    'SettlementNotification',
  ],
]

const root = join(import.meta.dirname, '../..')
const target = join(import.meta.dirname, '../src/schema.ts')
const bin = (workspace: string, name: string) => join(root, workspace, 'node_modules/.bin', name)

interface Document {
  openapi: string
  info: object
  components: { schemas: Record<string, unknown> }
}

/** The document with nothing but the schemas that are used: operations would be nine tenths of the types. */
function usedPart({ openapi, info, components }: Document): object {
  const used = new Set(USED)
  for (const name of used) {
    const schema = components.schemas[name]
    if (schema === undefined) throw new Error(`dist/openapi.json has no schema ${name}`)
    for (const [, referred = ''] of JSON.stringify(schema).matchAll(/"#\/components\/schemas\/(\w+)"/g))
      used.add(referred)
  }
  const schemas = Object.entries(components.schemas).filter(([name]) => used.has(name))
  return { openapi, info, paths: {}, components: { schemas: Object.fromEntries(schemas) } }
}

const directory = mkdtempSync(join(tmpdir(), 'fps-qr-schema-'))
try {
  const [document, types] = [join(directory, 'openapi.json'), join(directory, 'schema.ts')]
  writeFileSync(
    document,
    JSON.stringify(usedPart(JSON.parse(readFileSync(join(root, 'dist/openapi.json'), 'utf8')))),
  )
  const options = ['--root-types', '--root-types-no-schema-prefix']
  execFileSync(bin('test/client', 'openapi-typescript'), [document, '-o', types, ...options], {
    // Away from redocly.yaml, whose rules are for the complete document.
    cwd: directory,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const formatted = execFileSync(bin('', 'biome'), ['format', '--stdin-file-path=client/src/schema.ts'], {
    cwd: root,
    input: readFileSync(types),
    encoding: 'utf8',
  })
  if (!process.argv.includes('--check')) writeFileSync(target, formatted)
  else if (readFileSync(target, 'utf8') !== formatted) {
    console.error('client/src/schema.ts is not of this OpenAPI document: run npm run client:schema')
    process.exitCode = 1
  }
} finally {
  rmSync(directory, { recursive: true, force: true })
}

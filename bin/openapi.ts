// Writes the OpenAPI document to dist/openapi.json, as the real build serves it, for the linter.
import { mkdirSync, writeFileSync } from 'node:fs'
import { loadWrangler } from './serve/wrangler.ts'

process.env.TOKEN_SECRET ??= 'no token is made or read here, 32 characters'
process.env.CLOUDFLARE_CF_FETCH_ENABLED = 'false'

/** With every operation there is, and with an address that is the same on every machine. */
const vars = { PAYMENT_NETWORK: 'sandbox', PUBLIC_URL: 'https://qr.acquirer.example' }

const service = loadWrangler().createTestHarness({ workers: [{ configPath: './wrangler.toml', vars }] })
await service.listen()
const response = await service.fetch('/openapi.json')
if (!response.ok) throw new Error(`/openapi.json answered ${response.status}`)
mkdirSync('dist', { recursive: true })
writeFileSync('dist/openapi.json', await response.text())
await service.close()

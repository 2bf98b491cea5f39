// npm start: the service on this machine, with nothing asked and nothing needed from the network.
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { ensureLocalSecret } from './local-secret.ts'
import { mintToken } from './mint-token.ts'

const passed = process.argv.slice(2)
const { values } = parseArgs({
  args: passed,
  strict: false,
  options: { port: { type: 'string' }, ip: { type: 'string' } },
})
const port = typeof values.port === 'string' ? values.port : '8787'
const ip = typeof values.ip === 'string' ? values.ip : '127.0.0.1'
const address = `http://${ip === '0.0.0.0' || ip === '*' ? '127.0.0.1' : ip}:${port}`

const token = await mintToken(ensureLocalSecret(), { siteId: 'demo', scope: 'merchant', days: 30 })

const wrangler = fileURLToPath(new URL('../node_modules/wrangler/bin/wrangler.js', import.meta.url))
const defaults = [...(values.port ? [] : ['--port', port]), ...(values.ip ? [] : ['--ip', ip])]
const service = spawn(process.execPath, [wrangler, 'dev', ...defaults, ...passed], {
  stdio: 'inherit',
  cwd: fileURLToPath(new URL('..', import.meta.url)),
  env: {
    ...process.env,
    WRANGLER_HIDE_BANNER: 'true',
    WRANGLER_SEND_METRICS: 'false',
    WRANGLER_SEND_ERROR_REPORTS: 'false',
    CLOUDFLARE_CF_FETCH_ENABLED: 'false',
  },
})
service.on('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)))
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => service.kill(signal))

await answering(`${address}/healthz`)
console.log(`
A QR code for 1.00 RUB, with its picture:

curl -sS ${address}/payin/v1/sites/demo/sbp/qrCodes \\
  -H 'Authorization: Bearer ${token}' \\
  -H 'Content-Type: application/json' \\
  -d '{"qrCodeUid":"order-1","qrCode":{"type":"DYNAMIC","image":{"mediaType":"image/svg+xml"}},"amount":{"value":1.00}}'

The API, to read and to try: ${address}/docs
`)

/** Waits until the service answers; its own exit ends the wait. */
async function answering(url: string): Promise<void> {
  for (;;) {
    const answer = await fetch(url).catch(() => undefined)
    if (answer?.ok) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

// npm start: the service on this machine, with nothing asked and nothing needed from the network.
import { spawn } from 'node:child_process'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { ErrorAnswer } from '../src/contract/error-answer.ts'
import { QrCodeAnswer } from '../src/contract/qr-code-answer.ts'
import { ensureKeptSecret } from './local-secret.ts'
import { mintToken } from './mint-token.ts'
import { terminalQrCode } from './terminal.ts'

const passed = process.argv.slice(2)
const { values } = parseArgs({
  args: passed,
  strict: false,
  options: { port: { type: 'string' }, ip: { type: 'string' } },
})
const port = typeof values.port === 'string' ? values.port : '8787'
const ip = typeof values.ip === 'string' ? values.ip : '127.0.0.1'
const address = `http://${ip === '0.0.0.0' || ip === '*' ? '127.0.0.1' : ip}:${port}`
if (!/^[1-9]\d{0,4}$/.test(port) || Number(port) > 65_535) {
  console.error(`--port is ${port}, must be a number from 1 to 65535`)
  process.exit(2)
}
if (!(await isFree(Number(port), ip))) {
  console.error(`${address} is taken: another port is npm start -- --port N`)
  process.exit(1)
}
const token = await mintToken(ensureKeptSecret(), { siteId: 'demo', scope: 'merchant', days: 30 })

const wrangler = fileURLToPath(new URL('../node_modules/wrangler/bin/wrangler.js', import.meta.url))
const network = passed.some((word) => word.startsWith('PAYMENT_NETWORK:'))
const defaults = [
  ...(values.port ? [] : ['--port', port]),
  ...(values.ip ? [] : ['--ip', ip]),
  ...(network ? [] : ['--var', 'PAYMENT_NETWORK:sandbox']),
]
const service = spawn(process.execPath, [wrangler, 'dev', ...defaults, ...passed], {
  stdio: 'inherit',
  cwd: fileURLToPath(new URL('..', import.meta.url)),
  env: {
    ...process.env,
    CLOUDFLARE_CF_FETCH_ENABLED: 'false',
    CLOUDFLARE_TELEMETRY_DISABLED: '1',
    WRANGLER_HIDE_BANNER: 'true',
    WRANGLER_SEND_ERROR_REPORTS: 'false',
    WRANGLER_SEND_METRICS: 'false',
  },
})
service.on('exit', (code) => process.exit(code ?? 1))
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => service.kill(signal))

await answering(`${address}/healthz`)
const url = `${address}/payin/v1/sites/demo/sbp/qrCodes`
const qrCodeUid = `demo-${Date.now()}`
const body = JSON.stringify({
  qrCodeUid,
  qrCode: { type: 'DYNAMIC' },
  amount: { value: 1 },
  paymentPurpose: 'A demonstration',
})
const response = await fetch(url, {
  method: 'POST',
  headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
  body,
})
const { qrCode } = QrCodeAnswer.parse(await response.json())
console.log(`
A QR code for 1.00 RUB, created just now:

${terminalQrCode(qrCode.payload)}

${
  qrCode.payload.startsWith(address)
    ? 'The customer’s page, where the sandbox bank pays it:'
    : 'Its link leads elsewhere (LINK_BASE_URL), and nobody there knows it:'
}

${qrCode.payload}

The same request again, and so the same QR code; another qrCodeUid makes another one:

curl -sS '${url}' \\
  -H 'Authorization: Bearer ${token}' \\
  -H 'Content-Type: application/json' \\
  -d '${body}'

And how it stands:

curl -sS '${url}/${qrCodeUid}' -H 'Authorization: Bearer ${token}'

The API, to read and to try: ${address}/docs
`)

/** Waits until the service answers; its own exit ends the wait. A service that refuses to serve says why. */
async function answering(url: string): Promise<void> {
  let told = false
  for (;;) {
    const answer = await fetch(url).catch(() => undefined)
    if (answer?.ok) return
    if (answer && !told) console.error(ErrorAnswer.parse(await answer.json()).description)
    told ||= answer !== undefined
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

/** Whether the port can be listened on: else the first answer would be somebody else's. */
function isFree(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen(port, host === '*' ? undefined : host, () => probe.close(() => resolve(true)))
  })
}

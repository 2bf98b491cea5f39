// A service in a network of its own, which has the given addresses: which of them a notification reaches, by a name.
// node callbacks.ts DATA ADDRESS… writes as JSON those that got a connection, and what the log says of a payment whose
// notification does not reach the last address.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import * as z from 'zod'
import { SECRET } from './secret.ts'
import { siteAt } from './site-at.ts'

const [data = '', ...addresses] = process.argv.slice(2)

const reached = new Set<string>()
// The addresses of IPv4 too.
const endpoint = createServer((socket) => {
  reached.add((socket.localAddress ?? '').replace('::ffff:', ''))
  socket.destroy()
}).listen(443, '::')
const service = spawn(
  process.execPath,
  ['--disable-warning=ExperimentalWarning', '--', 'bin/serve/serve.ts', '--data', data],
  {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      TOKEN_SECRET: SECRET,
      PUBLIC_URL: 'https://qr.acquirer.example',
      PAYMENT_NETWORK: 'sandbox',
    },
  },
)
let log = ''
service.stdout.setEncoding('utf8').on('data', (text: string) => {
  log += text
})
try {
  while (!(await fetch('http://127.0.0.1:8080/healthz').catch(() => undefined))?.ok) {
    if (service.exitCode !== null) throw new Error('the service ended')
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  const site = siteAt(() => 'http://127.0.0.1:8080', SECRET, 'demo')
  await site.ask('/settings/notificationKeys', { method: 'POST' })
  for (const index of addresses.keys()) {
    const body = { callbackUrl: `https://${nameOf(index)}/` }
    const set = await site.ask('/settings', { method: 'PUT', body })
    const sent = await site.ask('/notifications/test', { method: 'POST' })
    if (set.status !== 200 || sent.status !== 200) throw new Error(`${set.text} ${sent.text}`)
  }
  log = ''
  await site.pay('a')
  while (service.exitCode === null && !log.includes('was not delivered'))
    await new Promise((resolve) => setTimeout(resolve, 50))
} finally {
  service.kill('SIGTERM')
  endpoint.close()
}
await once(service, 'close')
const failures = log
  .split('\n')
  .filter(Boolean)
  .map((line) => z.looseObject({ level: z.string() }).parse(JSON.parse(line)))
  .filter(({ level }) => level === 'warning' || level === 'error')
process.stdout.write(
  JSON.stringify({ reached: addresses.filter((address) => reached.has(address)), failures }),
)

/** The name of an address, by its position. */
function nameOf(index: number): string {
  return `name-${index}.shop.example`
}

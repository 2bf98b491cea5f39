// npm start: runs the service on this machine, without questions and without the internet.
import { networkInterfaces } from 'node:os'
import { readConfig } from '../src/config.ts'
import { allowedHosts, isWildcard, reachableHost } from './addresses.ts'
import { checkPort } from './check-port.ts'
import { createDemo } from './demo.ts'
import { ensureStoredSecret, localSecret } from './local-secret.ts'
import { mintToken } from './mint-token.ts'
import { startOptions, USAGE } from './start-options.ts'
import { lockState } from './state-lock.ts'
import { terminalQrCode } from './terminal-qr-code.ts'

// The exit ends workerd too.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(0))
try {
  await start()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
}

async function start(): Promise<void> {
  const options = startOptions(process.argv.slice(2))
  if (!options) return console.log(USAGE)
  const { port, ip, directory, build, vars } = options
  const lock = lockState(directory)
  await checkPort(port, ip, '--port')
  // It loads wrangler, for which a start that is refused does not wait.
  const { configuredVars, startLocalService } = await import('./local-service.ts')

  const interfaces = networkInterfaces()
  const address = `http://${reachableHost(ip, interfaces)}:${port}`
  const secret = vars.TOKEN_SECRET || ensureStoredSecret()
  const unsigned = { ...configuredVars(), PAYMENT_NETWORK: 'sandbox', CALLBACK_HOSTS: 'any', ...vars }
  const given = {
    // Not by --var: npm prints the command, and ps shows it. Without NETWORK_URL it would be an invalid setting.
    ...(unsigned.NETWORK_URL && { NETWORK_SECRET: localSecret('NETWORK_SECRET') ?? '' }),
    ...unsigned,
    TOKEN_SECRET: secret,
  }
  // Without PUBLIC_URL, a request could choose its origin by one of Miniflare's headers.
  const settings = { ...given, PUBLIC_URL: given.PUBLIC_URL || address }
  const checked = readConfig(settings)
  if (!checked.ok) throw new Error(checked.problems.join('\n'))
  const { config } = checked
  const hosts = { ALLOWED_HOSTS: allowedHosts(ip, interfaces, config.publicUrl) }
  await startLocalService({ host: ip, port, directory, build, lock, settings: { ...hosts, ...settings } })

  if (isWildcard(ip)) {
    console.log(`\nThe service, for a phone in the same network:\n\n${terminalQrCode(address)}\n\n${address}`)
  }
  const token = await mintToken(secret, { siteId: 'demo', scope: 'merchant', days: 30 })
  console.log(await createDemo(address, token, config))
}

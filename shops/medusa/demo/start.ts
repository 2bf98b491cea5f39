// npm start: a shop of Medusa with a product, a database of its own and the service with its sandbox. Ctrl-C stops all of it.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from '@medusajs/framework/zod'
import { ADMIN } from './admin.ts'
import { linkModule } from './link-module.ts'
import { startPostgres } from './postgres.ts'

const { env } = process
const NODE = ['--disable-warning=ExperimentalWarning', '--disable-warning=DEP0040']
const root = join(import.meta.dirname, '../../..')
const module = join(import.meta.dirname, '..')
const directory = env.DATA ?? join(import.meta.dirname, '.data')
const port = Number(env.PORT ?? 9000)
const servicePort = Number(env.SERVICE_PORT ?? 8787)
const shopUrl = `http://127.0.0.1:${port}`

/** What a first start makes, for the ones after it. */
const file = join(directory, 'settings.json')

mkdirSync(directory, { recursive: true })
if (!existsSync(join(module, '.medusa/server/src/admin/index.mjs'))) {
  console.log('Building the module…')
  execFileSync('npm', ['run', '-s', 'build'], { cwd: module, stdio: ['ignore', 'ignore', 'inherit'] })
}
linkModule()
const children: ChildProcess[] = []
process.once('SIGINT', stop).once('SIGTERM', stop)

console.log('Building and starting the service with its sandbox…')
const service = env.FPS_QR_URL ?? (await startService())
const settings = await settingsOf(service)
console.log('Starting PostgreSQL and the shop…')
const postgres = await startPostgres(join(directory, 'postgres'), Number(env.POSTGRES_PORT ?? 5433))
const shopEnv = {
  ...env,
  ...settings,
  PORT: `${port}`,
  SHOP_URL: shopUrl,
  DATABASE_URL: postgres.database('shop'),
}
execFileSync(process.execPath, [...NODE, join(import.meta.dirname, 'migrate.ts')], {
  env: shopEnv,
  stdio: ['ignore', 'ignore', 'inherit'],
})
const shop = started('shop.ts', [], shopEnv)
await new Promise<void>((resolve) => {
  // The line that it writes once it has a product.
  shop.stdout?.on('data', (text) => String(text).includes('"key":"pk_') && resolve())
})
console.log(`
The storefront  ${shopUrl}/shop
The admin       ${shopUrl}/app  (${ADMIN.email}, ${ADMIN.password})
The service     ${service}
`)
const [code] = await new Promise<[number | null]>((resolve) =>
  shop.once('exit', (status) => resolve([status])),
)
if (code) console.error(`the shop ended with status ${code}`)
stop()

function started(script: string, args: string[], more: NodeJS.ProcessEnv): ChildProcess {
  const child = spawn(process.execPath, [...NODE, join(import.meta.dirname, script), ...args], {
    env: more,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.push(child)
  return child
}

/** Starts `npm start` of the service. @returns its address, once it answers @throws Error where another one has the port */
async function startService(): Promise<string> {
  const address = `http://127.0.0.1:${servicePort}`
  if (await fetch(address).catch(() => undefined))
    throw new Error(`${address} is in use: end what listens there, or set SERVICE_PORT`)
  const args = ['--port', `${servicePort}`, '--persist-to', join(directory, 'service')]
  const child = started(join('../../../bin/start/start.ts'), args, env)
  child.stdout?.resume()
  while (!(await fetch(`${address}/readyz`).catch(() => undefined))?.ok) {
    if (child.exitCode !== null) throw new Error(`the service ended with status ${child.exitCode}`)
    await sleep(200)
  }
  return address
}

/** The settings of the module; a first start makes the token and the notification key, and names the shop to the service. */
async function settingsOf(address: string): Promise<Record<string, string>> {
  if (env.FPS_QR_TOKEN) return { JWT_SECRET: secret(), COOKIE_SECRET: secret() }
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8'))
  const token = (scope: string) =>
    execFileSync('npm', ['run', '-s', 'token', '--', 'demo', '--scope', scope, '--label', 'medusa'], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
      .toString()
      .trim()
  const site = `${address}/payin/v1/sites/demo/settings`
  const headers = { Authorization: `Bearer ${token('merchant:admin')}`, 'Content-Type': 'application/json' }
  const body = JSON.stringify({ callbackUrl: `${shopUrl}/fps-qr/notifications` })
  const patched = await fetch(site, { method: 'PATCH', headers, body })
  const made = await fetch(`${site}/notificationKeys`, { method: 'POST', headers })
  if (!patched.ok || !made.ok) throw new Error(`the service refused the settings: ${await made.text()}`)
  const { key } = z.object({ key: z.string() }).parse(await made.json())
  const settings = {
    ...{ FPS_QR_URL: address, FPS_QR_SITE: 'demo', FPS_QR_TOKEN: token('merchant') },
    ...{ FPS_QR_NOTIFICATION_KEY: key, JWT_SECRET: secret(), COOKIE_SECRET: secret() },
    ...{ ADMIN: 'on', NODE_ENV: 'development', MEDUSA_DISABLE_TELEMETRY: 'true' },
  }
  writeFileSync(file, JSON.stringify(settings), { mode: 0o600 })
  return settings
}

function secret(): string {
  return randomBytes(24).toString('hex')
}

/** Ends what was started, each by itself. */
function stop(): void {
  for (const child of children) child.kill('SIGTERM')
  // PostgreSQL ends with this process.
  setTimeout(() => process.exit(), 1_000)
}

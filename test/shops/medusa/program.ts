// The programs of the shop, as processes.
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** The directory of the module. */
export const MODULE = join(import.meta.dirname, '../../../shops/medusa')

/** The database with the tables of Medusa and no rows. */
export const TEMPLATE = 'medusa_template'

const NODE = ['--disable-warning=ExperimentalWarning', '--disable-warning=DEP0040']

/** Settings that a shop needs to start, and that mean nothing while it is migrated. */
const SETTINGS = {
  ...{ JWT_SECRET: 'jwt', COOKIE_SECRET: 'cookie', MEDUSA_DISABLE_TELEMETRY: 'true', NODE_ENV: 'production' },
  ...{ FPS_QR_URL: 'http://127.0.0.1:9', FPS_QR_SITE: 'demo', FPS_QR_TOKEN: 'none' },
  ...{ FPS_QR_NOTIFICATION_KEY: 'whsec_bm9uZQ==', SHOP_URL: 'http://127.0.0.1:9' },
}

/** Makes the database and its tables. */
export async function migrate(databaseUrl: string): Promise<void> {
  await promisify(execFile)(process.execPath, [...NODE, join(MODULE, 'demo/migrate.ts')], {
    env: { ...process.env, ...SETTINGS, DATABASE_URL: databaseUrl },
  })
}

export interface ShopProcess {
  address: string
  /** The publishable key of the storefront. */
  key: string
  log(): string
  /** The messages of the errors in its log. */
  errors(): string
  kill(): Promise<void>
}

/** Starts the shop, and waits until it answers. */
export async function startShop(env: Record<string, string>): Promise<ShopProcess> {
  const child = spawn(process.execPath, [...NODE, join(MODULE, 'demo/shop.ts')], {
    env: { ...process.env, ...SETTINGS, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  process.once('exit', () => child.kill('SIGKILL'))
  let log = ''
  const ended = once(child, 'close')
  const ready = Promise.withResolvers<string>()
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      log += text
      const [, key] = /^\{"port":\d+,"key":"(pk_\w+)"\}$/m.exec(log) ?? []
      if (key) ready.resolve(key)
    })
  void ended.then(() => ready.reject(new Error(`the shop ended:\n${log}`)))
  return {
    key: await ready.promise,
    address: `http://127.0.0.1:${env.PORT}`,
    log: () => log,
    errors: () =>
      [...log.matchAll(/"level":"error","message":"(.*?)","(?:stack|timestamp)"/g)]
        .map(([, text]) => text)
        .join('\n'),
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

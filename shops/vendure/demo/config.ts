// The configuration of the demonstration shop: in memory, or in the PostgreSQL of DATABASE_URL.
import { dirname, join } from 'node:path'
import {
  DefaultJobQueuePlugin,
  DefaultLogger,
  DefaultSchedulerPlugin,
  LanguageCode,
  LogLevel,
  type VendureConfig,
} from '@vendure/core'
import { FpsQrPlugin } from '../src'
import { StorefrontPlugin } from './storefront'

export const ADMIN = { identifier: 'superadmin', password: 'superadmin' }

export const config = (port: number, databaseUrl: string | undefined): VendureConfig => ({
  apiOptions: { port, hostname: '127.0.0.1', adminApiPath: 'admin-api', shopApiPath: 'shop-api' },
  defaultLanguageCode: LanguageCode.ru,
  logger: new DefaultLogger({ level: LogLevel.Warn, timestamp: false }),
  authOptions: {
    tokenMethod: ['cookie', 'bearer'],
    superadminCredentials: ADMIN,
    cookieOptions: { secret: 'of the demonstration alone' },
  },
  dbConnectionOptions: databaseUrl
    ? { type: 'postgres', url: databaseUrl, synchronize: true }
    : { type: 'sqljs', synchronize: true, sqlJsConfig: { locateFile: wasm } },
  // This one process does the work of the worker too.
  schedulerOptions: { runTasksInWorkerOnly: false },
  paymentOptions: { paymentMethodHandlers: [] },
  plugins: [FpsQrPlugin, StorefrontPlugin, DefaultJobQueuePlugin, DefaultSchedulerPlugin.init()],
})

const wasm = (file: string) => join(dirname(require.resolve('sql.js')), file)

// A shop that takes payments through @fps-qr/medusa. In a shop of your own, resolve the package by its name.
import { join } from 'node:path'
import { defineConfig } from '@medusajs/framework/utils'

const plugin = join(import.meta.dirname, '../..')
const { env } = process

function setting(name: string): string {
  const value = env[name]
  if (!value) throw new Error(`${name} is not set`)
  return value
}

export default defineConfig({
  projectConfig: {
    databaseUrl: setting('DATABASE_URL'),
    databaseDriverOptions: { connection: { ssl: false } },
    http: {
      storeCors: setting('SHOP_URL'),
      adminCors: setting('SHOP_URL'),
      authCors: setting('SHOP_URL'),
      jwtSecret: setting('JWT_SECRET'),
      cookieSecret: setting('COOKIE_SECRET'),
    },
  },
  admin: { disable: env.ADMIN !== 'on' },
  plugins: [{ resolve: plugin, options: {} }],
  modules: [
    {
      resolve: '@medusajs/medusa/payment',
      options: {
        providers: [
          {
            resolve: join(plugin, '.medusa/server/src/providers/fps-qr'),
            id: 'sbp',
            options: {
              baseUrl: setting('FPS_QR_URL'),
              siteId: setting('FPS_QR_SITE'),
              token: setting('FPS_QR_TOKEN'),
              notificationKey: setting('FPS_QR_NOTIFICATION_KEY'),
              returnUrl: `${setting('SHOP_URL')}/shop`,
              // The sandbox has a cash register, and no settings of receipts.
              receipts: env.FPS_QR_RECEIPTS === 'on',
              vatFromTaxes: env.FPS_QR_VAT_FROM_TAXES === 'on',
              ...(env.FPS_QR_TTL && { ttl: Number(env.FPS_QR_TTL) }),
            },
          },
        ],
      },
    },
  ],
})

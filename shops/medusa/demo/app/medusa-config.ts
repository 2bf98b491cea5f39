// A shop that takes payments through @fps-qr/medusa. In a shop of your own, resolve the package by its name.
import { join } from 'node:path'
import { defineConfig } from '@medusajs/framework/utils'

const plugin = join(import.meta.dirname, '../..')
const { env } = process

export default defineConfig({
  projectConfig: {
    databaseUrl: env.DATABASE_URL,
    databaseDriverOptions: { connection: { ssl: false } },
    http: {
      storeCors: env.SHOP_URL ?? '',
      adminCors: env.SHOP_URL ?? '',
      authCors: env.SHOP_URL ?? '',
      jwtSecret: env.JWT_SECRET,
      cookieSecret: env.COOKIE_SECRET,
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
              baseUrl: env.FPS_QR_URL,
              siteId: env.FPS_QR_SITE,
              token: env.FPS_QR_TOKEN,
              notificationKey: env.FPS_QR_NOTIFICATION_KEY,
              returnUrl: `${env.SHOP_URL}/shop`,
              ...(env.FPS_QR_TTL && { ttl: Number(env.FPS_QR_TTL) }),
            },
          },
        ],
      },
    },
  ],
})

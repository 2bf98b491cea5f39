// Starts the demonstration shop on the sandbox of `npm start`: `npm start` here.
import { randomUUID } from 'node:crypto'
import { writeSync } from 'node:fs'
import { createServer } from 'node:net'
import { bootstrap } from '@vendure/core'
import { ADMIN, config } from './config'
import { connectSandbox } from './sandbox'
import { seed } from './seed'

const { env } = process

/** A port of the shop: PORT, or a free one if that is 0. */
const freePort = () =>
  new Promise<number>((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })

async function main(): Promise<void> {
  const port = Number(env.PORT ?? '3000') || (await freePort())
  const origin = env.SHOP_URL ?? `http://127.0.0.1:${port}`
  const baseUrl = env.FPS_URL ?? 'http://127.0.0.1:8787'
  // The shop is in memory, so each start has a site of its own: its notification key is shown once.
  const siteId = env.FPS_SITE ?? `vendure-${randomUUID().slice(0, 8)}`
  const { FPS_TOKEN: token, FPS_KEY: notificationKey } = env
  const app = await bootstrap(config(port, env.DATABASE_URL))
  const connected =
    token && notificationKey
      ? { baseUrl, siteId, token, notificationKey }
      : await connectSandbox(baseUrl, siteId, origin)
  await seed(app, connected, origin)
  // The tests that start the shop learn its port from here.
  if (env.READY_FD) writeSync(Number(env.READY_FD), `${JSON.stringify({ port })}\n`)
  console.log(
    `The shop is at ${origin}/, its Admin API at ${origin}/admin-api: ${ADMIN.identifier}, ${ADMIN.password}`,
  )
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
})

// The real build, killed: what was acknowledged is there afterwards.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { mintToken } from '../../bin/mint-token.ts'

const SECRET = 'a secret for this test alone, of 32 characters and more'
const token = await mintToken(SECRET, { siteId: 'demo', scope: 'merchant', days: 1 })
let disk: string
let running: ChildProcess | undefined

beforeAll(() => {
  disk = mkdtempSync(join(tmpdir(), 'fps-qr-'))
})
afterAll(() => {
  kill()
  rmSync(disk, { recursive: true, force: true })
})

/** Starts `wrangler dev` in a process group of its own and waits until it answers. */
async function start(): Promise<string> {
  const port = await freePort()
  const options = [
    '--port',
    `${port}`,
    '--ip',
    '127.0.0.1',
    '--persist-to',
    disk,
    '--var',
    `TOKEN_SECRET:${SECRET}`,
  ]
  running = spawn(process.execPath, ['node_modules/wrangler/bin/wrangler.js', 'dev', ...options], {
    detached: true,
    stdio: 'ignore',
    env: { ...process.env, CI: 'true', CLOUDFLARE_CF_FETCH_ENABLED: 'false', WRANGLER_HIDE_BANNER: 'true' },
  })
  const address = `http://127.0.0.1:${port}`
  for (let i = 0; i < 600; i++) {
    const answer = await fetch(`${address}/healthz`).catch(() => undefined)
    if (answer?.ok) return address
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error('the service did not start')
}

/** SIGKILL to the whole group: wrangler and the workerd under it end in the midst of whatever they do. */
function kill(): void {
  if (running?.pid) process.kill(-running.pid, 'SIGKILL')
  running = undefined
}

const freePort = () =>
  new Promise<number>((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })

const create = (address: string, qrCodeUid: string) =>
  fetch(`${address}/payin/v1/sites/demo/sbp/qrCodes`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ qrCodeUid, qrCode: { type: 'DYNAMIC' }, amount: { value: 1 } }),
  })

it('every create that was acknowledged before a kill -9 is there after a restart, with the same link', async () => {
  const before = await start()
  const acknowledged = new Map<string, string>()
  let sent = 0
  let alive = true
  const client = async () => {
    while (alive) {
      const uid = `order-${sent++}`
      try {
        const response = await create(before, uid)
        if (response.ok) acknowledged.set(uid, await response.text())
      } catch {
        return
      }
      if (acknowledged.size >= 500 && alive) {
        alive = false
        kill()
      }
    }
  }
  await Promise.all(Array.from({ length: 16 }, client))
  expect(sent).toBeGreaterThan(acknowledged.size)

  const after = await start()
  for (const [uid, answer] of acknowledged) {
    const response = await create(after, uid)
    expect(response.headers.get('Idempotent-Replayed')).toBe('true')
    expect((await response.text()).replace(after, before)).toBe(answer)
  }
})

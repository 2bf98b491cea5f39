// The service under wrangler dev, static files included.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './ports.ts'
import { SECRET } from './secret.ts'

export interface WranglerDev {
  secret: string
  /** Its state directory. */
  disk: string
  /** Starts `wrangler dev` on the same disk and waits until it answers; its address. */
  start(): Promise<string>
  /** SIGKILL to the whole group: wrangler and the workerd under it end in the midst of whatever they do. */
  kill(): void
  /** Kills it, and wipes its disk. */
  dispose(): void
}

/** The service, not started yet, with a disk of its own. */
export function wranglerDev(vars: Record<string, string> = {}): WranglerDev {
  const disk = mkdtempSync(join(tmpdir(), 'fps-qr-'))
  let running: ChildProcess | undefined

  function kill(): void {
    if (running?.pid) process.kill(-running.pid, 'SIGKILL')
    running = undefined
  }

  return {
    secret: SECRET,
    disk,
    kill,
    dispose() {
      kill()
      rmSync(disk, { recursive: true, force: true })
    },
    async start() {
      const port = await freePort()
      const options = ['--port', `${port}`, '--ip', '127.0.0.1', '--persist-to', disk]
      for (const [name, value] of Object.entries({ TOKEN_SECRET: SECRET, ...vars }))
        options.push('--var', `${name}:${value}`)
      running = spawn(process.execPath, ['node_modules/wrangler/bin/wrangler.js', 'dev', ...options], {
        detached: true,
        stdio: 'ignore',
        env: {
          ...process.env,
          CI: 'true',
          CLOUDFLARE_CF_FETCH_ENABLED: 'false',
          WRANGLER_HIDE_BANNER: 'true',
        },
      })
      const address = `http://127.0.0.1:${port}`
      for (let i = 0; i < 1800; i++) {
        const answer = await fetch(`${address}/healthz`).catch(() => undefined)
        if (answer?.ok) return address
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
      throw new Error('the service did not start')
    },
  }
}

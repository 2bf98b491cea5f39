// The deployed bundle under plain workerd, for tests that kill it, load it or send it broken requests.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inject } from 'vitest'
import type { Server } from './processes.ts'
import { SECRET } from './secret.ts'
import { serve } from './workers.ts'

export interface BareWorkerd {
  /** The secret that signs its access tokens. */
  secret: string
  /** Starts it on its disk and waits until it listens; its port on 127.0.0.1. */
  start(): Promise<number>
  /** SIGKILL: it ends in the midst of whatever it does. */
  kill(): Promise<void>
  /** Kills it and removes its disk. */
  dispose(): Promise<void>
  /** Everything that it wrote until now, its own messages included. */
  log(): string
}

/**
 * The service, not started yet, with a disk of its own.
 * @param vars settings beside those of a bench, or instead of them
 * @param network the addresses that notifications may go to
 */
export function bareWorkerd(
  vars: Record<string, string> = {},
  network: 'public' | 'any' = 'public',
): BareWorkerd {
  const disk = mkdtempSync(join(tmpdir(), 'fps-qr-disk-'))
  let running: Server | undefined
  let written = ''
  const config = network === 'any' ? 'local' : 'config'

  const kill = async () => running?.kill()
  return {
    secret: SECRET,
    kill,
    log: () => written,
    async start() {
      const log = (text: string) => {
        written += text
      }
      running = await serve(inject('build'), disk, { vars, config, log })
      return running.port
    },
    async dispose() {
      await kill()
      rmSync(disk, { recursive: true, force: true })
    },
  }
}

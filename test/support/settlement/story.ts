// A service whose clock a test moves on, and a site with a seeded month: for stories of people with files of banks.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mintToken } from '../../../bin/mint-token.ts'
import type { RunningService } from '../browser-services.ts'
import { siteClient } from '../client.ts'
import { shiftedClock } from '../clock.ts'
import { overHttp } from '../over-http.ts'
import { freePort } from '../ports.ts'
import { SECRET } from '../secret.ts'
import { serve } from '../workers.ts'
import { type SeededMonth, seededMonth } from './seeded-month.ts'

const HOURS = 10 * 24

export interface Story {
  service: RunningService
  siteId: string
  seeded: SeededMonth
  /** A token of the accountant. */
  token: string
  dispose(): Promise<void>
}

/** Payments are made now; what follows is ten days later, when one that the bank has not paid out is missing. */
export async function tenDaysLater(build: string): Promise<Story> {
  const directory = mkdtempSync(join(tmpdir(), 'fps-qr-settlement-'))
  const clock = shiftedClock(directory)
  const port = await freePort()
  const address = `http://127.0.0.1:${port}`
  const { kill } = await serve(build, join(directory, 'disk'), {
    ...{ port, config: 'local' },
    vars: { PUBLIC_URL: address, UTC_OFFSET: '+03:00', ...clock.settings },
  })
  const siteId = 'tea'
  const site = siteClient(
    siteId,
    overHttp(() => address, SECRET, siteId),
  )
  await site.ask('/settings', { method: 'PUT', body: { name: 'Чайная лавка' } })
  const seeded = await seededMonth(site)
  clock.set(HOURS)
  return {
    service: { address, secret: SECRET },
    ...{ siteId, seeded },
    token: await mintToken(SECRET, { siteId, scope: 'merchant:accounting', days: 30 }),
    async dispose() {
      await kill()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

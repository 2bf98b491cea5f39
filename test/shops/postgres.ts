// A PostgreSQL for tests, in a directory of its own that goes with it.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Postgres, startPostgres } from '../../shops/medusa/demo/postgres.ts'
import { freePort } from '../support/ports.ts'

export async function temporaryPostgres(): Promise<Postgres & { port: number }> {
  const directory = mkdtempSync(join(tmpdir(), 'fps-qr-postgres-'))
  const port = await freePort()
  const { database, stop } = await startPostgres(directory, port)
  return {
    ...{ port, database },
    async stop() {
      await stop()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

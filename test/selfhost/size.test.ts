// The size of a site's database: what a site costs that has next to nothing.
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { fileOf, siteOf, started, temporaryDirectory } from '../support/serve.ts'

it('the file of a site with one QR code is of 75 pages, 307,200 bytes', async () => {
  const data = join(temporaryDirectory(), 'data')
  const served = await started(data)
  await siteOf(served).create('a')
  await served.stop()
  const file = fileOf(data)
  const database = new DatabaseSync(file)
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  database.close()
  expect(statSync(file).size).toBeLessThanOrEqual(307_200)
})

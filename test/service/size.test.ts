// The size of the Worker's script, which every new instance loads.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, inject, it } from 'vitest'
import { WORKER } from '../../bin/serve/build-service.ts'

// Of it, QR codes that are paid many times, with their sales, have 8 KB.
it('the Worker is at most 136 KB, by gzip -9', () => {
  const script = readFileSync(join(inject('build'), WORKER))
  expect(gzipSync(script, { level: 9 }).length).toBeLessThanOrEqual(136_000)
})

// How large the Worker is, and how soon it answers.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { MODULES } from '../bin/serve/build-service.ts'
import { serve } from '../test/support/workers.ts'
import type { Part } from './figures.ts'
import { median } from './statistics.ts'
import { figure, table } from './table.ts'

const STARTS = 9

export const startup: Part = async ({ directory, ours }) => {
  // The console is loaded only when it is asked for.
  const names = readdirSync(join(ours, MODULES)).filter((name) => !name.startsWith('console-'))
  const loaded = names.map((name) => readFileSync(join(ours, MODULES, name)))
  const bytes = loaded.reduce((sum, { length }) => sum + length, 0)
  const gzipped = loaded.reduce((sum, module) => sum + gzipSync(module, { level: 9 }).length, 0)

  // What Node loads for its first fetch is not the Worker's time.
  await fetch('data:,').then((response) => response.text())
  const milliseconds: number[] = []
  for (let start = 0; start < STARTS; start++) {
    const started = performance.now()
    const server = await serve(ours, join(directory, `start-${start}`))
    const response = await fetch(`http://127.0.0.1:${server.port}/healthz`)
    if (!response.ok) throw new Error(`/healthz answered ${response.status}`)
    await response.text()
    milliseconds.push(performance.now() - started)
    await server.stop()
  }

  const startupMs = median(milliseconds)
  return {
    tables: [
      table(
        'The Worker',
        ['', ''],
        [
          ['bundle', `${figure(bytes / 1024)} KiB`],
          ['bundle, gzip -9', `${figure(gzipped / 1024)} KiB`],
          [`from nothing to the first answer, median of ${STARTS}`, `${figure(startupMs)} ms`],
        ],
      ),
    ],
    figures: { bundle_gzip_kb: gzipped / 1024, startup_ms: startupMs },
    faults: [],
  }
}

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

export const startup: Part = async ({ directory, ours, isSmallest }) => {
  const starts = isSmallest ? 1 : STARTS
  // The console is loaded only when it is asked for.
  const names = Map.groupBy(readdirSync(join(ours, MODULES)), (name) =>
    name.startsWith('console-') ? 'console' : 'worker',
  )
  const kibOf = (kind: 'console' | 'worker', sized: (module: Buffer) => Buffer) =>
    (names.get(kind) ?? []).reduce(
      (sum, name) => sum + sized(readFileSync(join(ours, MODULES, name))).length / 1024,
      0,
    )
  const gzip = (module: Buffer) => gzipSync(module, { level: 9 })
  const gzipped = { worker: kibOf('worker', gzip), console: kibOf('console', gzip) }

  // What Node loads for its first fetch is not the Worker's time.
  await fetch('data:,').then((response) => response.text())
  const milliseconds: number[] = []
  for (let start = 0; start < starts; start++) {
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
          ['bundle', `${figure(kibOf('worker', (module) => module))} KiB`],
          ['bundle, gzip -9', `${figure(gzipped.worker)} KiB`],
          ['console, gzip -9', `${figure(gzipped.console)} KiB`],
          [`from nothing to the first answer, median of ${starts}`, `${figure(startupMs)} ms`],
        ],
      ),
    ],
    figures: { gzip_kib: gzipped, startup_ms: startupMs },
    faults: [],
  }
}

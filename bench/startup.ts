// How large the Worker is, and how soon it answers.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { bundle } from '../bin/serve/bundle.ts'
import { serve } from '../test/support/workers.ts'
import type { Part } from './figures.ts'
import { median } from './statistics.ts'
import { figure, table } from './table.ts'

const STARTS = 9

export const startup: Part = async ({ directory, ours, isSmallest }) => {
  const starts = isSmallest ? 1 : STARTS
  const bundled = join(directory, 'modules')
  const { loaded, modules } = await bundle(bundled)
  const contentOf = (names: readonly string[]) =>
    Buffer.concat(names.map((name) => readFileSync(join(bundled, name))))
  const gzipOf = (names: readonly string[]) => gzipSync(contentOf(names), { level: 9 }).length / 1024
  const gzipped = {
    worker: gzipOf(loaded),
    console: gzipOf(modules.filter((name) => name.startsWith('console-'))),
  }

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
          ['what an instance loads', `${figure(contentOf(loaded).length / 1024)} KiB`],
          ['the same, gzip -9', `${figure(gzipped.worker)} KiB`],
          ['console, gzip -9', `${figure(gzipped.console)} KiB`],
          [`from nothing to the first answer, median of ${starts}`, `${figure(startupMs)} ms`],
        ],
      ),
    ],
    figures: { gzip_kib: gzipped, startup_ms: startupMs },
    faults: [],
  }
}

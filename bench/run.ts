// npm run bench: what the service costs, beside its ceiling and its peers. The last line is one JSON object.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { buildService } from '../bin/serve/build-service.ts'
import { buildCheckout } from './contenders.ts'
import { lastLine, missingFor, type NamedPart, runParts } from './run-parts.ts'

/** A file system in memory, on Linux. */
const MEMORY = '/dev/shm'
const CHROMIUM = process.env.CHROMIUM || '/usr/bin/chromium-headless-shell'
const HAPROXY = '/usr/sbin/haproxy'

/** The parts in their order. */
const PARTS: Readonly<Record<string, NamedPart>> = {
  http: { load: async () => (await import('./http.ts')).http },
  'fair-share': { load: async () => (await import('./fair-share.ts')).fairShare },
  pictures: { load: async () => (await import('./pictures.ts')).pictures },
  'long-polls': { load: async () => (await import('./long-polls.ts')).longPolls },
  notifications: { load: async () => (await import('./notifications.ts')).notifications },
  growth: { load: async () => (await import('./growth.ts')).growth },
  printed: { load: async () => (await import('./printed.ts')).printed },
  pages: { load: async () => (await import('./pages.ts')).pages, needs: [CHROMIUM] },
  selfhost: { load: async () => (await import('./selfhost.ts')).selfhost },
  answers: { load: async () => (await import('./answers.ts')).answers },
  operator: { load: async () => (await import('./operator.ts')).operator },
  console: { load: async () => (await import('./console.ts')).consolePages },
  cluster: { load: async () => (await import('./cluster.ts')).cluster, needs: [HAPROXY] },
  startup: { load: async () => (await import('./startup.ts')).startup },
  cold: { load: async () => (await import('./cold.ts')).cold },
}
/** Needs three times the size of its site on the disk, and up to half an hour. */
const ONLY_IF_NAMED = ['cold']

const USAGE = `usage: npm run bench -- [--only PART,…] [--rounds N] [--seconds N] [--against DIR] [--in-memory] [--gigabytes N] [--smallest]

  --only       one or more of ${Object.keys(PARTS).join(', ')};
               by default all but ${ONLY_IF_NAMED}
  --rounds     how often the contenders take turns, 1 to 99, by default 7
  --seconds    of one measurement under load, at most 60, by default 1.5
  --against    a checkout of the service with its dependencies installed: in http, its build is one more
               contender, served by the workerd of this one
  --in-memory  keeps the databases in ${MEMORY}: the disk's speed and its share of the CPU time are left out
  --gigabytes  the size of the site in cold, at most 100, by default 5
  --smallest   every part once, with few rows and short measurements: whether they run, and no figures to quote`

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    rounds: { type: 'string', default: '7' },
    seconds: { type: 'string', default: '1.5' },
    against: { type: 'string' },
    'in-memory': { type: 'boolean', default: false },
    gigabytes: { type: 'string', default: '5' },
    smallest: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
})
if (values.help) {
  console.log(USAGE)
  process.exit()
}
const { smallest } = values
const [rounds, seconds] = smallest ? [1, 0.2] : [Number(values.rounds), Number(values.seconds)]
const gigabytes = smallest ? 0.01 : Number(values.gigabytes)
const size = (full: number): number => (smallest ? Math.max(full / 100, Math.min(full, 100)) : full)
const byDefault = Object.keys(PARTS).filter((name) => smallest || !ONLY_IF_NAMED.includes(name))
const names = values.only?.split(',') ?? byDefault
if (
  !names.every((name) => name in PARTS) ||
  !(rounds >= 1 && rounds <= 99) ||
  !(seconds > 0 && seconds <= 60) ||
  !(gigabytes > 0 && gigabytes <= 100)
) {
  console.error(USAGE)
  process.exit(2)
}

const parts = Object.fromEntries(Object.entries(PARTS).filter(([name]) => names.includes(name)))
const missing = missingFor(parts)
if (missing.length > 0) {
  for (const line of missing) console.error(line)
  process.exit(2)
}

const started = performance.now()
const directory = mkdtempSync(join(values['in-memory'] ? MEMORY : tmpdir(), 'fps-qr-bench-'))
process.on('exit', () => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }))
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))

if (!existsSync(join(import.meta.dirname, 'node_modules/.package-lock.json'))) {
  console.log('installing the peers')
  execFileSync('npm', ['ci', '--prefix', import.meta.dirname], { stdio: ['ignore', 'ignore', 'inherit'] })
}
const ours = join(directory, 'ours')
await buildService(ours)
const against =
  values.against === undefined ? undefined : await buildCheckout(values.against, join(directory, 'against'))

const run = await runParts(
  parts,
  (name) => {
    const own = join(directory, name)
    mkdirSync(own)
    return { directory: own, ours, against, rounds, seconds, gigabytes, size }
  },
  console.log,
)

console.log(
  `\n${new Date().toISOString().slice(0, 10)}, ${Math.round((performance.now() - started) / 1000)} s`,
)
for (const fault of run.faults) console.log(`failed: ${fault}`)
if (run.faults.length > 0) process.exitCode = 1
console.log(lastLine(run))

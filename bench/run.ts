// npm run bench: what the service costs, beside its ceiling and its peers. The last line is one JSON object.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { buildService } from '../bin/serve/build-service.ts'
import { buildCheckout } from './contenders.ts'
import type { Figures, Part } from './figures.ts'

/** A file system in memory, on Linux. */
const MEMORY = '/dev/shm'

/** The parts in their order; each is loaded when it runs, because the peers may have to be installed first. */
const PARTS: Record<string, () => Promise<Part>> = {
  http: async () => (await import('./http.ts')).http,
  'fair-share': async () => (await import('./fair-share.ts')).fairShare,
  pictures: async () => (await import('./pictures.ts')).pictures,
  'long-polls': async () => (await import('./long-polls.ts')).longPolls,
  notifications: async () => (await import('./notifications.ts')).notifications,
  growth: async () => (await import('./growth.ts')).growth,
  printed: async () => (await import('./printed.ts')).printed,
  pages: async () => (await import('./pages.ts')).pages,
  selfhost: async () => (await import('./selfhost.ts')).selfhost,
  answers: async () => (await import('./answers.ts')).answers,
  operator: async () => (await import('./operator.ts')).operator,
  console: async () => (await import('./console.ts')).consolePages,
  cluster: async () => (await import('./cluster.ts')).cluster,
  startup: async () => (await import('./startup.ts')).startup,
  cold: async () => (await import('./cold.ts')).cold,
}
/** Needs three times the size of its site on the disk, and up to half an hour. */
const ONLY_IF_NAMED = ['cold']

const USAGE = `usage: npm run bench -- [--only PART,…] [--rounds N] [--seconds N] [--against DIR] [--in-memory] [--gigabytes N]

  --only       one or more of ${Object.keys(PARTS).join(', ')};
               by default all but ${ONLY_IF_NAMED}
  --rounds     how often the contenders take turns, 1 to 99, by default 7
  --seconds    of one measurement under load, at most 60, by default 1.5
  --against    a checkout of the service with its dependencies installed: in http, its build is one more
               contender, served by the workerd of this one
  --in-memory  keeps the databases in ${MEMORY}: the disk's speed and its share of the CPU time are left out
  --gigabytes  the size of the site in cold, at most 100, by default 5`

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    rounds: { type: 'string', default: '7' },
    seconds: { type: 'string', default: '1.5' },
    against: { type: 'string' },
    'in-memory': { type: 'boolean', default: false },
    gigabytes: { type: 'string', default: '5' },
    help: { type: 'boolean', short: 'h', default: false },
  },
})
if (values.help) {
  console.log(USAGE)
  process.exit()
}
const [rounds, seconds] = [Number(values.rounds), Number(values.seconds)]
const gigabytes = Number(values.gigabytes)
const names = values.only?.split(',') ?? Object.keys(PARTS).filter((name) => !ONLY_IF_NAMED.includes(name))
if (
  !names.every((name) => name in PARTS) ||
  !(rounds >= 1 && rounds <= 99) ||
  !(seconds > 0 && seconds <= 60) ||
  !(gigabytes > 0 && gigabytes <= 100)
) {
  console.error(USAGE)
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

const figures: Partial<Figures> = {}
const faults: string[] = []
for (const name of names) {
  const part = await PARTS[name]?.()
  const own = join(directory, name)
  mkdirSync(own)
  const report = await part?.({ directory: own, ours, against, rounds, seconds, gigabytes })
  for (const table of report?.tables ?? []) console.log(table)
  Object.assign(figures, report?.figures)
  faults.push(...(report?.faults ?? []))
}

console.log(`\n${Math.round((performance.now() - started) / 1000)} s`)
if (faults.length > 0) {
  console.log(`invalid: ${faults.length} errors, the first of them: ${faults[0]}`)
  process.exitCode = 1
} else {
  const rounded = (_: string, value: unknown) =>
    typeof value === 'number' ? Number(value.toPrecision(4)) : value
  console.log(JSON.stringify(figures, rounded))
}

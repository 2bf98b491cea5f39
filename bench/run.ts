// npm run bench: what the service costs, beside its ceiling and its peers. The last line is one JSON object.
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import * as z from 'zod'
import { command } from '../bin/command.ts'
import { parseOptions } from '../bin/options.ts'
import { buildService } from '../bin/serve/build-service.ts'
import { buildCheckout } from './contenders.ts'
import { PARTS } from './parts.ts'
import { bin } from './production.ts'
import { type Entry, runBench } from './runner.ts'

/** A file system in memory, on Linux. */
const MEMORY = '/dev/shm'
/** Takes up to half an hour. */
const ONLY_IF_NAMED = ['cold']
const FULL = { rounds: 7, seconds: 1.5, gigabytes: 5 }
/** Each part runs once, and two at a time: their figures say nothing. */
const SMALLEST = { rounds: 1, seconds: 0.2, gigabytes: 0.01 }

const USAGE = `npm run bench -- [options]

  --only PART,…  some of ${Object.keys(PARTS).join(', ')};
                 by default all but ${ONLY_IF_NAMED}
  --rounds N     how often the contenders take turns, 1 to 99, by default ${FULL.rounds}
  --seconds N    of one measurement under load, at most 60, by default ${FULL.seconds}
  --against DIR  a checkout of the service with its dependencies installed: in http, its build is one more
                 contender, served by the workerd of this one
  --in-memory    keeps the databases in ${MEMORY}: the disk's speed and its share of the CPU time are left out
  --gigabytes N  the size of the site in cold, at most 100, by default ${FULL.gigabytes}; the disk must have three times as much
  --smallest     every part with the smallest numbers, to see whether it runs: the figures say nothing
  --help         this text

What a part needs is checked before the first one starts. A part that fails is named, and the others go on: the exit status is 1 then,
and the last line has the figures of the others.`

await command(USAGE, async () => {
  const text = { type: 'string' } as const
  const flag = { type: 'boolean', default: false } as const
  const { values } = parseOptions({
    options: {
      ...{ only: text, rounds: text, seconds: text, against: text, gigabytes: text },
      ...{ 'in-memory': flag, smallest: flag },
    },
  })
  const isSmallest = values.smallest
  const usual = isSmallest ? SMALLEST : FULL
  const setting = {
    rounds: numberOption('--rounds', values.rounds ?? usual.rounds, 1, 99),
    seconds: numberOption('--seconds', values.seconds ?? usual.seconds, 0.1, 60),
    gigabytes: numberOption('--gigabytes', values.gigabytes ?? usual.gigabytes, 0.001, 100),
    isSmallest,
  }
  const parts = partsOf(values.only?.split(','), isSmallest)
  if (values['in-memory'] && !existsSync(MEMORY)) throw new Error(`--in-memory needs ${MEMORY}`)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))

  process.exitCode = await runBench({
    parts,
    program: join(import.meta.dirname, 'part.ts'),
    parent: values['in-memory'] ? MEMORY : tmpdir(),
    setting,
    atOnce: isSmallest ? 2 : 1,
    minutes: isSmallest ? 3 : 60,
    async build(directory) {
      if (!existsSync(join(import.meta.dirname, 'node_modules/.package-lock.json'))) {
        console.log('installing the peers')
        execFileSync('npm', ['ci', '--prefix', import.meta.dirname], {
          stdio: ['ignore', 'ignore', 'inherit'],
        })
      }
      if (Object.values(parts).some(({ isBuilt }) => isBuilt))
        execFileSync(process.execPath, bin('serve/build'), { stdio: 'inherit' })
      const ours = join(directory, 'ours')
      await buildService(ours)
      if (values.against === undefined) return { ours }
      return { ours, against: await buildCheckout(values.against, join(directory, 'against')) }
    },
    about: {
      date: new Date().toISOString().slice(0, 10),
      cores: availableParallelism(),
      load: loadavg()[0],
      node: process.versions.node,
      workerd: workerdVersion(),
      ...setting,
      inMemory: values['in-memory'],
    },
  })
})

function workerdVersion(): string {
  const { version } = z
    .object({ version: z.string() })
    .parse(createRequire(import.meta.url)('workerd/package.json'))
  return version
}

/** @throws Error naming a part that does not exist */
function partsOf(only: readonly string[] | undefined, isSmallest: boolean): Record<string, Entry> {
  const unknown = only?.find((name) => !(name in PARTS))
  if (unknown !== undefined)
    throw new Error(`--only has ${unknown}, must be of ${Object.keys(PARTS).join(', ')}`)
  return Object.fromEntries(
    Object.entries(PARTS).filter(
      ([name]) => only?.includes(name) ?? (isSmallest || !ONLY_IF_NAMED.includes(name)),
    ),
  )
}

/** @throws RangeError naming the option and its rule */
function numberOption(name: string, value: string | number, least: number, most: number): number {
  const number = Number(value)
  if (!(number >= least && number <= most))
    throw new RangeError(`${name} is ${value}, must be a number from ${least} to ${most}`)
  return number
}

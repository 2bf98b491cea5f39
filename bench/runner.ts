// Runs parts of the bench: what they need is checked before the first one; one that fails does not end the others.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Part, Setting } from './figures.ts'
import { runPart } from './part-process.ts'

export interface Entry {
  load(): Promise<Part>
  /**
   * What it needs of the machine; each throws an Error that names what is missing.
   * @param directory of the whole run @param gigabytes of the site in `cold`
   */
  needs?: readonly ((directory: string, gigabytes: number) => void)[]
  /** Whether it needs what npm run build makes. */
  isBuilt?: boolean
}

export interface Bench {
  /** The parts that run. */
  parts: Record<string, Entry>
  /** The program of a part's process. */
  program: string
  /** In which the bench makes its own directory. */
  parent: string
  setting: Pick<Setting, 'rounds' | 'seconds' | 'gigabytes' | 'isSmallest'>
  /** How many parts run at a time; with more than one their figures say nothing. */
  atOnce: number
  /** After which a part has failed. */
  minutes: number
  /** Builds what the parts work with, in the directory. */
  build(directory: string): Promise<Pick<Setting, 'ours' | 'against'>>
  /** The circumstances, which stand before the figures. */
  about: Record<string, unknown>
}

/**
 * Runs the parts and prints their tables. The last line is one JSON object: `about`, the names of the parts that `failed`, and the
 * figures of all others.
 * @returns the exit status, 1 where a part failed
 * @throws Error of all that is missing, before anything is built
 */
export async function runBench({ parts, program, parent, setting, ...bench }: Bench): Promise<number> {
  const missing = missingFor(parts, parent, setting.gigabytes)
  if (missing.length > 0) throw new Error(missing.join('\n'))

  const started = performance.now()
  const directory = mkdtempSync(join(parent, 'fps-qr-bench-'))
  process.on('exit', () => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }))
  const builds = await bench.build(directory)

  const figures: Record<string, unknown> = {}
  const failed: string[] = []
  const run = async (name: string) => {
    const own = join(directory, name)
    mkdirSync(own)
    const from = performance.now()
    try {
      const whole = { ...setting, ...builds, directory: own }
      const report = await runPart(program, name, whole, bench.minutes)
      for (const table of report.tables) console.log(table)
      const [fault, ...others] = report.faults
      if (fault !== undefined)
        throw new Error(`${fault}${others.length > 0 ? `, and ${others.length} more` : ''}`)
      Object.assign(figures, report.figures)
      console.log(`\n${name}: ${Math.round((performance.now() - from) / 1000)} s`)
    } catch (error) {
      failed.push(name)
      console.log(`\n${name} failed: ${error instanceof Error ? error.message : error}`)
    }
    rmSync(own, { recursive: true, force: true, maxRetries: 5 })
  }
  const waiting = Object.keys(parts)
  const queue = async () => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) await run(name)
  }
  await Promise.all(Array.from({ length: bench.atOnce }, queue))

  const minutes = (performance.now() - started) / 60_000
  console.log(failed.length > 0 ? `\nfailed: ${failed.join(', ')}` : '')
  console.log(JSON.stringify({ about: { ...bench.about, minutes }, failed, ...figures }, rounded))
  return failed.length > 0 ? 1 : 0
}

/** One line for each part and need of it that is missing. */
function missingFor(parts: Record<string, Entry>, directory: string, gigabytes: number): string[] {
  return Object.entries(parts).flatMap(([name, { needs = [] }]) =>
    needs.flatMap((need) => {
      try {
        need(directory, gigabytes)
        return []
      } catch (error) {
        return [`${name} cannot run: ${error instanceof Error ? error.message : error}`]
      }
    }),
  )
}

const rounded = (_: string, value: unknown) =>
  typeof value === 'number' ? Number(value.toPrecision(4)) : value

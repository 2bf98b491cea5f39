// Runs the parts of the bench, one after the other: one that fails is named, and the others go on.
import { existsSync } from 'node:fs'
import type { Part, Report, Setting } from './figures.ts'

export interface NamedPart {
  /** It is loaded when it runs, because the peers may have to be installed first. */
  load: () => Promise<Part>
  /** Programs that it starts, as absolute paths. */
  needs?: readonly string[]
}

/** What a run has found: `faults` names each part that failed. */
export interface Run {
  figures: Report['figures']
  faults: string[]
}

/** @returns a line for each program that a part needs and this machine does not have */
export const missingFor = (parts: Readonly<Record<string, NamedPart>>): string[] =>
  Object.entries(parts).flatMap(([name, { needs = [] }]) =>
    needs.filter((path) => !existsSync(path)).map((path) => `the part ${name} needs ${path}`),
  )

/**
 * Runs each part and prints its tables. The figures of a part that fails are left out.
 * @param settingOf what a part works with, by its name
 */
export async function runParts(
  parts: Readonly<Record<string, NamedPart>>,
  settingOf: (name: string) => Setting,
  print: (line: string) => void,
): Promise<Run> {
  const run: Run = { figures: {}, faults: [] }
  for (const [name, { load }] of Object.entries(parts)) {
    const started = performance.now()
    try {
      const part = await load()
      const { tables, figures, faults } = await part(settingOf(name))
      for (const table of tables) print(table)
      const [first] = faults
      if (first === undefined) Object.assign(run.figures, figures)
      else run.faults.push(`${name}: ${faults.length} errors, the first of them: ${first}`)
    } catch (error) {
      run.faults.push(`${name}: ${error instanceof Error ? error.message : error}`)
    }
    print(`\n${name}: ${Math.round((performance.now() - started) / 1000)} s`)
  }
  return run
}

/** The last line of a run: the figures of all parts that ran, to four digits, and the parts that failed. */
export const lastLine = ({ figures, faults }: Run): string =>
  JSON.stringify({ ...figures, ...(faults.length > 0 && { failed: faults }) }, (_, value: unknown) =>
    typeof value === 'number' ? Number(value.toPrecision(4)) : value,
  )

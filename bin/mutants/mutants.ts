// npm run mutants: changes the sources in one place at a time, and says which changes no test notices.
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { command } from '../command.ts'
import { parseOptions } from '../options.ts'
import { type Mutant, mutantsOf, mutate } from './mutations.ts'
import { endAll, runToEnd } from './run-to-end.ts'
import { FOLDERS, testsOf } from './tests-of.ts'

const MINUTES = 15

const USAGE = `npm run mutants -- --count N --seed S [--in FOLDER,…] [--at FILE:LINE,…] [--named] [--sql]

Draws N changes of ${Object.keys(FOLDERS).join(', ')}: an operator, a condition, a literal, a statement, a
word of SQL. Makes each in this directory, checks the types, runs the tests that it concerns until one fails,
and restores the file. Prints those that no type and no test notices. The directory must have no uncommitted
changes below src and connector, and its tests must be green.

  --count N    how many
  --seed S     the same seed and sources: the same changes
  --in FOLDER  only of these
  --at PLACE   only of these places, each FILE:LINE as it is printed: to try again what survived
  --named      only the tests that are named like the file: in seconds, but others can notice what survives
  --sql        only changes of SQL
  --minutes N  how long one run of tests may take, by default ${MINUTES}: a change that makes it hang is noticed too
  --help       this text`

interface Drawn extends Mutant {
  folder: string
  path: string
}

await command(USAGE, async () => {
  const { values } = parseOptions({
    options: {
      ...{ count: { type: 'string' }, seed: { type: 'string' } },
      ...{ in: { type: 'string' }, at: { type: 'string' } },
      ...{
        named: { type: 'boolean' },
        sql: { type: 'boolean' },
        minutes: { type: 'string', default: `${MINUTES}` },
      },
    },
  })
  const minutes = wholeOf('minutes', values.minutes)
  const count = wholeOf('count', values.count)
  const random = randomOf(wholeOf('seed', values.seed))
  const folders = values.in?.split(',') ?? Object.keys(FOLDERS)
  const wrong = folders.find((folder) => !(folder in FOLDERS))
  if (wrong !== undefined) throw new Error(`--in has ${wrong}, must be of ${Object.keys(FOLDERS).join(', ')}`)
  const { stdout } = spawnSync('git', ['status', '--porcelain', 'src', 'connector'], { encoding: 'utf8' })
  if (stdout !== '') throw new Error(`there are uncommitted changes:\n${stdout}`)

  const places = values.at?.split(',')
  const all = folders.flatMap(mutantsIn).filter(({ path, line, isSql }) => {
    if (values.sql === true && !isSql) return false
    return places === undefined || places.includes(`${path}:${line}`)
  })
  for (const place of places ?? [])
    if (!all.some(({ path, line }) => `${path}:${line}` === place))
      throw new Error(`--at has ${place}, must be FILE:LINE of a change that is possible`)
  console.log(`${all.length} changes are possible`)
  const survivors: string[] = []
  let killed = 0
  for (let left = Math.min(count, all.length); left > 0; left--) {
    const [mutant] = all.splice(Math.floor(random() * all.length), 1)
    if (!mutant) break
    const { isKilled, line } = await tried(mutant, { isNamedOnly: values.named === true, minutes })
    console.log(line)
    if (isKilled) killed++
    else survivors.push(line)
  }
  console.log(`\n${killed} killed, ${survivors.length} survived`)
  for (const line of survivors) console.log(line)
  process.exitCode = survivors.length === 0 ? 0 : 1
})

function wholeOf(name: string, text: string | undefined): number {
  if (text === undefined || !/^\d{1,9}$/.test(text))
    throw new Error(`--${name} is ${text}, must be a whole number`)
  return Number(text)
}

/** mulberry32 */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

function mutantsIn(folder: string): Drawn[] {
  const sources = FOLDERS[folder]?.sources
  const paths = globSync(`${sources}/**/*.ts`, { exclude: ['**/node_modules/**'] }).toSorted()
  return paths.flatMap((path) =>
    mutantsOf(path, readFileSync(path, 'utf8')).map((mutant) => ({ ...mutant, folder, path })),
  )
}

interface Trial {
  isNamedOnly: boolean
  /** The time limit of one run of tests. */
  minutes: number
}

async function tried(mutant: Drawn, trial: Trial): Promise<{ isKilled: boolean; line: string }> {
  const { path, start, end, line, replacement } = mutant
  const source = readFileSync(path, 'utf8')
  const text = `${path}:${line}  ${oneLine(source.slice(start, end))}  →  ${replacement === ';' ? 'removed' : oneLine(replacement)}`
  const restore = () => writeFileSync(path, source)
  const stop = () => {
    restore()
    endAll()
    process.exit(130)
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  try {
    writeFileSync(path, mutate(source, mutant))
    const killer = await killerOf(mutant, trial)
    return {
      isKilled: killer !== undefined,
      line: `${killer ? 'killed  ' : 'SURVIVED'}  ${text}${killer ? `  by ${killer}` : ''}`,
    }
  } finally {
    restore()
    process.off('SIGINT', stop)
    process.off('SIGTERM', stop)
  }
}

/** The types, or the first test that fails; undefined where nothing notices the change. */
async function killerOf(
  { folder, path, isSql }: Drawn,
  { isNamedOnly, minutes }: Trial,
): Promise<string | undefined> {
  if (!isSql && (await runToEnd('tsc', typeCheckOf(folder), minutes)).status !== 0) return 'the types'
  const project = FOLDERS[folder]?.project ?? ''
  const [named, others] = testsOf(folder, path)
  for (const tests of isNamedOnly ? [named] : [named, others]) {
    if (tests.length === 0) continue
    const args = ['run', '--bail', '1', '--project', project, ...tests]
    const { status, output } = await runToEnd('vitest', args, minutes)
    if (status === undefined) return `a run that does not end in ${minutes} minutes`
    if (status !== 0) return /^ *FAIL +\S+ +(.+)$/m.exec(output)?.[1] ?? 'an error of the run'
  }
}

/** Only what a change concerns is checked: all other files are as in the run before. */
function typeCheckOf(folder: string): string[] {
  return ['-p', folder === 'connector' ? 'connector' : '.']
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').slice(0, 80)
}

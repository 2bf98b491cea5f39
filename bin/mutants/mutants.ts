// npm run mutants: changes the sources in one place at a time, and says which changes no test notices.
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { command } from '../command.ts'
import { parseOptions } from '../options.ts'
import { type Mutant, mutantsOf, mutate } from './mutations.ts'
import { FOLDERS, testsOf } from './tests-of.ts'

const USAGE = `npm run mutants -- --count N --seed S [--in FOLDER,…]

Draws N changes of ${Object.keys(FOLDERS).join(', ')}: an operator, a condition, a literal, a statement. Makes
each in this directory, runs the tests that it concerns until one fails, and restores the file. Prints those
that no test and no type notices. The directory must have no uncommitted changes below src and connector,
and its tests must be green.

  --count N    how many
  --seed S     the same seed and sources: the same changes
  --in FOLDER  only of these
  --help       this text`

interface Drawn extends Mutant {
  folder: string
  path: string
}

await command(USAGE, async () => {
  const { values } = parseOptions({
    options: { count: { type: 'string' }, seed: { type: 'string' }, in: { type: 'string' } },
  })
  const count = wholeOf('count', values.count)
  const random = randomOf(wholeOf('seed', values.seed))
  const folders = values.in?.split(',') ?? Object.keys(FOLDERS)
  const wrong = folders.find((folder) => !(folder in FOLDERS))
  if (wrong !== undefined) throw new Error(`--in has ${wrong}, must be of ${Object.keys(FOLDERS).join(', ')}`)
  const { stdout } = spawnSync('git', ['status', '--porcelain', 'src', 'connector'], { encoding: 'utf8' })
  if (stdout !== '') throw new Error(`there are uncommitted changes:\n${stdout}`)

  const all = folders.flatMap(mutantsIn)
  console.log(`${all.length} changes are possible`)
  const survivors: string[] = []
  let killed = 0
  for (let left = Math.min(count, all.length); left > 0; left--) {
    const [mutant] = all.splice(Math.floor(random() * all.length), 1)
    if (!mutant) break
    const { isKilled, line } = tried(mutant)
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

function tried(mutant: Drawn): { isKilled: boolean; line: string } {
  const { folder, path, start, end, line, replacement } = mutant
  const source = readFileSync(path, 'utf8')
  const text = `${path}:${line}  ${oneLine(source.slice(start, end))}  →  ${replacement === ';' ? 'removed' : oneLine(replacement)}`
  const restore = () => writeFileSync(path, source)
  const stop = () => {
    restore()
    process.exit(130)
  }
  process.once('SIGINT', stop)
  process.once('SIGTERM', stop)
  try {
    writeFileSync(path, mutate(source, mutant))
    const killer = killerOf(folder, path)
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

/** The first test that fails, or the types; undefined where nothing notices the change. */
function killerOf(folder: string, path: string): string | undefined {
  const project = FOLDERS[folder]?.project ?? ''
  for (const tests of testsOf(folder, path)) {
    if (tests.length === 0) continue
    const { status, stdout } = spawnSync('vitest', ['run', '--bail', '1', '--project', project, ...tests], {
      encoding: 'utf8',
      env: { ...process.env, NO_COLOR: '1' },
      maxBuffer: 2 ** 28,
    })
    if (status !== 0)
      return /^ *FAIL +(.+)$/m.exec(stdout)?.[1]?.replace(/^\S+ +/, '') ?? 'an error of the run'
  }
  const tsconfig = folder === 'connector' ? 'connector' : '.'
  return spawnSync('tsc', ['-p', tsconfig]).status === 0 ? undefined : 'the types'
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').slice(0, 80)
}

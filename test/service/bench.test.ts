// The runner of the bench: what is missing is said at first, and a part that fails does not end the others.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import * as z from 'zod'
import { fill } from '../../bench/fill.ts'
import { PARTS } from '../../bench/parts.ts'

function node(file: string, args: readonly string[], env: Record<string, string> = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--no-warnings', file, ...args], {
    encoding: 'utf8',
    env: { ...process.env, ...env },
    timeout: 100_000,
  })
  return { status, stdout, stderr }
}

const bench = (...parts: string[]) => node('test/fixtures/bench.ts', [parts.join()])
const lastLine = (stdout: string) =>
  z.record(z.string(), z.unknown()).parse(JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? ''))

it.each([
  ['throws', 'throws failed: Error: no such file'],
  ['throws-at-import', 'throws-at-import failed: Error: no such module'],
  ['throws-beside', 'throws-beside failed: its process ended with status 1'],
  ['faulty', 'faulty failed: a response 500, and 1 more'],
  ['hangs', 'hangs failed: it did not end within 0.02 minutes'],
])('a part that %s is named, the others run, and the last line has their figures', (name, line) => {
  const { status, stdout } = bench('first', name, 'last')
  expect(stdout).toContain(`\n${line}`)
  const { about, ...figures } = lastLine(stdout)
  expect(about).toMatchObject({ date: '2026-11-28' })
  expect(figures).toEqual({ failed: [name], startup_ms: 1, restart_ms: 314.2 })
  expect(status).toBe(1)
})

it('without a failure the status is 0', () => {
  const { status, stdout } = bench('first', 'last')
  expect(stdout).toContain('the table of 1\n')
  expect(lastLine(stdout)).toMatchObject({ failed: [], startup_ms: 1, restart_ms: 314.2 })
  expect(status).toBe(0)
})

it('what a part needs is checked before anything is built', () =>
  expect(bench('first', 'needy')).toEqual({
    status: 1,
    stdout: '',
    stderr: 'needy cannot run: haproxy is missing\n',
  }))

it.each([
  [
    ['--only', 'startup,pages'],
    { CHROMIUM: '/none' },
    'pages cannot run: CHROMIUM is /none, must be a browser: apt-get install chromium-headless-shell',
  ],
  [
    ['--only', 'startup,cold', '--gigabytes', '100'],
    { TMPDIR: '/proc' },
    'cold cannot run: /proc has 0.0 GB free, must have 300',
  ],
  [['--only', 'startup,nothing'], {}, `--only has nothing, must be of ${Object.keys(PARTS).join(', ')}`],
  [['--rounds', '0'], {}, '--rounds is 0, must be a number from 1 to 99'],
])('npm run bench -- %j with %j ends at once: %s', (args, env, message) =>
  expect(node('bench/run.ts', args, env)).toEqual({ status: 1, stdout: '', stderr: `${message}\n` }),
)

it.each([
  ['| a create | 0.35 | at least 0.55 | `a` |', { a: 0.4 }, '| a create | 0.400 | at least 0.55 | `a` |'],
  [
    '| 100 sites | 3,423 | 8 |   – | `a.b` |',
    { a: { b: { x: 12345.6, y: null, z: 7 } } },
    '| 100 sites | 12,346 | – |   7 | `a.b` |',
  ],
  [
    '| first, median | 64, 241 ms | `a` |',
    { a: { first: 1, median: 23.45 } },
    '| first, median | 1, 23.4 ms | `a` |',
  ],
  ['| encode | × 2.4 | `a.lean-qr` |', { a: { 'lean-qr': 31.08 } }, '| encode | × 31.1 | `a.lean-qr` |'],
  ['| a create | 0.35 | `b` |', { a: 0.4 }, '| a create | 0.35 | `b` |'],
  ['| `a` | 0.35 |', { a: 0.4 }, '| `a` | 0.35 |'],
])('the row %s with the figures %j becomes %s', (row, figures, filled) =>
  expect(fill(`text 1\n${row}\ntext 2`, figures)).toBe(`text 1\n${filled}\ntext 2`),
)

const performancePage = readFileSync('docs/performance.md', 'utf8')
const documents = ['scale', 'self-hosting', 'cluster']
  .map((name) => readFileSync(`docs/${name}.md`, 'utf8'))
  .concat(performancePage)
  .join('\n')
const commanded = Array.from(documents.matchAll(/bench -- --only ([\w-]+)/g), ([, name]) => name)

it.each(Object.keys(PARTS))('a document names the command of the part %s', (name) =>
  expect(commanded).toContain(name),
)

/** The names of figures in the last cells of its tables, without what follows a dot. */
const named = new Set(
  Array.from(performancePage.matchAll(/^\|.*\| `([a-z_]+)(?:\.[\w-]+)?` *\|$/gm), ([, name]) => name),
)
const interfaceOfFigures = readFileSync('bench/figures.ts', 'utf8')

it.each([...named])('the bench has the figure %s, which a table names', (name) =>
  expect(interfaceOfFigures).toMatch(new RegExp(`^ {2}${name}: `, 'm')),
)

it('tables name figures', () => expect(named.size).toBeGreaterThan(20))

// The runner of the bench: what is missing is said at first, and a part that fails does not end the others.
import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import * as z from 'zod'
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

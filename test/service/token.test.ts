// npm run token: its usage, and what ends it.
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

describe('npm run token', () => {
  const token = (...options: string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, ['bin/token.ts', ...options])
    return { status, output: `${stdout}`, error: `${stderr}` }
  }

  it('--help is its usage', () => {
    expect(token('--help')).toEqual({
      status: 0,
      output: expect.stringMatching(/^npm run -s token -- <siteId> \[options\]\n/),
      error: '',
    })
  })

  it.each([
    [[], 'exactly one siteId is required, as in npm run -s token -- demo\n'],
    [['demo', '30'], 'exactly one siteId is required, as in npm run -s token -- demo\n'],
    [['demo', '--dais', '3'], '--dais is unknown, did you mean --days\n'],
  ])('%j ends and says why', (options, error) => {
    expect(token(...options)).toEqual({ status: 1, output: '', error })
  })
})

it('each key that the README and the guides make has a label, so that the console names it', () => {
  const documents = globSync([
    'README*.md',
    'client/README.md',
    'examples/*/README.md',
    'docs/guides/**/*.md',
  ])
  const commands = documents.flatMap(
    (file) => readFileSync(file, 'utf8').match(/npm run -s token -- [\w'*][^)`\n]*/g) ?? [],
  )
  expect(commands.length).toBeGreaterThan(10)
  expect(commands.filter((each) => !each.includes(' --label '))).toEqual([])
})

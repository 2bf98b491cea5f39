// npm run token: its usage, and what ends it.
import { spawnSync } from 'node:child_process'
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

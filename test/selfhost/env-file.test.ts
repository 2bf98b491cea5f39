// The commands that take --env-file read that file themselves: without `--` before the command Node reads it, and ends with 9 where there is none.
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryDirectory } from '../support/serve.ts'

const BANKS = { cafe: { bank: 'tbank', terminalKey: 'x', password: { file: '/nowhere' } } }
const SITES = { tea: { token: { file: '/nowhere' }, bank: 'cafe' } }

it.each([
  ['token', 1, ['demo']],
  ['console-link', 1, ['demo', '--url', 'http://127.0.0.1:9']],
  ['settlement', 2, ['CONFIG', '--bank', 'cafe', '--config', 'CONFIG']],
])('npm run %s ends with %i where the --env-file is not there, and names it', (name, status, options) => {
  const directory = temporaryDirectory()
  const config = join(directory, 'connector.json')
  writeFileSync(config, JSON.stringify({ service: 'http://127.0.0.1:9', banks: BANKS, sites: SITES }))
  const missing = join(directory, 'nothing')
  const given = options.map((option) => (option === 'CONFIG' ? config : option))
  const done = spawnSync('npm', ['run', '-s', name, '--', ...given, '--env-file', missing], {
    env: { ...process.env, TOKEN_SECRET: '' },
    encoding: 'utf8',
  })
  expect([done.status, done.stdout, done.stderr]).toEqual([
    status,
    '',
    `--env-file is ${missing}, cannot be read: no such file or directory\n`,
  ])
})

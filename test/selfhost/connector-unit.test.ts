// The connector's unit finds its files where docs/banks.md puts them, and its user can read what it reads itself.
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryDirectory } from '../support/serve.ts'

/** The first match of a pattern's group in a file. */
function found(file: string, pattern: RegExp): string {
  const [, text] = pattern.exec(readFileSync(file, 'utf8')) ?? []
  if (text === undefined) throw new Error(`${file} has no ${pattern}`)
  return text
}

// Only root can become another user.
it.runIf(process.getuid?.() === 0)('the steps of docs/banks.md fit the unit and its user', () => {
  const root = temporaryDirectory()
  chmodSync(root, 0o755)
  mkdirSync(join(root, 'deploy'))
  writeFileSync(join(root, 'deploy/fps-connector.service'), '')
  writeFileSync(join(root, 'connector.json'), '{}')
  writeFileSync(join(root, 'connector.env'), "SECRET='s'\n")
  mkdirSync(join(root, 'etc/systemd/system'), { recursive: true })
  // As self-hosting.md makes it.
  mkdirSync(join(root, 'etc/fps-qr'), { mode: 0o700 })
  const steps = found('docs/banks.md', /```sh\n([^`]*fps-connector\.service[^`]*)```/)
    .split('\n')
    .filter((line) => !/^ *(adduser|useradd|systemctl) /.test(line))
    .join('\n')
    .replaceAll('/etc/', `${root}/etc/`)
  const done = spawnSync('sh', ['-euc', steps], { cwd: root })
  expect([done.status, `${done.stderr}`]).toEqual([0, ''])

  const unit = 'deploy/fps-connector.service'
  const [config, env] = [found(unit, /--config (\S+)/), found(unit, /^EnvironmentFile=-(\S+)/m)]
  const user = ['--reuid=65534', '--regid=65534', '--clear-groups']
  const readAs = (file: string) => spawnSync('setpriv', [...user, 'cat', root + file])
  expect([readAs(config).status, `${readAs(config).stderr}`]).toEqual([0, ''])
  expect(readFileSync(root + env, 'utf8')).toBe("SECRET='s'\n")
  expect(readAs(env).status).toBe(1)
})

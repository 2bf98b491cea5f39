// The nightly backups: what their units run, with the real command of a release, and the hook of the documentation.
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeEach, expect, it } from 'vitest'
import { bundleCommands } from '../../bin/release/commands.ts'
import { workerdBinary } from '../../bin/serve/workerd-binary.ts'
import { openDatabase } from '../../connector/disk/database.ts'
import { Disk } from '../../connector/disk/disk.ts'
import { requires } from '../support/requires.ts'
import { siteOf, started, temporaryDirectory } from '../support/serve.ts'

const hasAge = requires('age', spawnSync('age', ['--version']).status === 0)
const hasSqlite = requires('sqlite3', spawnSync('sqlite3', ['--version']).status === 0)

/** The root of a machine with a release, as the units see it. */
let root: string
beforeEach(async () => {
  root = temporaryDirectory()
  const release = join(root, 'opt/fps-qr')
  await bundleCommands(join(release, 'lib/commands'), 'test')
  cpSync('deploy', join(release, 'deploy'), { recursive: true })
  cpSync('deploy/fps-qr', join(release, 'fps-qr'))
  mkdirSync(join(release, 'runtime'))
  symlinkSync(process.execPath, join(release, 'runtime/node'))
  symlinkSync(workerdBinary(), join(release, 'runtime/workerd'))
  writeFileSync(join(release, 'package.json'), '{"type":"module"}')
  for (const directory of ['etc/fps-qr', 'etc/fps-connector', 'var/lib', 'var/backups', 'bin'])
    mkdirSync(join(root, directory), { recursive: true })
})

/** Runs a unit as systemd does, but for its user, until a command fails. */
function runUnit(name: string, settings: Record<string, string> = {}) {
  const unit = readFileSync(`deploy/${name}`, 'utf8')
  const commands = ['ExecStartPre', 'ExecStart', 'ExecStartPost'].map((kind) => {
    const command = new RegExp(`^${kind}=\\+?(.+)$`, 'm').exec(unit)?.[1] ?? ''
    return command
      .replaceAll('$$', () => '$')
      .replace(/-o [\w-]+ /, '')
      .replaceAll(/\/(opt|etc|var)\//g, (path) => root + path)
  })
  // The programs of the operator's hook, such as ssh, can be the test's.
  const PATH = `${join(root, 'bin')}:/usr/bin:/bin`
  const { status, stdout, stderr } = spawnSync('sh', ['-euc', commands.join('\n')], {
    encoding: 'utf8',
    env: { ...process.env, PATH, ...settings },
  })
  return { status, output: stdout + stderr }
}

/** The hook of a page of the documentation, for the directories of the test. `ssh HOST COMMAND` runs the command in the directory away. */
function installHook(page: string, program: string): string {
  const [hook] = Array.from(
    readFileSync(page, 'utf8').matchAll(/```sh\n(#!\/bin\/sh\n[^`]*age -R[^`]*)```/g),
    ([, text]) => text,
  )
  if (hook === undefined) throw new Error(`${page} has no hook`)
  const file = join(root, 'etc', program, 'after-backup')
  writeFileSync(file, hook.replaceAll('/etc/', `${root}/etc/`))
  chmodSync(file, 0o755)
  const key = join(root, 'backup.key')
  const made = spawnSync('age-keygen', ['-o', key], { encoding: 'utf8' })
  expect(made.status).toBe(0)
  writeFileSync(join(root, 'etc', program, 'backup.pub'), spawnSync('age-keygen', ['-y', key]).stdout)
  mkdirSync(join(root, 'away'))
  writeFileSync(join(root, 'bin/ssh'), `#!/bin/sh\ncd ${root}/away && exec sh -c "$2"\n`)
  chmodSync(join(root, 'bin/ssh'), 0o755)
  return key
}

/** Decrypts what was sent away. @returns the directory with its files */
function received(key: string): string {
  const [file = '', ...others] = readdirSync(join(root, 'away'))
  expect(others).toEqual([])
  const opened = join(root, 'opened')
  mkdirSync(opened)
  expect(readFileSync(join(root, 'away', file)).toString('latin1')).toMatch(/^age-encryption\.org\/v1\n/)
  const script = 'age -d -i "$1" "$2" | tar -xz -C "$3"'
  expect(spawnSync('sh', ['-euc', script, 'sh', key, join(root, 'away', file), opened]).status).toBe(0)
  return opened
}

it.runIf(hasAge)(
  'that of the service is checked, told to the service, encrypted and sent away, and can be restored',
  async () => {
    const data = join(root, 'var/lib/fps-qr')
    const served = await started(data)
    await siteOf(served).create('order-4711')
    const key = installHook('docs/self-hosting.md', 'fps-qr')
    const { status, output } = runUnit('fps-qr-backup.service', { ADMIN_PORT: new URL(served.admin).port })
    expect([status, output]).toEqual([0, expect.stringContaining('sites: 1, with problems: 0\n')])
    await expect
      .poll(async () => (await fetch(`${served.admin}/metrics`)).text())
      .toMatch(/^fps_qr_last_backup_time_seconds [1-9]/m)
    const backups = join(root, 'var/backups/fps-qr')
    expect(realpathSync(join(backups, 'latest'))).toMatch(/\/\d{4}-\d\d-\d\dT\d{6}Z$/)
    await served.stop()
    const restored = join(root, 'restored')
    const fpsQr = (...args: string[]) =>
      spawnSync(join(root, 'opt/fps-qr/fps-qr'), args, { encoding: 'utf8' })
    const restore = fpsQr('restore', '--from', received(key), '--data', restored, '--audit-of-backup')
    expect([restore.status, restore.stderr]).toEqual([0, ''])
    const verify = fpsQr('verify', '--data', restored)
    expect([verify.status, verify.stdout]).toEqual([
      0,
      expect.stringContaining('sites: 1, with problems: 0\n'),
    ])
  },
)

it('a hook that fails fails the unit, and the backup stays', async () => {
  const served = await started(join(root, 'var/lib/fps-qr'))
  await siteOf(served).create('a')
  const hook = join(root, 'etc/fps-qr/after-backup')
  writeFileSync(hook, '#!/bin/sh\necho "$1 could not be sent" >&2\nexit 7\n')
  chmodSync(hook, 0o755)
  const { status, output } = runUnit('fps-qr-backup.service', { ADMIN_PORT: new URL(served.admin).port })
  expect([status, output]).toEqual([7, expect.stringContaining('could not be sent\n')])
  expect(readdirSync(join(root, 'var/backups/fps-qr/latest'))).toContain('backup.json')
})

it.runIf(hasAge && hasSqlite)(
  'that of the connector is taken while it writes, is checked, encrypted and sent away',
  () => {
    const data = join(root, 'var/lib/fps-connector')
    const disk = new Disk(openDatabase(data, 0))
    const before = join(root, 'var/backups/fps-connector/2026-01-01T030000Z')
    mkdirSync(before, { recursive: true })
    utimesSync(before, 0, 0)
    mkdirSync(join(root, 'var/backups/fps-connector/mine'))
    utimesSync(join(root, 'var/backups/fps-connector/mine'), 0, 0)
    // On disk, and in the log of SQLite alone.
    disk.reports.put({ site: 'tea', path: 'a', body: { status: 'COMPLETED' } }, 1)
    const key = installHook('docs/banks.md', 'fps-connector')
    expect(runUnit('fps-connector-backup.service')).toEqual({ status: 0, output: '' })
    disk.close()
    const names = readdirSync(join(root, 'var/backups/fps-connector'))
    expect(names).toEqual([expect.stringMatching(/^\d{4}-\d\d-\d\dT\d{6}Z$/), 'latest', 'mine'])
    expect(names).not.toContain('2026-01-01T030000Z')
    const copy = new DatabaseSync(join(received(key), 'connector.sqlite'))
    expect(copy.prepare('SELECT site, path FROM reports').all()).toEqual([
      { site: 'tea', path: '/network/v1/sites/tea/a' },
    ])
    copy.close()
  },
)

it.runIf(hasSqlite)(
  'a backup of the connector that cannot be taken or is damaged fails, and leaves the others',
  () => {
    const data = join(root, 'var/lib/fps-connector')
    const backups = join(root, 'var/backups/fps-connector')
    expect(runUnit('fps-connector-backup.service')).toEqual({
      status: 1,
      output: `${data} is not the directory of a connector that has run\n`,
    })
    openDatabase(data, 0).close()
    expect(runUnit('fps-connector-backup.service').status).toBe(0)
    const [good] = readdirSync(backups)
    const file = join(data, 'connector.sqlite')
    const content = readFileSync(file)
    // The pages behind the first ones, which have the schema.
    content.fill(0xff, content.length - 4096 * 4)
    writeFileSync(file, content)
    expect(runUnit('fps-connector-backup.service').status).not.toBe(0)
    expect(readdirSync(backups).filter((name) => name !== '.part')).toEqual([good, 'latest'])
    expect(realpathSync(join(backups, 'latest'))).toBe(resolve(backups, good ?? ''))
  },
)

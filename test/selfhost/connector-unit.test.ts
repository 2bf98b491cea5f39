// The connector's unit: systemd takes it, it finds its files where docs/banks.md puts them, and it reloads as it says.
import { spawnSync } from 'node:child_process'
import { chmodSync, copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { mintToken } from '../../bin/mint-token.ts'
import { bankDeployment } from '../support/bank-deployment.ts'
import { requires } from '../support/requires.ts'
import { SECRET } from '../support/secret.ts'
import { temporaryDirectory } from '../support/serve.ts'

const ROOT = join(import.meta.dirname, '../..')
const UNIT = 'deploy/fps-connector.service'
const UNITS = readdirSync('deploy').filter((name) => /^fps-connector.*\.(service|socket|timer)$/.test(name))
const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0

/** The first match of a pattern's group in a file. */
function found(file: string, pattern: RegExp): string {
  const [, text] = pattern.exec(readFileSync(file, 'utf8')) ?? []
  if (text === undefined) throw new Error(`${file} has no ${pattern}`)
  return text
}

// Only root can become another user.
it.runIf(requires('root', process.getuid?.() === 0))(
  'the steps of docs/banks.md fit the unit and its user',
  () => {
    const root = temporaryDirectory()
    chmodSync(root, 0o755)
    mkdirSync(join(root, 'deploy'))
    for (const unit of UNITS) writeFileSync(join(root, 'deploy', unit), '')
    writeFileSync(join(root, 'connector.json'), '{}')
    writeFileSync(join(root, 'connector.env'), "SECRET='s'\n")
    mkdirSync(join(root, 'etc/systemd/system'), { recursive: true })
    // As self-hosting.md makes it.
    mkdirSync(join(root, 'etc/fps-qr'), { mode: 0o700 })
    const steps = found('docs/banks.md', /```sh\n([^`]*useradd [^`]*)```/)
      .split('\n')
      .filter((line) => !/^ *(adduser|useradd|systemctl) /.test(line))
      .join('\n')
      .replaceAll('/etc/', `${root}/etc/`)
      .replaceAll('/opt/fps-qr/', `${root}/`)
    const done = spawnSync('sh', ['-euc', steps], { cwd: root })
    expect([done.status, `${done.stderr}`]).toEqual([0, ''])
    expect(readdirSync(join(root, 'etc/systemd/system'))).toEqual(UNITS)

    const [config, env] = [found(UNIT, /--config (\S+)/), found(UNIT, /^EnvironmentFile=-(\S+)/m)]
    const user = ['--reuid=65534', '--regid=65534', '--clear-groups']
    const readAs = (file: string) => spawnSync('setpriv', [...user, 'cat', root + file])
    expect([readAs(config).status, `${readAs(config).stderr}`]).toEqual([0, ''])
    expect(readFileSync(root + env, 'utf8')).toBe("SECRET='s'\n")
    expect(readAs(env).status).toBe(1)
  },
)

it.runIf(requires('systemd-analyze', hasSystemd))(
  'systemd finds the unit valid, and each program of it in the checkout',
  () => {
    const units = temporaryDirectory()
    const [unit, socket] = [join(units, 'fps-connector.service'), join(units, 'fps-connector.socket')]
    copyFileSync('deploy/fps-connector.socket', socket)
    const verify = (text: string) => {
      writeFileSync(unit, text.replaceAll('/opt/fps-qr/fps-qr', join(ROOT, 'deploy/fps-qr')))
      const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', unit, socket])
      return { status, said: `${stdout}${stderr}` }
    }
    const text = readFileSync(UNIT, 'utf8')
    expect(verify(text)).toEqual({ status: 0, said: '' })
    for (const name of ['ExecStart', 'ExecReload'])
      expect(verify(text.replace(`${name}=/`, `${name}=/missing/`)).status).toBe(1)
  },
)

it('systemctl reload, as the unit runs it, puts the file in force, or fails with its faults and changes nothing', async () => {
  const { directory, connector, config, siteConfig, merchant } = await bankDeployment({
    sites: { cafe: 'tbank-cafe' },
  })
  /** What systemd runs: no shell, in the unit's directory, without what the connector had in its environment. */
  const reload = () => {
    const [program = '', ...args] = found(UNIT, /^ExecReload=(.+)$/m)
      .replace(
        '/opt/fps-qr/fps-qr',
        `${process.execPath} --disable-warning=ExperimentalWarning connector/main.ts`,
      )
      .replaceAll('/var/lib/fps-connector', connector.data)
      .split(' ')
    const { status, stdout, stderr } = spawnSync('env', ['-i', program, ...args], { cwd: ROOT })
    return { status, lines: `${stdout}${stderr}`.trimEnd().split('\n') }
  }
  const sites = (more: object) =>
    writeFileSync(
      join(directory, 'connector.json'),
      JSON.stringify({ ...config, sites: { ...config.sites, ...more } }),
    )
  expect((await merchant('bar').create('before')).status).toBe(503)

  const file = join(directory, 'bar.token')
  writeFileSync(file, await mintToken(SECRET, { siteId: 'bar', scope: 'network', days: 30 }))
  const bar = { ...siteConfig('bar', 'tbank-cafe'), token: { file } }
  sites({ bar })
  expect(reload()).toEqual({ status: 0, lines: ['the configuration is in force'] })
  await merchant('bar').make('after')

  sites({ bar: { ...bar, token: { file: `${file}.missing` } } })
  expect(reload()).toEqual({
    status: 1,
    lines: [expect.stringMatching(/^sites\.bar\.token: the file cannot be read: ENOENT/)],
  })
  for (const siteId of ['bar', 'cafe']) await merchant(siteId).make('last')
})

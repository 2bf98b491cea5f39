// npm run release: writes the archives that an operator installs (docs/self-hosting.md). Two builds of one commit are equal.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import connectorJson from '../../connector/package.json' with { type: 'json' }
import packageJson from '../../package.json' with { type: 'json' }
import { command } from '../command.ts'
import { parseOptions } from '../options.ts'
import { commitOf, identityOf } from '../serve/build-identity.ts'
import { MODULES } from '../serve/build-service.ts'
import { bundle } from '../serve/bundle.ts'
import { DISTRIBUTION } from '../serve/distribution.ts'
import { bundleCommands, renameInWorker } from './commands.ts'
import { copyLicenses, packagesOf, packagesOfDocs, writeBom } from './contents.ts'
import { debianName, makeDebian } from './debian.ts'
import { PLATFORMS, type Platform, runtimesOf, unpackRuntime } from './runtimes.ts'

const root = join(import.meta.dirname, '../..')

const USAGE = `npm run release -- [options]

Writes fps-qr-VERSION-PLATFORM.tar.gz and SHA256SUMS. The checkout must be a commit, and CHANGELOG.md must have its version.

  --platform NAME   ${PLATFORMS.join(' or ')}, by default both
  --debian          a package of Debian too, fps-qr_VERSION_ARCHITECTURE.deb, by dpkg-deb
  --to DIR          by default dist/release
  --help            this text

With MINISIGN_KEY, the file of a secret key of minisign without a password, SHA256SUMS is signed too.`

await command(USAGE, async () => {
  const { values } = parseOptions({
    options: {
      platform: { type: 'string' },
      debian: { type: 'boolean', default: false },
      to: { type: 'string', default: join(root, 'dist/release') },
    },
  })
  const platforms = PLATFORMS.filter((each) => values.platform === undefined || values.platform === each)
  if (platforms.length === 0) {
    throw new Error(`--platform is ${values.platform}, must be ${PLATFORMS.join(' or ')}`)
  }
  const commit = releasable()
  const to = resolve(values.to)
  mkdirSync(to, { recursive: true })
  execFileSync('npm', ['run', '-s', 'build'], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] })
  if (identityOf(DISTRIBUTION).commit !== commit) throw new Error('the checkout changed during the build')
  const work = mkdtempSync(join(root, 'node_modules/.cache/release-'))
  try {
    const common = join(work, 'common')
    const files = await makeCommon(common, commit)
    for (const platform of platforms) {
      const release = makeRelease(work, common, files, platform)
      pack(release, to)
      if (values.debian) {
        const made = { version: packageJson.version, platform, time: timeOfCommit() }
        makeDebian(release, mkdtempSync(join(work, 'debian')), join(to, debianName(made)), made)
      }
    }
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
  const { version } = packageJson
  const names = platforms.flatMap((platform) => [
    `${nameOf(platform)}.tar.gz`,
    ...(values.debian ? [debianName({ version, platform })] : []),
  ])
  const sums = names.map((name) => `${sha256(join(to, name))}  ${name}\n`).join('')
  writeFileSync(join(to, 'SHA256SUMS'), sums)
  const key = process.env.MINISIGN_KEY
  if (key !== undefined) {
    const file = join(to, 'SHA256SUMS')
    execFileSync('minisign', ['-S', '-W', '-s', key, '-m', file, '-t', `fps-qr ${packageJson.version}`])
  }
  for (const name of names) console.log(join(to, name))
})

function nameOf(platform: Platform): string {
  return `fps-qr-${packageJson.version}-${platform}`
}

/** The commit of the checkout. @throws Error where that is not what a release can be made of */
function releasable(): string {
  const { version } = packageJson
  const commit = commitOf(root)
  if (commit === 'unknown') throw new Error('this is no checkout of git, a release names its commit')
  // What is not in git would be in the archive too: public/, docs/ and deploy/ are copied as they are.
  const others = execFileSync('git', ['-C', root, 'status', '--porcelain'], { encoding: 'utf8' })
  if (others !== '') throw new Error('the checkout has changes: commit them first')
  const entry = `## [${version}] - `
  if (!readFileSync(join(root, 'CHANGELOG.md'), 'utf8').includes(`\n${entry}`)) {
    throw new Error(`CHANGELOG.md has no entry ${entry}DATE`)
  }
  if (connectorJson.version !== version) {
    throw new Error(`connector/package.json has version ${connectorJson.version}, must be ${version}`)
  }
  return commit
}

/** Makes what is the same on all platforms. @returns the files of others that are in it, relative to the checkout */
async function makeCommon(directory: string, commit: string): Promise<string[]> {
  const commands = await bundleCommands(join(directory, 'lib/commands'), commit)
  const { inputs } = await bundle(join(directory, 'worker'))
  // The bundle was only made for the names of its files.
  rmSync(join(directory, 'worker'), { recursive: true })
  // The commands look for the service and for the lock where a checkout has them.
  cpSync(realpathSync(DISTRIBUTION), join(directory, 'dist/fps-qr'), { recursive: true })
  renameInWorker(join(directory, 'dist/fps-qr', MODULES))
  cpSync(join(root, 'deploy'), join(directory, 'deploy'), { recursive: true })
  cpSync(join(root, 'docs'), join(directory, 'docs'), { recursive: true })
  for (const file of ['LICENSE', 'CHANGELOG.md']) copyFileSync(join(root, file), join(directory, file))
  renameSync(join(directory, 'deploy/fps-qr'), join(directory, 'fps-qr'))
  writeFileSync(join(directory, 'VERSION'), `fps-qr ${packageJson.version} (${commit})\n`)
  return [...commands, ...inputs]
}

/** Adds what is of one platform. @returns the directory */
function makeRelease(work: string, common: string, files: readonly string[], platform: Platform) {
  const directory = join(work, nameOf(platform))
  cpSync(common, directory, { recursive: true })
  const packages = packagesOf(files)
  const runtimes = runtimesOf(platform)
  const licenses = join(directory, 'licenses')
  copyLicenses([...packages, ...packagesOfDocs()], licenses)
  // The text of Apache-2.0: the package of workerd has none.
  copyFileSync(join(root, 'node_modules/typescript/LICENSE'), join(licenses, 'workerd'))
  writeBom(join(directory, 'sbom.cdx.json'), packages, runtimes)
  mkdirSync(join(directory, 'runtime'))
  for (const runtime of runtimes) {
    const { name } = runtime
    const unpacked = mkdtempSync(join(work, name))
    unpackRuntime(runtime, name === 'node' ? ['bin/node', 'LICENSE'] : ['bin/workerd'], unpacked)
    renameSync(join(unpacked, 'package/bin', name), join(directory, 'runtime', name))
    if (name === 'node') renameSync(join(unpacked, 'package/LICENSE'), join(licenses, name))
  }
  return directory
}

/** In Unix seconds: that of all files of a release. */
function timeOfCommit(): string {
  return execFileSync('git', ['-C', root, 'log', '-1', '--format=%ct'], { encoding: 'utf8' }).trim()
}

/** Packs a directory: the order, the times, the owners and the modes of its files do not depend on the machine. */
function pack(directory: string, to: string): void {
  const script = `tar --create --directory="$1" --format=gnu --sort=name --mtime=@${timeOfCommit()} --owner=0 --group=0 --numeric-owner \
    --mode=u=rwX,go=rX "$2" | gzip --no-name >"$3.part" && mv "$3.part" "$3"`
  const name = directory.slice(directory.lastIndexOf('/') + 1)
  const archive = join(to, `${name}.tar.gz`)
  // Debian's bash can read ~/.bashrc where standard input is a socket, which Node makes of a pipe.
  const options = ['--norc', '-euo', 'pipefail', '-c']
  execFileSync('bash', [...options, script, 'pack', join(directory, '..'), name, archive])
}

function sha256(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex')
}

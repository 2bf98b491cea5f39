// The programs that a release brings along, Node and workerd, as npm has them, checked against hashes that are kept here.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'

const root = join(import.meta.dirname, '../..')
const cache = join(root, 'node_modules/.cache/runtimes')

export const PLATFORMS = ['linux-x64', 'linux-arm64'] as const
export type Platform = (typeof PLATFORMS)[number]

/** Node's packages, each with its `dist.integrity`. No lock file has them: the package `node` installs the one of its machine by a script. */
const NODE = {
  version: '22.23.3',
  integrity: {
    'linux-x64':
      'sha512-qHnz5tFsHoj/WM+uRENVjWONi5hVvmwrgq8A4V76KpuVNAc4+jwK8x4gwbobE9BtHNg/AKR2583eYorLF/c7ng==',
    'linux-arm64':
      'sha512-l3DAHZreylo+p9QXDtsOrjG2JXJqVzYXnAGmIQNOUNARcMppTO2cmewVQP+36tjJnSE+dzpMNtgW+c3oiDvXtA==',
  },
}
const WORKERD = {
  'linux-x64': '@cloudflare/workerd-linux-64',
  'linux-arm64': '@cloudflare/workerd-linux-arm64',
}

const Lock = z.object({
  packages: z.record(z.string(), z.object({ version: z.string(), integrity: z.string() }).partial()),
})

export interface Runtime {
  name: 'node' | 'workerd'
  /** The package of npm, and its hash as npm writes it: `sha512-…`. */
  package: string
  version: string
  integrity: string
  license: string
}

/** What a release for a platform brings along. @throws Error where the lock file lacks workerd */
export function runtimesOf(platform: Platform): Runtime[] {
  const { packages } = Lock.parse(JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')))
  const name = WORKERD[platform]
  const { version, integrity } = packages[`node_modules/${name}`] ?? {}
  if (version === undefined || integrity === undefined) throw new Error(`package-lock.json lacks ${name}`)
  const { version: nodeVersion, integrity: hashes } = NODE
  return [
    {
      name: 'node',
      package: `node-${platform}`,
      version: nodeVersion,
      integrity: hashes[platform],
      license: 'MIT',
    },
    { name: 'workerd', package: name, version, integrity, license: 'Apache-2.0' },
  ]
}

/**
 * Unpacks files of a package into a directory: they are below `package/`, as in the archive.
 * @throws Error where the archive has another hash
 */
export function unpackRuntime(runtime: Runtime, files: readonly string[], directory: string): void {
  const archive = join(
    cache,
    `${runtime.package.replace('@', '').replaceAll('/', '-')}-${runtime.version}.tgz`,
  )
  mkdirSync(cache, { recursive: true })
  const isRight = () =>
    existsSync(archive) &&
    `sha512-${createHash('sha512').update(readFileSync(archive)).digest('base64')}` === runtime.integrity
  if (!isRight()) {
    const options = ['--silent', '--pack-destination', cache]
    execFileSync('npm', ['pack', `${runtime.package}@${runtime.version}`, ...options], { stdio: 'pipe' })
    if (!isRight()) {
      rmSync(archive, { force: true })
      throw new Error(`${runtime.package}@${runtime.version} has another hash than ${runtime.integrity}`)
    }
  }
  execFileSync('tar', ['-xzf', archive, '-C', directory, ...files.map((file) => `package/${file}`)])
}

// What `npm run release` makes of the tree at hand, for the tests that read or install it.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import packageJson from '../../package.json' with { type: 'json' }
import { commitOfTree } from './checkout.ts'
import { requires } from './requires.ts'

export const hasDpkg = requires('dpkg-deb', spawnSync('dpkg-deb', ['--version']).status === 0)
export const hasMinisign = requires('minisign', spawnSync('minisign', ['-v']).status === 0)

export const { version: VERSION } = packageJson
/** The name of an archive, without `.tar.gz`, and of the directory in it. */
export const nameOf = (platform: string): string => `fps-qr-${VERSION}-${platform}`

export interface Release {
  commit: string
  /** It has archives and packages for both platforms, SHA256SUMS, and its signature. Tests change nothing there. */
  directory: string
  /** That of the signature. */
  publicKey: string
}

/** The release, with a package of Debian. It takes a minute; the files of tests that need it have it made once. */
export function releaseOfTree(): Release {
  mkdirSync('dist', { recursive: true })
  const work = mkdtempSync(resolve('dist/tree-'))
  const commit = commitOfTree(join(work, 'index'))
  rmSync(work, { recursive: true })
  const options = [...(hasDpkg ? ['--debian'] : []), ...(hasMinisign ? ['--sign'] : [])]
  const directory = resolve('dist', `release-of-${commit}${options.join('')}`)
  const make = [process.execPath, '--disable-warning=ExperimentalWarning', 'test/support/make-release.ts']
  const { status, stderr } = spawnSync(
    'flock',
    [resolve('dist/release.lock'), ...make, directory, commit, ...options],
    {
      encoding: 'utf8',
    },
  )
  if (status !== 0 || stderr !== '') throw new Error(`status ${status}: ${stderr}`)
  return { commit, directory: join(directory, 'made'), publicKey: join(directory, 'release.pub') }
}

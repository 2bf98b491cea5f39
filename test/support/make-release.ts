// Makes a release of the tree at hand, once: `release.ts` runs it under a lock, with the directory as its argument.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { checkout, linkDocs } from './checkout.ts'

const [directory = '', commit = '', ...options] = process.argv.slice(2)
if (!existsSync(join(directory, 'made'))) {
  // Those of other trees, and what an interrupted one has left.
  for (const name of readdirSync(dirname(directory)))
    if (name.startsWith('release-of-')) rmSync(join(dirname(directory), name), { recursive: true })
  mkdirSync(directory)
  const source = checkout(commit, join(directory, 'source'))
  linkDocs(source)
  const key = join(directory, 'release.key')
  const settings: Record<string, string> = {}
  if (options.includes('--sign')) {
    // A key of the tests', without a password.
    execFileSync('minisign', ['-G', '-W', '-p', join(directory, 'release.pub'), '-s', key])
    settings.MINISIGN_KEY = key
  }
  execFileSync('npm', ['run', '-s', 'release', '--', ...options.filter((each) => each !== '--sign')], {
    cwd: source,
    env: { ...process.env, ...settings },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  renameSync(join(source, 'dist/release'), join(directory, 'made'))
  // The programs that it has downloaded: the next release has them already.
  execFileSync('cp', ['-aln', join(source, 'node_modules/.cache/runtimes'), 'node_modules/.cache'])
  rmSync(source, { recursive: true })
}

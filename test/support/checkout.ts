// Checkouts of the tree at hand, with its packages.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** The tree at hand as a commit, which belongs to no branch. Its date is fixed, so it is always the same commit. */
export function commitOfTree(index: string): string {
  const [name, email, date] = ['a', 'a@example.org', '2026-11-23T00:00:00Z']
  const author = { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email, GIT_AUTHOR_DATE: date }
  const committer = { GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: email, GIT_COMMITTER_DATE: date }
  const env = { ...process.env, ...author, ...committer, GIT_INDEX_FILE: index }
  const git = (...args: string[]) => execFileSync('git', args, { env, encoding: 'utf8' }).trim()
  git('read-tree', 'HEAD')
  git('add', '--all')
  return git('commit-tree', git('write-tree'), '-m', 'the tree at hand')
}

/** What other tests may be writing. */
const CACHES = new Set(['.cache', '.vite', '.vite-temp', '.vitest-cache'])

function link(packages: string, to: string): void {
  mkdirSync(to)
  const linked = readdirSync(packages).filter((name) => !CACHES.has(name))
  execFileSync('cp', ['-al', '-t', to, ...linked.map((name) => join(packages, name))])
  // The runtimes that a release has, of which each is downloaded once.
  const runtimes = join(packages, '.cache/runtimes')
  mkdirSync(join(to, '.cache'))
  if (existsSync(runtimes)) execFileSync('cp', ['-al', '-t', join(to, '.cache'), runtimes])
}

/** Gives a checkout the documentation of this one, which takes a minute to make. A build makes it anew where its sources differ. */
export function linkDocs(directory: string): void {
  if (existsSync('public/docs')) execFileSync('cp', ['-al', 'public/docs', join(directory, 'public/docs')])
}

/** A checkout of a commit with the packages of this one, as hard links: on the same disk. */
export function checkout(commit: string, directory: string): string {
  mkdirSync(join(directory, '..'), { recursive: true })
  execFileSync('git', ['clone', '--quiet', '--shared', '--no-checkout', '.', directory])
  execFileSync('git', ['-C', directory, 'checkout', '--quiet', '--detach', commit])
  // An earlier version may lack the folder.
  for (const packages of ['node_modules', 'bin/docs/site/node_modules'])
    if (existsSync(packages) && existsSync(join(directory, packages, '..')))
      link(packages, join(directory, packages))
  return directory
}

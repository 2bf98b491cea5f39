// Where npm run build puts the distribution, and how a finished build takes the place of the one before.
import { randomUUID } from 'node:crypto'
import { lstatSync, mkdirSync, readdirSync, readlinkSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** A symbolic link to the latest build, which is beside it under a name that begins with the link's. */
export const DISTRIBUTION = join(import.meta.dirname, '../../dist/fps-qr')

/**
 * How many builds are kept besides a new one: the latest, one that a service still runs from, and one that another process is
 * making.
 */
const KEPT = 3

/**
 * Begins a build: makes its directory, and deletes old ones beside it.
 * @returns the directory, which is empty
 */
export function beginBuild(link = DISTRIBUTION): string {
  const parent = dirname(link)
  mkdirSync(parent, { recursive: true })
  const latest = statOf(link)?.isSymbolicLink() ? readlinkSync(link) : undefined
  const old = readdirSync(parent)
    .filter((name) => name.startsWith(`${basename(link)}.`))
    .map((name) => ({ name, changedAt: statOf(join(parent, name))?.mtimeMs ?? 0 }))
    .toSorted((a, b) => b.changedAt - a.changedAt)
    .slice(KEPT)
  for (const { name } of old)
    if (name !== latest) rmSync(join(parent, name), { recursive: true, force: true })
  const build = `${link}.${randomUUID()}`
  mkdirSync(build)
  return build
}

/**
 * Makes a complete build the latest. The link is replaced in one step, so it leads to a complete build at every moment. A service
 * that runs from the build before has its files until it is restarted.
 */
export function publish(build: string, link = DISTRIBUTION): void {
  const next = `${build}.next`
  symlinkSync(basename(build), next)
  renameSync(next, link)
}

const statOf = (path: string) => lstatSync(path, { throwIfNoEntry: false })

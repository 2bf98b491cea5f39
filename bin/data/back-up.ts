// Copies each site's database by SQLite's online backup: consistent, while the service writes.
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
  accessSync,
  closeSync,
  constants,
  createReadStream,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, sep } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import * as z from 'zod'
import { reasonOf } from '../system-error.ts'
import { ALARMS, alarmsFile } from './alarms.ts'
import { MANIFEST, MANIFEST_PART } from './backup-directory.ts'
import { auditFile, missingAudit, objectsOf, registryFile, siteFile, siteFiles } from './data-directory.ts'
import { forgetSites, listedSites } from './site-list.ts'

const Manifest = z.object({
  /** When it began. */
  time: z.iso.datetime(),
  /** Names in the folder of the objects, with their SHA-256. */
  files: z.record(z.string(), z.string()),
  /** The SHA-256 of the registry's file; backups of earlier versions have none. */
  registry: z.optional(z.string()),
  /** The SHA-256 of the audit's file, if there is one. */
  audit: z.optional(z.string()),
})
export type Manifest = z.infer<typeof Manifest>

interface BackedUp {
  sites: number
  /** The files that could not be copied, with the reason. */
  failures: string[]
  bytes: number
  ms: number
}

/**
 * Copies the sites, one after the other, each as it is at one moment.
 * @param to empty, or not there
 * @param site the only one, where not all
 * @throws Error naming what is wrong with a directory, before a site is copied
 */
export async function backUp(data: string, to: string, site?: string): Promise<BackedUp> {
  const started = performance.now()
  const time = new Date().toISOString()
  const all = siteFiles(data)
  const sites = site === undefined ? all : all.filter((file) => file === siteFile(site))
  if (site !== undefined && sites.length === 0) throw new Error(`${data} has no site ${site}`)

  if (`${realPath(to)}${sep}`.startsWith(`${realPath(data)}${sep}`))
    throw new Error(`--to is ${to}, must not be in ${data}`)
  makeEmpty(to, '--to')
  const part = join(to, MANIFEST_PART)
  writeFileSync(part, '')
  mkdirSync(objectsOf(to), { recursive: true, mode: 0o700 })
  const files: Manifest['files'] = {}
  const failures: string[] = []
  let bytes = 0
  const copy = async (file: string, from: string, into: string) => {
    try {
      const copied = await copyDatabase(from, into)
      bytes += copied.bytes
      return copied.sha256
    } catch (error) {
      failures.push(`${file}: ${error instanceof Error ? error.message : error}`)
      return undefined
    }
  }
  // First, so that it has no site that was made while the others were copied.
  let registry: string | undefined
  if (existsSync(registryFile(data))) {
    mkdirSync(dirname(registryFile(to)), { recursive: true, mode: 0o700 })
    registry = await copy('the registry', registryFile(data), registryFile(to))
    if (registry !== undefined && site !== undefined) registry = await keepOnly(to, site)
  }
  // A backup of one site has no alarms: those of the other sites would wake sites that it lacks. A restore sets the site's own.
  const alarms = site === undefined && existsSync(alarmsFile(data)) ? [ALARMS] : []
  for (const file of [...sites, ...alarms]) {
    const sha256 = await copy(file, join(objectsOf(data), file), join(objectsOf(to), file))
    if (sha256 !== undefined) files[file] = sha256
  }
  // Last, so that it has every act that a site of the backup shows.
  let audit: string | undefined
  if (existsSync(auditFile(data))) {
    mkdirSync(dirname(auditFile(to)), { recursive: true, mode: 0o700 })
    audit = await copy('the audit', auditFile(data), auditFile(to))
  }
  const missing = missingAudit(data)
  if (missing !== undefined) failures.push(missing)
  writeFileSync(part, `${JSON.stringify({ time, files, registry, audit }, undefined, 2)}\n`)
  sync(part)
  renameSync(part, join(to, MANIFEST))
  sync(to)
  const copied = sites.filter((file) => file in files).length
  return { sites: copied, failures, bytes, ms: performance.now() - started }
}

/**
 * Deletes the complete backups beside a new one that are older than so many days. The last backup of each site stays: the data
 * can have lost the site. What has no manifest is not touched: it is no backup, or not complete.
 * @param now Unix milliseconds
 * @returns the directories, the old ones that stay for their sites, and why others could not be judged or deleted
 */
export function deleteOld(
  newest: string,
  days: number,
  now: number,
): { deleted: string[]; kept: { path: string; sites: number }[]; problems: string[] } {
  const folder = dirname(newest)
  const backups: { path: string; time: number; sites: string[] }[] = []
  const deleted: string[] = []
  const kept: { path: string; sites: number }[] = []
  const problems: string[] = []
  const attempt = (path: string, work: () => void) => {
    try {
      work()
    } catch (error) {
      problems.push(`${path} is not deleted: ${reasonOf(error)}`)
    }
  }
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    // A link, as deploy/backup makes it, would be another backup of the same sites.
    if (path === newest || !entry.isDirectory() || !existsSync(join(path, MANIFEST))) continue
    attempt(path, () => backups.push({ path, ...timeAndSites(path) }))
  }
  const found = new Set(timeAndSites(newest).sites)
  for (const { path, time, sites } of backups.toSorted((a, b) => b.time - a.time)) {
    const last = sites.filter((site) => !found.has(site))
    for (const site of last) found.add(site)
    if (now - time <= days * 86_400_000) continue
    if (last.length > 0) kept.push({ path, sites: last.length })
    else {
      attempt(path, () => {
        rmSync(path, { recursive: true })
        deleted.push(path)
      })
    }
  }
  return { deleted, kept, problems }
}

/** When a backup began, in Unix milliseconds, and the files of its sites. */
function timeAndSites(backup: string): { time: number; sites: string[] } {
  const { time, files } = manifestOf(backup)
  return { time: Date.parse(time), sites: Object.keys(files).filter((name) => name !== ALARMS) }
}

/**
 * The manifest of a backup.
 * @throws Error where the backup is not complete, or naming the files that are not as they were written
 */
export async function checkedBackup(from: string): Promise<Manifest> {
  const { manifest, differences } = await comparedBackup(from)
  if (differences.length > 0) throw new Error(differences.join('\n'))
  return manifest
}

/**
 * The manifest of a backup, and the files that are not as they were written.
 * @throws Error where the backup is not complete
 */
export async function comparedBackup(from: string): Promise<{ manifest: Manifest; differences: string[] }> {
  if (!existsSync(join(from, MANIFEST))) {
    throw new Error(`${from} is not a complete backup: it has no ${MANIFEST}`)
  }
  const manifest = manifestOf(from)
  const files = Object.entries(manifest.files).map(([name, sha256]) => ({
    path: join(objectsOf(from), name),
    sha256,
  }))
  const { registry, audit } = manifest
  if (registry !== undefined) files.push({ path: registryFile(from), sha256: registry })
  if (audit !== undefined) files.push({ path: auditFile(from), sha256: audit })
  const differences: string[] = []
  for (const { path, sha256 } of files) {
    if (!existsSync(path)) differences.push(`${path} is missing`)
    else if ((await hashOf(path)) !== sha256) differences.push(`${path} differs from what was backed up`)
  }
  return { manifest, differences }
}

/** @throws Error naming the file and what is wrong with it */
function manifestOf(backup: string): Manifest {
  const file = join(backup, MANIFEST)
  try {
    return Manifest.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch (error) {
    const reason = error instanceof z.ZodError ? z.prettifyError(error) : reasonOf(error)
    throw new Error(`${file} cannot be read: ${reason}`)
  }
}

/**
 * Makes the directory of an option, for its owner alone, if it does not exist.
 * @throws Error naming the option and the directory, where that has something in it or cannot be written
 */
export function makeEmpty(directory: string, option: string): void {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    let existing = directory
    while (!existsSync(existing)) existing = dirname(existing)
    throw new Error(`${option} is ${directory}, but ${existing} cannot be written: ${reasonOf(error)}`)
  }
  // The lock of a failed command can be there.
  if (readdirSync(directory).some((name) => name !== 'lock')) {
    throw new Error(`${option} is ${directory}, must be an empty directory`)
  }
}

/** Where a path leads by its links; its end may not exist yet. */
const realPath = (path: string): string =>
  existsSync(path) ? realpathSync(path) : join(realPath(dirname(path)), basename(path))

async function copyDatabase(from: string, to: string): Promise<{ bytes: number; sha256: string }> {
  const database = new DatabaseSync(from, { readOnly: true, timeout: 10_000 })
  try {
    // All pages in one step: a backup in several steps begins anew whenever the service writes in between.
    await backup(database, to, { rate: 2 ** 30 })
  } finally {
    database.close()
  }
  sync(to)
  return { bytes: statSync(to).size, sha256: await hashOf(to) }
}

/** Leaves one site in the registry of a backup of one site. @returns the SHA-256 of the registry's file */
async function keepOnly(to: string, siteId: string): Promise<string> {
  const others = listedSites(to).filter((site) => site.siteId !== siteId)
  forgetSites(
    to,
    others.map((site) => site.siteId),
  )
  sync(registryFile(to))
  return hashOf(registryFile(to))
}

async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256')
  const stream = createReadStream(file)
  stream.on('data', (chunk) => hash.update(chunk))
  await once(stream, 'end')
  return hash.digest('hex')
}

function sync(path: string): void {
  const file = openSync(path, 'r')
  fsyncSync(file)
  closeSync(file)
}

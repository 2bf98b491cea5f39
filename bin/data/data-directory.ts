// The data directory of a self-hosted service: files of the sites, the registry and the audit, and workerd's file of alarms.
import { spawn } from 'node:child_process'
import { createHash, createHmac } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { text } from 'node:stream/consumers'
import { AUDIT, PROBE_OBJECT, REGISTRY } from '../../src/contract/site-id.ts'
import { hasTables } from '../../src/site/database/schema.ts'
import { AUDIT_OBJECTS, OBJECTS, REGISTRY_OBJECTS } from '../serve/workerd-config.ts'
import { isBackup, readablePath } from './backup-directory.ts'
import { siteStorage } from './site-storage.ts'

/** The command that locks a data directory for another command. */
export const LOCK = join(import.meta.dirname, '../../deploy/lock')

/** The folder of the sites' files. */
export const objectsOf = (data: string): string => join(data, OBJECTS)

/** The file of the registry, which may not exist. */
export const registryFile = (data: string): string =>
  join(data, REGISTRY_OBJECTS, objectFile(REGISTRY_OBJECTS, REGISTRY))

/** The file of the audit, which may not exist. */
export const auditFile = (data: string): string => join(data, AUDIT_OBJECTS, objectFile(AUDIT_OBJECTS, AUDIT))

/** The file of a site. */
export const siteFile = (siteId: string): string => objectFile(OBJECTS, siteId)

/** The configuration of an instance of a cluster; with it, the directory is a cache of the cluster's bucket. */
export const clusterFile = (data: string): string => join(data, 'cluster.capnp')

/** Names the bucket into which the sites of the directory were brought. */
export const movedFile = (data: string): string => join(data, 'moved')

/**
 * @throws Error where the sites of the directory are elsewhere: it is the cache of an instance of a cluster, which can lack
 * sites and has old ones, or its sites were brought into a cluster
 */
export function refuseCache(data: string): void {
  if (existsSync(movedFile(data))) {
    const bucket = readFileSync(movedFile(data), 'utf8').trim()
    throw new Error(
      `the sites of ${data} were brought into ${bucket}: two services would make two links of one code. Delete the directory, or delete ${movedFile(data)} if the cluster has never run`,
    )
  }
  if (!existsSync(clusterFile(data))) return
  throw new Error(
    `${data} is the cache of an instance of a cluster, the sites are in its bucket: npm run cluster, docs/cluster.md`,
  )
}

/**
 * @throws Error where the directory is a backup: its sites do not know that they are of the past, so they would make refunds a
 * second time (so does deploy/run)
 */
export function refuseBackup(data: string): void {
  if (!isBackup(data)) return
  throw new Error(
    `${data} is a backup, must be a data directory: make one with npm run restore -- --from ${data} --data DIR`,
  )
}

/** What a restore copies, until it is complete and moved into place. */
export const partOf = (data: string): string => join(data, 'part')

/** Whether a restore into a directory did not end: it copies the audit first, and moves the sites last. */
export const isRestoreInterrupted = (data: string): boolean =>
  !existsSync(objectsOf(data)) &&
  (existsSync(partOf(data)) ||
    (existsSync(dirname(auditFile(data))) && !existsSync(dirname(registryFile(data)))))

/**
 * Why the service must not start on a directory: it had sites, and would begin as an empty one (so does deploy/run).
 * @returns undefined where the folder of the sites is there, or nothing ever was
 */
export function missingSites(data: string): string | undefined {
  const folder = objectsOf(data)
  const giveUp = `npm run sites -- rebuild --accept-loss --data ${data}`
  if (isRestoreInterrupted(data)) {
    return `a restore into ${data} was interrupted: repeat it, or give its sites up: ${giveUp}`
  }
  return existsSync(dirname(registryFile(data))) && !existsSync(folder)
    ? `${folder} is missing, which had all sites: put it back, restore a backup, or give the sites up: ${giveUp}`
    : undefined
}

/** A file that says that the directory has had an audit: data of earlier versions has none. */
export const auditMark = (data: string): string => join(data, 'audited')

/**
 * Why the service must not start on a directory: it had an audit, and would begin another one (so does deploy/run).
 * @returns undefined where the audit is there, or never was
 */
export function missingAudit(data: string): string | undefined {
  if (!existsSync(auditMark(data)) || existsSync(auditFile(data))) return undefined
  const giveUp = `npm run sites -- rebuild --accept-loss --data ${data}`
  return `${auditFile(data)} is missing, the audit: put it back, or that of the last backup, or give it up: ${giveUp}`
}

/** workerd derives the id of an object from its name. @param key of the objects of its class */
function objectFile(key: string, name: string): string {
  const hash = createHash('sha256').update(key).digest()
  const half = (of: string | Buffer) => createHmac('sha256', hash).update(of).digest().subarray(0, 16)
  const first = half(name)
  return `${Buffer.concat([first, half(first)]).toString('hex')}.sqlite`
}

/**
 * The files of the sites of a data directory.
 * @param except files that are left out, without a look at them
 * @throws Error where the directory has no such folder, is a backup, or is the cache of an instance of a cluster
 */
export function siteFiles(data: string, except?: ReadonlySet<string>): string[] {
  refuseBackup(data)
  return readableSiteFiles(data, except)
}

/** The same, also of a backup. A request for a site that nobody wrote to leaves a file without tables: that is no site. */
export function readableSiteFiles(data: string, except: ReadonlySet<string> = new Set()): string[] {
  refuseCache(data)
  const folder = objectsOf(data)
  if (!existsSync(folder)) throw new Error(missingSites(data) ?? `${data} has no data of the service`)
  const probe = siteFile(PROBE_OBJECT)
  return readdirSync(folder).filter(
    (name) =>
      /^[0-9a-f]{64}\.sqlite$/.test(name) &&
      name !== probe &&
      !except.has(name) &&
      !isEmpty(join(folder, name)),
  )
}

/** A page of SQLite, which is all that such a file has. */
const PAGE_BYTES = 4096

/** A file that cannot be read is not empty: what is wrong with it is a problem of its site. */
function isEmpty(file: string): boolean {
  try {
    // Opening thousands of files takes seconds; in a small one, the tables may still be in its log.
    if (statSync(file).size > PAGE_BYTES) return false
    const database = new DatabaseSync(readablePath(file), { readOnly: true, timeout: 10_000 })
    try {
      return !hasTables(siteStorage(database))
    } finally {
      database.close()
    }
  } catch {
    return false
  }
}

/**
 * Does something on a data directory, which is locked meanwhile as the service locks it.
 * @throws Error where the directory is in use, or cannot be locked
 */
export async function withLock<T>(data: string, work: () => T | Promise<T>): Promise<T> {
  // The lock belongs to a process that ends with its input, and so with this process, even after kill -9.
  const holder = spawn(LOCK, [data, 'sh', '-c', 'echo && exec cat'])
  const [isLocked, error] = await Promise.race([
    once(holder.stdout, 'data').then(() => [true, ''] as const),
    text(holder.stderr).then((written) => [false, written.trim()] as const),
  ])
  if (!isLocked) throw new Error(error)
  try {
    return await work()
  } finally {
    holder.stdin.end()
    await once(holder, 'exit')
  }
}

// Restores the sites of a backup: they have no record of what happened after it.
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { OPERATOR } from '../../src/contract/access-token.ts'
import type { EndedBinding, RemovedPerson } from '../../src/contract/audit.ts'
import type { Person } from '../../src/contract/person.ts'
import { REGISTRY_SCHEMA } from '../../src/registry/schema.ts'
import { migrate, type TableStorage } from '../../src/site/database/schema.ts'
import { endRestore } from '../../src/site/operator/resume.ts'
import { INSTRUCTIONS } from '../../src/site/outbox/rows.ts'
import { endAfterRestore, hasPeople, peopleWithPasskeys } from '../../src/site/people/restored.ts'
import { siteIdIn } from '../../src/site/rows/site.ts'
import { milliseconds, seconds } from '../../src/site/time.ts'
import { endAgain } from '../../src/site/tokens/end-again.ts'
import { reasonOf } from '../system-error.ts'
import { continues, copyAudit, endedBindings, recorded, removedPeople } from './audit.ts'
import { checkedBackup, type Manifest, makeEmpty } from './back-up.ts'
import {
  auditFile,
  isRestoreInterrupted,
  objectsOf,
  partOf,
  refuseBackup,
  registryFile,
  siteFiles,
  withLock,
} from './data-directory.ts'
import { checkSideFiles, rebuild } from './rebuild.ts'
import { changeFile, corruption, isOfCorruption, setAside } from './side-file.ts'
import { siteNames } from './site-list.ts'
import { withSite } from './site-storage.ts'

export interface Restored {
  /** How many sites can be served. */
  sites: number
  /** The time of the backup. */
  time: string
  /** What is wrong with sites of the backup. */
  problems: string[]
  /** The people who can sign in to each site, with their passkeys: some can have been removed after the backup. */
  people: Map<string, Person[]>
}

/**
 * Copies a backup into a data directory, and marks its sites as restored.
 * @param data empty, not there, or with what an interrupted restore left: that begins anew. An audit in it goes on
 * @param before the data directory that this one replaces, whose audit goes on; undefined: the backup's does
 * @throws Error naming what is wrong with a directory; then the data directory has no data
 */
export async function restore(from: string, data: string, before?: string): Promise<Restored> {
  const manifest = await checkedBackup(from)
  if (before === undefined) return restoreChecked(from, data, manifest)
  refuseBackup(before)
  if (!continues(before, from)) {
    throw new Error(`--before is ${before}, its audit lacks rows that the backup has: ${auditFile(before)}`)
  }
  // The lock keeps the service of `before` from acts that the restored audit would not have.
  return withLock(before, () => restoreChecked(from, data, manifest, before))
}

async function restoreChecked(
  from: string,
  data: string,
  manifest: Manifest,
  before?: string,
): Promise<Restored> {
  if (!isRestoreInterrupted(data)) makeEmpty(data, '--data')
  return withLock(data, async () => {
    await copyAudit(before ?? from, data)
    for (const earlier of [from, before]) {
      if (earlier !== undefined && !continues(data, earlier))
        throw new Error(`--data is ${data}, its audit lacks rows that ${earlier} has: ${auditFile(data)}`)
    }
    return recorded(
      data,
      'command.restore',
      { backup: manifest.time, ...(before === undefined && { audit: 'of the backup' }) },
      () => {
        if (isRestoreInterrupted(data)) removeLeftovers(data)
        return copySites(from, data, manifest)
      },
      ({ sites, problems }) => ({ sites, problems: problems.length }),
    )
  })
}

/** The part is removed last: while it exists, the service does not start. */
function removeLeftovers(data: string): void {
  for (const folder of [dirname(registryFile(data)), partOf(data)])
    rmSync(folder, { recursive: true, force: true })
}

function copySites(from: string, data: string, { time, files, registry }: Manifest): Restored {
  // A restore that is interrupted leaves nothing that the service would serve: missingSites refuses the start.
  const part = partOf(data)
  const folders = [objectsOf, (of: string) => dirname(registryFile(of))]
  for (const folder of folders) mkdirSync(folder(part), { recursive: true, mode: 0o700 })
  const copies = Object.keys(files).map((file) => (of: string) => join(objectsOf(of), file))
  for (const file of registry === undefined ? copies : [...copies, registryFile]) {
    copyFileSync(file(from), file(part))
    // A copy has the mode of its file, and a backup may not be writable.
    chmodSync(file(part), 0o600)
  }
  let restored: Omit<Restored, 'time'>
  try {
    restored = markAll(part, data, data)
  } catch (error) {
    rmSync(part, { recursive: true })
    throw error
  }
  for (const folder of folders.toReversed()) renameSync(folder(part), folder(data))
  rmdirSync(part)
  return { ...restored, time }
}

/**
 * Marks the sites of a part as restored, and makes its alarms and registry. A site whose file is corrupted is not served: without
 * the mark it would make refunds a second time.
 * @param data where the part will be
 * @param auditOf the directory that has the audit
 * @throws Error naming a site that cannot be marked for another reason, such as an earlier build or a full disk
 */
export function markAll(part: string, data: string, auditOf: string): Omit<Restored, 'time'> {
  const names = siteNames(part)
  const since = { ended: endedBindings(auditOf), removed: removedPeople(auditOf) }
  const people = new Map<string, Person[]>()
  const unmarked = new Map<string, string>()
  for (const file of siteFiles(part)) {
    const path = join(objectsOf(part), file)
    try {
      const back = markRestored(path, since)
      if (back) people.set(...back)
    } catch (error) {
      const named = `${names.get(file) ?? file}: ${reasonOf(error)}`
      if (!isOfCorruption(error)) throw new Error(named, { cause: error })
      unmarked.set(file, `${named}; the site is not served, its file is now ${withhold(path)}`)
    }
  }
  const ofDeployment = restoreOperators(part, since.removed.get(OPERATOR) ?? [])
  if (ofDeployment) people.set(OPERATOR, ofDeployment)
  const rebuilt = rebuild(part, Date.now(), { isRepair: true, auditOf, except: unmarked.keys() })
  return {
    sites: siteFiles(part).length - unmarked.size,
    problems: [...unmarked.values(), ...rebuilt.problems].map((each) => each.replace(part, data)),
    people,
  }
}

/** @returns the new name of the file */
function withhold(file: string): string {
  const aside = setAside(file)
  // Without a file, the next write would begin an empty database. With a file that is no database, requests get 503, and verify
  // names the site.
  writeFileSync(file, `The file of this site is corrupted: ${basename(aside)}\n`, { mode: 0o600 })
  return aside
}

/**
 * Ends the restore of every site, and wakes those that have work.
 * @returns how many sites that concerned, and what is wrong with others
 * @throws Error naming a corrupted file of alarms or registry
 */
export function resume(data: string): { sites: number; problems: string[] } {
  checkSideFiles(data)
  const now = Date.now()
  const resumed = siteFiles(data).filter((file) => {
    try {
      return withSite(join(objectsOf(data), file), (storage) => resumeSite(storage, now))
    } catch {
      // The problem is named below.
      return false
    }
  })
  return { sites: resumed.length, problems: rebuild(data, now).problems }
}

/** @returns whether the site was restored */
function resumeSite(storage: TableStorage, now: number): boolean {
  migrate(storage)
  let wasRestored = false
  storage.transactionSync(() => {
    wasRestored = endRestore(storage.sql, milliseconds(now))
  })
  return wasRestored
}

/** The same for the people of the deployment, where the backup has a registry. */
function restoreOperators(part: string, removed: readonly RemovedPerson[]): Person[] | undefined {
  if (!existsSync(registryFile(part)) || corruption(registryFile(part), part) !== undefined) return undefined
  let people: Person[] | undefined
  changeFile(registryFile(part), (storage) => {
    migrate(storage, REGISTRY_SCHEMA)
    endAfterRestore(storage.sql, removed)
    if (hasPeople(storage.sql))
      people = peopleWithPasskeys(storage.sql, seconds(Math.floor(Date.now() / 1000)))
  })
  return people
}

/** What happened after the backup, by site; of the deployment by OPERATOR. */
interface Since {
  /** The bindings that its payers ended. */
  ended: ReadonlyMap<string, readonly EndedBinding[]>
  /** The people who were removed. */
  removed: ReadonlyMap<string, readonly RemovedPerson[]>
}

/** Gives a site a new epoch, and the mark. @returns the site and the people who can sign in; undefined if it has no people */
function markRestored(file: string, { ended, removed }: Since): [string, Person[]] | undefined {
  return withSite(file, (storage) => {
    migrate(storage)
    const { sql } = storage
    const siteId = siteIdIn(sql) ?? ''
    const now = seconds(Math.floor(Date.now() / 1000))
    endAgain(sql, ended.get(siteId) ?? [], now)
    endAfterRestore(sql, removed.get(siteId) ?? [])
    sql.exec('UPDATE site SET epoch = ?, restored = 1', randomBytes(8).toString('hex'))
    // The backup does not say what was attempted after it, so no charge is withdrawn. The condition of `attempted` makes it read
    // the rows, and not an index alone: a corrupted page is found.
    sql.exec(`UPDATE outbox SET attempted = 1 WHERE ${INSTRUCTIONS} AND attempted = 0`)
    return hasPeople(sql) ? [siteId, peopleWithPasskeys(sql, now)] : undefined
  })
}

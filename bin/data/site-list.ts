// The registry's list of sites, and how it differs from the files of a data directory.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { RegistryEntry, SiteIdentity } from '../../src/contract/registry-entry.ts'
import { recordHandle } from '../../src/registry/handles.ts'
import { REGISTRY_SCHEMA } from '../../src/registry/schema.ts'
import { recordSite } from '../../src/registry/sites.ts'
import { hasTables, migrate } from '../../src/site/database/schema.ts'
import { alarmNames } from './alarms.ts'
import { readablePath } from './backup-directory.ts'
import { objectsOf, registryFile, siteFile } from './data-directory.ts'
import { changeFile } from './side-file.ts'
import { readingSite, siteStorage } from './site-storage.ts'

/** A site that the registry has. */
export type ListedSite = SiteIdentity & {
  siteId: string
  /** When the data of a site is deleted, while the operator can still undo the deletion. */
  deletesAt?: number
}

/** The sites that the registry has, by their names. @throws Error where its file is corrupted */
export function listedSites(data: string): ListedSite[] {
  if (!existsSync(registryFile(data))) return []
  const database = new DatabaseSync(readablePath(registryFile(data)), { readOnly: true })
  try {
    if (!hasTables(siteStorage(database), REGISTRY_SCHEMA)) return []
    const rows = database.prepare('SELECT * FROM sites ORDER BY site_id').all()
    return rows.map(({ site_id, name, created_at, epoch, deletes_at, deleted_at }) => ({
      siteId: String(site_id),
      name: name === null ? undefined : String(name),
      createdAt: Number(created_at),
      epoch: String(epoch),
      ...(typeof deletes_at === 'number' && { deletesAt: deletes_at }),
      ...(typeof deleted_at === 'number' && { deletedAt: deleted_at }),
    }))
  } finally {
    database.close()
  }
}

/** The sites that the registry has as restored and not resumed: it knows that with a delay of a minute. */
export function restoredSites(data: string): string[] {
  const database = new DatabaseSync(registryFile(data), { readOnly: true })
  try {
    const restored = 'SELECT site_id FROM sites WHERE restored = 1 AND deleted_at IS NULL ORDER BY site_id'
    return database
      .prepare(restored)
      .all()
      .map(({ site_id }) => String(site_id))
  } finally {
    database.close()
  }
}

/** A site as its file has it. */
export interface FoundSite {
  siteId: string
  entry: RegistryEntry
  /** The WebAuthn user handles of its people. */
  handles: readonly string[]
}

/** Records sites. @param isRepair a site that has another database than before is recorded with that */
export function recordSites(data: string, sites: readonly FoundSite[], isRepair: boolean): void {
  changeFile(registryFile(data), (storage) => {
    migrate(storage, REGISTRY_SCHEMA)
    for (const { siteId, entry, handles } of sites) {
      recordSite(storage.sql, siteId, entry, isRepair)
      for (const handle of handles) recordHandle(storage.sql, handle, siteId)
    }
  })
}

/** Takes sites off the list. */
export function forgetSites(data: string, siteIds: readonly string[]): void {
  changeFile(registryFile(data), ({ sql }) => {
    for (const siteId of siteIds) sql.exec('DELETE FROM sites WHERE site_id = ?', siteId)
  })
}

/** What is wrong with the file of a site that the registry has; undefined if nothing is. */
export function lossOf(data: string, site: ListedSite): string | undefined {
  const file = join(objectsOf(data), siteFile(site.siteId))
  const isThere = existsSync(file)
  const found = isThere ? epochIn(file) : undefined
  // The next start makes the file of a deleted site again.
  if (found === undefined && site.deletedAt !== undefined) return undefined
  if (!isThere) return `the registry has the site, but its file is missing: ${file}`
  return found === 'corrupted' ? undefined : otherDatabase(data, site, found)
}

/** What is wrong with a site's file that is there; undefined if nothing is. @param found the epoch in it, undefined without tables */
export function otherDatabase(
  data: string,
  { siteId, epoch }: ListedSite,
  found: string | undefined,
): string | undefined {
  const file = join(objectsOf(data), siteFile(siteId))
  if (found === undefined) return `the registry has the site, but its file has been emptied: ${file}`
  return found === epoch
    ? undefined
    : `the registry has the site with another database than its file has: ${file}`
}

/** `corrupted` where it cannot be read, which is another problem; undefined without tables. */
function epochIn(file: string): string | undefined {
  try {
    return readingSite(file, ({ sql }) => String(sql.exec('SELECT epoch FROM site').toArray()[0]?.epoch))
  } catch {
    return 'corrupted'
  }
}

/** The names of sites by their files, as far as they are known without the files. */
export function siteNames(data: string): Map<string, string> {
  const listed = orNothing(() => listedSites(data)) ?? []
  return new Map([
    ...(orNothing(() => alarmNames(data)) ?? []),
    ...listed.map(({ siteId }): [string, string] => [siteFile(siteId), siteId]),
  ])
}

/** A corrupted file yields no names. */
export function orNothing<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

// Makes the alarms and the registry from the sites' tables: at each start, after a restore, as a repair.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Announcement } from '../../src/contract/announcement.ts'
import { announcementOf } from '../../src/site/announcement.ts'
import { setTombstone } from '../../src/site/deletion.ts'
import { figuresOf, setTold } from '../../src/site/figures.ts'
import { migrate, type TableStorage } from '../../src/site/migrations.ts'
import { bringBack } from '../../src/site/outbox/clock.ts'
import { endLeases } from '../../src/site/outbox/outbox.ts'
import { setRetention } from '../../src/site/retention.ts'
import { setSiteId } from '../../src/site/rows/site.ts'
import { integer, requiredInteger, text } from '../../src/site/rows/sql.ts'
import { milliseconds } from '../../src/site/time.ts'
import { nextWake } from '../../src/site/wake.ts'
import { alarmsFile, type SiteAlarm, setAlarms } from './alarms.ts'
import { objectsOf, registryFile, siteFile, siteFiles, withLock } from './data-directory.ts'
import { changeFile, corruption, setAside } from './side-file.ts'
import { type FoundSite, listedSites, lossOf, orNothing, recordSites, siteNames } from './site-list.ts'
import { withSite } from './site-storage.ts'

export interface Rebuilt {
  sites: number
  /** The sites that have an alarm now. */
  withWork: number
  /** The sites that were restored and are not resumed, by their names. */
  restored: string[]
  /** What could not be done, and what is wrong, each with the site's name or its file. */
  problems: string[]
}

/** The corrupted files of alarms and registry, each with the command that helps. */
export const corruptedSideFiles = (data: string): string[] =>
  sideFiles(data).flatMap((file) => corruption(file, data) ?? [])

/** @throws Error naming a corrupted file of alarms or registry, and the command that helps */
export function checkSideFiles(data: string): void {
  const corrupted = corruptedSideFiles(data)
  if (corrupted.length > 0) throw new Error(corrupted.join('\n'))
}

/**
 * Sets the alarms and checks the files of the sites before the service starts. What is wrong with a site, or a full disk,
 * does not end the start.
 * @throws Error naming a corrupted file of alarms or registry, or where the directory is in use
 */
export async function prepareStart(
  data: string,
  report: (problem: string, level: 'error' | 'warning') => void,
  retentionDays?: number,
): Promise<void> {
  if (!existsSync(objectsOf(data))) return
  await withLock(data, () => {
    checkSideFiles(data)
    try {
      const { problems, restored } = rebuild(data, Date.now(), { retentionDays: retentionDays ?? null })
      for (const problem of problems) report(problem, 'error')
      for (const siteId of restored.slice(0, MAX_NAMED)) {
        report(`${siteId}: restored from a backup, refunds and charges rest until it is resumed`, 'warning')
      }
      if (restored.length > MAX_NAMED) report(`restored sites: ${restored.length}`, 'warning')
    } catch (error) {
      report(`the alarms could not be set: ${error instanceof Error ? error.message : error}`, 'error')
    }
  })
}

/** Restored sites that a start names: a whole backup can have thousands. */
const MAX_NAMED = 20

const sideFiles = (data: string): string[] => [alarmsFile(data), registryFile(data)]

/**
 * Sets the alarm of every site that has work, and records every site in the registry. The service is stopped, and
 * checkSideFiles has found nothing, unless it is a repair.
 * @param now Unix milliseconds
 * @param isRepair corrupted files of alarms and registry are replaced, and the registry takes the epochs of the sites' files
 * @param retentionDays the setting of the service, null without it; undefined if it is not known
 */
export function rebuild(
  data: string,
  now: number,
  { isRepair = false, retentionDays }: { isRepair?: boolean; retentionDays?: number | null } = {},
): Rebuilt {
  const names = siteNames(data)
  const problems: string[] = []
  for (const site of orNothing(() => listedSites(data)) ?? []) {
    try {
      keepDeleted(data, site)
    } catch (error) {
      problems.push(`${site.siteId}: ${error instanceof Error ? error.message : error}`)
    }
  }
  if (isRepair) for (const file of sideFiles(data)) setAside(file)
  const alarms: SiteAlarm[] = []
  const found: FoundSite[] = []
  const restored: string[] = []
  for (const file of siteFiles(data)) {
    try {
      const site = withSite(join(objectsOf(data), file), (storage) =>
        readSite(storage, names.get(file), { now, retentionDays }),
      )
      if (!site) continue
      const { siteId, at } = site
      if (siteId === undefined) {
        // Written by an earlier version, and not since: its next request gives it a name.
        if (at !== undefined) problems.push(`${file}: its site has no name here, so only a request wakes it`)
      } else if (siteFile(siteId) !== file) problems.push(`${file}: it has the database of site ${siteId}`)
      else {
        alarms.push({ file, siteId, at })
        found.push(site)
        if (site.figures.isRestored) restored.push(siteId)
      }
    } catch (error) {
      problems.push(`${names.get(file) ?? file}: ${error instanceof Error ? error.message : error}`)
    }
  }
  setAlarms(data, alarms)
  recordSites(data, found, isRepair)
  const epochs = new Map(found.map(({ announcement: { siteId, epoch } }) => [siteId, epoch]))
  for (const site of listedSites(data)) {
    const loss = epochs.get(site.siteId) === site.epoch ? undefined : lossOf(data, site)
    if (loss) problems.push(`${site.siteId}: ${loss}`)
  }
  const withWork = alarms.filter(({ at }) => at !== undefined).length
  return { sites: alarms.length, withWork, restored, problems }
}

/** @param known the name of the site, if its tables do not have it yet */
function readSite(
  storage: TableStorage,
  known: string | undefined,
  { now, retentionDays }: { now: number; retentionDays: number | null | undefined },
) {
  const { sql } = storage
  migrate(storage)
  const siteId = text(sql, 'SELECT site_id FROM site') ?? known
  const bytes = 'SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()'
  const figures = figuresOf(sql, milliseconds(now), requiredInteger(sql, bytes))
  storage.transactionSync(() => {
    if (known !== undefined) sql.exec('UPDATE site SET site_id = ? WHERE site_id IS NULL', known)
    endLeases(sql)
    bringBack(sql, milliseconds(now))
    if (retentionDays !== undefined) setRetention(sql, retentionDays)
    setTold(sql, figures, milliseconds(now))
  })
  // The object empties a site whose deletion was interrupted.
  const isToBeEmptied =
    integer(sql, 'SELECT 1 FROM site WHERE deleted_at IS NOT NULL AND announced = 0') === 1
  const at = isToBeEmptied ? milliseconds(now) : nextWake(sql)
  return { siteId, at, announcement: announcementOf(sql, siteId ?? ''), figures }
}

/** A deleted site whose file lost its tombstone gets it again: its siteId must not be used again. */
function keepDeleted(data: string, { siteId, createdAt, epoch, deletedAt }: Announcement): void {
  const file = join(objectsOf(data), siteFile(siteId))
  if (deletedAt === undefined || (existsSync(file) && withSite(file, () => true))) return
  changeFile(file, (storage) => {
    migrate(storage)
    setSiteId(storage.sql, siteId)
    setTombstone(storage.sql, { epoch, createdAt, deletedAt })
  })
}

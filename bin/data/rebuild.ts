// Makes the alarms and the registry from the sites' tables: at each start, after a restore, as a repair.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Announcement } from '../../src/contract/announcement.ts'
import { announcementOf } from '../../src/site/announcement.ts'
import { migrate, type TableStorage } from '../../src/site/migrations.ts'
import { bringBack } from '../../src/site/outbox/clock.ts'
import { endLeases } from '../../src/site/outbox/outbox.ts'
import { text } from '../../src/site/rows/sql.ts'
import { milliseconds } from '../../src/site/time.ts'
import { nextWake } from '../../src/site/wake.ts'
import { alarmsFile, type SiteAlarm, setAlarms } from './alarms.ts'
import { objectsOf, registryFile, siteFile, siteFiles, withLock } from './data-directory.ts'
import { corruption, setAside } from './side-file.ts'
import { listedSites, lossOf, recordSites, siteNames } from './site-list.ts'
import { withSite } from './site-storage.ts'

export interface Rebuilt {
  sites: number
  /** The sites that have an alarm now. */
  withWork: number
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
export async function prepareStart(data: string, report: (problem: string) => void): Promise<void> {
  if (!existsSync(objectsOf(data))) return
  await withLock(data, () => {
    checkSideFiles(data)
    try {
      for (const problem of rebuild(data, Date.now()).problems) report(problem)
    } catch (error) {
      report(`the alarms could not be set: ${error instanceof Error ? error.message : error}`)
    }
  })
}

const sideFiles = (data: string): string[] => [alarmsFile(data), registryFile(data)]

/**
 * Sets the alarm of every site that has work, and records every site in the registry. The service is stopped, and
 * checkSideFiles has found nothing, unless it is a repair.
 * @param now Unix milliseconds
 * @param isRepair corrupted files of alarms and registry are replaced, and the registry takes the epochs of the sites' files
 */
export function rebuild(data: string, now: number, isRepair = false): Rebuilt {
  const names = siteNames(data)
  if (isRepair) for (const file of sideFiles(data)) setAside(file)
  const alarms: SiteAlarm[] = []
  const announcements: Announcement[] = []
  const problems: string[] = []
  for (const file of siteFiles(data)) {
    try {
      const site = withSite(join(objectsOf(data), file), (storage) => readSite(storage, names.get(file), now))
      if (!site) continue
      const { siteId, at } = site
      if (siteId === undefined) {
        // Written by an earlier version, and not since: its next request gives it a name.
        if (at !== undefined) problems.push(`${file}: its site has no name here, so only a request wakes it`)
      } else if (siteFile(siteId) !== file) problems.push(`${file}: it has the database of site ${siteId}`)
      else {
        alarms.push({ file, siteId, at })
        announcements.push(site.announcement)
      }
    } catch (error) {
      problems.push(`${names.get(file) ?? file}: ${error instanceof Error ? error.message : error}`)
    }
  }
  setAlarms(data, alarms)
  recordSites(data, announcements, isRepair)
  const epochs = new Map(announcements.map(({ siteId, epoch }) => [siteId, epoch]))
  for (const site of listedSites(data)) {
    const loss = epochs.get(site.siteId) === site.epoch ? undefined : lossOf(data, site)
    if (loss) problems.push(`${site.siteId}: ${loss}`)
  }
  const withWork = alarms.filter(({ at }) => at !== undefined).length
  return { sites: alarms.length, withWork, problems }
}

/** @param known the name of the site, if its tables do not have it yet */
function readSite(storage: TableStorage, known: string | undefined, now: number) {
  const { sql } = storage
  migrate(storage)
  const siteId = text(sql, 'SELECT site_id FROM site') ?? known
  storage.transactionSync(() => {
    if (known !== undefined) sql.exec('UPDATE site SET site_id = ? WHERE site_id IS NULL', known)
    endLeases(sql)
    bringBack(sql, milliseconds(now))
  })
  return { siteId, at: nextWake(sql), announcement: announcementOf(sql, siteId ?? '') }
}

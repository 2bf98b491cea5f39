// Makes the alarms and the registry from the sites' tables: after a restore, as a repair, at a start for what is new.

import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { isTestSiteId } from '../../src/contract/site-id.ts'
import { setOperatorKeyRevoked } from '../../src/registry/keys.ts'
import { REGISTRY_SCHEMA } from '../../src/registry/schema.ts'
import { nextWake } from '../../src/site/clock.ts'
import { EarlierBuild, migrate, type TableStorage } from '../../src/site/database/schema.ts'
import { isToBeEmptied, setTombstone } from '../../src/site/operator/deletion.ts'
import { nextFigures, registryEntryOf, setRegistryEntry } from '../../src/site/operator/registry-entry.ts'
import { correctTimes, endLeases } from '../../src/site/outbox/recovery.ts'
import { handlesIn } from '../../src/site/people/restored.ts'
import { setRetention } from '../../src/site/qr-codes/retention.ts'
import { setSiteId, siteIdIn } from '../../src/site/rows/site.ts'
import { requiredInteger } from '../../src/site/rows/sql.ts'
import { earliest, milliseconds } from '../../src/site/time.ts'
import { alarmsFile, type SiteAlarm, setAlarms } from './alarms.ts'
import { auditProblem, prepareAudit, revokedKeys } from './audit.ts'
import {
  missingAudit,
  missingSites,
  objectsOf,
  refuseBackup,
  refuseCache,
  registryFile,
  siteFile,
  siteFiles,
  withLock,
} from './data-directory.ts'
import { changeFile, corruption, setAsideCorrupted } from './side-file.ts'
import {
  type FoundSite,
  type ListedSite,
  listedSites,
  lossOf,
  orNothing,
  recordSites,
  restoredSites,
  siteNames,
} from './site-list.ts'
import { readingSite, withSite } from './site-storage.ts'

interface Rebuilt {
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

/** Says of a problem, or of a site that was restored. */
export type Report = (problem: string, level: 'error' | 'warning') => void

/**
 * Prepares a start. What is wrong with a site, or a full disk, does not end it. Of the sites it reads those that the registry
 * does not know, because to read all takes the longer the more they are; `tendSites` starts the others while the service runs.
 * @param isAlone whether nobody calls tendSites: then all sites are read, and their alarms set
 * @throws Error where the folder of the sites or the audit is missing, or the directory is in use, a backup or a cluster's cache;
 * naming a corrupted file of alarms or registry, sites of an earlier build, or test sites that have been live
 */
export async function prepareStart(
  data: string,
  report: Report,
  {
    retentionDays,
    hasTestSites,
    isAlone = false,
  }: { retentionDays: number | undefined; hasTestSites: boolean; isAlone?: boolean },
): Promise<void> {
  refuseCache(data)
  refuseBackup(data)
  const isNew = !existsSync(objectsOf(data))
  await withLock(data, () => {
    const missing = missingSites(data) ?? missingAudit(data)
    if (missing !== undefined) throw new Error(missing)
    try {
      mkdirSync(objectsOf(data), { recursive: true, mode: 0o700 })
      prepareAudit(data)
    } catch (error) {
      report(`the audit could not be made: ${error instanceof Error ? error.message : error}`, 'error')
    }
    if (isNew) return
    checkSideFiles(data)
    const broken = auditProblem(data)
    if (broken !== undefined) report(broken, 'error')
    try {
      const { problems } = rebuild(data, Date.now(), {
        retentionDays: retentionDays ?? null,
        // A lost file of alarms is made anew.
        isOfNew: !isAlone && existsSync(alarmsFile(data)),
      })
      for (const problem of problems) report(problem, 'error')
      reportRestored(data, report)
      if (hasTestSites) refuseLive(data)
    } catch (error) {
      if (error instanceof EarlierBuild || error instanceof LiveTestSites) throw error
      report(`the alarms could not be set: ${error instanceof Error ? error.message : error}`, 'error')
    }
  })
}

function reportRestored(data: string, report: Report): void {
  const restored = restoredSites(data)
  for (const siteId of restored.slice(0, MAX_NAMED)) {
    report(`${siteId}: restored from a backup, refunds and charges rest until it is resumed`, 'warning')
  }
  if (restored.length > MAX_NAMED) report(`restored sites: ${restored.length}`, 'warning')
}

/** Sites that are to be test sites have what only a live site has. */
class LiveTestSites extends Error {}

/** What the payment network reported, instructions to it, and links of a bank. */
const IS_LIVE = `SELECT EXISTS (SELECT 1 FROM payments WHERE network = 'external')
  OR EXISTS (SELECT 1 FROM tokens WHERE network = 'external')
  OR EXISTS (SELECT 1 FROM outbox WHERE queue = 'external')
  OR EXISTS (SELECT 1 FROM qr_codes WHERE payload IS NOT NULL)`

/** Sites that an error or a start names: a data directory can have thousands. */
const MAX_NAMED = 20

/** @throws LiveTestSites naming the sites with the name of a test site that have been live */
function refuseLive(data: string): void {
  const live = listedSites(data).filter(({ siteId, deletedAt }) => {
    const file = join(objectsOf(data), siteFile(siteId))
    if (deletedAt !== undefined || !isTestSiteId(siteId) || !existsSync(file)) return false
    return orNothing(() => readingSite(file, ({ sql }) => requiredInteger(sql, IS_LIVE))) === 1
  })
  if (live.length === 0) return
  const rule = 'has been live, must be deleted, or TEST_SITES must be off'
  throw new LiveTestSites(named(live.map(({ siteId }) => `${siteId}: ${rule}`)).join('\n'))
}

const named = (sites: readonly string[]): string[] => [
  ...sites.slice(0, MAX_NAMED),
  ...(sites.length > MAX_NAMED ? [`and ${sites.length - MAX_NAMED} more sites`] : []),
]

const sideFiles = (data: string): string[] => [alarmsFile(data), registryFile(data)]

/**
 * Sets the alarm of every site that has work, and records every site in the registry. The service is stopped, and
 * checkSideFiles has found nothing, unless it is a repair.
 * @param now Unix milliseconds
 * @param isRepair corrupted files of alarms and registry are replaced, and the registry takes the epochs of the sites' files
 * @param auditOf the directory that has the audit
 * @param retentionDays the setting of the service, null without it; undefined if it is not known
 * @param isOfNew only sites that the registry does not know are read, and no lost file is looked for
 * @param except files that are not read: what is wrong with them is known
 * @throws EarlierBuild naming the sites that an earlier build made, before an alarm is set
 */
export function rebuild(
  data: string,
  now: number,
  {
    isRepair = false,
    retentionDays,
    isOfNew = false,
    auditOf = data,
    except = [],
  }: {
    isRepair?: boolean
    retentionDays?: number | null
    isOfNew?: boolean
    auditOf?: string
    except?: Iterable<string>
  } = {},
): Rebuilt {
  let names: Map<string, string> | undefined
  const problems: string[] = []
  const listed = orNothing(() => listedSites(data)) ?? []
  for (const site of listed) {
    try {
      keepDeleted(data, site)
    } catch (error) {
      problems.push(`${site.siteId}: ${error instanceof Error ? error.message : error}`)
    }
  }
  if (isRepair) for (const file of sideFiles(data)) setAsideCorrupted(file)
  const alarms: SiteAlarm[] = []
  const found: FoundSite[] = []
  const earlier: string[] = []
  const known = new Set([...except, ...(isOfNew ? listed.map(({ siteId }) => siteFile(siteId)) : [])])
  for (const file of siteFiles(data, known)) {
    try {
      const site = withSite(join(objectsOf(data), file), (storage) => readSite(storage, now, retentionDays))
      if (!site) continue
      const { siteId, at, entry, handles } = site
      if (siteId === undefined) problems.push(`${file}: its site has no name`)
      else if (siteFile(siteId) !== file) problems.push(`${file}: it has the database of site ${siteId}`)
      else {
        alarms.push({ file, siteId, at })
        found.push({ siteId, entry, handles })
      }
    } catch (error) {
      names ??= siteNames(data)
      const problem = `${names.get(file) ?? file}: ${error instanceof Error ? error.message : error}`
      if (error instanceof EarlierBuild) earlier.push(problem)
      else problems.push(problem)
    }
  }
  if (earlier.length > 0) throw new EarlierBuild(named(earlier).join('\n'))
  setAlarms(data, alarms)
  recordSites(data, found, isRepair)
  revokeAgain(data, auditOf)
  const withWork = alarms.filter(({ at }) => at !== undefined).length
  if (isOfNew) return { sites: alarms.length, withWork, problems }
  const epochs = new Map(found.map(({ siteId, entry: { epoch } }) => [siteId, epoch]))
  for (const site of listedSites(data)) {
    const loss = epochs.get(site.siteId) === site.epoch ? undefined : lossOf(data, site)
    if (loss) problems.push(`${site.siteId}: ${loss}`)
  }
  return { sites: alarms.length, withWork, problems }
}

/** The keys of operators that the audit has as revoked are: a registry that was restored, or made anew, does not know them. */
function revokeAgain(data: string, auditOf: string): void {
  const revoked = orNothing(() => revokedKeys(auditOf)) ?? []
  changeFile(registryFile(data), (storage) => {
    migrate(storage, REGISTRY_SCHEMA)
    for (const { id, at } of revoked) setOperatorKeyRevoked(storage.sql, id, at)
  })
}

function readSite(storage: TableStorage, now: number, retentionDays: number | null | undefined) {
  const { sql } = storage
  migrate(storage)
  const siteId = siteIdIn(sql)
  const bytes = 'SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()'
  const entry = registryEntryOf(sql, milliseconds(now), requiredInteger(sql, bytes))
  storage.transactionSync(() => {
    endLeases(sql)
    correctTimes(sql, milliseconds(now))
    if (retentionDays !== undefined) setRetention(sql, retentionDays)
    if (entry.deletedAt === undefined) setRegistryEntry(sql, entry)
  })
  // The object empties a site whose deletion was interrupted.
  const at = isToBeEmptied(sql)
    ? milliseconds(now)
    : earliest(nextWake(sql), nextFigures(sql, milliseconds(now)))
  return { siteId, at, entry, handles: handlesIn(sql) }
}

/** A deleted site whose file lost its tombstone gets it again: its siteId must not be used again. */
function keepDeleted(data: string, { siteId, createdAt, epoch, deletedAt }: ListedSite): void {
  const file = join(objectsOf(data), siteFile(siteId))
  if (deletedAt === undefined || (existsSync(file) && withSite(file, () => true))) return
  changeFile(file, (storage) => {
    migrate(storage)
    setSiteId(storage.sql, siteId)
    setTombstone(storage.sql, { epoch, createdAt, deletedAt })
  })
}

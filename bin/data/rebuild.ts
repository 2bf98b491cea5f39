// Makes the alarms and the registry from the sites' tables: at each start, after a restore, as a repair.

import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { isTestSiteId } from '../../src/contract/site-id.ts'
import { setOperatorKeyRevoked } from '../../src/registry/keys.ts'
import { REGISTRY_SCHEMA } from '../../src/registry/sites.ts'
import { nextWake } from '../../src/site/clock.ts'
import { EarlierBuild, migrate, type TableStorage } from '../../src/site/database/schema.ts'
import { isToBeEmptied, setTombstone } from '../../src/site/deletion.ts'
import { endLeases } from '../../src/site/outbox/outbox.ts'
import { correctTimes } from '../../src/site/outbox/recovery.ts'
import { setRetention } from '../../src/site/qr-codes/retention.ts'
import { nextFigures, registryEntryOf, setRegistryEntry } from '../../src/site/registry-entry.ts'
import { setSiteId, siteIdIn } from '../../src/site/rows/site.ts'
import { requiredInteger } from '../../src/site/rows/sql.ts'
import { earliest, milliseconds } from '../../src/site/time.ts'
import { alarmsFile, type SiteAlarm, setAlarms } from './alarms.ts'
import { auditProblem, prepareAudit, revokedKeys } from './audit.ts'
import {
  missingAudit,
  missingSites,
  objectsOf,
  refuseCache,
  registryFile,
  siteFile,
  siteFiles,
  withLock,
} from './data-directory.ts'
import { changeFile, corruption, setAside } from './side-file.ts'
import {
  type FoundSite,
  type ListedSite,
  listedSites,
  lossOf,
  orNothing,
  recordSites,
  siteNames,
} from './site-list.ts'
import { withSite } from './site-storage.ts'

interface Rebuilt {
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
 * @throws Error where the folder of the sites or the audit is missing, or the directory is in use or a cluster's cache; naming
 * a corrupted file of alarms or registry, sites of an earlier build, or test sites that have been live
 */
export async function prepareStart(
  data: string,
  report: (problem: string, level: 'error' | 'warning') => void,
  { retentionDays, hasTestSites }: { retentionDays: number | undefined; hasTestSites: boolean },
): Promise<void> {
  refuseCache(data)
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
      const { problems, restored } = rebuild(data, Date.now(), {
        retentionDays: retentionDays ?? null,
        hasTestSites,
      })
      for (const problem of problems) report(problem, 'error')
      for (const siteId of restored.slice(0, MAX_NAMED)) {
        report(`${siteId}: restored from a backup, refunds and charges rest until it is resumed`, 'warning')
      }
      if (restored.length > MAX_NAMED) report(`restored sites: ${restored.length}`, 'warning')
    } catch (error) {
      if (error instanceof EarlierBuild || error instanceof LiveTestSites) throw error
      report(`the alarms could not be set: ${error instanceof Error ? error.message : error}`, 'error')
    }
  })
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
 * @param hasTestSites whether the service has test sites
 * @throws EarlierBuild naming the sites that an earlier build made, LiveTestSites naming test sites that have been live, before
 * an alarm is set
 */
export function rebuild(
  data: string,
  now: number,
  {
    isRepair = false,
    retentionDays,
    hasTestSites = false,
    auditOf = data,
  }: {
    isRepair?: boolean
    retentionDays?: number | null
    hasTestSites?: boolean
    auditOf?: string
  } = {},
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
  const earlier: string[] = []
  const live: string[] = []
  for (const file of siteFiles(data)) {
    try {
      const site = withSite(join(objectsOf(data), file), (storage) =>
        readSite(storage, { now, retentionDays, hasTestSites }),
      )
      if (!site) continue
      const { siteId, at, entry, isLive } = site
      if (siteId === undefined) problems.push(`${file}: its site has no name`)
      else if (siteFile(siteId) !== file) problems.push(`${file}: it has the database of site ${siteId}`)
      else {
        alarms.push({ file, siteId, at })
        found.push({ siteId, entry })
        if (entry.isRestored) restored.push(siteId)
        if (isLive) live.push(siteId)
      }
    } catch (error) {
      const problem = `${names.get(file) ?? file}: ${error instanceof Error ? error.message : error}`
      if (error instanceof EarlierBuild) earlier.push(problem)
      else problems.push(problem)
    }
  }
  if (earlier.length > 0) throw new EarlierBuild(named(earlier).join('\n'))
  if (live.length > 0) {
    const rule = 'has been live, must be deleted, or TEST_SITES must be off'
    throw new LiveTestSites(named(live.map((siteId) => `${siteId}: ${rule}`)).join('\n'))
  }
  setAlarms(data, alarms)
  recordSites(data, found, isRepair)
  revokeAgain(data, auditOf)
  const epochs = new Map(found.map(({ siteId, entry: { epoch } }) => [siteId, epoch]))
  for (const site of listedSites(data)) {
    const loss = epochs.get(site.siteId) === site.epoch ? undefined : lossOf(data, site)
    if (loss) problems.push(`${site.siteId}: ${loss}`)
  }
  const withWork = alarms.filter(({ at }) => at !== undefined).length
  return { sites: alarms.length, withWork, restored, problems }
}

/** The keys of operators that the audit has as revoked are: a registry that was restored, or made anew, does not know them. */
function revokeAgain(data: string, auditOf: string): void {
  const revoked = orNothing(() => revokedKeys(auditOf)) ?? []
  changeFile(registryFile(data), (storage) => {
    migrate(storage, REGISTRY_SCHEMA)
    for (const { id, at } of revoked) setOperatorKeyRevoked(storage.sql, id, at)
  })
}

function readSite(
  storage: TableStorage,
  {
    now,
    retentionDays,
    hasTestSites,
  }: { now: number; retentionDays: number | null | undefined; hasTestSites: boolean },
) {
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
  const isTest = hasTestSites && siteId !== undefined && isTestSiteId(siteId)
  return { siteId, at, entry, isLive: isTest && requiredInteger(sql, IS_LIVE) === 1 }
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

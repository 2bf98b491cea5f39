// npm run sites: the list of the sites, and the repair of what is beside their files (docs/self-hosting.md).
import { existsSync, mkdirSync, renameSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { command } from '../command.ts'
import { parseOptions, required } from '../options.ts'
import { OBJECTS } from '../serve/workerd-config.ts'
import { giveAuditUp, recorded } from './audit.ts'
import {
  missingAudit,
  missingSites,
  objectsOf,
  partOf,
  readableSiteFiles,
  siteFile,
  siteFiles,
  withLock,
} from './data-directory.ts'
import { rebuild } from './rebuild.ts'
import { forgetSites, type ListedSite, listedSites, lossOf } from './site-list.ts'

const USAGE = `npm run sites -- list --data DIR
npm run sites -- rebuild --data DIR [--accept-loss]
npm run sites -- forget --data DIR --site SITE

  list           the sites of the registry: name, creation in UTC, shop in quotes, its file in DIR, whether it is
                 deleted, and what is wrong, with tabs between them; the service may be running
  rebuild        makes the alarms and the registry from the tables of the sites; the service is stopped
  forget         takes a site off the registry whose file is not there any more, but no deleted one; the service is stopped

  --data DIR     the data directory; of list also a backup
  --site SITE    the site
  --accept-loss  begins without the folder of the sites, or without the audit, where that is lost; deleted siteIds stay
                 deleted`

await command(USAGE, async () => {
  const { values, positionals } = parseOptions({
    options: {
      data: { type: 'string' },
      site: { type: 'string' },
      'accept-loss': { type: 'boolean', default: false },
    },
    allowPositionals: true,
  })
  const data = resolve(required('--data', values.data))
  const [action] = positionals
  const acceptsLoss = action === 'rebuild' && values['accept-loss']
  if (acceptsLoss && missingSites(data) !== undefined) await withLock(data, () => acceptLoss(data))
  if (acceptsLoss && missingAudit(data) !== undefined) await withLock(data, () => giveAuditUp(data))
  if (action !== 'list') siteFiles(data)
  if (action === 'list') list(data)
  else if (action === 'rebuild') await withLock(data, () => repair(data, acceptsLoss))
  else if (action === 'forget') await withLock(data, () => forget(data, values.site))
  else throw new Error(`the first word is ${action ?? 'missing'}, must be list, rebuild or forget`)
})

function list(data: string): void {
  readableSiteFiles(data)
  for (const site of listedSites(data)) {
    const createdOn = timeOf(site.createdAt)
    const loss = lossOf(data, site)
    const mark = deletionOf(site)
    // In quotes, so that no shop's name looks like the column after it.
    const file = join(OBJECTS, siteFile(site.siteId))
    const columns = [site.siteId, createdOn, JSON.stringify(site.name ?? ''), file]
    console.log([...columns, ...[mark, loss].filter((text) => text !== undefined)].join('\t'))
  }
}

function timeOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace('.000', '')
}

function deletionOf({ deletedAt, deletesAt }: ListedSite): string | undefined {
  if (deletedAt !== undefined) return 'deleted by the operator'
  return deletesAt === undefined ? undefined : `deleted by the operator, its data until ${timeOf(deletesAt)}`
}

/** What an interrupted restore copied is kept: the backup may be gone. */
function acceptLoss(data: string): void {
  if (existsSync(partOf(data))) {
    const kept = `${partOf(data)}.${Date.now()}`
    renameSync(partOf(data), kept)
    console.log(`kept: ${kept}`)
  }
  mkdirSync(objectsOf(data), { mode: 0o700 })
}

async function repair(data: string, acceptsLoss: boolean): Promise<void> {
  const { sites, withWork, problems } = await recorded(
    data,
    'command.rebuild',
    acceptsLoss ? { acceptLoss: true } : {},
    () => rebuild(data, Date.now(), { isRepair: true }),
    (rebuilt) => ({ sites: rebuilt.sites, problems: rebuilt.problems.length }),
  )
  for (const problem of problems) console.error(problem)
  console.log(`sites: ${sites}, with work: ${withWork}, problems: ${problems.length}`)
  if (problems.length > 0) process.exitCode = 1
}

function forget(data: string, siteId: string | undefined): void {
  const site = listedSites(data).find((each) => each.siteId === siteId)
  if (siteId === undefined || !site) throw new Error(`--site is ${siteId}, must be a site of the registry`)
  if (site.deletedAt !== undefined)
    throw new Error(`--site is ${siteId}, must not be a deleted site: its siteId is never used again`)
  const file = join(objectsOf(data), siteFile(siteId))
  if (existsSync(file)) throw new Error(`site ${siteId} has a file, must be removed first: ${file}`)
  forgetSites(data, [siteId])
  console.log(`forgotten: ${siteId}`)
}

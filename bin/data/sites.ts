// npm run sites: the list of the sites, and the repair of what is beside their files (docs/self-hosting.md).
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { command } from '../command.ts'
import { parseOptions, required } from '../options.ts'
import { objectsOf, siteFile, siteFiles, withLock } from './data-directory.ts'
import { rebuild } from './rebuild.ts'
import { forgetSites, listedSites, lossOf } from './site-list.ts'

const USAGE = `npm run sites -- list --data DIR
npm run sites -- rebuild --data DIR
npm run sites -- forget --data DIR --site SITE

  list           the sites of the registry: name, creation, shop in quotes, and what is wrong, with tabs between them; the
                 service may be running
  rebuild        makes the alarms and the registry from the tables of the sites; the service is stopped
  forget         takes a site off the registry whose file is not there any more; the service is stopped

  --data DIR     the data directory
  --site SITE    the site`

await command(USAGE, async () => {
  const { values, positionals } = parseOptions({
    options: { data: { type: 'string' }, site: { type: 'string' } },
    allowPositionals: true,
  })
  const data = resolve(required('--data', values.data))
  siteFiles(data)
  const [action] = positionals
  if (action === 'list') list(data)
  else if (action === 'rebuild') await withLock(data, () => repair(data))
  else if (action === 'forget') await withLock(data, () => forget(data, values.site))
  else throw new Error(`the first word is ${action ?? 'missing'}, must be list, rebuild or forget`)
})

function list(data: string): void {
  for (const site of listedSites(data)) {
    const createdOn = new Date(site.createdAt * 1000).toISOString().replace('.000', '')
    const loss = site.deletedAt === undefined ? lossOf(data, site) : 'deleted by the operator'
    // In quotes, so that no shop's name looks like the column after it.
    console.log([site.siteId, createdOn, JSON.stringify(site.name ?? ''), ...(loss ? [loss] : [])].join('\t'))
  }
}

function repair(data: string): void {
  const { sites, withWork, problems } = rebuild(data, Date.now(), { isRepair: true })
  for (const problem of problems) console.error(problem)
  console.log(`sites: ${sites}, with work: ${withWork}, problems: ${problems.length}`)
  if (problems.length > 0) process.exitCode = 1
}

function forget(data: string, siteId: string | undefined): void {
  const site = listedSites(data).find((each) => each.siteId === siteId)
  if (siteId === undefined || !site) throw new Error(`--site is ${siteId}, must be a site of the registry`)
  const file = join(objectsOf(data), siteFile(siteId))
  if (existsSync(file)) throw new Error(`site ${siteId} has a file, must be removed first: ${file}`)
  forgetSites(data, [siteId])
  console.log(`forgotten: ${siteId}`)
}

// npm run backup: copies the data of a service, which may be running (docs/self-hosting.md).
import { resolve } from 'node:path'
import { command } from '../command.ts'
import { parseOptions, portOption, required } from '../options.ts'
import { reasonOf } from '../system-error.ts'
import { backUp, deleteOld } from './back-up.ts'
import { checkData } from './check-data.ts'
import { readableSiteFiles } from './data-directory.ts'

const USAGE = `npm run backup -- --data DIR --to DIR2 [--site SITE] [--verify] [--keep-days N]
                  [--admin-port N]

  --data DIR       the data directory; the service may be running
  --to DIR2        the backup: a directory that is empty, or does not exist
  --site SITE      this site only
  --verify         checks the copy, as npm run verify does, before any older one is deleted
  --keep-days N    after a complete backup of all sites, deletes the complete backups beside DIR2 that are older than N
                   days; the last backup of each site stays
  --admin-port N   after a complete backup of all sites, tells the service, whose metrics show when the last one was`

await command(USAGE, async () => {
  const { values } = parseOptions({
    options: {
      data: { type: 'string' },
      to: { type: 'string' },
      site: { type: 'string' },
      verify: { type: 'boolean', default: false },
      'keep-days': { type: 'string' },
      'admin-port': { type: 'string' },
    },
  })
  const keep = values['keep-days']
  if (keep !== undefined && !/^[1-9]\d{0,4}$/.test(keep)) {
    throw new RangeError(`--keep-days is ${keep}, must be a whole number from 1 to 99999`)
  }
  const port =
    values['admin-port'] === undefined ? undefined : portOption('--admin-port', values['admin-port'])
  for (const name of ['keep-days', 'admin-port'] as const) {
    if (values.site !== undefined && values[name] !== undefined)
      throw new Error(`--${name} is given with --site, must be with a backup of all sites`)
  }
  const [data, to] = [resolve(required('--data', values.data)), resolve(required('--to', values.to))]
  const { sites, failures, bytes, ms } = await backUp(data, to, values.site)
  console.log(
    `sites: ${sites}, ${(bytes / 1e6).toFixed(1)} MB in ${(ms / 1000).toFixed(1)} s, ` +
      `${(bytes / 1e3 / Math.max(ms, 1)).toFixed(0)} MB/s`,
  )
  if (failures.length > 0) throw new Error(`not in the backup:\n${failures.join('\n')}`)
  if (values.verify && !(await checkData(to, readableSiteFiles(to)))) {
    throw new Error(`${to} has problems: older backups are kept, the service is not told of it`)
  }
  if (port !== undefined) await tell(port)
  if (keep === undefined) return
  const { deleted, kept, problems } = deleteOld(to, Number(keep), Date.now())
  for (const old of deleted) console.log(`deleted: ${old}`)
  for (const { path, sites } of kept) console.log(`kept: ${path}, sites that no later backup has: ${sites}`)
  for (const problem of problems) console.error(`warning: ${problem}`)
})

/** The backup is complete, whether or not the service hears of it. */
async function tell(port: number): Promise<void> {
  const url = `http://127.0.0.1:${port}/backup`
  const said = await fetch(url, { method: 'POST', signal: AbortSignal.timeout(10_000) }).then(
    ({ status }) => (status === 204 ? undefined : `status ${status}`),
    reasonOf,
  )
  if (said !== undefined) console.error(`warning: the service was not told of the backup: ${url}: ${said}`)
}

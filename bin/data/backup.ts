// npm run backup: copies the data of a service, which may be running (docs/self-hosting.md).
import { resolve } from 'node:path'
import { command } from '../command.ts'
import { parseOptions, required } from '../options.ts'
import { backUp, deleteOld } from './back-up.ts'

const USAGE = `npm run backup -- --data DIR --to DIR2 [--site SITE] [--keep-days N]

  --data DIR       the data directory; the service may be running
  --to DIR2        the backup: a directory that is empty, or does not exist
  --site SITE      this site only
  --keep-days N    after a complete backup, deletes the complete backups beside DIR2 that are older than N days`

await command(USAGE, async () => {
  const { values } = parseOptions({
    options: {
      data: { type: 'string' },
      to: { type: 'string' },
      site: { type: 'string' },
      'keep-days': { type: 'string' },
    },
  })
  const keep = values['keep-days']
  if (keep !== undefined && !/^[1-9]\d{0,4}$/.test(keep)) {
    throw new RangeError(`--keep-days is ${keep}, must be a whole number from 1 to 99999`)
  }
  const [data, to] = [resolve(required('--data', values.data)), resolve(required('--to', values.to))]
  const { sites, failures, bytes, ms } = await backUp(data, to, values.site)
  console.log(
    `sites: ${sites}, ${(bytes / 1e6).toFixed(1)} MB in ${(ms / 1000).toFixed(1)} s, ` +
      `${(bytes / 1e3 / Math.max(ms, 1)).toFixed(0)} MB/s`,
  )
  if (failures.length > 0) throw new Error(`not in the backup:\n${failures.join('\n')}`)
  if (keep === undefined) return
  const { deleted, problems } = deleteOld(to, Number(keep), Date.now())
  for (const old of deleted) console.log(`deleted: ${old}`)
  for (const problem of problems) console.error(`warning: ${problem}`)
})

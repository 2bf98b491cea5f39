// npm run restore: makes a data directory of a backup (docs/self-hosting.md).
import { resolve } from 'node:path'
import { command } from '../command.ts'
import { parseOptions, required } from '../options.ts'
import { peopleText } from './restored-people.ts'
import { restore } from './restored-sites.ts'

const AUDIT_RULE =
  'either --before must be the data directory that this one replaces, whose audit goes on, or --audit-of-backup must say that it is lost'

const USAGE = `npm run restore -- --from DIR2 --data DIR3 --before DIR | --audit-of-backup

  --from DIR2         the backup
  --data DIR3         the data directory: it is empty, does not exist, or has what an interrupted restore left
  --before DIR        the data directory that DIR3 replaces, whose service is stopped: its audit goes on
  --audit-of-backup   where that directory is lost or on another machine: the audit does not have what operators did since
                      the backup`

await command(USAGE, async () => {
  const { values } = parseOptions({
    options: {
      from: { type: 'string' },
      data: { type: 'string' },
      before: { type: 'string' },
      'audit-of-backup': { type: 'boolean', default: false },
    },
  })
  const [from, data] = [resolve(required('--from', values.from)), resolve(required('--data', values.data))]
  const { before, 'audit-of-backup': isOfBackup } = values
  if (isOfBackup === (before !== undefined)) throw new Error(AUDIT_RULE)
  const { sites, time, problems, people } = await restore(
    from,
    data,
    before === undefined ? undefined : resolve(before),
  )
  for (const problem of problems) console.error(problem)
  if (problems.length > 0) process.exitCode = 1
  if (isOfBackup)
    console.log(`the audit is that of the backup: what operators did after ${time} is not in it`)
  console.log(`sites restored: ${sites}, as they were at ${time}. What happened since is not known here:

- Refunds and charges get 409 site.restored, and the payment network gets no instructions, until the site is resumed.
  While the service runs, with the operator's token, for each site:
  POST /operator/v1/sites/{siteId}/resume
  Or with the service stopped, for all sites:
  npm run resume -- --data ${data}
  where the last is the new name, if you rename the directory. Before that, the network's reports since are to be
  sent again, of refunds with their amount. Resume only when the connector has reported every refund and charge that
  it took since: what it still waits for could be made twice (docs/self-hosting.md).
- Keys of sites that were revoked since work again: put their ids into REVOKED_KEYS before you start the service.
- Readers of event feeds begin again: their cursors get 410.
- Everybody signs in again, and invitations have ended.`)
  if (people.size > 0) console.log(peopleText(people))
})

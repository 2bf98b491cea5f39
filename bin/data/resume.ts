// npm run resume: allows refunds and charges again after a restore (docs/self-hosting.md). The service is stopped.
import { resolve } from 'node:path'
import { command } from '../command.ts'
import { parseOptions, required } from '../options.ts'
import { recorded } from './audit.ts'
import { siteFiles, withLock } from './data-directory.ts'
import { resume } from './restored-sites.ts'

const USAGE = `npm run resume -- --data DIR

  --data DIR     the data directory; the service is stopped`

await command(USAGE, async () => {
  const { values } = parseOptions({ options: { data: { type: 'string' } } })
  const data = resolve(required('--data', values.data))
  siteFiles(data)
  const { sites, problems } = await withLock(data, () =>
    recorded(
      data,
      'command.resume',
      {},
      () => resume(data),
      ({ sites }) => ({ sites }),
    ),
  )
  for (const problem of problems) console.error(problem)
  console.log(`sites resumed: ${sites}`)
})

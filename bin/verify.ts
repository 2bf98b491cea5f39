// npm run verify: checks every site's database against the rules of the service. The service is stopped.
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { command } from './command.ts'
import { lockData, objectsOf, siteFiles, siteNames } from './data-directory.ts'
import { required } from './options.ts'
import { checkSite } from './site-checks.ts'

const USAGE = `npm run verify -- --data DIR

  --data DIR     the data directory, or a backup; the service is stopped`

await command(USAGE, async () => {
  const { values } = parseArgs({ options: { data: { type: 'string' } } })
  const data = resolve(required('--data', values.data))
  const files = siteFiles(data)
  await lockData(data)
  const nameOf = siteNames(data)
  let faulty = 0
  for (const file of files) {
    const { problems, notes } = checkSite(join(objectsOf(data), file))
    for (const note of notes) console.log(`${nameOf(file)}: ${note}`)
    for (const problem of problems) console.error(`${nameOf(file)}: ${problem}`)
    if (problems.length > 0) faulty++
  }
  console.log(`sites: ${files.length}, with problems: ${faulty}`)
  process.exit(faulty > 0 ? 1 : 0)
})

// npm run verify: checks every site's database against the rules of the service. The service is stopped.
import { join, resolve } from 'node:path'
import { command } from './command.ts'
import { objectsOf, siteFiles, siteNames, withLock } from './data-directory.ts'
import { parseOptions, required } from './options.ts'
import { checkSite } from './site-checks.ts'

const USAGE = `npm run verify -- --data DIR

  --data DIR     the data directory, or a backup; the service is stopped`

await command(USAGE, async () => {
  const { values } = parseOptions({ options: { data: { type: 'string' } } })
  const data = resolve(required('--data', values.data))
  const files = siteFiles(data)
  const faulty = await withLock(data, () => verify(data, files))
  console.log(`sites: ${files.length}, with problems: ${faulty}`)
  if (faulty > 0) process.exitCode = 1
})

/** Prints what there is to say of each site. @returns how many have problems */
function verify(data: string, files: readonly string[]): number {
  const nameOf = siteNames(data)
  return files.filter((file) => {
    const { problems, notes } = checkSite(join(objectsOf(data), file))
    for (const note of notes) console.log(`${nameOf(file)}: ${note}`)
    for (const problem of problems) console.error(`${nameOf(file)}: ${problem}`)
    return problems.length > 0
  }).length
}

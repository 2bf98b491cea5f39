// npm run verify: checks every site's database against the rules of the service. The service is stopped.
import { join, resolve } from 'node:path'
import { command } from '../command.ts'
import { parseOptions, required } from '../options.ts'
import { auditProblem } from './audit.ts'
import { objectsOf, registryFile, siteFiles, withLock } from './data-directory.ts'
import { corruptedSideFiles } from './rebuild.ts'
import { checkSite } from './site-checks.ts'
import { listedSites, lossOf, siteNames } from './site-list.ts'

const USAGE = `npm run verify -- --data DIR

  --data DIR     the data directory, or a backup; the service is stopped`

await command(USAGE, async () => {
  const { values } = parseOptions({ options: { data: { type: 'string' } } })
  const data = resolve(required('--data', values.data))
  const files = siteFiles(data)
  const faulty = await withLock(data, () => verify(data, files))
  const others = faulty.others > 0 ? `; other files with problems: ${faulty.others}` : ''
  console.log(`sites: ${files.length}, with problems: ${faulty.sites}${others}`)
  if (faulty.sites + faulty.others > 0) process.exitCode = 1
})

/** Prints what there is to say of each site, and of the files of alarms, registry and audit. @returns how many have problems */
function verify(data: string, files: readonly string[]): { sites: number; others: number } {
  const names = siteNames(data)
  const faulty = new Set<string>()
  const report = (name: string, problems: readonly string[]) => {
    for (const problem of problems) console.error(`${name}: ${problem}`)
    if (problems.length > 0) faulty.add(name)
  }
  for (const file of files) {
    const { siteId, problems, notes } = checkSite(join(objectsOf(data), file))
    const name = siteId ?? names.get(file) ?? file
    for (const note of notes) console.log(`${name}: ${note}`)
    report(name, problems)
  }
  const corrupted = corruptedSideFiles(data)
  const audit = auditProblem(data)
  for (const problem of [...corrupted, ...(audit ? [audit] : [])]) console.error(problem)
  if (!corrupted.some((problem) => problem.startsWith(registryFile(data))))
    for (const site of listedSites(data)) {
      const loss = lossOf(data, site)
      report(site.siteId, loss ? [loss] : [])
    }
  return { sites: faulty.size, others: corrupted.length + (audit ? 1 : 0) }
}

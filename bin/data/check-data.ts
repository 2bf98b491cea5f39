// The check of all databases of a data directory, or of a backup.
import { join } from 'node:path'
import { auditProblem } from './audit.ts'
import { comparedBackup } from './back-up.ts'
import { isBackup } from './backup-directory.ts'
import { objectsOf, registryFile } from './data-directory.ts'
import { corruptedSideFiles } from './rebuild.ts'
import { checkSite } from './site-checks.ts'
import { listedSites, lossOf, siteNames } from './site-list.ts'

/**
 * Prints what there is to say of each site, and of the files of alarms, registry and audit; of a backup also what a restore
 * refuses. The caller holds the lock of a data directory.
 * @param files of the sites @returns whether nothing has problems @throws Error where it is a backup that is not complete
 */
export async function checkData(data: string, files: readonly string[]): Promise<boolean> {
  const { differences } = isBackup(data) ? await comparedBackup(data) : { differences: [] }
  for (const difference of differences) console.error(difference)
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
  const others = corrupted.length + (audit ? 1 : 0)
  const ofOthers = others > 0 ? `; other files with problems: ${others}` : ''
  const ofBackup =
    differences.length > 0 ? `; files that are not as they were backed up: ${differences.length}` : ''
  console.log(`sites: ${files.length}, with problems: ${faulty.size}${ofOthers}${ofBackup}`)
  return faulty.size + others + differences.length === 0
}

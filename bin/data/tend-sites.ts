// Starts the object of every site after a start of the service, though nobody calls it, and says what is wrong.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { objectsOf, siteFile } from './data-directory.ts'
import type { Report } from './rebuild.ts'
import { listedSites, lossOf, otherDatabase } from './site-list.ts'

/** Objects stay in memory for some ten seconds: at most 500 of them are there for this. */
const MIN_PAUSE_MS = 20
/** After each start, for so many times as long as it took, merchants have the service alone. */
const PAUSES = 4

interface Tending {
  /** Starts the object of a site. @returns the epoch of its tables, empty where it has none, of its admin socket */
  wake(siteId: string): Promise<Response>
  /** Ends it. */
  signal: AbortSignal
}

/**
 * An object that starts corrects its alarm and its times, ends the leases of the process before, stores the retention, brings
 * its tables up to date and tells the registry. Files are not opened here: while SQLite recovers one for the first process that
 * opens it, another gets an error.
 * @returns how many sites there are
 */
export async function tendSites(data: string, report: Report, { wake, signal }: Tending): Promise<number> {
  const sites = listedSites(data).filter(({ deletedAt }) => deletedAt === undefined)
  for (const site of sites) {
    if (signal.aborted) break
    const started = performance.now()
    try {
      const loss = await lossAfter(data, site, wake)
      if (loss !== undefined) report(`${site.siteId}: ${loss}`, 'error')
    } catch (error) {
      if (!signal.aborted)
        report(`${site.siteId}: ${error instanceof Error ? error.message : error}`, 'error')
    }
    await sleep(Math.max(MIN_PAUSE_MS, PAUSES * (performance.now() - started)))
  }
  return sites.length
}

async function lossAfter(data: string, site: Parameters<typeof lossOf>[1], wake: Tending['wake']) {
  // An object would begin another one.
  if (!existsSync(join(objectsOf(data), siteFile(site.siteId)))) return lossOf(data, site)
  const response = await wake(site.siteId)
  const text = await response.text()
  if (!response.ok) throw new Error(text.trim())
  return otherDatabase(data, site, text || undefined)
}

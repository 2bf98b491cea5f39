// Sites of a backup, as sites of a service: what happened after the backup is unknown to them.
import { randomBytes } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, renameSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { hasTables, migrate } from '../src/site/migrations.ts'
import { checkedBackup, makeEmpty } from './back-up.ts'
import { ALARMS, objectsOf, siteFiles, withLock } from './data-directory.ts'
import { siteStorage } from './site-storage.ts'

/**
 * Copies a backup into a data directory, and marks its sites as restored.
 * @param data empty, or not there
 * @returns how many sites, and the time of the backup
 * @throws Error naming what is wrong with a directory; then the data directory has no data
 */
export async function restore(from: string, data: string): Promise<{ sites: number; time: string }> {
  const { time, files } = await checkedBackup(from)
  makeEmpty(data, '--data')
  const sites = await withLock(data, () => copySites(from, data, Object.keys(files)))
  return { sites, time }
}

/** @returns how many sites */
function copySites(from: string, data: string, files: readonly string[]): number {
  // A restore that is interrupted leaves nothing that the service would serve.
  const part = join(data, 'part')
  mkdirSync(objectsOf(part), { recursive: true, mode: 0o700 })
  for (const file of files) copyFileSync(join(objectsOf(from), file), join(objectsOf(part), file))
  const sites = siteFiles(part)
  const alarms = new Map<string, bigint>()
  for (const file of sites) {
    const alarm = markRestored(join(objectsOf(part), file))
    if (alarm !== undefined) alarms.set(file.replace('.sqlite', ''), alarm)
  }
  if (existsSync(join(objectsOf(part), ALARMS))) setAlarms(join(objectsOf(part), ALARMS), alarms)
  renameSync(objectsOf(part), objectsOf(data))
  rmdirSync(part)
  return sites.length
}

/** Ends the restore of every site. @returns how many sites that concerned */
export const resume = (data: string): number =>
  siteFiles(data).filter((file) => {
    const database = new DatabaseSync(join(objectsOf(data), file))
    const storage = siteStorage(database)
    if (hasTables(storage)) migrate(storage)
    const { changes } = hasTables(storage)
      ? database.prepare('UPDATE site SET restored = 0 WHERE restored = 1').run()
      : { changes: 0 }
    database.close()
    return changes > 0
  }).length

/** Gives the site a new epoch, and the mark. @returns its alarm in nanoseconds, if it has one */
function markRestored(file: string): bigint | undefined {
  const database = new DatabaseSync(file)
  const storage = siteStorage(database)
  try {
    if (!hasTables(storage)) return undefined
    migrate(storage)
    database.prepare('UPDATE site SET epoch = ?, restored = 1').run(randomBytes(8).toString('hex'))
    // The backup does not say what was attempted after it, so no charge is withdrawn.
    database.prepare("UPDATE outbox SET attempted = 1 WHERE queue <> 'merchant'").run()
    return alarmOf(database)
  } finally {
    database.close()
  }
}

/** The alarm as the object itself knows it. */
function alarmOf(database: DatabaseSync): bigint | undefined {
  const table = database.prepare("SELECT 1 FROM sqlite_master WHERE name = '_cf_METADATA'").get()
  if (!table) return undefined
  const statement = database.prepare('SELECT value FROM _cf_METADATA WHERE key = 1')
  statement.setReadBigInts(true)
  const value = statement.get()?.value
  return typeof value === 'bigint' ? value : undefined
}

/** The alarms were copied after the sites: each site's own is the right one. */
function setAlarms(file: string, alarms: ReadonlyMap<string, bigint>): void {
  const database = new DatabaseSync(file)
  const update = database.prepare('UPDATE _cf_ALARM SET scheduled_time = ? WHERE actor_id = ?')
  for (const [id, time] of alarms) update.run(time, id)
  database.close()
}

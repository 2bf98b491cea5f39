// The alarms of workerd: a file beside the sites', from which it knows at its start which site to wake when.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { readablePath } from './backup-directory.ts'
import { objectsOf } from './data-directory.ts'
import { changeFile } from './side-file.ts'

/** The name of the file. */
export const ALARMS = 'metadata.sqlite'

export const alarmsFile = (data: string): string => join(objectsOf(data), ALARMS)

/** The names of sites by their files, for those that have an alarm. @throws Error where the file is corrupted */
export function alarmNames(data: string): Map<string, string> {
  const names = new Map<string, string>()
  if (!existsSync(alarmsFile(data))) return names
  const database = new DatabaseSync(readablePath(alarmsFile(data)), { readOnly: true })
  try {
    const rows = database.prepare('SELECT actor_id, actor_name FROM _cf_ALARM WHERE actor_name IS NOT NULL')
    for (const { actor_id, actor_name } of rows.iterate()) names.set(`${actor_id}.sqlite`, String(actor_name))
  } finally {
    database.close()
  }
  return names
}

/** The alarms by the files of their sites, in Unix milliseconds. */
export function alarmTimes(data: string): Map<string, number> {
  if (!existsSync(alarmsFile(data))) return new Map()
  const database = new DatabaseSync(alarmsFile(data), { readOnly: true })
  try {
    const rows = database.prepare('SELECT actor_id, scheduled_time / 1000000 AS at FROM _cf_ALARM').all()
    return new Map(rows.map(({ actor_id, at }) => [`${actor_id}.sqlite`, Number(at)]))
  } finally {
    database.close()
  }
}

/** A site as the alarms know it; `at` is Unix milliseconds, undefined if it waits for nothing. */
export interface SiteAlarm {
  file: string
  siteId: string
  at: number | undefined
}

/** Sets the alarms of these sites; the alarms of other sites stay. The object of a site sets its alarm again after it starts. */
export function setAlarms(data: string, alarms: readonly SiteAlarm[]): void {
  changeFile(alarmsFile(data), ({ sql }) => {
    // The table as workerd makes it; its times are nanoseconds.
    sql.exec(
      'CREATE TABLE IF NOT EXISTS _cf_ALARM (actor_id TEXT PRIMARY KEY, scheduled_time INTEGER, actor_name TEXT) WITHOUT ROWID',
    )
    for (const { file, siteId, at } of alarms) {
      const id = file.replace('.sqlite', '')
      sql.exec('DELETE FROM _cf_ALARM WHERE actor_id = ?', id)
      if (at === undefined) continue
      sql.exec(
        'INSERT INTO _cf_ALARM (actor_id, scheduled_time, actor_name) VALUES (?, ? * 1000000, ?)',
        ...[id, at, siteId],
      )
    }
  })
}

// The data directory of a self-hosted service: a SQLite file for each site, and workerd's own file of alarms.
import { spawn } from 'node:child_process'
import { createHash, createHmac } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { PROBE_OBJECT } from '../src/contract/site-id.ts'
import { OBJECTS } from './workerd-config.ts'

/** workerd's file beside the sites': the alarms of all objects, and their names. */
export const ALARMS = 'metadata.sqlite'

/** The folder of the files. */
export const objectsOf = (data: string): string => join(data, OBJECTS)

/** The file of a site: workerd derives the id of an object from its name. */
export function siteFile(siteId: string): string {
  const key = createHash('sha256').update(OBJECTS).digest()
  const half = (text: string | Buffer) => createHmac('sha256', key).update(text).digest().subarray(0, 16)
  const first = half(siteId)
  return `${Buffer.concat([first, half(first)]).toString('hex')}.sqlite`
}

/** The files of the sites. @throws Error where the directory has no such folder */
export function siteFiles(data: string): string[] {
  if (!existsSync(objectsOf(data))) throw new Error(`${data} has no data of the service`)
  const probe = siteFile(PROBE_OBJECT)
  return readdirSync(objectsOf(data)).filter((name) => /^[0-9a-f]{64}\.sqlite$/.test(name) && name !== probe)
}

/** An alarm as workerd stores it: nanoseconds. */
export interface AlarmRow {
  actor_id: string
  scheduled_time: bigint
  actor_name: string | null
}

/** The alarms; sites that wait for nothing have none. */
export function alarmsOf(data: string): AlarmRow[] {
  if (!existsSync(join(objectsOf(data), ALARMS))) return []
  const database = new DatabaseSync(join(objectsOf(data), ALARMS), { readOnly: true })
  try {
    const statement = database.prepare('SELECT actor_id, scheduled_time, actor_name FROM _cf_ALARM')
    statement.setReadBigInts(true)
    return statement.all().map(({ actor_id, scheduled_time, actor_name }) => ({
      actor_id: String(actor_id),
      scheduled_time: typeof scheduled_time === 'bigint' ? scheduled_time : 0n,
      actor_name: actor_name === null ? null : String(actor_name),
    }))
  } finally {
    database.close()
  }
}

/** What to call the site of a file: its name where an alarm tells it. */
export function siteNames(data: string): (file: string) => string {
  const names = new Map(alarmsOf(data).map(({ actor_id, actor_name }) => [`${actor_id}.sqlite`, actor_name]))
  return (file) => names.get(file) ?? file
}

/**
 * Does something on a data directory, which is locked meanwhile as the service locks it (deploy/run).
 * @throws Error where the directory is in use
 */
export async function withLock<T>(data: string, work: () => T | Promise<T>): Promise<T> {
  mkdirSync(data, { recursive: true })
  const file = join(data, 'lock')
  // The lock is held by a process that ends with its input: when this process ends, however it does.
  const holder = spawn('flock', ['--nonblock', '--no-fork', file, 'sh', '-c', 'echo && exec cat'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const isLocked = await Promise.race([
    once(holder.stdout, 'data').then(() => true),
    once(holder, 'exit').then(() => false),
  ])
  if (!isLocked)
    throw new Error(`${data} is in use by process ${readFileSync(file, 'utf8').trim()}: stop it first`)
  try {
    return await work()
  } finally {
    holder.stdin.end()
    await once(holder, 'exit')
  }
}

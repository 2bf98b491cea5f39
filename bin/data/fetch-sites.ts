// Copies the sites of a cluster from its bucket into a data directory, which is one of a service on one machine then.
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { recorded } from './audit.ts'
import { makeEmpty } from './back-up.ts'
import type { Bucket, BucketSettings } from './bucket.ts'
import { type Engine, forEach, withEngine } from './bucket-engine.ts'
import { objectsOf, partOf, withLock } from './data-directory.ts'
import { FOLDERS } from './objects-config.ts'
import { markAll, type Restored } from './restored-sites.ts'

type Fetched = Omit<Restored, 'time'>

/**
 * Copies all sites, with the registry and the audit, and marks the sites as restored. The instances are stopped.
 * @param data empty, or not there
 * @returns how many sites it has, and what is wrong with others
 * @throws Error where the bucket has no sites, or an instance runs; then the directory has no data
 */
export async function fetchSites(bucket: Bucket, settings: BucketSettings, data: string): Promise<Fetched> {
  makeEmpty(data, '--data')
  return withLock(data, async () => {
    const part = partOf(data)
    let fetched: Fetched
    try {
      await withEngine(bucket, settings, part, (engine) => copyAll(engine, part))
      if (!existsSync(objectsOf(part))) throw new Error(`${bucket.name} has no sites`)
      // The cluster can go on, and nothing says what it will have sent.
      fetched = markAll(part, data, part)
      // The sites last: missingSites refuses the start of what is not complete.
      for (const folder of [FOLDERS.Audit, FOLDERS.Registry, FOLDERS.Site]) {
        if (existsSync(join(part, folder))) renameSync(join(part, folder), join(data, folder))
      }
    } finally {
      rmSync(part, { recursive: true, force: true })
    }
    // In the copy: the cluster is as it was.
    return recorded(
      data,
      'command.fetch',
      { cluster: bucket.name },
      () => fetched,
      ({ sites, problems }) => ({ sites, problems: problems.length }),
    )
  })
}

/** Copies all objects into a directory, with its folders. */
export async function copyAll(engine: Engine, directory: string): Promise<void> {
  await forEach(await engine.ids(), (id) => copyObject(engine, id, directory))
}

async function copyObject(engine: Engine, id: string, directory: string): Promise<void> {
  const file = await engine.open(id)
  const to = join(directory, basename(dirname(file)), basename(file))
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 })
  const database = new DatabaseSync(file, { readOnly: true, timeout: 10_000 })
  try {
    await backup(database, to, { rate: 2 ** 30 })
  } finally {
    database.close()
  }
}

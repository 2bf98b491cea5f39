// The directory of a backup: how it is told from a data directory, and how its databases are read.
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL, type URL } from 'node:url'

/** The manifest: what the backup contains. It is written last, so a backup without it is not complete. */
export const MANIFEST = 'backup.json'

/** The name of the manifest while the backup is made, from the beginning. */
export const MANIFEST_PART = `${MANIFEST}.part`

/** Whether a directory is a backup, complete or not. */
export const isBackup = (directory: string): boolean =>
  [MANIFEST, MANIFEST_PART].some((name) => existsSync(join(directory, name)))

/**
 * The path by which to open a database for reading. SQLite makes files beside a database that it opens, unless it is told that
 * nobody writes to it: a backup can be in a directory that cannot be written, and stays as it is.
 */
export function readablePath(file: string): string | URL {
  if (!existsSync(join(dirname(dirname(file)), MANIFEST))) return file
  const url = pathToFileURL(file)
  url.searchParams.set('immutable', '1')
  return url
}

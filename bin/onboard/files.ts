// Files of the connector, replaced as a whole: nobody reads a half of one, and nobody else reads a secret.
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  mkdirSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'

/** Who may read a file. */
interface Access {
  uid: number
  gid: number
  mode: number
}

/** Replaces the text of a file; it keeps its owner and its mode. */
export function replaceFile(path: string, text: string): void {
  const file = realpathSync(path)
  const { uid, gid, mode } = statSync(file)
  write(file, text, { uid, gid, mode: mode & 0o777 })
}

/** Where secrets are, beside the configuration. */
export const secretsOf = (config: string): string => join(dirname(realpathSync(config)), 'secrets')

/**
 * The user of the connector reads the secrets: the owner of its directory. Where root writes them, its group may read them.
 * @param data the connector's directory
 */
export function makeSecretsDirectory(directory: string, data: string): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const { gid, isGroups } = readerOf(data)
  if (isGroups) chownSync(directory, 0, gid)
  chmodSync(directory, isGroups ? 0o750 : 0o700)
}

/** @param data as above */
export function writeSecret(path: string, text: string, data: string): void {
  const { gid, isGroups } = readerOf(data)
  const uid = process.getuid?.() ?? 0
  write(path, `${text}\n`, isGroups ? { uid, gid, mode: 0o640 } : { uid, gid, mode: 0o600 })
}

function readerOf(data: string): { gid: number; isGroups: boolean } {
  const isRoot = process.getuid?.() === 0
  const { uid, gid } = existsSync(data) ? statSync(data) : { uid: 0, gid: 0 }
  return isRoot && uid !== 0 ? { gid, isGroups: true } : { gid: process.getgid?.() ?? 0, isGroups: false }
}

function write(path: string, text: string, { uid, gid, mode }: Access): void {
  const next = `${path}.new`
  // What an interrupted command has left.
  rmSync(next, { force: true })
  const file = openSync(next, 'wx', 0o600)
  try {
    writeFileSync(file, text)
    // Only root can give a file away; anybody else has made it with the right owner.
    if (process.getuid?.() === 0) fchownSync(file, uid, gid)
    fchmodSync(file, mode)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(next, path)
}

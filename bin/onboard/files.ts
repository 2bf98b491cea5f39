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
  readdirSync,
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
 * @throws Error where root does not know that user
 */
export function makeSecretsDirectory(directory: string, data: string): void {
  const { gid, isGroups } = readerOf(data)
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  if (isGroups) chownSync(directory, 0, gid)
  chmodSync(directory, isGroups ? 0o750 : 0o700)
}

/** @param data as above */
export function writeSecret(path: string, text: string, data: string): void {
  write(path, `${text}\n`, accessOf(data))
}

/**
 * Corrects who may read the secrets that stay: an earlier run can have found another owner of the connector's directory.
 * @param data as above
 */
export function correctSecrets(directory: string, data: string): void {
  const { uid, gid, mode } = accessOf(data)
  // Only root can give a file away; anybody else has made it with the right owner.
  if (uid !== 0) return
  for (const file of readdirSync(directory, { withFileTypes: true })) {
    // A link leads to a file of the operator.
    if (!file.isFile() || !/^(site|bank)\./.test(file.name)) continue
    const path = join(directory, file.name)
    chownSync(path, uid, gid)
    chmodSync(path, mode)
  }
}

function accessOf(data: string): Access {
  const { gid, isGroups } = readerOf(data)
  return { uid: process.getuid?.() ?? 0, gid, mode: isGroups ? 0o640 : 0o600 }
}

function readerOf(data: string): { gid: number; isGroups: boolean } {
  if (process.getuid?.() !== 0) return { gid: process.getgid?.() ?? 0, isGroups: false }
  if (!existsSync(data)) {
    throw new Error(
      `--data is ${data}, must be there, because its owner reads the secrets: install -d -o fps-connector -g fps-connector -m 700 ${data}`,
    )
  }
  const { uid, gid } = statSync(data)
  return { gid, isGroups: uid !== 0 }
}

function write(path: string, text: string, { uid, gid, mode }: Access): void {
  const next = `${path}.new`
  // An interrupted command can have left a part.
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

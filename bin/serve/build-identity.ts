// Which build a distribution is: its version, and the commit of its sources.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import packageJson from '../../package.json' with { type: 'json' }

const FILE = 'build.json'

const Identity = z.object({ version: z.string(), commit: z.string() })
type Identity = z.infer<typeof Identity>

/**
 * The commit of a checkout: 40 hexadecimal digits, then `-dirty` where tracked files differ from it.
 * @returns `unknown` where the directory is no checkout, or git is missing
 */
export function commitOf(checkout: string): string {
  const git = (...args: string[]) => spawnSync('git', ['-C', checkout, ...args], { encoding: 'utf8' })
  const { status, stdout } = git('rev-parse', 'HEAD')
  if (status !== 0) return 'unknown'
  const isDirty = git('status', '--porcelain', '--untracked-files=no').stdout !== ''
  return `${stdout.trim()}${isDirty ? '-dirty' : ''}`
}

/** Writes which build a directory has. */
export function writeIdentity(directory: string, checkout: string): void {
  const identity: Identity = { version: packageJson.version, commit: commitOf(checkout) }
  writeFileSync(join(directory, FILE), `${JSON.stringify(identity)}\n`)
}

/** Which build a directory has; one of an earlier version does not say it. @throws Error where its file is damaged */
export function identityOf(directory: string): Identity {
  const file = join(directory, FILE)
  if (!existsSync(file)) return { version: 'unknown', commit: 'unknown' }
  return Identity.parse(JSON.parse(readFileSync(file, 'utf8')))
}

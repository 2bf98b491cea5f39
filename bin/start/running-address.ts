// The address of the service that npm start runs in a state directory, for commands that need it.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { withLock } from '../data/data-directory.ts'

/** The state directory of npm start where no option names another. */
export const STATE = join(import.meta.dirname, '../../.wrangler/state')

/** The data directory in a state directory. */
export const dataOf = (directory: string): string => join(directory, 'data')

const addressFile = (directory: string): string => join(directory, 'address')

/** Leaves the address of the console, such as `http://localhost:8787`, in the state directory. */
export const leaveAddress = (directory: string, address: string): void =>
  writeFileSync(addressFile(directory), `${address}\n`)

/** The address of the service that runs in a state directory; undefined where none does. */
export async function runningAddress(directory: string): Promise<string | undefined> {
  if (!existsSync(addressFile(directory)) || !existsSync(dataOf(directory))) return undefined
  // The file outlives its service; the lock does not, even after kill -9.
  const isRunning = await withLock(dataOf(directory), () => false).catch(() => true)
  return isRunning ? readFileSync(addressFile(directory), 'utf8').trim() : undefined
}

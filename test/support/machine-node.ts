// The Node of this machine, which merchants have, and not the one that the project installs for its tools.
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** @throws Error if PATH has none */
export function machineNode(): string {
  const directories = (process.env.PATH ?? '').split(delimiter)
  const found = directories
    .filter((directory) => !directory.includes('node_modules'))
    .map((directory) => join(directory, 'node'))
    .find((path) => existsSync(path))
  if (!found) throw new Error('there is no node in PATH besides node_modules: install Node 20 or newer')
  return found
}

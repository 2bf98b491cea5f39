// The programs that Debian installs for the tests.
import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** The path of a program. @param packages of Debian that have it @throws Error where it is missing */
export function program(name: string, packages: string): string {
  const path = ['/usr/sbin', '/usr/bin', '/usr/local/sbin', '/usr/local/bin', '/opt/homebrew/bin']
    .map((directory) => join(directory, name))
    .find((each) => existsSync(each))
  if (path === undefined) throw new Error(`${name} is missing: apt-get install ${packages}`)
  return path
}

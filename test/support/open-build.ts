// The build of the service, with a network for notifications that reaches this machine: in production they never go to one.
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DISTRIBUTION } from '../../bin/serve/distribution.ts'

/** Makes it in a directory of the test's, beside whatever that has. @param from another build @returns its directory */
export function openBuild(directory: string, from: string = DISTRIBUTION): string {
  const build = join(directory, 'build')
  cpSync(from, build, { recursive: true, dereference: true })
  const config = readFileSync(join(build, 'config.capnp'), 'utf8')
  const open = config.replace(
    /network = \(allow = \["public"\][^(]*\(trustBrowserCas = true\)\)/,
    'network = .anywhere',
  )
  if (open === config) throw new Error('the configuration has another network for notifications')
  writeFileSync(join(build, 'config.capnp'), open)
  return build
}

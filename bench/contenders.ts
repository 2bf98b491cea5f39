// The contenders: the service, another build of it, and its peers, each served with data of its own.

import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { buildService } from '../bin/serve/build-service.ts'
import { type Server, startServer } from '../test/support/processes.ts'
import { SECRET } from '../test/support/secret.ts'
import { serve } from '../test/support/workers.ts'
import type { Setting } from './figures.ts'

export const ceiling = (setting: Setting): Promise<Server> => peer('ceiling', setting)
export const plain = (setting: Setting): Promise<Server> => peer('plain', setting)

export const ours = ({ directory, ours }: Setting): Promise<Server> =>
  serve(ours, join(directory, 'ours-disk'))

/** The other build of the service. */
export const against = (build: string, { directory }: Setting): Promise<Server> =>
  serve(build, join(directory, 'against-disk'))

export const fastify = ({ directory }: Setting): Promise<Server> =>
  startServer(process.execPath, ['--no-warnings', join(import.meta.dirname, 'contenders/fastify.ts')], {
    TOKEN_SECRET: SECRET,
    DATABASE: join(directory, 'fastify.sqlite'),
  })

/** A Worker of bench/contenders. */
async function peer(name: string, { directory }: Setting): Promise<Server> {
  const build = join(directory, name)
  await buildService(build, `bench/contenders/${name}.ts`)
  return serve(build, join(directory, `${name}-disk`), { sockets: ['http'] })
}

/** Builds the service of another checkout, which has its own dependencies, by that checkout's own code. @returns the directory */
export async function buildCheckout(checkout: string, directory: string): Promise<string> {
  // An earlier version has it in bin/ itself.
  const builder = ['bin/serve', 'bin']
    .map((folder) => resolve(checkout, folder, 'build-service.ts'))
    .find((file) => existsSync(file))
  if (!builder) throw new Error(`${checkout} has no build-service.ts`)
  const script = `const { buildService } = await import(${JSON.stringify(pathToFileURL(builder).href)})
    await buildService(${JSON.stringify(directory)})`
  await promisify(execFile)(process.execPath, ['--no-warnings', '--input-type=module', '--eval', script])
  return directory
}

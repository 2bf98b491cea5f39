// Built Workers, served by a bare workerd that keeps its objects on disk.
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildService, CONFIG } from '../bin/build-service.ts'
import { type Server, startServer } from './processes.ts'
import { SECRET } from './requests.ts'

const workerd = join(import.meta.dirname, '../node_modules/workerd/bin/workerd')

/** The settings of a service that is addressed by no one but its clients here. */
export const SETTINGS = {
  TOKEN_SECRET: SECRET,
  PUBLIC_URL: 'http://qr.example',
  BANK_MEMBER_ID: '100000000000',
}

export interface ServeOptions {
  /** Settings beside these, or instead of them. */
  vars?: Record<string, string>
  /** Takes what workerd writes. */
  log?: (text: string) => void
}

/** Serves a build of the service on free ports. @param build its directory; see bin/build-service.ts */
export const serve = (build: string, disk: string, options?: ServeOptions): Promise<Server> =>
  start(build, disk, ['http', 'admin'], options)

/** Copies a build for receivers of notifications on this machine, which the service itself does not call. */
export function allowPrivate(build: string, directory: string): void {
  cpSync(build, directory, { recursive: true })
  const config = join(directory, CONFIG)
  const everywhere = readFileSync(config, 'utf8').replace(
    'allow = ["public"]',
    'allow = ["public", "private"]',
  )
  writeFileSync(config, everywhere)
}

/** Builds a Worker of bench/contenders in a directory, and serves it. */
export async function serveContender(name: string, directory: string): Promise<Server> {
  const build = join(directory, name)
  await buildService(build, `bench/contenders/${name}.ts`)
  return start(build, join(directory, `${name}-disk`), ['http'])
}

function start(
  build: string,
  disk: string,
  sockets: string[],
  { vars, log }: ServeOptions = {},
): Promise<Server> {
  mkdirSync(disk, { recursive: true })
  const addresses = sockets.map((socket) => `--socket-addr=${socket}=127.0.0.1:0`)
  const options = ['--control-fd=3', `--directory-path=data=${disk}`, ...addresses]
  return startServer(workerd, ['serve', ...options, join(build, CONFIG)], { ...SETTINGS, ...vars }, log)
}

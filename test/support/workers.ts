// Built Workers, served by a bare workerd that keeps its objects on disk.
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { CONFIG } from '../../bin/serve/build-service.ts'
import { workerdBinary } from '../../bin/serve/workerd-binary.ts'
import { type Server, startServer } from './processes.ts'
import { SECRET } from './secret.ts'

/** The settings of a service that is addressed by no one but its clients here. */
export const SETTINGS = {
  TOKEN_SECRET: SECRET,
  PUBLIC_URL: 'http://qr.example',
  BANK_MEMBER_ID: '100000000000',
  SITE_RATE: '1000000',
}

export interface ServeOptions {
  /** Settings beside these, or instead of them. */
  vars?: Record<string, string>
  /** Which configuration of the build; by default that of production. `local` lets notifications go to this machine. */
  config?: 'config' | 'local'
  /** The sockets of its configuration. */
  sockets?: readonly string[]
  /** That of the service, by default a free one. */
  port?: number
  /** Takes what workerd writes. */
  log?: (text: string) => void
}

/** A build of the service has documentation, those of the bench have none. */
const docsOf = (build: string) =>
  existsSync(join(build, 'public')) ? [`--directory-path=files=${join(build, 'public')}`] : []

/** Serves a build of the service. @param build its directory; see bin/serve/build-service.ts */
export function serve(build: string, disk: string, options: ServeOptions = {}): Promise<Server> {
  const { vars, config = 'config', port = 0, log } = options
  const { sockets = config === 'local' ? ['http'] : ['http', 'admin'] } = options
  mkdirSync(disk, { recursive: true })
  const addresses = sockets.map(
    (socket) => `--socket-addr=${socket}=127.0.0.1:${socket === 'http' ? port : 0}`,
  )
  return startServer(
    workerdBinary(),
    [
      ...['serve', '--control-fd=3', `--directory-path=data=${disk}`],
      ...docsOf(build),
      ...[...addresses, join(build, CONFIG), config],
    ],
    { ...SETTINGS, ...vars },
    log,
  )
}

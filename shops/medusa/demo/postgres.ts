// A PostgreSQL of the demo's or a test's own: a cluster in a folder, on a port of 127.0.0.1, with the programs that are installed.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdirSync, readdirSync } from 'node:fs'
import { createConnection } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

export interface Postgres {
  /** As makeDatabase. */
  database(name: string): string
  stop(): Promise<void>
}

/** Where Debian has the programs of the newest version; elsewhere they are on the PATH. */
function programs(): string {
  const debian = '/usr/lib/postgresql'
  const versions = existsSync(debian) ? readdirSync(debian).map(Number).filter(Boolean) : []
  return versions.length > 0 ? join(debian, String(Math.max(...versions)), 'bin/') : ''
}

/** PostgreSQL refuses to run as root: then it runs as the user of Debian's package. */
function identity(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {}
  const [uid, gid] = ['-u', '-g'].map((option) => Number(execFileSync('id', [option, 'postgres'])))
  return uid !== undefined && gid !== undefined ? { uid, gid } : {}
}

/** Starts a cluster, and makes it first if the folder has none. @param directory that the user of the server can reach */
export async function startPostgres(directory: string, port: number): Promise<Postgres> {
  const user = identity()
  const bin = programs()
  const data = join(directory, 'data')
  mkdirSync(directory, { recursive: true })
  if (user.uid !== undefined && user.gid !== undefined) chownSync(directory, user.uid, user.gid)
  if (!existsSync(join(data, 'PG_VERSION'))) {
    const options = ['-D', data, '-U', 'shop', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync']
    execFileSync(`${bin}initdb`, options, { ...user, cwd: directory, stdio: ['ignore', 'ignore', 'inherit'] })
  }
  const options = ['-D', data, '-h', '127.0.0.1', '-p', `${port}`, '-k', '', '-c', 'fsync=off']
  const server = spawn(`${bin}postgres`, options, { ...user, cwd: directory, stdio: 'ignore' })
  const ended = once(server, 'exit')
  process.once('exit', () => server.kill('SIGINT'))
  while (!(await accepts(port))) {
    if (server.exitCode !== null) throw new Error(`postgres ended with status ${server.exitCode}`)
    await sleep(50)
  }
  return {
    database: (name) => makeDatabase(port, name),
    async stop() {
      server.kill('SIGINT')
      await ended
    },
  }
}

/** Makes a database where there is none of this name, as a copy of another one. @returns its address */
export function makeDatabase(port: number, name: string, template = 'template0'): string {
  const bin = programs()
  const at = ['-h', '127.0.0.1', '-p', `${port}`, '-U', 'shop']
  const list = execFileSync(`${bin}psql`, [
    ...at,
    '-d',
    'postgres',
    '-Atc',
    'select datname from pg_database',
  ])
  if (!list.toString().split('\n').includes(name))
    execFileSync(`${bin}createdb`, [...at, '-T', template, name], { stdio: ['ignore', 'ignore', 'inherit'] })
  return `postgres://shop@127.0.0.1:${port}/${name}`
}

async function accepts(port: number): Promise<boolean> {
  const socket = createConnection(port, '127.0.0.1')
  const isOpen = await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
  })
  socket.destroy()
  return isOpen
}

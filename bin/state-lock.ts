// One service per state directory: workerd answers on a database that another workerd writes, without an error.
//
// Two locks, because workerd can outlive the process that starts it. Both end with their processes, kill -9 included,
// and neither trusts a process id, which the system uses again.
//
// - The launcher has a SQLite transaction open, so of simultaneous starts one succeeds.
// - Each workerd has a FIFO open for reading (bin/workerd.sh): opening it for writing fails if no process does.
import { spawnSync } from 'node:child_process'
import { closeSync, constants, existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** Time for the other one of two simultaneous starts to finish its attempt. */
const TIMEOUT_MS = 1000

/** Keeps the databases from garbage collection, which would close them and end their locks. */
const locks: DatabaseSync[] = []

/**
 * Locks a state directory for this process and for each workerd that it starts with the environment that is returned.
 * @throws Error naming the directory and the processes that use it
 */
export function lockState(directory: string): { STATE_LOCK: string } {
  const lock = join(directory, 'lock')
  mkdirSync(lock, { recursive: true })
  const fifo = join(lock, 'workerd.fifo')
  const database = new DatabaseSync(join(lock, 'launcher.sqlite'), { timeout: TIMEOUT_MS })
  if (!begins(database) || hasReader(fifo)) {
    database.close()
    throw new Error(`${directory} is in use by ${processes(lock)}: stop it first`)
  }
  locks.push(database)
  writeFileSync(join(lock, 'pids'), `${process.pid}\n`)
  if (!existsSync(fifo)) makeFifo(fifo)
  return { STATE_LOCK: lock }
}

function begins(database: DatabaseSync): boolean {
  try {
    database.exec('BEGIN EXCLUSIVE')
    return true
  } catch (error) {
    if (error instanceof Error && error.message === 'database is locked') return false
    throw error
  }
}

function hasReader(fifo: string): boolean {
  try {
    closeSync(openSync(fifo, constants.O_WRONLY | constants.O_NONBLOCK))
    return true
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ENXIO' || code === 'ENOENT') return false
    throw error
  }
}

function makeFifo(path: string): void {
  const { status, error, stderr } = spawnSync('mkfifo', ['-m', '600', path], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`the FIFO ${path} cannot be made: ${error?.message ?? stderr.trim()}`)
}

/** For the error message only: the processes of the last start that are alive. */
function processes(lock: string): string {
  const file = join(lock, 'pids')
  const pids = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').filter(isAlive) : []
  return `another npm start, process ${pids.join(', ')}`
}

function isAlive(pid: string): boolean {
  try {
    return process.kill(Number(pid), 0)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

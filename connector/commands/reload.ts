// `reload`: has the connector that runs on a directory read its configuration again, and prints what became of it.
import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import { hasDatabase, isLocked, Meta, openExistingDatabase, transaction } from '../disk/database.ts'
import { type Log, messageOf } from '../log.ts'
import { PLATFORM } from '../platform.ts'
import { allowOnly, type Options, type Print, required } from './options.ts'

const TIMEOUT_MS = 60_000
/** The names of the values by which the running connector and this command know of each other. */
const PROCESS = 'processId'
const LAST = 'lastReload'
/** How often this command has asked for a reload. */
const ASKED = 'reloadsAsked'

/** `number`: of the last request that it answers. */
const LastReload = z.object({ number: z.int(), faults: z.array(z.string()) })
type LastReload = z.output<typeof LastReload>

/** @returns the exit code: 1 where the configuration has faults, and stays as it was */
export async function reload(options: Options, print: Print): Promise<number> {
  allowOnly('reload', options, [])
  const faults = await reloadRunning(required(options, 'data', 'a directory'))
  if (!faults) {
    print('no connector runs on this directory: it reads its configuration when it starts')
    return 0
  }
  for (const fault of faults) print(fault)
  if (faults.length === 0) print('the configuration is in force')
  return faults.length === 0 ? 0 : 1
}

/**
 * @returns the faults of the configuration; undefined where no connector runs on the directory
 * @throws Error where it does not answer
 */
export async function reloadRunning(directory: string): Promise<readonly string[] | undefined> {
  if (!hasDatabase(directory) || !isLocked(directory)) return
  const database = openExistingDatabase(directory, PLATFORM.now())
  const meta = new Meta(database)
  const pid = meta.get(PROCESS)
  if (pid === undefined) throw new Error('the connector is starting, or of an earlier version: start it anew')
  const number = transaction(database, () => {
    meta.set(ASKED, String(askedOf(meta) + 1))
    return askedOf(meta)
  })
  process.kill(Number(pid), 'SIGHUP')
  for (const until = PLATFORM.now() + TIMEOUT_MS; PLATFORM.now() < until; await sleep(50)) {
    const last = lastOf(meta)
    if (last && last.number >= number) return last.faults
  }
  throw new Error(`the connector did not read its configuration within ${TIMEOUT_MS / 1000} seconds`)
}

/**
 * From now on SIGHUP does not end the process, which takes some time to start.
 * @returns what has it read the configuration again; at once, where SIGHUP has come meanwhile
 */
export function awaitReloads(): typeof answerReloads {
  let isAsked = false
  const early = () => {
    isAsked = true
  }
  process.on('SIGHUP', early)
  return (...parameters) => {
    answerReloads(...parameters)
    process.off('SIGHUP', early)
    if (isAsked) process.emit('SIGHUP')
  }
}

/** Has SIGHUP read the configuration again. @param read @returns the faults */
function answerReloads(database: DatabaseSync, log: Log, read: () => readonly string[]): void {
  const meta = new Meta(database)
  process.on('SIGHUP', () => {
    let faults: string[] = []
    try {
      // First: who asks while the file is read can have changed it since, and waits for the next answer.
      const number = askedOf(meta)
      faults = [...read()]
      meta.set(LAST, JSON.stringify({ number, faults } satisfies LastReload))
    } catch (error) {
      // The disk may be full: the log alone has what came of it.
      log('error', 'the answer to a reload was not stored', {
        faults: faults.join('; '),
        error: messageOf(error),
      })
    }
  })
  meta.set(PROCESS, String(process.pid))
}

/** No process is to be signalled any more, or not yet. */
export function forgetProcess(database: DatabaseSync): void {
  new Meta(database).delete(PROCESS)
}

/** An earlier version has counted the answers alone. */
const askedOf = (meta: Meta): number => Math.max(Number(meta.get(ASKED) ?? 0), lastOf(meta)?.number ?? 0)

function lastOf(meta: Meta): LastReload | undefined {
  const text = meta.get(LAST)
  return text === undefined ? undefined : LastReload.parse(JSON.parse(text))
}

// `run`: the connector itself, until a signal ends it.
import { buildOf } from '../build.ts'
import { reload } from '../config/reload.ts'
import { Connector } from '../connector.ts'
import { lockDirectory, openDatabase, overwriteRemains } from '../disk/database.ts'
import { jsonLog, messageOf } from '../log.ts'
import { PLATFORM } from '../platform.ts'
import { inheritedSocket } from '../server/inherited-socket.ts'
import { close, listen } from '../server/server.ts'
import { allowOnly, configOf, coreOn, type Options, type Print, required, timeOf } from './options.ts'
import { awaitReloads, forgetProcess } from './reload.ts'

/** As long as a command at most has the lock, to see whether a connector runs. */
const LOCK_MS = 5_000

export async function run(options: Options, print: Print): Promise<void> {
  allowOnly('run', options, ['port', 'host', 'restored'])
  const answerReloads = awaitReloads()
  const config = configOf(options)
  const port = portOf(options.port ?? '3001')
  const restored =
    options.restored === undefined ? {} : { restoredFrom: timeOf('restored', options.restored) }
  const socket = inheritedSocket(process.env, process.pid)
  if (socket !== undefined && (options.host ?? options.port) !== undefined) {
    throw new Error('--host and --port are given with a socket of systemd, must be in its unit: ListenStream')
  }
  const directory = required(options, 'data', 'a directory')
  const lock = lockDirectory(directory, LOCK_MS)
  const log = jsonLog(PLATFORM.now, print)
  const build = buildOf()
  log('info', 'starting', { ...build })
  const database = openDatabase(directory, PLATFORM.now())
  forgetProcess(database)
  try {
    overwriteRemains(database)
  } catch (error) {
    log('warning', 'the database was not rewritten', { error: messageOf(error) })
  }
  const core = coreOn(database, config, log)
  const connector = new Connector(core, { ...restored, build })
  const { server, port: bound } = await listen(connector.app, options.host ?? '127.0.0.1', port, socket)
  const stop = () => {
    try {
      forgetProcess(database)
    } catch (error) {
      // The disk may be full. Without the lock nobody signals the process.
      log('warning', 'the process was not forgotten', { error: messageOf(error) })
    }
    void connector.stop(close(server)).finally(() => {
      lock.close()
      process.exit(0)
    })
  }
  answerReloads(database, log, () => reload(core, () => configOf(options)))
  process.once('SIGTERM', stop)
  process.once('SIGINT', stop)
  connector.start()
  log('info', 'listening', { url: `http://${options.host ?? '127.0.0.1'}:${bound}` })
}

function portOf(text: string): number {
  const port = Number(text)
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port
  throw new Error(`--port is ${text}, must be a number from 0 to 65535`)
}

// npm start: runs the service on this machine, without questions and without the internet.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { networkOf } from '../../src/gateway/connection.ts'
import { LOCK, withLock } from '../data/data-directory.ts'
import { prepareStart } from '../data/rebuild.ts'
import { mintToken } from '../mint-token.ts'
import { buildDocs, buildService, CONFIG } from '../serve/build-service.ts'
import { checkPort } from '../serve/check-port.ts'
import { supervise } from '../serve/supervisor.ts'
import { workerdBinary } from '../serve/workerd-binary.ts'
import { isWildcard, socketAddress } from './addresses.ts'
import { consoleLink } from './console-link.ts'
import { createDemo } from './demo.ts'
import { type LocalSettings, localSettings } from './local-settings.ts'
import { dataOf, leaveAddress } from './running-address.ts'
import { startOptions, USAGE } from './start-options.ts'
import { terminalQrCode } from './terminal-qr-code.ts'

/** A stop does not wait for long polls. */
const STOP_MS = 500

try {
  await start()
} catch (error) {
  fail(error)
  process.exit(1)
}

async function start(): Promise<void> {
  const options = startOptions(process.argv.slice(2))
  if (!options) return console.log(USAGE)
  const { port, ip, directory } = options
  const data = dataOf(directory)
  refuseEarlierData(directory, data)
  const build = options.build ?? join(directory, 'build')
  const local = await withLock(data, async () => {
    await checkPort(port, ip, '--port')
    const building = options.build === undefined ? buildService(build) : undefined
    const settings = localSettings(options)
    await building
    return settings
  })
  const serve = [workerdBinary(), 'serve', join(build, CONFIG), 'local', '--control-fd=3']
  // The documentation of the checkout can be built while the service runs.
  const files =
    options.build === undefined ? join(import.meta.dirname, '../../public') : join(build, 'public')
  const isStopped = await supervise(
    {
      prepare: () =>
        prepareStart(data, (problem) => console.error(problem), {
          retentionDays: local.config.retentionDays,
          hasTestSites: local.config.testNetwork?.isServed === true,
          isAlone: true,
        }),
      command: LOCK,
      args: [
        ...[data, ...serve, `--directory-path=data=${data}`, `--directory-path=files=${files}`],
        `--socket-addr=http=${socketAddress(ip, port)}`,
      ],
      env: local.env,
      onReady: () => {
        leaveAddress(directory, local.consoleAddress)
        void greet(ip, local)
          .then(() => (options.build === undefined ? buildDocs({ isUrgent: false }) : undefined))
          .catch((error) => isSignalled(error) || fail(error))
      },
      stopMs: STOP_MS,
    },
    (level, message) => level === 'error' && console.error(message),
  )
  process.exit(isStopped ? 0 : 1)
}

/**
 * Until 0.3.0 the data was where wrangler dev has its own: two processes on the same files. Only npm start made a lock there.
 * @throws Error that says what to do: wrangler dev, which takes no lock, may be using the files
 */
function refuseEarlierData(directory: string, data: string): void {
  const earlier = join(directory, 'v3/do')
  if (existsSync(data) || !existsSync(join(earlier, 'lock'))) return
  throw new Error(
    `${earlier} has the data of an earlier version, must be ${data}: stop npm start and wrangler dev, then move it (mv) or delete it`,
  )
}

/** Creates a QR code, if that costs nobody anything, and prints how to use the service. */
async function greet(ip: string, { address, consoleAddress, secret, config }: LocalSettings): Promise<void> {
  if (isWildcard(ip)) {
    console.log(`\nThe service, for a phone in the same network:\n\n${terminalQrCode(address)}\n\n${address}`)
  }
  if (networkOf(config, 'demo').takesLinks) {
    // A bank would get a QR code that nobody pays.
    console.log(`The service listens on ${address}. The connector gives the links: no QR code was created.`)
    return
  }
  const token = await mintToken(secret, { siteId: 'demo', scope: 'merchant', days: 30, label: 'npm start' })
  const signIn = await consoleLink(consoleAddress, secret, 'demo', { role: 'owner', label: 'npm start' })
  console.log(await createDemo({ address, signIn, token, config }))
}

/** Ctrl-C in a terminal ends the build of the documentation too: nothing has failed. */
function isSignalled(error: unknown): boolean {
  return error instanceof Error && 'signal' in error && error.signal !== null
}

function fail(error: unknown): void {
  console.error(error instanceof Error ? error.message : error)
}
